internal import Hummingbird
internal import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOPosix
internal import PushDelivery
internal import PushHTTP
internal import PushPlatform
internal import PushProvider
package import PushQueue
package import PushQueuePostgres
internal import ServiceLifecycle

/// The HTTP service: accepts pushes over HTTP, and shows their outcomes.
package final class PushService: Service {
    package let keys: APIKeys
    /// The figures for `/metrics`. The delivery feeds them.
    package let metrics: ServiceMetrics

    private let configuration: APIConfiguration
    private let group: any EventLoopGroup
    private let logger: Logger
    /// How many connections may wait until they are accepted. When many clients connect at once and there is no place, the kernel
    /// drops what the next one sends, and that client tries again a second later. The kernel lowers it to its own limit.
    private static let backlog = 4096
    let api: ServiceAPI
    /// The ports on which the service listens; `nil` if nothing listens there.
    private let ports = (api: OneTimeValue<Int?>(), metrics: OneTimeValue<Int?>())
    private let tls = ServiceTLS()

    /// Creates a service. It listens when it runs.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen, and the limits.
    ///   - queue: The queue. The service does not close it.
    ///   - inboxes: The inboxes in databases of users, for requests about everything that is kept of a device.
    ///   - apps: The apps.
    ///   - metrics: The figures for `/metrics`.
    ///   - logger: The logger.
    ///   - deadlineClock: The clock of ``ServiceLimits/answerTime``.
    ///   - rateClock: The clock of ``ServiceLimits/ratePerKey``.
    ///   - eventLoopGroup: The threads for connections.
    package init(
        _ configuration: APIConfiguration, queue: any QueueBackend, inboxes: [PostgresInbox] = [], apps: ServedApps,
        metrics: ServiceMetrics = ServiceMetrics(), logger: Logger,
        deadlineClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        rateClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        (self.configuration, self.metrics, self.logger) = (configuration, metrics, logger)
        group = eventLoopGroup
        keys = APIKeys(queue)
        let parts = ServiceParts(
            configuration, queue: queue, inboxes: inboxes, apps: apps, keys: keys, metrics: metrics, logger: logger,
            deadlineClock: deadlineClock, rateClock: rateClock)
        api = ServiceAPI(parts: parts, gate: Self.gate(configuration, configuration.listen))
    }

    private static func gate(
        _ configuration: APIConfiguration, _ endpoint: APIConfiguration.Endpoint
    ) -> RequestGate {
        let isLocal = ["127.0.0.1", "::1", "localhost"].contains(endpoint.host)
        // If the service listens on another address, it allows every host name: the network decides who can connect.
        let names: Set<String>? = isLocal ? Set([configuration.publicURL?.host].compactMap(\.self)) : nil
        return RequestGate(
            names: names, accessToken: nil, server: "service",
            scheme: configuration.tls == nil ? "http" : "https",
            publicOrigin: configuration.publicURL?.origin,
            nameRemedy: {
                """
                Use localhost or an address. Behind a proxy, set "public_url" in the configuration, for example \
                https://\($0).
                """
            })
    }

    /// The port of the API, when the service listens; `nil` if it could not listen.
    package var port: Int? { get async { await ports.api.value } }
    /// The port of `/metrics`, as soon as it listens; `nil` if there is no such port.
    package var metricsPort: Int? { get async { await ports.metrics.value } }

    /// Reads the files for TLS again, for new connections. A service without TLS does not begin to use it.
    ///
    /// - Throws: ``ServiceStartError`` if they cannot be used. The old certificate stays in use.
    package func renewCertificate(_ files: APIConfiguration.TLSFiles) throws(ServiceStartError) {
        try tls.read(files)
    }

    /// Serves until the graceful shutdown.
    ///
    /// - Throws: ``ServiceStartError`` if the service cannot listen.
    package func run() async throws {
        defer {
            ports.api.set(nil)
            ports.metrics.set(nil)
        }
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.serveAPI() }
                if let endpoint = self.configuration.metrics {
                    group.addTask { try await self.serveMetrics(endpoint) }
                } else {
                    ports.metrics.set(nil)
                }
                group.addTask { await self.api.parts.waiters.run() }
                group.addTask { await self.keys.storeUses() }
                group.addTask { await self.api.parts.answers.watchDeadlines() }
                group.addTask {
                    await self.api.parts.forEachApp { app in
                        var filler = AudienceFiller(self.api.parts, app: app)
                        await filler.run()
                    }
                }
                group.addTask {
                    await self.api.parts.forEachApp { app in
                        var deletion = GoneDeletion(self.api.parts, app: app)
                        await deletion.run()
                    }
                }
                // The servers end with the graceful shutdown, the waiters with the servers.
                for _ in 0..<(configuration.metrics == nil ? 1 : 2) { try await group.next() }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.api.parts.answers.end()
        }
    }

    // MARK: Servers

    private static let metricsConnections = 100

    /// How many files the process opens for its databases, its threads and its log, and for the table of devices and the webhook of an app.
    private static let files = (ofService: 100, ofApp: 24)

    /// Refuses a limit of files with which no service can start. What is opened first would fail with a message about itself, or end the
    /// process.
    package static func requireFiles() throws(ServiceStartError) {
        guard let limit = SystemLimit.openFiles.current, limit <= files.ofService else { return }
        throw .tooFewFiles(limit, needed: files.ofService)
    }

    /// How many clients can be connected: what the configuration allows, and what the system has files for.
    private func connections() throws(ServiceStartError) -> Int {
        let limits = configuration.limits
        let ofApps = api.parts.apps.settings().values.map { $0.client.maximumConnections + Self.files.ofApp }
        let others =
            ofApps.reduce(Self.files.ofService, +) + (configuration.metrics == nil ? 0 : Self.metricsConnections)
        let files = SystemLimit.openFiles.current
        let maximum = limits.connections(ofFiles: files, others: others)
        guard let files, maximum < limits.connections else { return maximum }
        guard maximum > 0 else {
            throw ServiceStartError.tooFewFiles(files, needed: others)
        }
        logger.warning(
            """
            The system lets this process have \(files) files and connections open, so \(maximum) clients can be connected at the same time. \
            Raise the limit (ulimit -n, LimitNOFILE), or set "connections" under "limits" to a smaller number.
            """)
        return maximum
    }

    private func serveAPI() async throws {
        let (limits, maximum) = (configuration.limits, try connections())
        let (clients, memory) = (ConnectedClients(maximum: maximum), api.parts.memory)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    WriteDeadline(limits), ConnectionDeadlines(limits), UnreadableRequest(), ContinueHandler(),
                    UpgradeRefusal(),
                    ClientWatch(clients), RequestPacing(clients, memory), BodyGathering(clients),
                ]))
        try await serve(
            configuration.listen, "listen", try configuration.tls.map { try tls.server(plain, $0) } ?? plain,
            atMost: maximum, backlog: Self.backlog, ports.api
        ) { [api] request, context in await api.respond(to: request, from: clients.client(on: context.channel)) }
    }

    private func serveMetrics(_ endpoint: APIConfiguration.Endpoint) async throws {
        let server = MetricsServer(
            metrics: metrics, queue: api.parts.queue, apps: api.parts.apps, version: configuration.version,
            gate: Self.gate(configuration, endpoint),
            answers: api.parts.answers, answerTime: configuration.limits.answerTime)
        let limits = configuration.limits
        let (clients, memory) = (ConnectedClients(maximum: Self.metricsConnections), api.parts.memory)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(additionalChannelHandlers: [
                WriteDeadline(limits), ConnectionDeadlines(limits), ClientWatch(clients),
                RequestPacing(clients, memory),
            ]))
        try await serve(endpoint, "metrics", plain, atMost: Self.metricsConnections, ports.metrics) { request, _ in
            await server.respond(to: request)
        }
    }

    /// Serves at an endpoint, which `key` of the configuration names.
    private func serve(
        _ endpoint: APIConfiguration.Endpoint, _ key: String, _ server: HTTPServerBuilder, atMost maximum: Int,
        backlog: Int = 256, _ port: OneTimeValue<Int?>,
        _ respond: @escaping @Sendable (Request, ChannelContext) async -> Response
    ) async throws {
        let application = Application(
            responder: CallbackResponder<ChannelContext>(callback: respond), server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(endpoint.host, port: endpoint.port), serverName: nil, backlog: backlog,
                availableConnectionsDelegate: MaximumAvailableConnections(maximum)),
            onServerRunning: { port.set($0.localAddress?.port) },
            eventLoopGroupProvider: .shared(group), logger: quiet)
        do {
            try await application.run()
        } catch let error as IOError {
            throw ServiceStartError(error, endpoint, key)
        } catch is SocketAddressError.UnknownHost {
            throw ServiceStartError(
                .cannotListen, "\(endpoint.host) isn't an address of this machine. Correct \"\(key)\".")
        }
    }

    /// The server's own messages are about single connections.
    private var quiet: Logger {
        var quiet = logger
        quiet.logLevel = .critical
        return quiet
    }
}

package enum ServiceThreads {
    package static var eventLoops: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }
}
