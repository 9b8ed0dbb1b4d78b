// The types of APNSVocabulary are part of the public API: code that imports PushProvider can use them.
@_exported public import APNSVocabulary
public import Logging
public import NIOCore
public import NIOPosix
// `PushJSONValue` is the type of the custom keys of a payload.
@_exported public import PushJSON
import PushPlatform
internal import PushWire
public import ServiceLifecycle

/// Sends notifications to one environment with one set of credentials, over connections that it keeps open.
///
/// Create one client for the lifetime of the process, not one for each notification: Apple treats connections that open
/// and close quickly as an attack. A client is safe to use from any number of tasks.
///
/// All ways to send are methods of this type. An extension has those of each kind.
public final class PushClient: Sendable {
    /// The environment that the client sends to.
    public let environment: PushEnvironment
    /// The configuration of the client.
    public let configuration: PushConfiguration

    package let credentials: PushCredentials
    let certificateCheck: CertificateCheck?
    let intake: SendIntake
    let pool: NIOLoopBoundBox<ConnectionPool>
    let loop: any EventLoop
    let timing: ClientTiming
    let metrics: PushMetrics
    /// `nil` if the process has no tracing backend.
    let tracing: PushTracing?
    /// Whether the process has a tracing backend. This costs less than reading `tracing`, which has to be copied.
    let isTraced: Bool
    private let published: PublishedPoolFigures
    let ids = RequestIDSource()
    /// The timeout of the configuration, in nanoseconds.
    let defaultTimeout: Int64
    let logger: Logger

