import ArgumentParser
import PushCommandLine
import PushProvider

/// The options for how to send: once, repeatedly, or not at all.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The time limit for each push, such as 30s or 500ms. Default: 30s.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(help: "Check everything and show the request, but don't send it.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Write the payload to this file instead of sending it; - for standard output.", valueName: "file"),
        completion: .file())
    var save: String?

    @Flag(help: "Let --save overwrite an existing file.")
    var force = false

    @Flag(help: "Print the request as a curl command, but don't send it.")
    var asCurl = false

    @Flag(help: "Resend each time the payload file is saved, until Ctrl-C.")
    var watch = false

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp(
            "Send N times, numbering the text: Hello (1), Hello (2) ...", valueName: "number")
    )
    var repeats: Int?

    @Option(
        help: ArgumentHelp("The time between two pushes of --repeat, such as 5s. Default: 1s.", valueName: "duration"))
    var every: DurationArgument?

    @Flag(
        name: .customLong("try-other-environment"),
        help: """
            Find out whether the device token belongs to the sandbox or to production: if one doesn't know it, try the \
            other. The push may be delivered, so the command asks first.
            """)
    var triesOtherEnvironment = false

    @Flag(help: "Don't ask before --try-other-environment sends to the other environment.")
    var yes = false

    @Flag(help: "Send the payload without checking it against the lint rules.")
    var noLint = false

    @Flag(help: "Print one JSON object per device on standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Log what happens: connections, retries, pauses.")
    var verbose = false

    @Flag(help: "Show each HTTP/2 frame that is sent or received, with secrets shortened.")
    var traceFrames = false

    func validate() throws {
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be longer than zero.") }
        if let repeats, repeats < 1 { throw ValidationError("--repeat must be at least 1.") }
        if every != nil, repeats == nil {
            throw ValidationError("--every is the time between the pushes of --repeat: add, for example, --repeat 10.")
        }
        if force, save == nil { throw ValidationError("--force needs --save FILE.") }
        if yes, !triesOtherEnvironment {
            throw ValidationError("--yes answers the question of --try-other-environment: add that, or leave it out.")
        }
        let ways = [
            (save != nil, "--save"), (dryRun, "--dry-run"), (asCurl, "--as-curl"), (watch, "--watch"),
            (repeats != nil, "--repeat"), (triesOtherEnvironment, "--try-other-environment"),
        ]
        let given = ways.filter(\.0).map(\.1)
        if given.count > 1, given != ["--dry-run", "--repeat"] {
            throw ValidationError(notTogether(given[0], given[1]))
        }
        if save != nil, json { throw ValidationError("--save writes the payload and no outcome: leave out --json.") }
        if asCurl, json { throw ValidationError("--as-curl prints a command, not JSON: leave out --json.") }
    }

    /// Whether more than one push is possible.
    var isLasting: Bool { watch || repeats != nil }
}
