#if PushService
    internal import AsyncHTTPClient
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import PushPlatform

    /// Posts messages to the receiver of a webhook.
    ///
    /// The host is looked up for each new connection pool, at most once a minute, and connected to at the address that was
    /// checked, so that a name cannot be another address by the time of the connection. Redirects are not followed.
    actor WebhookPoster {
        /// What became of a message.
        enum Answer: Equatable {
            case taken
            /// The receiver wants it later, or failed. The text says why, without secrets.
            case failed(String, retryAfter: Duration?)
        }

        private let settings: WebhookSettings
        private let url: WebhookURL
        private let group: any EventLoopGroup
        private var pool: (client: HTTPClient, address: String, checked: ContinuousClock.Instant)?

        private static let addressLifetime: Duration = .seconds(60)
        private static let connectTimeout: TimeAmount = .seconds(5)
        /// The maximum number of bytes of an answer that are read. Their content is not used.
        private static let longestAnswer = 64 << 10

        init?(_ settings: WebhookSettings, group: any EventLoopGroup) {
            guard settings.problem == nil, let url = WebhookURL(settings.url) else { return nil }
            (self.settings, self.url, self.group) = (settings, url, group)
        }

        /// Posts a message once.
        func post(id: String, body: [UInt8], now: Date) async -> Answer {
            do {
                let client = try await client()
                let seconds = Int(now.timeIntervalSince1970)
                var request = HTTPClientRequest(url: settings.url)
                request.method = .POST
                request.headers = [
                    "content-type": "application/json", "user-agent": "pushserve", "webhook-id": id,
                    "webhook-timestamp": String(seconds),
                    "webhook-signature": WebhookSignature.header(
                        id: id, seconds: seconds, body: body, secrets: settings.secrets),
                ]
                request.body = .bytes(body)
                let response = try await client.execute(request, timeout: TimeAmount(settings.timeout))
                // The connection can be used again only when the answer was read.
                _ = try? await response.body.collect(upTo: Self.longestAnswer)
                if (200..<300).contains(response.status.code) { return .taken }
                let asked = response.headers.first(name: "retry-after").flatMap { Int($0) }
                return .failed(
                    "The receiver answered \(response.status.code).",
                    retryAfter: asked.map { .seconds(max(0, min($0, 86_400))) })
            } catch let refusal as WebhookResolver.Refusal {
                return .failed(refusal.description, retryAfter: nil)
            } catch {
                return .failed("The receiver cannot be reached: \(error)", retryAfter: nil)
            }
        }

        /// Closes all connections.
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

        private func client() async throws -> HTTPClient {
            if let pool, pool.checked.duration(to: .now) < Self.addressLifetime { return pool.client }
            let addresses = try await WebhookResolver.addresses(
                of: url, mayBePrivate: settings.allowedHosts.contains(url.host))
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
                throw WebhookResolver.Refusal(description: "\(url.host) has no address.")
            }
            configuration.dnsOverride = [url.host: address]
            configuration.httpVersion = .http1Only
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.requestsAtOnce
            let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
            if let old = pool?.client { Self.close(old, after: settings.timeout + .seconds(10)) }
            pool = (client, address, .now)
            return client
        }
    }
#endif
