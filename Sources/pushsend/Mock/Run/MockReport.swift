import APNSVocabulary
import MockAPNs
import MockConsole
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// The output of a running mock: how to connect to it, and a line for each request.
struct MockReport: Sendable {
    var mock: MockServer
    var environment: EnvironmentArgument
    /// The folder with the note of the mock, for `--mock`.
    var stateFolder: String
    var json: Bool
    private let hasColours = Output.resultsHaveColours
    /// The allowances that the text output has shown. Each is shown once. JSON has them in each request.
    private var shownAllowances: Set<MockFact> = [.everybodysToken, .unknownDevice]

    private let consoleURL: String?

    init(_ running: MockRun, environment: EnvironmentArgument, json: Bool) {
        mock = running.mock
        self.environment = environment
        stateFolder = running.shownFolder
        consoleURL = running.note.consoleURL
        self.json = json
    }

    private static let exampleToken = String(repeating: "5f3ad1c07b9e4286", count: 4)

    /// Returns the host to connect to. For an address of all interfaces, this is localhost.
    static func reachableHost(_ host: String) -> String {
        ["127.0.0.1", "::1", "0.0.0.0", "::"].contains(host) ? (host.contains(":") ? "::1" : "localhost") : host
    }

    private var endpoint: String {
        PushEnvironment(host: Self.reachableHost(mock.host), port: mock.port).description
    }

    // MARK: Ready

    /// - Returns: Whether the reader is still there.
    func ready() -> Bool {
        Output.offer(json ? readyLine.text : readyText)
    }

    private var readyLine: JSONLine {
        [
            "event": "ready", "endpoint": .string(endpoint), "host": .string(Self.reachableHost(mock.host)),
            "port": .integer(mock.port),
            "sandbox_channels_port": mock.channelsPort(of: .sandbox).map(PushJSONValue.integer),
            "production_channels_port": mock.channelsPort(of: .production).map(PushJSONValue.integer),
            "console_url": consoleURL.map(PushJSONValue.string), "environment": .string(environment.rawValue),
            "ca_file": mock.credentials.files.map { .string($0.authority) },
            "key_file": mock.credentials.files.map { .string($0.p8) }, "state": .string(stateFolder),
            "key_id": .string(mock.credentials.keyID), "team_id": .string(mock.credentials.teamID),
        ]
    }

    private var readyText: String {
        let files = mock.credentials.files
        let ca = files?.authority ?? ""
        let me = ShellWord.quoted(CommandLine.arguments.first ?? "pushsend")
        let stateFlag = StateFolderOption.flag(for: stateFolder)
        return """
            The mock APNs (\(environment.rawValue)) is ready on https://\(endpoint)

              CA file   \(ca)
              key       \(files?.p8 ?? "")
              key id    \(mock.credentials.keyID)
              team id   \(mock.credentials.teamID)
              inbox     \(consoleURL.map { "\($0)/" } ?? "off")
              API       \(consoleURL.map { "\($0)/v1" } ?? "off")

            Send to it:

              \(me) send \(Self.exampleToken) --mock\(stateFlag) --topic com.example.app -m Hello

            or with any other client:

              curl --http2 --cacert \(ShellWord.quoted(ca)) \\
                -H "authorization: bearer $(\(me) jwt --mock\(stateFlag))" \\
                -H 'apns-topic: com.example.app' -H 'apns-push-type: alert' \\
                -d '{"aps":{"alert":"Hello"}}' -w '%{http_code}\\n' \\
                https://\(endpoint)/3/device/\(Self.exampleToken)

            Stop it with Ctrl-C. Received requests:

            """
    }

    // MARK: Requests

    /// - Returns: Whether the reader is still there.
    mutating func print(_ arrivals: [MockArrival]) -> Bool {
        var lines = PrintableLines(reservingBytes: 200 * arrivals.count)
        for arrival in arrivals {
            if json { lines.write(asItIs: line(arrival)) } else { write(arrival, to: &lines) }
            lines.endLine()
        }
        return Output.offer(lines.bytes)
    }

    /// Says that requests are missing in the output: they left the log before they could be written, or the log was emptied.
    ///
    /// - Parameter numbers: The numbers of the requests.
    /// - Returns: Whether the reader is still there.
    func leavesOut(_ numbers: ClosedRange<Int>) -> Bool {
        if json {
            let line: JSONLine = [
                "event": "gap", "missed": .integer(numbers.count), "first": .integer(numbers.lowerBound),
                "last": .integer(numbers.upperBound),
            ]
            return Output.offer(line.text)
        }
        let requests = counted(numbers.count, "request is", "requests are")
        return Output.offer("          \(requests) missing here: the log had no more room, or was emptied.")
    }

