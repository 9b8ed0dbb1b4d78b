import ArgumentParser
internal import PushCampaign
import PushCommandLine
import PushPlatform
import PushProvider
internal import PushTime

struct CampaignOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The format of the input. Default: detected.", valueName: "jsonl|csv|tokens"))
    var format: FormatArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The CSV column with the device tokens. Default: token or device_token.", valueName: "name"))
    var tokenColumn: String?

    @Option(
        help: ArgumentHelp("The folder for results and journal. Default: <file>.pushsend.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp("- prints the results to standard output too, one JSON object per line.", valueName: "-"),
        completion: .list(["-"]))
    var results: String?

    @Flag(help: "Discard the earlier campaign in the folder and send every line, even those already sent.")
    var restart = false

    @Flag(
        name: .customLong("at-least-once"),
        help: "After a kill, resend the lines whose outcome is unknown: none is lost, but some may arrive twice.")
    var isAtLeastOnce = false

    @Flag(help: "Flush the journal to disk at each step, so that even after a power cut nothing is sent twice.")
    var durable = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of lines with an unknown outcome after a kill. Default: 10,000.", valueName: "number"))
    var window: Int?

    @Option(
        help: ArgumentHelp("The maximum rate, spread evenly, such as 500/s or 30000/m.", valueName: "number/s"))
    var rate: RateArgument?

    @Option(
        help: ArgumentHelp("The maximum number of pushes in flight at a time. Default: 10,000.", valueName: "number"))
    var concurrency: Int?

    @Option(help: ArgumentHelp("The maximum number of connections. Default: 8.", valueName: "number"))
    var connections: Int?

    @Option(
        help: ArgumentHelp("The time limit for each push, such as 30s or 500ms. Default: 30s.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(
        name: .customLong("gone-at-face-value"),
        help: """
            List every token with a 410 answer in "gone", even without registered_at in its line. The list may then contain \
            tokens that the app has registered again since.
            """)
    var isGoneAtFaceValue = false

    @Option(
        name: .customLong("stop-at"),
        help: ArgumentHelp(
            """
            Stop sending at this time: 18:30 in local time, an ISO date and time (UTC without a zone), or a duration such as 2h.
            """, valueName: "time"))
    var stopAt: StopTimeArgument?

    @Option(
        name: .customLong("outage-wait"),
        help: ArgumentHelp(
            """
            How long to wait when APNs answers no request, such as 30m. Until then the campaign pauses, tries one line from time \
            to time, and continues when that succeeds. Default: 30m.
            """, valueName: "duration"))
    var outageWait: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Stop once this many lines weren't accepted. Inactive tokens (410) don't count.", valueName: "number"))
    var maxErrors: Int?

    @Option(
        help: ArgumentHelp(
            "Stop when this share of the last answers shows that tokens don't match the topic or environment. Default: 80%/100.",
            valueName: "share/answers|off"), transform: MismatchArgument.init)
    var mismatch: MismatchArgument?

    @Option(
        help: ArgumentHelp(
            "Send only the first N lines, or N lines chosen at random: random:N.", valueName: "N|random:N"))
    var sample: SampleArgument?

    @Flag(help: "Send to each device token only once. Needs about 80 bytes of memory per token.")
    var skipDuplicates = false

    @Flag(help: "Check the payload and every line, but send nothing. Needs about 80 bytes of memory per token.")
    var dryRun = false

    @Flag(help: "Send the payloads without checking them against the lint rules.")
    var noLint = false

    @Flag(help: "Don't ask before sending to production.")
    var yes = false

    @Flag(help: "Exit with 1 when a line was rejected, invalid, a duplicate or expired.")
    var failOnRejected = false

    @Option(
        help: ArgumentHelp("Also write the summary as an HTML page with charts.", valueName: "file.html"),
        completion: .file())
    var report: String?

    @Flag(help: "Print the summary as one JSON object.")
    var json = false

    @Flag(name: [.short, .long], help: "Log what happens: connections, retries, pauses.")
    var verbose = false

    /// The maximum for `--connections`. A larger value is an error.
    private static let maximumConnections = 1000

    func validate() throws {
        for (value, name) in [
            (window, "--window"), (concurrency, "--concurrency"), (connections, "--connections"),
            (maxErrors, "--max-errors"),
        ] {
            if let value, value < 1 { throw ValidationError("\(name) must be at least 1.") }
        }
        if let connections, connections > Self.maximumConnections {
            throw ValidationError("--connections can be at most \(Self.maximumConnections).")
        }
        for (path, name) in [(out, "--out"), (report, "--report")] where path?.isEmpty == true || path == "-" {
            throw ValidationError("\(name) needs the name of a \(name == "--out" ? "folder" : "file").")
        }
        if let results, results != "-" {
            throw ValidationError("--results takes - for standard output; the folder of results is --out.")
        }
        if results != nil, json {
            throw ValidationError("--results - and --json both print to standard output: give one of them.")
        }
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be longer than zero.") }
    }

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
        options.maximumErrors = maxErrors
        options.takesGoneAtFaceValue = isGoneAtFaceValue
        options.outageWait = outageWait?.duration ?? options.outageWait
        options.stopsAfter = stopAt?.time(after: now)
        return options
    }
}

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

