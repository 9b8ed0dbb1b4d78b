internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushWire

/// Performs what ``PoolState`` decides: opens connections when there is something to send, replaces those that leave, and
/// looks after deadlines. It belongs to one event loop and is touched there only.
final class ConnectionPool: ClientConnectionOwner {
    private let environment: PushEnvironment
    private let tls: TLSContext
    private let desk: SendDesk
    private let tokens: ProviderTokenSource?
    private let clocks: Clocks
    private let streamsPerConnection: Int
    private let firstStreamID: Int32
    private let retry: RetryPolicy
    private let metrics: PushMetrics
    private let logger: Logger
    private let loop: any EventLoop
    private let resolver: (any Resolver & Sendable)?

    private var state: PoolState
    /// All that are not closed.
    private var connections: [ClientConnection] = []
    /// Who is asked first the next time.
    private var turn = 0
    /// Why the last one did not come about; `nil` when it did.
    private var lastFailure: ConnectionFailure?
    /// Why nothing is sent for now.
    private var haltWords = ""
    private var connectTimer: Scheduled<Void>?
    private var sweepTimer: Scheduled<Void>?
    private var sweepAt = MonotonicTime.never
    private var whenDrained: [EventLoopPromise<Void>] = []
    private var isShuttingDown = false

    init(
        environment: PushEnvironment, tls: TLSContext, desk: SendDesk, tokens: ProviderTokenSource?, clocks: Clocks,
        size: Int = 1, streamsPerConnection: Int, firstStreamID: Int32 = 1, retry: RetryPolicy, metrics: PushMetrics,
        logger: Logger,
        loop: any EventLoop, resolver: (any Resolver & Sendable)? = nil
    ) {
        self.environment = environment
        self.tls = tls
        self.desk = desk
        self.tokens = tokens
        self.clocks = clocks
        state = PoolState(size: size)
        self.streamsPerConnection = streamsPerConnection
        self.firstStreamID = firstStreamID
        self.retry = retry
        self.metrics = metrics
        self.logger = logger
        self.loop = loop
        self.resolver = resolver
    }

    // MARK: From callers

    /// There is something to send, or a deadline or expiration earlier than all before.
    func wake(earliestLimit: MonotonicTime) {
        if earliestLimit < sweepAt { armSweep(at: earliestLimit) }
        goOn()
    }

    private func goOn() {
        if state.isHalted(now: clocks.now()) { return failQueued(.credentials, .queue, haltWords) }
        pull()
        if !state.isFull { connectIfNeeded() }
    }

    /// Lets connections take what is queued, each time another one first.
    private func pull() {
        guard connections.count > 1 else {
            if let only = connections.first { pull(only) }
            return
        }
        turn &+= 1
        let all = connections
        for index in all.indices {
            pull(all[(index + turn) % all.count])
            guard desk.hasWork() else { return }
        }
    }

    private func pull(_ connection: ClientConnection) {
        if state.phases[connection.number] == .serving { connection.pull() }
    }

    /// A task was cancelled while a connection had its send.
    func cancel(_ send: PendingSend) {
        if !connections.contains(where: { $0.cancel(send) }), desk.cancel(send) == .withdrawn {
            // It has come back to the queue in the meantime.
            finish(send, .cancelled, .queue, "its task was cancelled while it waited to be sent again.")
        }
        // Its stream is free again.
        pull()
        finishShutdownIfDrained()
    }

    // MARK: Connections

