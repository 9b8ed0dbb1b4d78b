import ArgumentParser
import PushCommandLine
internal import PushLint
import PushProvider

struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check payloads: what APNs rejects, what a device ignores, and probable mistakes.",
        discussion: """
            Example:
              pushsend lint payload.json

            Each finding shows the line, the rule and how to correct it; "pushsend explain RULE" tells you more. In a \
            folder, all .json and .apns files are checked. With --topic, --push-type and the other headers, those are \
            checked too.

            The exit code is \(ExitStatus.success.code) without errors, \(ExitStatus.invalidInput.code) with errors, and \
            \(ExitStatus.noSuchFile.code) when a file is missing; the other files are still checked.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A payload file, a folder, - for standard input, or the JSON itself. Repeatable.", valueName: "file|-|json"),
        completion: .file())
    var files: [String]

    @OptionGroup(title: "Request headers") var headers: HeaderOptions

    @Flag(help: "Check the payload as a broadcast to a channel.")
    var broadcast = false

    @Flag(help: "Correct what is certain, in the file itself; without a file, print the result.")
    var fix = false

    @Flag(help: "Exit with \(ExitStatus.invalidInput.code) for warnings too.")
    var strict = false

    @Option(help: ArgumentHelp("The format of the findings.", valueName: "format"))
    var format: FindingFormat?

    @Flag(help: "The same as --format json: one JSON object for each finding.")
    var json = false

    func validate() throws {
        if json, let format, format != .json {
            throw ValidationError(notTogether("--json", "--format \(format.rawValue)"))
        }
        if files.filter({ $0 == "-" }).count > 1 {
            throw ValidationError("Standard input can be read once: give - once.")
        }
    }

    func run() throws {
        var context = headers.lintContext()
        if broadcast { context.broadcast = LintContext.Broadcast(hasNotificationID: headers.apnsID != nil) }
        let inspection = LintRun(
            context: context, format: json ? .json : format ?? .text, mends: fix, isStrict: strict)
        Output.exit(inspection.run(files))
    }
}

enum FindingFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case github
}