/// A sample: `100`, `random:100`.
struct SampleArgument: ExpressibleByArgument {
    let sample: BatchSample
    /// The value as given.
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

/// A rate: `500/s`, `500`, `30000/m`.
struct RateArgument: ExpressibleByArgument {
    var perSecond: Double

    init?(argument: String) {
        guard let perSecond = Double(rateText: argument, needsUnit: false) else { return nil }
        self.perSecond = perSecond
    }
}

/// A time: `18:30` today or tomorrow, an ISO date and time, or a duration.
struct StopTimeArgument: ExpressibleByArgument {
    private enum Form {
        case after(Duration)
        case at(Date)
        case daily(hour: Int, minute: Int)
    }

    private let form: Form
    /// A smaller number is a duration without its unit, and no time in seconds since 1970.
    private static let firstNumber = 1_000_000_000.0

    init?(argument: String) {
        let parts = argument.split(separator: ":").compactMap { Int($0) }
        if parts.count == 2, argument.count <= 5, (0..<24).contains(parts[0]), (0..<60).contains(parts[1]) {
            form = .daily(hour: parts[0], minute: parts[1])
        } else if let duration = DurationArgument(argument: argument) {
            form = .after(duration.duration)
        } else if let milliseconds = TimeText.millisecondsSince1970(argument),
            Double(argument).map({ $0 >= Self.firstNumber }) != false
        {
            form = .at(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        } else {
            return nil
        }
    }

    /// Refuses a time that has passed: the campaign would stop before its first line.
    func requireLater(than now: Date) throws {
        guard case .at(let date) = form, date <= now else { return }
        throw CommandFailure(
            .invalidInput,
            """
            --stop-at: \(date.rfc3339Seconds) has passed: by the clock here it is \(now.rfc3339Seconds). Give a future time, a time \
            of day such as 18:30, or a duration such as 2h.
            """)
    }

    func time(after now: Date) -> Duration {
        switch form {
        case .after(let duration): return duration
        case .at(let date): return .seconds(max(0, date.timeIntervalSince(now)))
        case .daily(let hour, let minute):
            // Foundation's calendar without its internationalisation doesn't know the time zone of the process.
            var (moment, parts) = (time_t(now.timeIntervalSince1970), tm())
            localtime_r(&moment, &parts)
            let hasPassed = (Int(parts.tm_hour), Int(parts.tm_min)) >= (hour, minute)
            (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (Int32(hour), Int32(minute), 0, -1)
            if hasPassed { parts.tm_mday += 1 }
            return .seconds(Double(mktime(&parts)) - now.timeIntervalSince1970)
        }
    }
}

/// When to stop a campaign whose tokens do not match the setup: `80%/100`, `80%`, or `off`.
struct MismatchArgument {
    /// The breaker; `nil` to never stop.
    let breaker: PushConfiguration.MismatchBreaker?

    init(_ text: String) throws(ValidationError) {
        if text == "off" {
            breaker = nil
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasSuffix("%"), let percent = Double(parts[0].dropLast()), percent > 0, percent <= 100 else {
            throw ValidationError("the share is above 0% and at most 100%, such as 80%/100; off never stops")
        }
        var breaker = PushConfiguration.MismatchBreaker.standard
        breaker.share = percent / 100
        if parts.count == 2 {
            guard let answers = Int(parts[1]), (1...1_000_000).contains(answers) else {
                throw ValidationError("the number of answers is from 1 to 1000000, such as 80%/100")
            }
            breaker.window = answers
        }
        self.breaker = breaker
    }
}