    /// Creates a client. It opens no connection before the first send.
    ///
    /// - Parameters:
    ///   - environment: The environment to send to.
    ///   - credentials: The key or the certificate that authenticates the client to APNs.
    ///   - configuration: The configuration of the client.
    ///   - eventLoopGroup: The threads for input and output; by default those of the process.
    ///   - logger: The logger. It gets only shortened device tokens and no secrets.
    /// - Throws: ``PushCredentialsError`` if the trusted authorities or the certificate cannot be used, or if the
    ///   certificate is for another environment; ``PushConfigurationError`` if a value of the configuration is not
    ///   valid.
    public convenience init(
        environment: PushEnvironment,
        credentials: PushCredentials,
        configuration: PushConfiguration = PushConfiguration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "PushProvider")
    ) throws {
        try environment.validate()
        if let service = environment.appleService, environment.managesChannels {
            throw PushConfigurationError(
                name: "environment",
                description: "\(environment.host) manages channels, and accepts no pushes: use .\(service.rawValue).")
        }
        try self.init(
            environment: environment, credentials: credentials, configuration: configuration,
            eventLoopGroup: eventLoopGroup, resolver: SystemNames.shared, logger: logger)
    }

    /// Creates a client with its own name resolver and clocks, for tests.
    init(
        environment: PushEnvironment, credentials: PushCredentials, configuration: PushConfiguration,
        eventLoopGroup: any EventLoopGroup, resolver: any NameResolver, timing: ClientTiming? = nil,
        answerBytes: Int? = nil, logger: Logger
    ) throws {
        try configuration.validate()
        try environment.validate()
        if let certificate = credentials.certificate, !certificate.isTaken(by: environment) {
            throw PushCredentialsError.wrongEnvironment(certificate, environment)
        }
        self.environment = environment
        self.configuration = configuration
        defaultTimeout = configuration.timeout.clampedNanoseconds
        self.credentials = credentials
        let tracing = PushTracing(to: environment)
        self.tracing = tracing
        isTraced = tracing != nil
        let labels = PushMetrics.Labels(client: configuration.metricsName)
        metrics = PushMetrics(labels)
        certificateCheck = credentials.certificate.map(CertificateCheck.init)
        let (loop, otherLoops) = Self.loops(of: eventLoopGroup, configuration)
        let timing = timing ?? ClientTiming.real(configuration)
        let tokens = credentials.tokens(for: environment.clockName)
        let growth = PoolGrowth(
            minimum: configuration.minimumConnections, maximum: configuration.maximumConnections,
            idleTime: configuration.connectionIdleTime)
        let published = PublishedPoolFigures(growth, readAhead: configuration.firstReadAhead)
        self.published = published
        let intake = SendIntake(
            bound: .init(count: configuration.queuedNotifications, bytes: configuration.queuedBytes))
        var setup = ConnectionSetup(
            environment: environment,
            path: NetworkPath(resolver: resolver, proxy: configuration.proxy, headStart: configuration.headStart),
            tls: try environment.makeContext(credentials.identity),
            intake: intake,
            tokens: tokens,
            timing: timing,
            retry: configuration.retry,
            streamsPerConnection: configuration.streamsPerConnection,
            firstStreamID: configuration.firstStreamID,
            metrics: metrics,
            logger: logger
        )
        if let answerBytes { setup.answerBytes = answerBytes }
        let sampler = MetricsSampler(
            labels, tokenAge: tokens.map { tokens in { tokens.age(at: timing.reading) ?? 0 } },
            certificateEnd: credentials.certificate.map { Int($0.expires.timeIntervalSince1970) }, timing: timing,
            interval: configuration.measuringInterval, loop: loop)
        let pool = ConnectionPool(
            setup, growth: growth, published: published, loops: [loop] + otherLoops, sampler: sampler)
        self.logger = logger
        self.loop = loop
        self.timing = timing
        self.intake = intake
        self.pool = NIOLoopBoundBox.makeBoxSendingValue(pool, eventLoop: loop)
        for warning in credentials.warnings { logger.warning("\(warning)") }
    }

    /// Returns the event loops of the connections. Each client begins with the next loop of the group, and its
    /// connections use the loops in turn.
    private static func loops(
        of group: any EventLoopGroup, _ configuration: PushConfiguration
    ) -> (first: any EventLoop, others: [any EventLoop]) {
        let first = group.next()
        let others = group.makeIterator().filter { $0 !== first }
        return (first, Array(others.prefix(min(configuration.eventLoops, configuration.maximumConnections) - 1)))
    }

    // MARK: Sending

    /// Sends a notification and waits for its outcome, until the deadline at most.
    ///
    /// If the task is cancelled, the wait ends: a notification that is still in the queue is not sent; the outcome of
    /// one that is already written is unknown.
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: The maximum time until the outcome, from this call on and including the time in the queue; the
    ///     timeout of the configuration by default.
    ///   - logger: Gets the retries and the outcome of this notification, with the metadata of the logger, for example
    ///     the id of a request. An acceptance has level debug, a retry info, every other outcome notice.
    /// - Returns: The acceptance by APNs. It does not mean that the device has the notification.
    /// - Throws: Every other outcome.
    @discardableResult
    public func send(
        _ notification: PushNotification, timeout: Duration? = nil, logger: Logger? = nil
    ) async throws(PushOutcome) -> PushOutcome.Acceptance {
        let send = try accept(notification, timeout)
        send.logger = logger
        await wait(for: send)
        return try send.takeOutcome().taken()
    }

    /// Sends a notification and returns its outcome as a value.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: As for `send`.
    ///   - logger: As for `send`.
    /// - Returns: One of the five outcomes.
    public func outcome(
        of notification: PushNotification, timeout: Duration? = nil, logger: Logger? = nil
    ) async -> PushOutcome {
        let send: PendingSend
        do throws(PushOutcome) { send = try accept(notification, timeout) } catch { return error }
        send.logger = logger
        await wait(for: send)
        return send.takeOutcome()
    }

    /// Queues a send and waits for its outcome. Inlined into its callers, because a call costs time here.
    @inline(__always)
    func wait(for send: PendingSend) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                send.continuation = continuation
                enqueue(send)
            }
        } onCancel: {
            cancel(send)
        }
    }

    // MARK: Diagnosis

    /// The limit of the throughput now, as a description and as figures. It is at most a tenth of a second old while
    /// the client sends, and at most one second otherwise.
    public var diagnosis: PushClient.Diagnosis { published.view.diagnosis }

    /// The number of notifications that a sequence may be read ahead now.
    var readAhead: Int { min(published.readAhead, configuration.queuedNotifications) }

    // MARK: Shutdown

    /// Accepts no more notifications, waits until every notification in the queue or in flight has its outcome, and
    /// closes the connections.
    ///
    /// - Parameter drainTime: The maximum time to wait, by default that of the configuration. After it, every
    ///   unfinished notification gets its outcome (not sent, or unknown).
    /// - Returns: The number of notifications that were not finished during the shutdown. If it is not zero, it is also
    ///   logged.
    @discardableResult
    public func shutdown(drainTime: Duration? = nil) async -> PushClient.ShutdownReport {
        let drainTime = drainTime ?? configuration.drainTime
        let before = metrics.unfinished
        intake.close(.shutdown)
        let promise = loop.makePromise(of: Void.self)
        loop.execute { [pool] in pool.value.shutdown(drainTime: drainTime, promise: promise) }
        try? await promise.futureResult.get()
        let after = metrics.unfinished
        let report = PushClient.ShutdownReport(
            notSent: after.notSent - before.notSent, unknown: after.unknown - before.unknown)
        if report != PushClient.ShutdownReport(notSent: 0, unknown: 0) {
            logger.warning(
                "shut down before all notifications were finished",
                metadata: ["not_sent": "\(report.notSent)", "unknown": "\(report.unknown)"])
        }
        return report
    }

    deinit {
        // No caller is waiting for an outcome: a waiting caller would keep the client alive.
        intake.close(.shutdown)
        loop.execute { [pool] in pool.value.shutdown(drainTime: .zero, promise: nil) }
    }
}

