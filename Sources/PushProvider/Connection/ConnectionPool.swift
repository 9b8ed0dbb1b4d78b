internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushWire

/// Performs what ``PoolState`` decides: opens connections when there is something to send, replaces those that leave, and
/// looks after the deadlines of what is queued.
///
/// It belongs to one event loop and is touched there only. Its connections are spread over several, each on its own: what
/// passes between them and the pool passes through ``ConnectionHandle`` and ``PoolDoor``.
final class ConnectionPool {
    private let environment: PushEnvironment
    private let tls: TLSContext
    private let desk: SendDesk
    private let tokens: ProviderTokenSource?
    private let clocks: Clocks
    private let streamsPerConnection: Int
    private let firstStreamID: Int32
    private let retry: RetryPolicy
    private let metrics: PushMetrics
    private let tally: OutcomeTally
    private let logger: Logger
    private let loop: any EventLoop
    /// Those of the connections, in turn; the pool's own is the first.
    private let connectionLoops: [any EventLoop]
    private let resolver: (any Resolver & Sendable)?

    private var state: PoolState
    private lazy var door = PoolDoor(self, loop: loop)
    /// All that are not closed.
    private var connections: [ConnectionHandle] = []
    private var progress: [Int: (phase: PushPhase, awaitsPing: Bool)] = [:]
    /// Who is asked first the next time.
    private var turn = 0
    /// Why the last one did not come about; `nil` when it did.
    private var lastFailure: ConnectionFailure?
    /// Why nothing is sent for now.
    private var haltWords = ""
    private var connectTimer: Scheduled<Void>?
    private var sweepTimer: Scheduled<Void>?
    private var drainTimer: Scheduled<Void>?
    private var sweepAt = MonotonicTime.never
    private var whenDrained: [EventLoopPromise<Void>] = []
    private var isShuttingDown = false
    /// While it shuts down nobody else may hold it any more.
    private var itself: ConnectionPool?

    init(
        environment: PushEnvironment, tls: TLSContext, desk: SendDesk, tokens: ProviderTokenSource?, clocks: Clocks,
        size: Int = 1, streamsPerConnection: Int, firstStreamID: Int32 = 1, retry: RetryPolicy, metrics: PushMetrics,
        tally: OutcomeTally, logger: Logger, loop: any EventLoop, otherLoops: [any EventLoop] = [],
        resolver: (any Resolver & Sendable)? = nil
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
        self.tally = tally
        self.logger = logger
        self.loop = loop
        connectionLoops = [loop] + otherLoops
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
        let serving = connections.filter { state.phases[$0.number] == .serving }
        guard !serving.isEmpty else { return connectIfNeeded() }
        // Each time another one first.
        turn &+= 1
        let first = turn % serving.count
        pull((serving[first...] + serving[..<first])[...])
    }

    /// What one has no room for is the next one's, and what the last one has no room for is a reason for another one.
    private func pull(_ handles: ArraySlice<ConnectionHandle>) {
        guard let handle = handles.first else { return connectIfNeeded() }
        let others = handles.dropFirst()
        handle.perform { [door, desk] connection in
            connection.pull()
            if desk.holdsSendable() { door.perform { $0.pull(others) } }
        }
    }

    /// A task was cancelled while a connection had its send.
    func cancel(_ send: PendingSend) {
        cancel(send, on: connections[...], roundsLeft: 2)
    }

    private func cancel(_ send: PendingSend, on handles: ArraySlice<ConnectionHandle>, roundsLeft: Int) {
        guard let handle = handles.first else { return cancelElsewhere(send, roundsLeft: roundsLeft) }
        let others = handles.dropFirst()
        handle.perform { [door] connection in
            if !connection.cancel(send) { door.perform { $0.cancel(send, on: others, roundsLeft: roundsLeft) } }
        }
    }

    /// No connection had it when it was asked: its outcome is there, it has come back to the queue, or it went from one
    /// connection to another meanwhile.
    private func cancelElsewhere(_ send: PendingSend, roundsLeft: Int) {
        switch desk.cancel(send) {
        case .withdrawn:
            finish(send, .cancelled, .queue, "its task was cancelled while it waited to be sent again.")
            finishShutdownIfDrained()
        case .onConnection:
            if roundsLeft > 0, !connections.isEmpty {
                cancel(send, on: connections[...], roundsLeft: roundsLeft - 1)
            }
        case .tooLate: break
        }
    }

    // MARK: Connections

