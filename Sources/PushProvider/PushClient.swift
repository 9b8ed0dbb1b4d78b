public import Logging
public import NIOCore
public import NIOPosix
internal import PushWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends notifications to one environment with one set of credentials, over connections that it keeps open.
///
/// Make one for the life of the process, not one for each notification: Apple treats connections that open and close
/// quickly as an attack. A client is safe to use from any number of tasks.
public final class PushClient: Sendable {
    /// Where it sends to.
    public let environment: PushEnvironment
    /// How it behaves.
    public let configuration: PushConfiguration

    package let credentials: PushCredentials
    let certificateCheck: CertificateCheck?
    let intake: SendIntake
    let pool: NIOLoopBoundBox<ConnectionPool>
    let loop: any EventLoop
    let timing: ClientTiming
    let metrics: PushMetrics
    /// `nil` where nobody traces.
    let tracing: PushTracing?
    let tally = OutcomeTally()
    private let published: PublishedPoolFigures
    let ids = RequestIDSource()
    /// The configuration's, in nanoseconds.
    let usualTimeout: Int64
    let logger: Logger

    /// Makes a client. No connection is opened before the first send.
    ///
    /// - Parameters:
    ///   - environment: Where to send to.
    ///   - credentials: With what to prove who one is.
    ///   - configuration: How to behave.
    ///   - eventLoopGroup: The threads that do input and output; the process's own by default.
    ///   - logger: Where to write. Device tokens are shortened in it, secrets never appear.
    /// - Throws: ``CredentialsError`` when the trusted authorities or the certificate cannot be used, or when the certificate is
    ///   for another environment; ``PushConfigurationError`` when the configuration contradicts itself.
    public convenience init(
        environment: PushEnvironment,
        credentials: PushCredentials,
        configuration: PushConfiguration = PushConfiguration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "PushProvider")
    ) throws {
        try self.init(
            environment: environment, credentials: credentials, configuration: configuration,
            eventLoopGroup: eventLoopGroup, resolver: SystemNames.shared, logger: logger)
    }

    /// The same, with something else than the system to look names up and to read clocks.
    init(
        environment: PushEnvironment, credentials: PushCredentials, configuration: PushConfiguration,
        eventLoopGroup: any EventLoopGroup, resolver: any NameResolver, timing: ClientTiming? = nil, logger: Logger
    ) throws {
        try configuration.validate()
        try environment.validate()
        if let certificate = credentials.certificate, !certificate.isTaken(by: environment) {
            throw CredentialsError.wrongEnvironment(certificate, environment)
        }
        self.environment = environment
        self.configuration = configuration
        usualTimeout = configuration.timeout.clampedNanoseconds
        self.credentials = credentials
        tracing = PushTracing(to: environment)
        let labels = PushMetrics.Labels(client: configuration.metricsName)
        metrics = PushMetrics(labels)
        certificateCheck = credentials.certificate.map(CertificateCheck.init)
        let (loop, otherLoops) = Self.loops(of: eventLoopGroup, configuration)
        let timing = timing ?? ClientTiming.real(configuration)
        let tokens = credentials.tokens(for: environment.clockName)
        let published = PublishedPoolFigures(
            .nothing(wanted: configuration.minimumConnections), readAhead: configuration.firstReadAhead)
        self.published = published
        let intake = SendIntake(
            bound: .init(count: configuration.queuedNotifications, bytes: configuration.queuedBytes))
        let setup = ConnectionSetup(
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
            tally: tally,
            logger: logger
        )
        let growth = PoolGrowth(
            minimum: configuration.minimumConnections, maximum: configuration.maximumConnections,
            idleTime: configuration.connectionIdleTime)
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

    /// Clients begin with different ones, connections of a client go round.
    private static func loops(
        of group: any EventLoopGroup, _ configuration: PushConfiguration
    ) -> (first: any EventLoop, others: [any EventLoop]) {
        let first = group.next()
        let others = group.makeIterator().filter { $0 !== first }
        return (first, Array(others.prefix(min(configuration.eventLoops, configuration.maximumConnections) - 1)))
    }

    // MARK: Sending

    /// Sends a notification and waits for its outcome, at most until the deadline.
    ///
    /// Cancelling the task ends the wait: a notification still in the queue is not sent, one already written is unknown.
    /// - Parameters:
    ///   - notification: What to send.
    ///   - timeout: How long it may take, counted from this call and including the time in the queue; the
    ///     configuration's by default.
    /// - Returns: That Apple took it, which says nothing of the phone.
    /// - Throws: ``PushError``; its code tells rejected, not sent, unknown and invalid apart.
    @discardableResult
    public func send(
        _ notification: PushNotification, timeout: Duration? = nil
    ) async throws(PushError) -> Acceptance {
        let send = try takeIn(notification, timeout)
        await wait(for: send)
        return try send.told.get()
    }

    /// Sends a notification and gives its outcome as a value.
    ///
    /// - Parameters:
    ///   - notification: What to send.
    ///   - timeout: As for ``send(_:timeout:)``.
    /// - Returns: One of the four outcomes.
    /// - Throws: ``PushError`` with code `invalid`, when the notification breaks a rule and was not taken in.
    public func outcome(
        of notification: PushNotification, timeout: Duration? = nil
    ) async throws(PushError) -> PushOutcome {
        let send = try takeIn(notification, timeout)
        await wait(for: send)
        return send.told
    }

    /// Hands a send in and waits until it has its outcome. In one piece with its callers: a call between them costs.
    @inline(__always)
    private func wait(for send: PendingSend) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                send.continuation = continuation
                handIn(send)
            }
        } onCancel: {
            cancel(send)
        }
    }

    // MARK: Diagnosis

    /// What limits how much is sent now, in words and in figures: a tenth of a second old while there is something to do, a
    /// second at the most.
    public var diagnosis: PushDiagnosis { published.diagnosis }

    /// How far a batch may be read ahead now.
    var readAhead: Int { min(published.readAhead, configuration.queuedNotifications) }

    // MARK: Shutdown

    /// Takes nothing more, waits until everything taken in has its outcome, and closes the connections.
    ///
    /// - Parameter drainTime: How long to wait, the configuration's by default; what is not finished then gets its outcome
    ///   (not sent, or unknown).
    /// - Returns: How many notifications could not be finished while it shut down. It is logged, too, when there are any.
    @discardableResult
    public func shutdown(drainTime: Duration? = nil) async -> ShutdownReport {
        let drainTime = drainTime ?? configuration.drainTime
        let before = tally.soFar
        intake.close(.shutdown)
        let promise = loop.makePromise(of: Void.self)
        loop.execute { [pool] in pool.value.shutdown(drainTime: drainTime, promise: promise) }
        try? await promise.futureResult.get()
        let after = tally.soFar
        let report = ShutdownReport(
            notSent: after.notSent - before.notSent, unknown: after.unknown - before.unknown)
        if report != ShutdownReport(notSent: 0, unknown: 0) {
            logger.warning(
                "shut down before everything had finished",
                metadata: ["not_sent": "\(report.notSent)", "unknown": "\(report.unknown)"])
        }
        return report
    }

    deinit {
        // Nobody waits for an outcome any more, or they would hold the client.
        intake.close(.shutdown)
        loop.execute { [pool] in pool.value.shutdown(drainTime: .zero, promise: nil) }
    }
}

/// What a shutdown could not finish. Each of these notifications has had its own outcome as well.
public struct ShutdownReport: Sendable, Hashable {
    /// How many were provably not processed.
    public var notSent: Int
    /// Of how many nobody knows whether they were taken.
    public var unknown: Int
}

/// Makes a client, gives it to `body`, and shuts it down when `body` has returned or thrown.
///
/// - Parameters:
///   - environment: Where to send to.
///   - credentials: With what to prove who one is.
///   - configuration: How to behave.
///   - eventLoopGroup: The threads that do input and output; the process's own by default.
///   - logger: Where to write.
///   - body: What to do with the client.
/// - Returns: What `body` returned.
/// - Throws: What `body` or the client's initialiser throws.
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
