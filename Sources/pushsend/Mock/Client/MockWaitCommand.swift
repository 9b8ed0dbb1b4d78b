import ArgumentParser
import PushCommandLine
internal import PushJSON

/// What a test expects, as options.
struct ExpectationOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The search. Several arguments are joined with spaces.", valueName: "search"))
    var search: [String] = []

    @Option(help: ArgumentHelp("The minimum number of requests. Default: 1.", valueName: "n"))
    var atLeast: Int?

    @Option(help: ArgumentHelp("The exact number of requests.", valueName: "n"))
    var exactly: Int?

    @Flag(help: "No request at all, not even a rejected one.")
    var none = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Another search, which must match a later request. Repeatable.", valueName: "search"))
    var then: [String] = []

    @Option(help: ArgumentHelp("Consider only requests with a higher number.", valueName: "number"))
    var after: Int?

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @OptionGroup var target: ConsoleTarget

    func validate() throws {
        if [atLeast != nil, exactly != nil, none].count(where: \.self) > 1 {
            throw ValidationError(notTogether("--at-least", "--exactly", "--none"))
        }
        if !then.isEmpty, atLeast != nil || exactly != nil || none {
            throw ValidationError("--then can't be combined with --at-least, --exactly or --none.")
        }
        if let atLeast, atLeast < 1 { throw ValidationError("--at-least must be 1 or more.") }
        if let exactly, exactly < 0 { throw ValidationError("--exactly must be 0 or more.") }
        if let after, after < 0 { throw ValidationError("--after must be 0 or more.") }
    }

    /// Asks the mock, and prints the result.
    ///
    /// - Parameters:
    ///   - path: `/pushes/wait` or `/pushes/assert`.
    ///   - wait: How long the mock waits.
    ///   - settle: How long no further request may arrive.
    /// - Throws: ``CommandFailure``, without a message if the expectation was not met.
    func check(_ path: String, within wait: Duration, settle: Duration? = nil) async throws {
        let client = try target.client()
        let answer = try await client.send(
            "POST", path, body: PushJSONValue.object(try body(wait, settle)).encoded,
            wait: wait + (settle ?? .milliseconds(500)))
        guard answer.status == 200 || answer.status == 409 else { throw ConsoleClient.failure(answer) }
        if json {
            Output.print(answer.json.map(PushLine.json) ?? "")
        } else {
            report(answer)
        }
        if answer.status == 409 { throw CommandFailure(.rejected, "") }
    }

    private func body(_ wait: Duration, _ settle: Duration?) throws -> [String: PushJSONValue] {
        let query = try MockSearchHelp.query(search)
        var body: [String: PushJSONValue] = ["within": .string(Self.text(wait))]
        if then.isEmpty {
            body["query"] = .string(query)
        } else {
            body["in_order"] = .array(
                ([query] + (try then.map { try MockSearchHelp.query([$0]) })).map(PushJSONValue.string))
        }
        body["at_least"] = atLeast.map(PushJSONValue.integer)
        body["exactly"] = exactly.map(PushJSONValue.integer)
        if none { body["none"] = true }
        body["after"] = after.map(PushJSONValue.integer)
        body["settle"] = settle.map { .string(Self.text($0)) }
        return body
    }

    private static func text(_ duration: Duration) -> String {
        "\(duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000)ms"
    }

    private func report(_ answer: ConsoleClient.Answer) {
        guard let json = answer.json else { return }
        if case .string(let detail)? = json["detail"] {
            answer.status == 200 ? Output.print(detail) : Output.complain(detail)
        }
        if answer.status == 200, case .array(let matches)? = json["matches"] {
            for push in matches { Output.print("  \(PushLine.text(push))") }
        }
        guard answer.status == 409, case .array(let misses)? = json["near_misses"] else { return }
        if !misses.isEmpty { Output.note("The nearest requests, and what is different:") }
        for miss in misses {
            if let push = miss["push"] { Output.note("  \(PushLine.text(push))") }
            guard case .array(let differences)? = miss["differences"] else { continue }
            for case .object(let difference) in differences {
                guard case .string(let expected)? = difference["expected"],
                    case .string(let found)? = difference["found"]
                else { continue }
                Output.note("      expected \(expected), found \(found.isEmpty ? "nothing" : found)")
            }
        }
    }
}

struct MockWaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until the expected requests have arrived at the running mock.",
        discussion: """
            Example:
              pushsend mock wait 'topic:com.example.app title:Hello' --exactly 1
              pushsend mock wait --none --within 2s
              pushsend mock wait 'title:First' --then 'title:Second'

            The exit code is \(ExitStatus.success.code) as soon as the expectation is met, and \
            \(ExitStatus.rejected.code) as soon as it can no longer be met, with the nearest requests. Without a term \
            about status or reason, only accepted requests count, except with --none.
            """
    )

    @OptionGroup var expectation: ExpectationOptions

    @Option(help: ArgumentHelp("How long to wait. Default: 10s.", valueName: "duration"))
    var within: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "With --exactly: how long to check that no other request arrives. Default: 500ms.", valueName: "duration"))
    var settle: DurationArgument?

    func run() async throws {
        try await expectation.check(
            "/pushes/wait", within: within?.duration ?? .seconds(10), settle: settle?.duration)
    }
}

struct MockAssertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assert",
        abstract: "Check what has arrived at the running mock until now.",
        discussion: """
            Example:
              pushsend mock assert 'topic:com.example.app' --exactly 3
              pushsend mock assert 'violation:any' --none

            The same as "mock wait", without waiting. The exit code is \(ExitStatus.success.code) or \
            \(ExitStatus.rejected.code).
            """
    )

    @OptionGroup var expectation: ExpectationOptions

    func run() async throws {
        try await expectation.check("/pushes/assert", within: .zero)
    }
}