extension PushClient {
    /// The notifications that a shutdown did not finish. Each of them also has its own outcome.
    public struct ShutdownReport: Sendable, Hashable {
        /// The number of notifications that were provably not processed.
        public var notSent: Int
        /// The number of notifications whose outcome is unknown.
        public var unknown: Int
    }
}

/// Creates a client, passes it to `body`, and shuts it down when `body` has returned or thrown.
///
/// - Parameters:
///   - environment: The environment to send to.
///   - credentials: The key or the certificate that authenticates the client to APNs.
///   - configuration: The configuration of the client.
///   - eventLoopGroup: The threads for input and output; by default those of the process.
///   - logger: The logger.
///   - body: The code that uses the client.
/// - Returns: The result of `body`.
/// - Throws: The error of `body` or of the client's initializer.
public func withPushClient<Result>(
    environment: PushEnvironment,
    credentials: PushCredentials,
    configuration: PushConfiguration = PushConfiguration(),
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    logger: Logger = Logger(label: "PushProvider"),
    _ body: (PushClient) async throws -> Result
) async throws -> Result {
    let client = try PushClient(
        environment: environment, credentials: credentials, configuration: configuration,
        eventLoopGroup: eventLoopGroup, logger: logger)
    do {
        let result = try await body(client)
        await client.shutdown()
        return result
    } catch {
        await client.shutdown()
        throw error
    }
}

extension PushClient {
    /// Changes the maximum number of connections while the client runs. Connections above it finish their requests, and close.
    ///
    /// - Parameter maximum: The maximum number of connections, at most that of the configuration. With 0, all connections close, and the
    ///   next notification opens one.
    package func limitConnections(to maximum: Int) {
        let maximum = min(max(maximum, 0), configuration.maximumConnections)
        loop.execute { [pool] in pool.value.limit(to: maximum) }
    }
}

/// A client as a service of a process. It can send before `run()` and without it, and drains when the process shuts
/// down.
extension PushClient: Service {
    /// Waits for a graceful shutdown, or for the cancellation of the task. Then the client accepts no more
    /// notifications and waits until every notification in the queue or in flight has its outcome, for
    /// ``PushConfiguration/drainTime`` at most. Unfinished notifications are logged.
    public func run() async throws {
        // A cancellation ends the client in the same way.
        try? await gracefulShutdown()
        await shutdown()
    }
}
