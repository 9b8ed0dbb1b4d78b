import ArgumentParser
internal import PushCampaign
import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a campaign is run, and where it keeps what became of it.
struct CampaignOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How the lines are written; recognised when not given.", valueName: "jsonl|csv|tokens"))
    var format: FormatArgument?

    @Option(
        name: .customLong("token-column"),
        help: ArgumentHelp(
            "Which column of CSV has the device tokens; the one called token or device_token when not given.",
            valueName: "name"))
    var tokenColumn: String?

    @Option(
        help: ArgumentHelp("The folder of results and journal; INPUT.pushsend when not given.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp("With -, the results go to standard output too, one JSON object a line.", valueName: "-"),
        completion: .list(["-"]))
    var results: String?

    @Flag(help: "Throw away what the folder holds of a campaign, and send every line, also those that went out before.")
    var restart = false

    @Flag(
        name: .customLong("at-least-once"),
        help: "Send again what may have gone out already: nobody misses it, and some may get it twice.")
    var isAtLeastOnce = false

    @Flag(help: "Wait for the disk with each mark of the journal, so that a power cut doubles nothing either.")
    var durable = false

    @Option(
        help: ArgumentHelp(
            "How many lines at the most are unknown after a kill; 10000 when not given.", valueName: "number"))
    var window: Int?

    @Option(help: ArgumentHelp("Send no more than so many a second, evenly: 500/s.", valueName: "number/s"))
    var rate: RateArgument?

    @Option(help: ArgumentHelp("How many may be under way at a time; 10000 when not given.", valueName: "number"))
    var concurrency: Int?

    @Option(help: ArgumentHelp("How many connections at the most; 8 when not given.", valueName: "number"))
    var connections: Int?

    @Option(help: ArgumentHelp("How long each push may take, with a unit: 30s, 500ms.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(
        name: .customLong("gone-at-face-value"),
        help: """
            List each token that APNs answers 410 for in "gone", also where the line has no registered_at: one that the app has \
            registered again meanwhile is then listed too.
            """)
    var isGoneAtFaceValue = false

    @Option(
        name: .customLong("stop-at"),
        help: ArgumentHelp(
            "Send no more after this time: 18:30, an ISO date and time, or 2h for in two hours.", valueName: "time"))
    var stopAt: StopTimeArgument?

    @Option(
        name: .customLong("outage-wait"),
        help: ArgumentHelp(
            """
            How long to wait when APNs takes nothing from anybody, with a unit; 30m when not given. The campaign pauses, tries one \
            line now and then, and goes on by itself.
            """, valueName: "duration"))
    var outageWait: DurationArgument?

    @Option(
        name: .customLong("max-errors"),
        help: ArgumentHelp("Stop when so many lines were not accepted; dead tokens do not count.", valueName: "number"))
    var maxErrors: Int?

    @Option(
        help: ArgumentHelp(
            "Stop when so large a share of the last answers says that tokens and setup do not fit; 80%/100 when not given, or off.",
            valueName: "share/answers|off"), transform: MismatchArgument.init)
    var mismatch: MismatchArgument?

    @Option(
        help: ArgumentHelp(
            "Send the first so many lines only, or so many chosen by chance: random:1000.", valueName: "number"))
    var sample: SampleArgument?

    @Flag(
        name: .customLong("skip-duplicates"),
        help: "Send to each device token once; takes some 80 bytes of memory for each.")
    var skipDuplicates = false

    @Flag(name: .customLong("dry-run"), help: "Check every line and the payload, and send nothing.")
    var dryRun = false

    @Flag(name: .customLong("no-lint"), help: "Send the payloads as they are, whatever the lint says.")
    var noLint = false

    @Flag(help: "Do not ask before a campaign goes to production.")
    var yes = false

    @Flag(
        name: .customLong("fail-on-rejected"),
        help: "Exit with 1 when a line was rejected, is invalid, is a duplicate or has expired.")
    var failOnRejected = false

    @Option(
        help: ArgumentHelp("Write the summary as one page of HTML too, with charts.", valueName: "file.html"),
        completion: .file())
    var report: String?

    @Flag(help: "Print the summary as one JSON object on standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Say what happens on the way.")
    var verbose = false

    private static let mostConnections = 1000

    func validate() throws {
        for (value, name) in [
            (window, "--window"), (concurrency, "--concurrency"), (connections, "--connections"),
            (maxErrors, "--max-errors"),
        ] {
            if let value, value < 1 { throw ValidationError("\(name) must be at least 1.") }
        }
        if let connections, connections > Self.mostConnections {
            throw ValidationError("--connections can be \(Self.mostConnections) at the most.")
        }
        for (path, name) in [(out, "--out"), (report, "--report")] where path?.isEmpty == true || path == "-" {
            throw ValidationError("\(name) needs a name: of a \(name == "--out" ? "folder" : "file").")
        }
        if let results, results != "-" {
            throw ValidationError("--results takes - for standard output; the folder of results is --out.")
        }
        if results != nil, json {
            throw ValidationError("--results - and --json both print to standard output: give one of them.")
        }
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be longer than zero.") }
    }

    /// What of them the library does.
    func options(now: Date = Date()) -> BatchOptions {
        var options = BatchOptions()
        options.rate = rate?.perSecond
        options.timeout = timeout?.duration
        options.window = window ?? options.window
        options.isAtLeastOnce = isAtLeastOnce
        options.isDurable = durable
        options.skipsDuplicates = skipDuplicates
        options.sample = sample?.sample
        options.lints = !noLint
        options.mostErrors = maxErrors
        options.takesGoneAtFaceValue = isGoneAtFaceValue
        options.outageWait = outageWait?.duration ?? options.outageWait
        options.stopsAfter = stopAt?.time(after: now)
        return options
    }
}

/// How lines are written.
enum FormatArgument: String, ExpressibleByArgument, CaseIterable {
    case jsonl
    case csv
    case tokens

    var format: BatchFormat {
        switch self {
        case .jsonl: .jsonLines
        case .csv: .csv
        case .tokens: .tokens
        }
    }
}

/// `100`, `random:100`.
struct SampleArgument: ExpressibleByArgument {
    let sample: BatchSample
    /// As it was given.
    let text: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard let number = parts.last, let count = Int(number), count > 0 else { return nil }
        switch parts.dropLast() {
        case []: sample = .first(count)
        case ["random"]: sample = .random(count)
        default: return nil
        }
        text = argument
    }
}

