import ArgumentParser

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Create, list and revoke the API keys of programs.",
        discussion: """
            A key is valid for some apps, or for all, and has scopes: send (send pushes), read (see jobs and results), cancel, and \
            admin (everything). It is shown once; the database has only its SHA-256. The commands work while the service runs.

            Examples:
              pushserve key create --app shop --scope send,read
              pushserve key list
              pushserve key revoke 4f6k2m9x
            """,
        subcommands: [CreateKeyCommand.self, ListKeysCommand.self, RevokeKeyCommand.self])
}
