import ArgumentParser

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Save an app's key, topic and devices under a name, so that you type them only once.",
        discussion: """
            Example:
              pushsend profile add coffee --topic com.example.coffee \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
                --device phone=5f3ad1c07b9e4286
              pushsend send phone -m Hello

            Profiles are in $XDG_CONFIG_HOME/pushsend/config.yaml (usually ~/.config/pushsend/config.yaml), and, for a \
            project, in pushsend.yaml in the current folder. Flags override PUSHSEND_* variables, these override the \
            project's file, and that overrides the user's file.

            A project's file may come with a cloned repository. Its topic, environment and devices are used \
            immediately; its credentials, server, proxy and CA are used only after "pushsend profile trust".
            """,
        subcommands: [
            ProfileAddCommand.self, ProfileListCommand.self, ProfileShowCommand.self, ProfileCheckCommand.self,
            ProfileRemoveCommand.self, ProfileTrustCommand.self,
        ]
    )
}