/// `500/s`, `500`, `30000/m`.
struct RateArgument: ExpressibleByArgument {
    var perSecond: Double

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let units: [Substring: Double] = ["s": 1, "m": 60, "h": 3600]
        guard parts.count <= 2, let unit = parts.count == 2 ? units[parts[1]] : 1, let number = Double(parts[0]),
            number.isFinite, number > 0, number <= 1e9
        else { return nil }
        perSecond = number / unit
    }
}

/// `18:30` of today or tomorrow, an ISO date and time, or a duration.
struct StopTimeArgument: ExpressibleByArgument {
    private enum Form {
        case after(Duration)
        case at(Date)
        case daily(hour: Int, minute: Int)
    }

    private let form: Form

    init?(argument: String) {
        let parts = argument.split(separator: ":").compactMap { Int($0) }
        if parts.count == 2, argument.count <= 5, (0..<24).contains(parts[0]), (0..<60).contains(parts[1]) {
            form = .daily(hour: parts[0], minute: parts[1])
        } else if let duration = DurationArgument(argument: argument) {
            form = .after(duration.duration)
        } else if let date = try? Date(argument, strategy: .iso8601) {
            form = .at(date)
        } else {
            return nil
        }
    }

    func time(after now: Date) -> Duration {
        switch form {
        case .after(let duration): return duration
        case .at(let date): return .seconds(max(0, date.timeIntervalSince(now)))
        case .daily(let hour, let minute):
            let calendar = Calendar.current
            let day = calendar.startOfDay(for: now)
            let seconds = day.addingTimeInterval(Double(hour * 3600 + minute * 60)).timeIntervalSince(now)
            return .seconds(seconds > 0 ? seconds : seconds + 86_400)
        }
    }
}
