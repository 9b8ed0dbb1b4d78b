import ArgumentParser
internal import PushLint
import PushProvider

struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Checks payloads: what Apple refuses, what a device passes over, what was probably not meant.",
        discussion: """
            Example:
              pushsend lint payload.json

            Each finding has its place, its rule and the remedy; "pushsend explain RULE" tells more. A folder is searched \
            for .json and .apns files. Give --topic, --push-type and the other headers to have them checked too.

            The exit code is 0 without errors, 65 with errors, 66 when a file is missing; the others are checked all the \
            same.
            """
    )

    @Argument(
        help: ArgumentHelp("A payload file, a folder, or - for standard input. Repeatable.", valueName: "file"),
        completion: .file())
    var files: [String]

    @OptionGroup(title: "The headers that it is sent with") var headers: HeaderOptions

    @Flag(help: "Judge it as a broadcast to the subscribers of a channel.")
    var broadcast = false

    @Flag(help: "Mend what is certain: in the file, or from standard input to standard output.")
    var fix = false

    @Flag(help: "Warnings are errors for the exit code.")
    var strict = false

    @Option(help: ArgumentHelp("How findings are printed: text, json, github.", valueName: "format"))
    var format: FindingFormat?

    @Flag(help: "Print one JSON object for each finding, the same as --format json.")
    var json = false

    func validate() throws {
        if json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) do not go together: give one of them.")
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

/// How findings are printed.
enum FindingFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case github
}
