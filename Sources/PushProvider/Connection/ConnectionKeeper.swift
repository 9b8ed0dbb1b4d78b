internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushWire

/// Keeps the client's connection: opens it when there is something to send, replaces it when it ends, and looks after
/// deadlines. It belongs to one event loop and is touched there only.
final class ConnectionKeeper: ClientConnectionOwner {
    private let environment: PushEnvironment
    private let tls: TLSContext
    private let desk: SendDesk
    private let tokens: ProviderTokenSource?
    private let clocks: Clocks
    private let streamsPerConnection: Int
    private let metrics: PushMetrics
    private let logger: Logger
    private let loop: any EventLoop
    private let resolver: (any Resolver & Sendable)?

    /// The connection that takes requests, or will.
    private var current: ClientConnection?
    /// All that are not closed, the current one included.
    private var connections: [ClientConnection] = []
    private var connectionsOpened = 0
    private var backoff = ReconnectBackoff()
    private var connectTimer: Scheduled<Void>?
    private var sweepTimer: Scheduled<Void>?
    private var sweepAt = MonotonicTime.never
    private var whenDrained: [EventLoopPromise<Void>] = []
    private var isShuttingDown = false

    init(
        environment: PushEnvironment, tls: TLSContext, desk: SendDesk, tokens: ProviderTokenSource?, clocks: Clocks,
        streamsPerConnection: Int, metrics: PushMetrics, logger: Logger, loop: any EventLoop,
        resolver: (any Resolver & Sendable)? = nil
    ) {
        self.environment = environment
        self.tls = tls
        self.desk = desk
        self.tokens = tokens
        self.clocks = clocks
        self.streamsPerConnection = streamsPerConnection
        self.metrics = metrics
        self.logger = logger
        self.loop = loop
        self.resolver = resolver
    }

    // MARK: From callers

    /// There is something to send, or a deadline earlier than all before.
    func wake(earliestDeadline: MonotonicTime) {
        if earliestDeadline < sweepAt { armSweep(at: earliestDeadline) }
        if let current { current.pull() } else { connectIfNeeded() }
    }

    /// A task was cancelled while a connection had its send.
    func cancel(_ send: PendingSend) {
        for connection in connections where connection.cancel(send) { break }
        // Its stream is free again.
        current?.pull()
    }

    // MARK: Connections

