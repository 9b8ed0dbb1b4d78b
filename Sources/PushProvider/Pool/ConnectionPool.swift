internal import Logging
internal import Metrics
internal import NIOCore
internal import NIOPosix
internal import PushWire

struct PooledConnection {
    let handle: ConnectionHandle
    /// The phase that it has last reported, and whether it awaits the answer to a PING.
    var progress: (phase: PushOutcome.Phase, awaitsPing: Bool) = (.tcp, false)
}

/// Performs the decisions of ``PoolState``: opens connections when there is something to send, and replaces those that
/// leave. `ConnectionPool+Queue.swift` ends what is in the queue, `ConnectionPool+Watch.swift` the number of
/// connections, and `ConnectionPool+Shutdown.swift` the shutdown.
///
/// Use it only on its event loop. Its connections are spread over several event loops. Connections and pool communicate
/// only through ``ConnectionHandle`` and ``PoolInbox``.
///
/// It owns everything that lives as long as the pool. The decisions are in ``PoolState``, ``PoolWatch`` and ``PoolShutdown``.
package final class ConnectionPool {
    let setup: ConnectionSetup
    let published: PublishedPoolFigures
    let loop: any EventLoop
    /// The event loops of the connections, used in turn. The first one is the pool's own.
    let connectionLoops: [any EventLoop]

    var state: PoolState
    var watch: PoolWatch
    private(set) lazy var inbox = PoolInbox(self, loop: loop)
    /// `nil` if the process has no metrics backend.
    let sampler: MetricsSampler?
    /// All connections that are not closed.
    private(set) var connections: [PooledConnection] = []
    /// Selects the connection that takes from the queue first the next time.
    private var turn = 0
    /// Why the last connection attempt failed; `nil` if it succeeded.
    private(set) var lastFailure: ConnectionFailure?
    /// Why nothing is sent now.
    private(set) var haltMessage = ""
    private(set) var connectTimer: Scheduled<Void>?
    var sweepTimer = EarliestTimer()
    var checks = PoolChecks()
    var ending = PoolShutdown()

    /// - Parameters:
    ///   - setup: The setup that all connections share.
    ///   - growth: Decides how many connections there are.
    ///   - published: Publishes the state of the pool to callers.
    ///   - loops: The event loops of the connections, at least one; the first is the pool's own.
    ///   - sampler: Records the gauges; `nil` if the process has no metrics backend.
    init(
        _ setup: ConnectionSetup, growth: PoolGrowth, published: PublishedPoolFigures, loops: [any EventLoop],
        sampler: MetricsSampler? = nil
    ) {
        self.setup = setup
        self.published = published
        self.sampler = sampler
        state = PoolState(size: growth.wanted)
        watch = PoolWatch(growth: growth)
        loop = loops[0]
        connectionLoops = loops
    }

    var timing: ClientTiming { setup.timing }
    var environment: PushEnvironment { setup.environment }
    var path: NetworkPath { setup.path }
    var intake: SendIntake { setup.intake }
    var metrics: PushMetrics { setup.metrics }
    var logger: Logger { setup.logger }
    var streamsPerConnection: Int { setup.streamsPerConnection }

    // MARK: From callers

    /// Sends what can be sent. Call it when there is something to send, or when a deadline or expiration is earlier
    /// than all before.
    func wake(earliestLimit: MonotonicTime) {
        sweepQueue(by: earliestLimit)
        goOn()
    }

    func goOn() {
        keepWatch()
        sampler?.begin(self)
        if state.isHalted(now: timing.now()) { return failQueued(.credentials, .queue, haltMessage) }
        let serving = connections.map(\.handle).filter { state.phases[$0.number] == .serving }
        guard !serving.isEmpty else { return connectIfNeeded() }
        // Begin with another connection each time.
        turn &+= 1
        let first = turn % serving.count
        pull((serving[first...] + serving[..<first])[...])
    }

    /// Allows the connections to take from the queue, one after the other. If notifications are left after the last one, a further
    /// connection is opened if needed.
    private func pull(_ handles: ArraySlice<ConnectionHandle>) {
        guard let handle = handles.first else { return connectIfNeeded() }
        let others = handles.dropFirst()
        handle.perform { [inbox, intake] connection in
            connection.pullAsWork()
            if intake.holdsSendable() { inbox.perform { $0.pull(others) } }
        }
    }

    /// Cancels a send that a connection has.
    func cancel(_ send: PendingSend) {
        cancel(send, on: connections.map(\.handle)[...], roundsLeft: 2)
    }

    private func cancel(_ send: PendingSend, on handles: ArraySlice<ConnectionHandle>, roundsLeft: Int) {
        guard let handle = handles.first else { return cancelElsewhere(send, roundsLeft: roundsLeft) }
        let others = handles.dropFirst()
        handle.perform { [inbox] connection in
            if !connection.cancel(send) { inbox.perform { $0.cancel(send, on: others, roundsLeft: roundsLeft) } }
        }
    }

    /// No connection had the send when the pool checked: since then, the send has its outcome, is back in the queue, or has moved to
    /// another connection.
    private func cancelElsewhere(_ send: PendingSend, roundsLeft: Int) {
        switch intake.cancel(send) {
        case .withdrawn:
            finish(send, .cancelled, .queue, "its task was cancelled while it waited to be sent again.")
            finishShutdownIfDrained()
        case .onConnection:
            if roundsLeft > 0, !connections.isEmpty {
                cancel(send, on: connections.map(\.handle)[...], roundsLeft: roundsLeft - 1)
            }
        case .tooLate: break
        }
    }

    // MARK: Connections

    private func connectIfNeeded() {
        let now = timing.now()
        switch state.next(hasWork: intake.hasWork(), now: now) {
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
            let handle = ConnectionHandle(
                try ClientConnection(number: number, setup) { [inbox] in inbox.report($0, from: number) }, loop: loop)
            connections.append(PooledConnection(handle: handle))
            keepWatch()
            handle.perform { $0.connect(on: loop) }
        } catch {
            state.ended(number, use: .none, now: timing.now(), chance: .random(in: 0...1))
            logger.warning("no connection", metadata: ["phase": "\(PushOutcome.Phase.tls)", "why": "\(error)"])
            metrics.connectionsFailed.increment()
            failQueued(.noConnection, .tls, "\(environment): \(error).", isConnectionHopeless: true)
        }
    }

    func received(_ event: ConnectionEvent, from number: Int) {
        switch event {
        case .progressed(let phase, let awaitsPing):
            progressed(number, phase, awaitsPing: awaitsPing)
        case .opened: opened(number)
        case .pulled: drainIfIdle()
        case .overflows:
            keepWatch()
            if !(connections.count == 1 && state.isFull) { goOn() }
        case .returned(let atOnce, let later):
            sweepQueue(by: later)
            // A serving connection checks the queue itself, and may have no space.
            if atOnce, state.phases[number] != .serving || connections.count > 1 { goOn() }
        case .keyRefused(let message, let hadFitted):
            if state.keyRefused(on: number, hadFitted: hadFitted, now: timing.now()) == .stop {
                halt(message: message, certificate: nil)
            }
        case .credentialsRefused(let message, let certificate):
            if state.credentialsRefused(now: timing.now()) == .stop { halt(message: message, certificate: certificate) }
        case .authenticated: state.authenticated()
        case .newestTokenRefused(let message):
            if state.newestTokenRefused(now: timing.now()) == .stop { halt(message: message, certificate: nil) }
        case .topicRefused(let topic, let message):
            refuse(topic, message: message)
            finishShutdownIfDrained()
        case .stopsTaking(let wasOfUse):
            state.stopsTaking(number, wasOfUse: wasOfUse)
            // A connection that carried nothing was not really open: its end is reported to the sends that wait for it.
            if wasOfUse { connectIfNeeded() }
        case .closed(let ending): closed(number, ending)
        }
    }

    private func progressed(_ number: Int, _ phase: PushOutcome.Phase, awaitsPing: Bool) {
        guard let index = connections.firstIndex(where: { $0.handle.number == number }) else { return }
        connections[index].progress = (phase, awaitsPing)
    }

    private func opened(_ number: Int) {
        lastFailure = nil
        metrics.connectionOpened(replacesAnother: state.opened(number))
        progressed(number, .queue, awaitsPing: false)
        reportPulls()
        drainSurplus()
        // Open the next connection if more are wanted.
        goOn()
    }

    private func closed(_ number: Int, _ ending: ConnectionEnding) {
        guard let index = connections.firstIndex(where: { $0.handle.number == number }) else { return }
        connections.remove(at: index)
        watch.ended(number)
        let action = state.closed(
            number, ending, retriesConnecting: setup.retry.retriesConnecting, now: timing.now(),
            chance: .random(in: 0...1))
        if action.isFailedGrowth { openingFailed() }
        if let failure = ending.failure { report(failure, of: number, action.report) }
        if action.failsQueue, let failure = ending.failure {
            failQueued(
                failure.isAboutCredentials ? .credentials : .noConnection, failure.phase, failure.description,
                isConnectionHopeless: !failure.isPassing)
        }
        goOn()
        finishShutdownIfDrained()
    }

    private func report(_ failure: ConnectionFailure, of number: Int, _ report: PoolState.CloseAction.Report) {
        switch report {
        case .none: break
        case .ended: logger.notice("a connection ended", metadata: ["connection": "\(number)", "why": "\(failure)"])
        case .failed(let beforeOpening):
            logger.warning("no connection", metadata: ["phase": "\(failure.phase)", "why": "\(failure)"])
            if beforeOpening { metrics.connectionsFailed.increment() }
            lastFailure = failure
        }
    }

    private func halt(message: String, certificate: ConnectionFailure?) {
        let pause = RefusalPause.duration.seconds
        haltMessage =
            certificate.map { "\($0.description) Nothing is sent for \(pause) s." }
            ?? "APNs refuses the credentials (\(message)). Check them. Nothing is sent for \(pause) s."
        logger.critical("APNs refuses the credentials", metadata: ["why": "\(message)", "pause": "\(pause) s"])
        metrics.refusedCredentials.increment()
        failQueued(.credentials, .queue, haltMessage)
        for connection in connections { connection.handle.perform { $0.drain() } }
    }
}

/// Lets connections call their pool from any event loop. The calls run on the event loop of the pool.
// The compiler does not check it: `loop` never changes, and `pool` is set in `init` and then read only on `loop`, which
// `perform` guarantees. A weak reference cannot be a constant, and the pool itself is not Sendable.
final class PoolInbox: @unchecked Sendable {
    let loop: any EventLoop
    /// Use it only on `loop`.
    private weak var pool: ConnectionPool?

    init(_ pool: ConnectionPool, loop: any EventLoop) {
        self.pool = pool
        self.loop = loop
    }

    func report(_ event: ConnectionEvent, from number: Int) {
        perform { $0.received(event, from: number) }
    }

    func perform(_ body: @escaping @Sendable (ConnectionPool) -> Void) {
        if loop.inEventLoop {
            if let pool { body(pool) }
        } else {
            loop.execute { self.perform(body) }
        }
    }
}
