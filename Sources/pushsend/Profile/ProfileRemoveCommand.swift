import ArgumentParser
import PushProvider

struct ProfileRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a profile from its file.",
        discussion: """
            Example:
              pushsend profile remove coffee --yes

            The key and certificate files stay. On a terminal, the command asks first.
            """)

    @Argument(help: ArgumentHelp("The name of the profile.", valueName: "name"), completion: .profiles)
    var name: String

    @Flag(name: [.short, .long], help: "Remove it without asking. Scripts need it.")
    var yes = false

    @Flag(help: "Remove it from pushsend.yaml in the current folder.")
    var project = false

    func run() throws {
        let editor = try ConfigEditor(project ? .project : .user)
        let files = [editor.before?.file].compactMap(\.self)
        guard files.first?.profile(named: name) != nil else {
            throw ProfileChoice(files: files).failure(name, flag: true, variable: false)
        }
        if !yes {
            guard Prompt.isPossible else {
                throw CommandFailure.usage("Give --yes to remove the profile without being asked.")
            }
            guard try Prompt.agrees("Remove it?", hint: "The profile \(name) in \(editor.shownPath).") else {
                throw CommandFailure(.interrupted, "Nothing was removed.")
            }
        }
        try editor.remove(name)
        Output.note("Removed the profile \(name) from \(editor.shownPath.printable).")
    }
}