    private func connectIfNeeded() {
        let now = clocks.now()
        switch state.next(hasWork: desk.hasWork(), now: now) {
        case .none: break
        case .connect(let number): connect(number)
        case .wait(let time):
            connectTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(now.duration(to: time))) {
                self.state.waitIsOver()
                self.connectIfNeeded()
                self.finishShutdownIfDrained()
            }
        }
    }

    private func connect(_ number: Int) {
        do {
            let connection = try makeConnection(number: number)
            connections.append(connection)
            connect(connection)
        } catch {
            state.ended(number, hadAnswer: false, now: clocks.now(), chance: .random(in: 0...1))
            failQueued(.noConnection, .tls, "\(environment): \(error).")
        }
    }

    private func makeConnection(number: Int) throws -> ClientConnection {
        var limits = HTTP2Session.Limits()
        limits.openStreams = streamsPerConnection
        limits.firstStreamID = firstStreamID
        limits.keptFields = AnswerReading.fields
        limits.keptFieldsOfRefusals = AnswerReading.fieldsOfRefusals
        let wire = HTTP2OverTLS(
            tls: try TLSSession(context: tls, hostName: environment.host),
            http2: try HTTP2Session(role: .client, limits: limits)
        )
        var logger = logger
        logger[metadataKey: "connection"] = "\(number)"
        return ClientConnection(
            number: number, environment: environment, wire: wire, desk: desk, tokens: tokens, retry: retry,
            clocks: clocks, metrics: metrics, logger: logger, owner: self
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
        lastFailure = nil
        state.opened(connection.number)
        pull(connection)
        // The next one, where there are to be several.
        if !state.isFull { connectIfNeeded() }
    }

    func connectionPulled(_ connection: ClientConnection) {
        drainIfIdle()
    }

    func connectionReturned(_ connection: ClientConnection, atOnce: Bool, later: MonotonicTime?) {
        if let later, later < sweepAt { armSweep(at: later) }
        // One that serves looks by itself.
        if atOnce, state.phases[connection.number] != .serving { goOn() }
    }

    func connectionStopsTaking(_ connection: ClientConnection, reason: String) {
        state.stopsTaking(connection.number)
        // One that has carried nothing has not opened really: what it says at its end is for those who wait.
        if connection.hasCarried, !connection.isCertificateRefused { connectIfNeeded() }
    }

    func connectionClosed(_ connection: ClientConnection, failure: ConnectionFailure?) {
        guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
        connections.remove(at: index)
        state.ended(
            connection.number, hadAnswer: connection.hasAnswered, now: clocks.now(), chance: .random(in: 0...1))
        if let failure {
            logger.warning("no connection", metadata: ["phase": "\(failure.phase)", "why": "\(failure)"])
            metrics.connectionFailed()
            lastFailure = failure
            // Where another connection serves, nothing is lost with this one.
            if !(failure.isPassing && retry.retriesConnecting), !state.phases.values.contains(.serving) {
                failQueued(
                    failure.isAboutCredentials ? .credentials : .noConnection, failure.phase, failure.description)
            }
        }
        goOn()
        finishShutdownIfDrained()
    }

    func credentialsRefused(_ connection: ClientConnection, words: String) {
        switch state.credentialsRefused(now: clocks.now()) {
        case .none: break
        case .stop:
            let pause = PoolState.credentialsPause.seconds
            haltWords =
                connection.refusal.map { "\($0.description) Nothing is sent for \(pause) s." }
                ?? "APNs refuses the credentials (\(words)): check them; nothing is sent for \(pause) s."
            logger.critical("APNs refuses the credentials", metadata: ["why": "\(words)", "pause": "\(pause) s"])
            metrics.credentialsRefused()
            failQueued(.credentials, .queue, haltWords)
            for connection in connections { connection.drain(reason: "the credentials are refused") }
        }
    }

    /// Nothing in the queue can be sent; its callers learn why.
    private func failQueued(_ cause: NotSent.Cause, _ phase: PushPhase, _ words: String) {
        for send in desk.withdrawAll() { finish(send, cause, phase, words) }
    }

    private func finish(_ send: PendingSend, _ cause: NotSent.Cause, _ phase: PushPhase, _ words: String) {
        let outcome = send.unsent(cause, words, phase: phase, now: clocks.now())
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
        desk.release(now: now)
        for entry in desk.withdrawExpired(now: now) { expire(entry.send, hadRoom: entry.hadRoom, now) }
        for connection in connections { connection.expire(now: now) }
        if let next = desk.planSweep(connections: connections.compactMap(\.nextDeadline).min()) { armSweep(at: next) }
        goOn()
        finishShutdownIfDrained()
    }

    private func expire(_ send: PendingSend, hadRoom: Bool, _ now: MonotonicTime) {
        if let lastFailure, !state.phases.values.contains(.serving), !send.hasExpired(now: now) {
            let words = "its deadline passed before there was a connection: \(lastFailure.description)"
            return finish(send, .noConnection, lastFailure.phase, words)
        }
        let taking = connections.first { state.phases[$0.number] != .leaving }
        let phase = taking?.state.pushPhase ?? .queue
        let place = hadRoom ? "in the queue" : "waiting for room in the full queue"
        let why =
            switch phase {
            case .tcp: "\(environment) has not answered yet"
            case .tls: "the TLS handshake with \(environment) is not finished"
            case .settings: "\(environment) has not sent its HTTP/2 settings"
            default:
                taking == nil && state.backoff.fruitless > 0
                    ? "the last \(state.backoff.fruitless) connections to \(environment) brought no answer"
                    : "no stream was free"
            }
        let what = send.hasExpired(now: now) ? "expiration" : "deadline"
        finish(
            send, send.hasExpired(now: now) ? .expired : .deadline, phase,
            "its \(what) passed while it was \(place): \(why).")
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
        guard isShuttingDown, !desk.holdsAnything() else { return }
        for connection in connections { connection.drain(reason: "shutdown") }
    }

    private func abandonEverything() {
        for send in desk.withdrawAll(closing: .shutdown) {
            finish(send, .shutdown, .queue, "the client was shut down before it was its turn.")
        }
        for connection in connections {
            connection.abort(ConnectionFailure(phase: .queue, description: "the client was shut down."))
        }
        finishShutdownIfDrained()
    }

    private func finishShutdownIfDrained() {
        guard isShuttingDown, connections.isEmpty, !desk.holdsAnything() else { return }
        sweepTimer?.cancel()
        connectTimer?.cancel()
        for promise in whenDrained { promise.succeed() }
        whenDrained = []
    }
}