    private mutating func write(_ arrival: MockArrival, to lines: inout PrintableLines) {
        let request = arrival.request
        let verdict = arrival.verdict
        lines.write(timeOfDay: arrival.time.timeIntervalSince1970)
        if verdict.status == 0 {
            lines.write("  ---  not checked")
        } else {
            lines.write(verdict.status == 200 ? "  200  " : "  \(verdict.status)  ", colour(verdict))
            lines.write(verdict.reason?.rawValue ?? (verdict.isAccepted ? "accepted" : ""), colour(verdict))
        }
        lines.write("  ")
        if request.target.app != nil {
            lines.write("\(request.method) \(request.path)  \(request.channelID ?? verdict.channelID ?? "no channel")")
        } else {
            lines.write(request.pushType?.rawValue ?? "no push type")
            lines.write("  ")
            lines.write(request.topic ?? "no topic")
            lines.write("  ")
            lines.write(token: arrival.deviceToken)
        }
        lines.write("  ")
        lines.write(startOf: request.body, characters: 80)
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.endLine()
            lines.write("          \(label)\(text)")
        }
        if let fault = arrival.fault {
            let name = fault.name.isEmpty ? "" : " \"\(fault.name)\""
            add("fault: ", "number \(fault.id)\(name)\(arrival.wasAnswered ? "" : "; no answer was sent")")
        }
        guard verdict.status != 0 || arrival.fault == nil else { return }
        if verdict.status != 0, arrival.fault == nil, !arrival.wasAnswered {
            add("", "The answer wasn't sent: the stream or the connection ended first.")
        }
        add("", verdict.detail)
        add("based on: ", verdict.isAccepted || arrival.wasForced ? nil : verdict.fact.description)
        add("to accept it: ", verdict.remedy?.textWithFlags)
        for fact in verdict.allowances where shownAllowances.insert(fact).inserted {
            add("accepted anyway (shown once): ", fact.description)
        }
    }

    private func colour(_ verdict: MockVerdict) -> Colour? {
        hasColours ? (verdict.isAccepted ? .green : .red) : nil
    }

    private func line(_ arrival: MockArrival) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "request")
            PushForm.write(arrival, to: &writer, remedy: \.textWithFlags)
        }
        return PeerText.printableJSON(writer.bytes)
    }
}

extension MockRemedy {
    /// What to change, with the flags of this command.
    var textWithFlags: String {
        switch self {
        case .acceptAnyCredentials: "Start the mock with --auth any."
        case .trustKey(let keyID, let teamID):
            """
            Start the mock with --trust-key FILE --key-id \(Self.flagValue(keyID, else: "KEYID")) \
            --team-id \(Self.flagValue(teamID, else: "TEAMID")), or with --auth any.
            """
        case .trustAuthority: "Start the mock with --certs DIR and its authority as ca.pem, or with --auth any."
        case .simulateEnvironment(let environment): "Start the mock with --environment \(environment)."
        case .useChannelsPort(let environment):
            "Use the mock's port for the channels of \(environment): its JSON output has both, and --channel-ports sets them."
        case .acceptUnknownTokens: "Register it, or start the mock with --unknown-tokens accept."
        case .matchEnvironment(let environment):
            "Start the mock with --environment \(environment), or register the device for this one."
        case .changeVariant(_, let setting): "Start the mock with --set \(setting)."
        case .serveEarlyStreams: "Start the mock with --early-streams serve."
        case .refuseEarlyStreams: "To reset them, start the mock with --early-streams refuse."
        case .useHTTP2: "use a client that supports HTTP/2, for example curl --http2"
        case .raiseLimit(let limit): "Raise it with --limit \(limit.rawValue)=VALUE, or \(limit.removalWithFlag)."
        case .noMagic: "Use another device token, register this one, or start the mock with --no-magic."
        case .acceptPushType(let type):
            "If Apple has this push type, start the mock with --set push_types=\(type)."
        case .useHost, .trustKeyForTopic, .registerAgain, .registerForTopic, .awaitSettings: description
        }
    }

    /// Returns an id that can be pasted into a shell; the placeholder if the id has other characters than letters and
    /// digits.
    private static func flagValue(_ id: String, else placeholder: String) -> String {
        let isPlain = !id.isEmpty && id.utf8.count <= 32 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? id : placeholder
    }
}

extension MockLimit {
    /// How to remove the limit. The size limits remain in a load test.
    fileprivate var removalWithFlag: String {
        boundsSize ? "remove it with --limit \(rawValue)=none" : "remove all limits for a load test with --limit none"
    }
}