    private func connectIfNeeded() {
        let now = clocks.now()
        switch state.next(hasWork: desk.hasWork(), now: now) {
        case .none: break
        case .connect(let number): connect(number)
        case .wait(let time):
            connectTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: now.duration(to: time))) {
                self.state.waitIsOver()
                self.connectIfNeeded()
                self.finishShutdownIfDrained()
            }
        }
    }

    private func connect(_ number: Int) {
        do {
            let loop = connectionLoops[(number - 1) % connectionLoops.count]
            let handle = ConnectionHandle(try makeConnection(number: number), loop: loop)
            connections.append(handle)
            progress[number] = (.tcp, false)
            handle.perform { [resolver] in $0.connect(on: loop, resolver: resolver) }
        } catch {
            state.ended(number, worth: .none, now: clocks.now(), chance: .random(in: 0...1))
            failQueued(.noConnection, .tls, "\(environment): \(error).")
        }
    }

    private func makeConnection(number: Int) throws -> ClientConnection {
        var limits = HTTP2Session.Limits()
        limits.openStreams = streamsPerConnection
        limits.firstStreamID = firstStreamID
        limits.keptFields = AnswerReading.fields
        limits.commonFields = KeptRequest(
            OutgoingFields([(":method", "POST"), (":scheme", "https"), (":authority", environment.authority)]))
        limits.keptFieldsOfRefusals = AnswerReading.fieldsOfRefusals
        let wire = HTTP2OverTLS(
            tls: try TLSSession(context: tls, hostName: environment.host),
            http2: try HTTP2Session(role: .client, limits: limits)
        )
        var logger = logger
        logger[metadataKey: "connection"] = "\(number)"
        return ClientConnection(
            number: number, environment: environment, wire: wire, desk: desk, tokens: tokens, retry: retry,
            clocks: clocks, metrics: metrics, tally: tally, logger: logger, door: door
        )
    }

    /// What a connection tells.
    func heard(_ news: ConnectionNews, from number: Int) {
        switch news {
        case .progressed(let phase, let awaitsPing):
            if progress[number] != nil { progress[number] = (phase, awaitsPing) }
        case .opened: opened(number)
        case .pulled: drainIfIdle()
        case .overflows:
            if !(connections.count == 1 && state.isFull) { goOn() }
        case .returned(let atOnce, let later):
            if later < sweepAt { armSweep(at: later) }
            // One that serves looks by itself, and may have no room.
            if atOnce, state.phases[number] != .serving || connections.count > 1 { goOn() }
        case .keyRefused(let words, let hadFitted):
            if state.keyRefused(on: number, hadFitted: hadFitted, now: clocks.now()) == .stop {
                halt(words: words, certificate: nil)
            }
        case .credentialsRefused(let words, let certificate):
            if state.credentialsRefused(now: clocks.now()) == .stop { halt(words: words, certificate: certificate) }
        case .stopsTaking(let wasOfUse):
            state.stopsTaking(number)
            // One that has carried nothing has not opened really: what it says at its end is for those who wait.
            if wasOfUse { connectIfNeeded() }
        case .closed(let ending): closed(number, ending)
        }
    }

    private func opened(_ number: Int) {
        metrics.connectionOpened()
        lastFailure = nil
        state.opened(number)
        progress[number] = (.queue, false)
        tellOfShutdown()
        // The next one, where there are to be several.
        goOn()
    }

    private func closed(_ number: Int, _ ending: ConnectionEnding) {
        guard let index = connections.firstIndex(where: { $0.number == number }) else { return }
        connections.remove(at: index)
        progress[number] = nil
        let hadOpened = state.phases[number] != .opening
        state.ended(number, worth: ending.worth, now: clocks.now(), chance: .random(in: 0...1))
        if let failure = ending.failure {
            if ending.neverServed || failure.isAboutCredentials {
                logger.warning("no connection", metadata: ["phase": "\(failure.phase)", "why": "\(failure)"])
                if !hadOpened { metrics.connectionFailed() }
                lastFailure = failure
                // Where another connection serves, nothing is lost with this one.
                if !(failure.isPassing && retry.retriesConnecting), !isServing {
                    failQueued(
                        failure.isAboutCredentials ? .credentials : .noConnection, failure.phase, failure.description)
                }
            } else {
                logger.notice("a connection ended", metadata: ["connection": "\(number)", "why": "\(failure)"])
            }
        }
        goOn()
        finishShutdownIfDrained()
    }

    private var isServing: Bool { state.phases.values.contains(.serving) }

    private func halt(words: String, certificate: ConnectionFailure?) {
        let pause = PoolState.credentialsPause.seconds
        haltWords =
            certificate.map { "\($0.description) Nothing is sent for \(pause) s." }
            ?? "APNs refuses the credentials (\(words)): check them; nothing is sent for \(pause) s."
        logger.critical("APNs refuses the credentials", metadata: ["why": "\(words)", "pause": "\(pause) s"])
        metrics.credentialsRefused()
        failQueued(.credentials, .queue, haltWords)
        for connection in connections { connection.perform { $0.drain() } }
    }

    /// Nothing in the queue can be sent; its callers learn why.
    private func failQueued(_ cause: NotSent.Cause, _ phase: PushPhase, _ words: String) {
        for send in desk.withdrawAll() { finish(send, cause, phase, words) }
        finishShutdownIfDrained()
    }

    private func finish(_ send: PendingSend, _ cause: NotSent.Cause, _ phase: PushPhase, _ words: String) {
        let outcome = send.unsent(cause, words, phase: phase, now: clocks.now())
        metrics.count(outcome)
        tally.count(outcome)
        send.end(outcome)
    }

    // MARK: Deadlines

    private func armSweep(at time: MonotonicTime) {
        sweepTimer?.cancel()
        sweepAt = time
        // A millisecond gathers deadlines that lie close together.
        let wait = max(clocks.now().duration(to: time), .milliseconds(1))
        sweepTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: wait)) { self.sweep() }
    }

    private func sweep() {
        sweepAt = .never
        let now = clocks.now()
        desk.release(now: now)
        for entry in desk.withdrawExpired(now: now) { expire(entry.send, hadRoom: entry.hadRoom, now) }
        if let next = desk.planSweep() { armSweep(at: next) }
        goOn()
        finishShutdownIfDrained()
    }

    private func expire(_ send: PendingSend, hadRoom: Bool, _ now: MonotonicTime) {
        let hasExpired = send.hasExpired(now: now)
        if let lastFailure, !isServing, !hasExpired {
            let words = "its deadline passed before there was a connection: \(lastFailure.description)"
            return finish(send, .noConnection, lastFailure.phase, words)
        }
        let place = hadRoom ? "in the queue" : "waiting for room in the full queue"
        let (phase, why) = whyItWaits
        finish(
            send, hasExpired ? .expired : .deadline, phase,
            "its \(hasExpired ? "expiration" : "deadline") passed while it was \(place): \(why).")
    }

    private var whyItWaits: (PushPhase, String) {
        let taking = connections.first { state.phases[$0.number] != .leaving }
        guard let taking, let place = progress[taking.number] else {
            let count = state.backoff.fruitless
            return (
                .queue,
                count > 0 ? "the last \(count) connections to \(environment) brought no answer" : "no stream was free"
            )
        }
        switch place.phase {
        case .tcp: return (.tcp, "\(environment) has not answered yet")
        case .tls: return (.tls, "the TLS handshake with \(environment) is not finished")
        case .settings: return (.settings, "\(environment) has not sent its HTTP/2 settings")
        default:
            return (
                .queue, place.awaitsPing ? "\(environment) has not answered a PING yet" : "no stream was free"
            )
        }
    }

    // MARK: Shutdown

    /// Takes nothing more, finishes what is taken, and fulfils the promise when nothing is left; `drainTime` is the end.
    func shutdown(drainTime: Duration, promise: EventLoopPromise<Void>?) {
        isShuttingDown = true
        itself = self
        if let promise { whenDrained.append(promise) }
        tellOfShutdown()
        drainTimer?.cancel()
        drainTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: drainTime)) {
            self.abandonEverything()
        }
        drainIfIdle()
        finishShutdownIfDrained()
    }

    /// From then on each taking out of the queue may have been the last one.
    private func tellOfShutdown() {
        guard isShuttingDown else { return }
        for connection in connections { connection.perform { $0.tellsPulls = true } }
    }

    /// Connections close as soon as the queue is empty and their streams have ended.
    private func drainIfIdle() {
        guard isShuttingDown, !desk.holdsAnything() else { return }
        for connection in connections { connection.perform { $0.drain() } }
    }

    private func abandonEverything() {
        for send in desk.withdrawAll(closing: .shutdown) {
            finish(send, .shutdown, .queue, "the client was shut down before it was its turn.")
        }
        let end = ConnectionFailure(phase: .queue, description: "the client was shut down.")
        for connection in connections { connection.perform { $0.fail(end) } }
        finishShutdownIfDrained()
    }

    private func finishShutdownIfDrained() {
        guard isShuttingDown, connections.isEmpty, !desk.holdsAnything() else { return }
        for timer in [sweepTimer, connectTimer, drainTimer] { timer?.cancel() }
        for promise in whenDrained { promise.succeed() }
        whenDrained = []
        itself = nil
    }
}
