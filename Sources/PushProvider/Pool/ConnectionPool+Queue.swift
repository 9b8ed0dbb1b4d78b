internal import Logging
internal import NIOCore

/// Ends notifications in the queue without a connection: when their deadline passes, or when nothing can be sent.
extension ConnectionPool {
    /// Ends every notification in the queue as not sent, with the reason.
    func failQueued(
        _ cause: PushNotSent.Cause, _ phase: PushPhase, _ message: String, isConnectionHopeless: Bool = false
    ) {
        for send in intake.withdrawAll() {
            finish(send, cause, phase, message, isConnectionHopeless: isConnectionHopeless)
        }
        finishShutdownIfDrained()
    }

    /// APNs refuses a topic: withdraw its notifications from the queue, and accept no more of them for a minute. Other
    /// topics are not affected.
    func refuseTopic(_ topic: String, message: String) {
        let now = timing.now()
        guard let refused = intake.refuse(topic, until: now.advanced(by: RefusalPause.duration), now: now) else {
            return
        }
        let pause = RefusalPause.duration.seconds
        let shown = PeerText.printable(topic)
        logger.critical(
            "APNs refuses the topic", metadata: ["topic": "\(shown)", "why": "\(message)", "pause": "\(pause) s"])
        metrics.credentialsRefused()
        for send in refused { finish(send, .topicRefused, .queue, SendIntake.refusal(of: topic)) }
        finishShutdownIfDrained()
    }

    func finish(
        _ send: PendingSend, _ cause: PushNotSent.Cause, _ phase: PushPhase, _ message: String,
        isConnectionHopeless: Bool = false
    ) {
        let outcome = send.unsent(
            cause, message, phase: phase, isConnectionHopeless: isConnectionHopeless, now: timing.now())
        metrics.count(outcome)
        setup.tally.count(outcome)
        send.end(outcome)
    }

    // MARK: Deadlines

    func armSweep(at time: MonotonicTime) {
        sweepTimer?.cancel()
        sweepAt = time
        // A minimum of one millisecond handles close deadlines together.
        let wait = max(timing.now().duration(to: time), .milliseconds(1))
        sweepTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: wait)) { self.sweep() }
    }

    func sweep() {
        sweepAt = .never
        let now = timing.now()
        intake.release(now: now)
        for entry in intake.withdrawExpired(now: now) { expire(entry.send, hadRoom: entry.hadRoom, now) }
        if let next = intake.planSweep() { armSweep(at: next) }
        goOn()
        finishShutdownIfDrained()
    }

    func expire(_ send: PendingSend, hadRoom: Bool, _ now: MonotonicTime) {
        let hasExpired = send.hasExpired(now: now)
        if let lastFailure, !state.isServing, !hasExpired {
            let message = "its deadline passed before there was a connection: \(lastFailure.description)"
            return finish(send, .noConnection, lastFailure.phase, message)
        }
        let whereItWaited = hadRoom ? "in the queue" : "waiting for space in the full queue"
        let (phase, why) = whyItWaits
        finish(
            send, hasExpired ? .expired : .deadline, phase,
            "its \(hasExpired ? "expiration" : "deadline") passed while it was \(whereItWaited): \(why).")
    }

    var whyItWaits: (PushPhase, String) {
        let taking = connections.first { state.phases[$0.number] != .leaving }
        guard let taking, let stage = progress[taking.number] else {
            let count = state.backoff.fruitless
            return (
                .queue,
                count > 0 ? "the last \(count) connections to \(environment) brought no answer" : "no stream was free"
            )
        }
        switch stage.phase {
        case .dns:
            return (.dns, "the lookup of the name \"\(path.proxy?.host ?? environment.host)\" is not finished")
        case .tcp: return (.tcp, "\(path.proxy.map { "the proxy \($0)" } ?? "\(environment)") has not answered yet")
        case .proxy: return (.proxy, "the proxy has not opened a tunnel to \(environment) yet")
        case .tls: return (.tls, "the TLS handshake with \(environment) is not finished")
        case .settings: return (.settings, "\(environment) has not sent its HTTP/2 settings")
        default:
            return (
                .queue, stage.awaitsPing ? "\(environment) has not answered a PING yet" : "no stream was free"
            )
        }
    }
}
