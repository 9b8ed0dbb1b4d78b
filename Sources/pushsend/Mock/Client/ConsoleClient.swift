import APNSVocabulary
import ArgumentParser
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// Sends requests to the API of the running mock.
struct ConsoleClient: Sendable {
    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]

        var json: PushJSONValue? { PushJSONValue(json: body) }
    }

    let host: String
    let port: Int
    private let accessToken: String?
    private let namespace: String?

    /// Finds the mock by its note.
    ///
    /// - Parameters:
    ///   - stateFolder: The state folder of the mock.
    ///   - namespace: The namespace; `nil` for the one from the start.
    /// - Throws: ``CommandFailure`` if no mock is running there, or it has no API.
    init(stateFolder: String, namespace: String?) throws {
        let note = try MockNote.ofRunningMock(on: stateFolder)
        guard let port = note.consolePort else {
            throw CommandFailure(.cannotConnect, "The mock on \(note.endpoint) was started with --no-console.")
        }
        host = note.consoleHost ?? "127.0.0.1"
        self.port = port
        accessToken = note.accessToken ?? Fallback.mockToken.value
        self.namespace = namespace
    }

    /// Uses the API at an address, for a mock on another machine or in a container.
    ///
    /// - Parameters:
    ///   - url: `http://HOST:PORT`.
    ///   - name: Where the address comes from, for the error.
    ///   - namespace: The namespace; `nil` for the one from the start.
    /// - Throws: ``CommandFailure`` if it is not such an address.
    init(url: String, from name: String, namespace: String?) throws {
        let prefix = "http://"
        let rest = url.hasPrefix(prefix) ? String(url.dropFirst(prefix.count)) : ""
        let endpoint = rest.hasSuffix("/") ? String(rest.dropLast()) : rest
        guard !endpoint.isEmpty, !endpoint.contains("/"), let target = EndpointArgument(argument: endpoint) else {
            let advice = endpoint.contains(":") ? " " + EndpointArgument.advice(for: endpoint) : ""
            throw CommandFailure.usage(
                "\(name) must be the address of the mock's API, as in http://127.0.0.1:2198, not \"\(url)\".\(advice)")
        }
        host = target.host
        port = target.port
        accessToken = Fallback.mockToken.value
        self.namespace = namespace
    }

    /// Sends a request and returns the answer.
    ///
    /// A machine that is busy with a test run can take many seconds to answer. If nothing listens, the connection is refused at once.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below `/v1`, with its query.
    ///   - body: The JSON of a write.
    ///   - wait: How long the answer can take; at most two hours.
    /// - Returns: The answer.
    /// - Throws: ``CommandFailure`` without an answer.
    func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, wait: Duration = .seconds(25)
    ) async throws -> Answer {
        let prefix = namespace.map { "/v1/namespaces/\(PercentEncoding.encoded($0))" } ?? "/v1"
        var headers = HTTPHeaders([
            ("host", "\(host.contains(":") ? "[\(host)]" : host):\(port)"), ("connection", "close"),
        ])
        if let accessToken { headers.add(name: "authorization", value: "bearer \(accessToken)") }
        if let body {
            headers.add(name: "content-type", value: "application/json")
            headers.add(name: "content-length", value: String(body.count))
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: method), uri: prefix + path, headers: headers)
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(30))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                            wrappingChannelSynchronously: channel)
                    }
                }
            let timeout = channel.channel.eventLoop.scheduleTask(
                in: TimeAmount(min(wait, .seconds(7200)) + .seconds(5))
            ) {
                channel.channel.close(promise: nil)
            }
            defer { timeout.cancel() }
            return try await Self.exchange(channel, head, body ?? [])
        } catch let failure as CommandFailure {
            throw failure
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw CommandFailure(
                .cannotConnect, "The mock's API on \(host):\(port) doesn't answer. Is the mock still running?")
        }
    }

    private static func exchange(
        _ channel: NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>, _ head: HTTPRequestHead,
        _ body: [UInt8]
    ) async throws -> Answer {
        try await channel.executeThenClose { inbound, outbound in
            // A server that has answered can close the connection before it has read everything. The answer is there all the same.
            let parts: [HTTPClientRequestPart?] = [
                .head(head), body.isEmpty ? nil : .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil),
            ]
            try? await outbound.write(contentsOf: parts.compactMap(\.self))
            var answer = Answer(status: 0, body: [])
            for try await part in inbound {
                switch part {
                case .head(let head): answer.status = Int(head.status.code)
                case .body(let bytes): answer.body += Array(buffer: bytes)
                case .end: return answer
                }
            }
            throw ChannelError.eof
        }
    }

    /// Sends a request whose answer must be a success.
    ///
    /// - Returns: The answer.
    /// - Throws: ``CommandFailure`` with the detail and the remedy of the mock.
    func demand(
        _ method: String, _ path: String, body: [UInt8]? = nil, wait: Duration = .seconds(25)
    ) async throws -> Answer {
        let answer = try await send(method, path, body: body, wait: wait)
        guard (200..<300).contains(answer.status) else { throw Self.failure(answer) }
        return answer
    }

    static func failure(_ answer: Answer) -> CommandFailure {
        func text(_ name: String) -> String? {
            if case .string(let text)? = answer.json?[name] { text } else { nil }
        }
        let message = [text("detail") ?? "The mock answered \(answer.status).", text("remedy")]
        let status: ExitStatus =
            answer.status == 401 ? .credentials : answer.status >= 500 ? .cannotConnect : .invalidInput
        return CommandFailure(status, message.compactMap(\.self).joined(separator: " "))
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

/// Which running mock a command talks to.
struct ConsoleTarget: ParsableArguments {
    @OptionGroup var state: StateFolderOption

    @Option(
        help: ArgumentHelp(
            "The address of the mock's API, as in http://mock:2198. Default: MOCK_URL, or the mock of the state folder.",
            valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The namespace of the mock. Default: the first one.", valueName: "name"))
    var namespace: String?

    /// The client for the API of the mock. `--url` comes first, then `--state`, then MOCK_URL, then the usual state folder.
    func client() throws -> ConsoleClient {
        if let url { return try ConsoleClient(url: url, from: "--url", namespace: namespace) }
        let variable = ProcessInfo.processInfo.environment["MOCK_URL"] ?? ""
        if state.folder == nil, !variable.isEmpty {
            return try ConsoleClient(url: variable, from: "MOCK_URL", namespace: namespace)
        }
        return try ConsoleClient(stateFolder: try state.path, namespace: namespace)
    }
}

/// A request in the log of the mock, as the API describes it, on one line.
enum PushLine {
    static func json(_ push: PushJSONValue) -> String {
        String(decoding: PeerText.printableJSON(push.encoded), as: UTF8.self)
    }

    static func text(_ push: PushJSONValue) -> String {
        func text(_ name: String) -> String? {
            switch push[name] {
            case .string(let text): text
            case .integer(let number): String(number)
            default: nil
            }
        }
        let time = text("time").map { $0.split(separator: "T").last?.prefix(8) ?? "" } ?? ""
        let status = text("status").map { $0 == "0" ? "---" : $0 } ?? "---"
        let parts = [
            "\(text("number") ?? "")", String(time), status, text("reason") ?? (status == "200" ? "accepted" : ""),
            text("push_type") ?? "no push type", text("topic") ?? "no topic",
            DeviceToken.shortened(text("token") ?? ""), String((text("payload") ?? "").prefix(80)),
        ]
        return PeerText.printable(parts.joined(separator: "  "))
    }
}
