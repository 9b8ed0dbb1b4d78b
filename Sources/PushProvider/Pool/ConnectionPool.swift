internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushWire

/// Performs what ``PoolState`` decides: opens connections when there is something to send, and replaces those that leave.
/// The deadlines of what is queued stand in `ConnectionPool+Queue.swift`, how many connections there are to be in
/// `ConnectionPool+Watch.swift`, and the end of it all in `ConnectionPool+Shutdown.swift`.
///
/// It belongs to one event loop and is touched there only. Its connections are spread over several, each on its own: what
/// passes between them and the pool passes through ``ConnectionHandle`` and ``PoolInbox``.
package final class ConnectionPool {
    let setup: ConnectionSetup
    let timing: ClientTiming
    let published: PublishedPoolFigures
    let loop: any EventLoop
    /// Those of the connections, in turn; the pool's own is the first.
    let connectionLoops: [any EventLoop]

    var state: PoolState
    var watch: PoolWatch
    private(set) lazy var inbox = PoolInbox(self, loop: loop)
    /// `nil` where nobody looks at metrics.
    let sampler: MetricsSampler?
    /// All that are not closed.
    private(set) var connections: [ConnectionHandle] = []
    var progress: [Int: (phase: PushPhase, awaitsPing: Bool)] = [:]
    /// Who is asked first the next time.
    private var turn = 0
    /// Why the last one did not come about; `nil` when it did.
    var lastFailure: ConnectionFailure?
    /// Why nothing is sent for now.
    private(set) var haltMessage = ""
    var connectTimer: Scheduled<Void>?
    var sweepTimer: Scheduled<Void>?
    var drainTimer: Scheduled<Void>?
    var watchTimer: Scheduled<Void>?
    /// It is one of the long ones, as nothing was to be done.
    var watchIsIdle = false
    /// There was something to do since the connections were last looked at.
    var isWoken = false
    var sweepAt = MonotonicTime.never
    var whenDrained: [EventLoopPromise<Void>] = []
    var isShuttingDown = false
    /// While it shuts down nobody else may hold it any more.
    var itself: ConnectionPool?

    /// - Parameters:
    ///   - setup: What all connections have in common.
    ///   - growth: Decides how many connections there are.
    ///   - published: Shows callers what the pool sees.
    ///   - loops: The event loops of the connections, at least one; the first is the pool's own.
    ///   - sampler: Samples for metrics; `nil` where nobody collects them.
    init(
        _ setup: ConnectionSetup, growth: PoolGrowth, published: PublishedPoolFigures, loops: [any EventLoop],
        sampler: MetricsSampler? = nil
    ) {
        self.setup = setup
        timing = setup.timing
        self.published = published
        self.sampler = sampler
        state = PoolState(size: growth.wanted)
        watch = PoolWatch(growth: growth)
        loop = loops[0]
        connectionLoops = loops
    }

    var environment: PushEnvironment { setup.environment }
    var path: NetworkPath { setup.path }
    var intake: SendIntake { setup.intake }
    var metrics: PushMetrics { setup.metrics }
    var logger: Logger { setup.logger }
    var streamsPerConnection: Int { setup.streamsPerConnection }

    // MARK: From callers

    /// There is something to send, or a deadline or expiration earlier than all before.
    func wake(earliestLimit: MonotonicTime) {
        if earliestLimit < sweepAt { armSweep(at: earliestLimit) }
        goOn()
    }

    func goOn() {
        keepWatch()
        sampler?.begin(self)
        if state.isHalted(now: timing.now()) { return failQueued(.credentials, .queue, haltMessage) }
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
        handle.perform { [inbox, intake] connection in
            connection.working { connection.pull() }
            if intake.holdsSendable() { inbox.perform { $0.pull(others) } }
        }
    }

    /// A task was cancelled while a connection had its send.
    func cancel(_ send: PendingSend) {
        cancel(send, on: connections[...], roundsLeft: 2)
    }

    private func cancel(_ send: PendingSend, on handles: ArraySlice<ConnectionHandle>, roundsLeft: Int) {
        guard let handle = handles.first else { return cancelElsewhere(send, roundsLeft: roundsLeft) }
        let others = handles.dropFirst()
        handle.perform { [inbox] connection in
            if !connection.cancel(send) { inbox.perform { $0.cancel(send, on: others, roundsLeft: roundsLeft) } }
        }
    }

    /// No connection had it when it was asked: its outcome is there, it has come back to the queue, or it went from one
    /// connection to another meanwhile.
    private func cancelElsewhere(_ send: PendingSend, roundsLeft: Int) {
        switch intake.cancel(send) {
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
                try ClientConnection(number: number, setup) { [inbox] in inbox.tell(number, $0) }, loop: loop)
            connections.append(handle)
            progress[number] = (.tcp, false)
            keepWatch()
            handle.perform { $0.connect(on: loop) }
        } catch {
            state.ended(number, worth: .none, now: timing.now(), chance: .random(in: 0...1))
            logger.warning("no connection", metadata: ["phase": "\(PushPhase.tls)", "why": "\(error)"])
            metrics.connectionFailed()
            failQueued(.noConnection, .tls, "\(environment): \(error).", isConnectionHopeless: true)
        }
    }

    /// What a connection tells.
    func heard(_ news: ConnectionNews, from number: Int) {
        switch news {
        case .progressed(let phase, let awaitsPing):
            if progress[number] != nil { progress[number] = (phase, awaitsPing) }
        case .opened: opened(number)
        case .pulled: drainIfIdle()
        case .overflows:
            keepWatch()
            if !(connections.count == 1 && state.isFull) { goOn() }
        case .returned(let atOnce, let later):
            if later < sweepAt { armSweep(at: later) }
            // One that serves looks by itself, and may have no room.
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
        case .topicRefused(let topic, let message): refuseTopic(topic, message: message)
        case .stopsTaking(let wasOfUse):
            state.stopsTaking(number, wasOfUse: wasOfUse)
            // One that has carried nothing has not opened really: what it says at its end is for those who wait.
            if wasOfUse { connectIfNeeded() }
        case .closed(let ending): closed(number, ending)
        }
    }

    private func opened(_ number: Int) {
        lastFailure = nil
        metrics.connectionOpened(replacesAnother: state.opened(number))
        progress[number] = (.queue, false)
        tellOfShutdown()
        drainSurplus()
        // The next one, where there are to be several.
        goOn()
    }

    private func closed(_ number: Int, _ ending: ConnectionEnding) {
        guard let index = connections.firstIndex(where: { $0.number == number }) else { return }
        connections.remove(at: index)
        progress[number] = nil
        watch.ended(number)
        let hadOpened = state.phases[number] != .opening
        state.ended(
            number, worth: ending.worth, neverServed: ending.neverServed, now: timing.now(), chance: .random(in: 0...1))
        // One that is let in and sent away at once is no better than one that is not let in.
        if !hadOpened || ending.worth == .none, state.isServing { openingFailed() }
        if let failure = ending.failure {
            if ending.neverServed || failure.isAboutCredentials {
                logger.warning("no connection", metadata: ["phase": "\(failure.phase)", "why": "\(failure)"])
                if !hadOpened { metrics.connectionFailed() }
                lastFailure = failure
                // Where another connection serves, nothing is lost with this one.
                if !(failure.isPassing && setup.retry.retriesConnecting), !state.isServing {
                    failQueued(
                        failure.isAboutCredentials ? .credentials : .noConnection, failure.phase, failure.description,
                        isConnectionHopeless: !failure.isPassing)
                }
            } else {
                logger.notice("a connection ended", metadata: ["connection": "\(number)", "why": "\(failure)"])
            }
        }
        goOn()
        finishShutdownIfDrained()
    }

    private func halt(message: String, certificate: ConnectionFailure?) {
        let pause = RefusalPause.duration.seconds
        haltMessage =
            certificate.map { "\($0.description) Nothing is sent for \(pause) s." }
            ?? "APNs refuses the credentials (\(message)): check them; nothing is sent for \(pause) s."
        logger.critical("APNs refuses the credentials", metadata: ["why": "\(message)", "pause": "\(pause) s"])
        metrics.credentialsRefused()
        failQueued(.credentials, .queue, haltMessage)
        for connection in connections { connection.perform { $0.drain() } }
    }
}
