internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import PushDelivery
internal import PushHTTP
internal import PushPlatform
internal import PushProvider
internal import PushWire

/// Posts messages to the receiver of a webhook.
///
/// The host is looked up for each new connection pool, at most once a minute, and connected to at the address that was
/// checked, so that a name cannot be another address by the time of the connection. Redirects are not followed.
actor WebhookPoster {
    enum Answer: Equatable {
        case taken
        /// The receiver asks for it later, or failed. The text has the reason, without secrets.
        case failed(String, retryAfter: Duration?)
        /// The receiver will never accept it. The text has the reason, without secrets.
        case refused(String)
    }

    /// Looks up the addresses of a host, and refuses those that are not permitted.
    typealias Resolve = @Sendable (_ url: WebhookURL, _ mayBePrivate: Bool) async throws -> [String]

    private let settings: WebhookSettings
    private let url: WebhookURL
    private let group: any EventLoopGroup
    private let resolve: Resolve
    private var pool: (client: HTTPClient, address: String, checked: ContinuousClock.Instant)?

    private static let addressLifetime: Duration = .seconds(60)
    private static let connectTimeout: TimeAmount = .seconds(5)
    /// The maximum number of bytes of an answer that are read. Their content is not used.
    private static let longestAnswer = 64 << 10
    /// How long the content of an answer is read, at most to the end of the time limit. Beyond it, the connection is closed.
    private static let longestReading: TimeAmount = .seconds(1)

    init?(
        _ settings: WebhookSettings, group: any EventLoopGroup,
        resolve: @escaping Resolve = { try await WebhookResolver.addresses(of: $0, mayBePrivate: $1) }
    ) {
        guard settings.problem == nil, let url = WebhookURL(settings.url) else { return nil }
        (self.settings, self.url, self.group, self.resolve) = (settings, url, group, resolve)
    }

    func post(id: String, body: [UInt8], now: Date, traceparent: TraceParent? = nil) async -> Answer {
        do {
            let deadline = NIODeadline.now() + TimeAmount(settings.timeout)
            let client = try await client()
            let response = try await client.execute(request(id, body, now, traceparent), deadline: deadline)
            await Self.read(response.body, until: min(deadline, .now() + Self.longestReading))
            return Self.answer(response, now)
        } catch let refusal as WebhookRefusal {
            return .failed(refusal.reason, retryAfter: nil)
        } catch {
            return .failed("The receiver can't be reached: \(Self.words(for: error))", retryAfter: nil)
        }
    }

    /// What has happened, without the names of system calls.
    private static func words(for error: any Error) -> String {
        let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        if let error = first as? IOError { return "it \(SocketFailure.predicate(error.errnoCode))" }
        return (first as? HTTPClientError)?.shortDescription ?? "\(first)"
    }

    private func request(
        _ id: String, _ body: [UInt8], _ now: Date, _ traceparent: TraceParent?
    ) -> HTTPClientRequest {
        let seconds = Int(now.timeIntervalSince1970)
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        request.headers = [
            "content-type": "application/json", "user-agent": "pushserve", "webhook-id": id,
            "webhook-timestamp": String(seconds),
            "webhook-signature": WebhookSignature.header(
                id: id, seconds: seconds, body: body, secrets: settings.secrets),
        ]
        if let traceparent { request.headers.add(name: "traceparent", value: traceparent.text) }
        request.body = .bytes(body)
        return request
    }

    /// The connection can be used again only if the answer was read. The content does not matter: after the time, the rest is
    /// cancelled.
    private static func read(_ body: HTTPClientResponse.Body, until end: NIODeadline) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { _ = try? await body.collect(upTo: longestAnswer) }
            tasks.addTask { try? await Task.sleep(for: .nanoseconds((end - .now()).nanoseconds)) }
            await tasks.next()
            tasks.cancelAll()
        }
    }

    /// The longest pause that a receiver may ask for.
    private static let longestPause: Duration = .seconds(86_400)

    private static func answer(_ response: HTTPClientResponse, _ now: Date) -> Answer {
        let code = Int(response.status.code)
        if (200..<300).contains(code) { return .taken }
        if isPermanent(code) {
            return .refused("The receiver answered \(code). The message isn't resent.")
        }
        let asked = RetryAfter.pause(
            response.headers.first(name: "retry-after"), secondsSince1970: Int(now.timeIntervalSince1970))
        return .failed("The receiver answered \(code).", retryAfter: asked.map { min($0, longestPause) })
    }

    /// Whether the same message would get the same answer again. 408, 409, 425 and 429 ask for a repetition.
    static func isPermanent(_ code: Int) -> Bool {
        (400..<500).contains(code) && ![408, 409, 425, 429].contains(code)
    }

    func close() async {
        let client = pool?.client
        pool = nil
        try? await client?.shutdown()
    }

    /// Closes a client when the requests that use it have ended.
    private static func close(_ client: HTTPClient, after duration: Duration) {
        Task {
            try? await Task.sleep(for: duration)
            try? await client.shutdown()
        }
    }

    /// Looks up the host. A lookup can't be ended, so this doesn't wait for it beyond the time limit, or when the task is cancelled.
    private func addresses() async throws -> [String] {
        let first = OneTimeValue<Result<[String], any Error>>()
        let refusal = WebhookRefusal(
            reason: "\(url.host) can't be looked up: no answer within \(settings.timeout.components.seconds) s.",
            isPermanent: false)
        let lookup = Task { [resolve, url, settings] in
            do {
                first.set(.success(try await resolve(url, settings.allowedHosts.contains(url.host))))
            } catch {
                first.set(.failure(error))
            }
        }
        let timer = Task { [settings] in
            try await Task.sleep(for: settings.timeout)
            first.set(.failure(refusal))
        }
        defer {
            lookup.cancel()
            timer.cancel()
        }
        return try await withTaskCancellationHandler {
            try await first.value.get()
        } onCancel: {
            first.set(.failure(CancellationError()))
        }
    }

    private func client() async throws -> HTTPClient {
        if let pool, pool.checked.duration(to: .now) < Self.addressLifetime { return pool.client }
        let addresses = try await addresses()
        // The order of the addresses can change with each lookup.
        if var current = pool, addresses.contains(current.address) {
            current.checked = .now
            pool = current
            return current.client
        }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: Self.connectTimeout, read: TimeAmount(settings.timeout)))
        guard let address = addresses.first else {
            throw WebhookRefusal(reason: "\(url.host) has no address.")
        }
        try WebhookResolver.checkSpelling(of: url)
        configuration.dnsOverride = [url.host: address]
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.requestsAtOnce
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        if let old = pool?.client { Self.close(old, after: settings.timeout + .seconds(10)) }
        pool = (client, address, .now)
        return client
    }
}

/// Signs messages as Standard Webhooks defines it: `webhook-id`, `webhook-timestamp` and `webhook-signature`.
enum WebhookSignature {
    /// The value of `webhook-signature`: a signature for each secret, so that a receiver can check with either.
    ///
    /// - Parameters:
    ///   - id: The value of `webhook-id`. It is the same in each repetition.
    ///   - seconds: The value of `webhook-timestamp`, seconds since 1970. It is that of this attempt.
    ///   - body: The body.
    ///   - secrets: The secrets.
    /// - Returns: The value: the signatures, with spaces between them.
    static func header(id: String, seconds: Int, body: [UInt8], secrets: [WebhookSecret]) -> String {
        let signed = Array("\(id).\(seconds).".utf8) + body
        return secrets.compactMap { secret in
            MessageCode.sha256(of: signed, key: secret.bytes).map { "v1,\(Data($0).base64EncodedString())" }
        }.joined(separator: " ")
    }
}