    private func connectIfNeeded() {
        guard current == nil, connectTimer == nil, desk.hasWork() else { return }
        let pause = clocks.now().duration(to: backoff.notBefore)
        guard pause > .zero else { return connectNow() }
        connectTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) {
            self.connectTimer = nil
            self.connectIfNeeded()
        }
    }

    private func connectNow() {
        connectionsOpened += 1
        do {
            let connection = try makeConnection(number: connectionsOpened)
            current = connection
            connections.append(connection)
            connect(connection)
        } catch {
            failQueued(ConnectionFailure(phase: .tls, description: "\(environment): \(error)."))
        }
    }

    private func makeConnection(number: Int) throws -> ClientConnection {
        var limits = HTTP2Session.Limits()
        limits.openStreams = streamsPerConnection
        limits.keptFields = AnswerReading.fields
        let wire = HTTP2OverTLS(
            tls: try TLSSession(context: tls, hostName: environment.host),
            http2: try HTTP2Session(role: .client, limits: limits)
        )
        var logger = logger
        logger[metadataKey: "connection"] = "\(number)"
        return ClientConnection(
            number: number, environment: environment, wire: wire, desk: desk, tokens: tokens, clocks: clocks,
            metrics: metrics, logger: logger, owner: self
        )
    }

    private func connect(_ connection: ClientConnection) {
        logger.debug("connecting", metadata: ["peer": "\(environment)", "connection": "\(connection.number)"])
        ClientBootstrap(group: loop)
            .resolver(resolver)
            .connectTimeout(TimeAmount(clocks.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Answers come in bursts: the more of one is read at once, the fewer wake-ups it takes to hand it over.
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 * 1024))
            .connect(host: environment.host, port: environment.port)
            .assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .success(let channel): connection.run(on: channel)
                case .failure(let error):
                    connection.abort(.connecting(error, to: environment, within: clocks.connectTimeout))
                }
            }
    }

    func connectionOpened(_ connection: ClientConnection) {
        metrics.connectionOpened()
        if connection === current { connection.pull() }
    }

    func connectionPulled(_ connection: ClientConnection) {
        drainIfIdle()
    }

    func connectionStopsTaking(_ connection: ClientConnection, reason: String) {
        guard connection === current else { return }
        current = nil
        // One that has carried nothing has not opened really: what it says at its end is for those who wait.
        if connection.hasCarried, !connection.isCertificateRefused { connectIfNeeded() }
    }

    func connectionClosed(_ connection: ClientConnection, failure: ConnectionFailure?) {
        guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
        connections.remove(at: index)
        if connection === current { current = nil }
        backoff.connectionEnded(hadAnswer: connection.hasAnswered, now: clocks.now(), chance: .random(in: 0...1))
        if let failure {
            logger.warning("no connection", metadata: ["phase": "\(failure.phase)", "why": "\(failure)"])
            metrics.connectionFailed()
            failQueued(failure)
        } else {
            connectIfNeeded()
        }
        finishShutdownIfDrained()
    }

    /// Without a connection nothing in the queue can be sent; its callers learn why.
    private func failQueued(_ failure: ConnectionFailure) {
        for send in desk.withdrawAll() {
            finish(
                send, failure.isAboutCredentials ? .credentials : .noConnection, failure.phase, failure.description)
        }
    }

    private func finish(_ send: PendingSend, _ cause: NotSent.Cause, _ phase: PushPhase, _ words: String) {
        let trace = PushTrace(
            queued: send.begun.duration(to: clocks.now()), inFlight: .zero, attempts: 0, connection: nil)
        let outcome = PushOutcome.notSent(NotSent(cause: cause, phase: phase, description: words, trace: trace))
        metrics.count(outcome)
        send.end(outcome)
    }

    // MARK: Deadlines

    private func armSweep(at time: MonotonicTime) {
        sweepTimer?.cancel()
        sweepAt = time
        // A millisecond gathers deadlines that lie close together.
        let wait = max(clocks.now().duration(to: time), .milliseconds(1))
        sweepTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { self.sweep() }
    }

    private func sweep() {
        sweepAt = .never
        let now = clocks.now()
        for entry in desk.withdrawExpired(now: now) { expire(entry.send, hadRoom: entry.hadRoom) }
        for connection in connections { connection.expire(now: now) }
        if let next = desk.planSweep(connections: connections.compactMap(\.nextDeadline).min()) { armSweep(at: next) }
        current?.pull()
    }

    private func expire(_ send: PendingSend, hadRoom: Bool) {
        let phase = current?.state.pushPhase ?? .queue
        let place = hadRoom ? "in the queue" : "waiting for room in the full queue"
        let why =
            switch phase {
            case .tcp: "\(environment) has not answered yet"
            case .tls: "the TLS handshake with \(environment) is not finished"
            case .settings: "\(environment) has not sent its HTTP/2 settings"
            default:
                current == nil && backoff.fruitless > 0
                    ? "the last \(backoff.fruitless) connections to \(environment) brought no answer"
                    : "no stream was free"
            }
        finish(send, .deadline, phase, "its deadline passed while it was \(place): \(why).")
    }

    // MARK: Shutdown

    /// Takes nothing more, finishes what is taken, and fulfils the promise when nothing is left; `drainTime` is the end.
    func shutdown(drainTime: Duration, promise: EventLoopPromise<Void>) {
        isShuttingDown = true
        whenDrained.append(promise)
        loop.assumeIsolated().scheduleTask(in: TimeAmount(drainTime)) { self.abandonEverything() }
        drainIfIdle()
        finishShutdownIfDrained()
    }

    /// Connections close as soon as the queue is empty and their streams have ended.
    private func drainIfIdle() {
        guard isShuttingDown, !desk.hasWork() else { return }
        for connection in connections { connection.drain(reason: "shutdown") }
    }

    private func abandonEverything() {
        for send in desk.withdrawAll(closing: .shutdown) {
            finish(send, .shutdown, .queue, "the client was shut down before it was its turn.")
        }
        for connection in connections {
            connection.abort(ConnectionFailure(phase: .queue, description: "the client was shut down."))
        }
    }

    private func finishShutdownIfDrained() {
        guard isShuttingDown, connections.isEmpty, !desk.hasWork() else { return }
        sweepTimer?.cancel()
        connectTimer?.cancel()
        for promise in whenDrained { promise.succeed() }
        whenDrained = []
    }
}
