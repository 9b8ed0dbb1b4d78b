internal import Logging
internal import NIOCore

/// Ends notifications in the queue as not sent, and says what they waited for.
extension ConnectionPool {
    /// Ends every notification in the queue as not sent, with the reason.
    func failQueued(
        _ cause: PushOutcome.Cause, _ phase: PushOutcome.Phase, _ message: String, isConnectionHopeless: Bool = false
    ) {
        for send in intake.withdrawAll() {
            finish(send, cause, phase, message, isConnectionHopeless: isConnectionHopeless)
        }
        finishShutdownIfDrained()
    }

    /// APNs refuses a topic: ends its notifications in the queue, and accepts no more of them for a minute. Other
    /// topics are not affected.
    func refuse(_ topic: String, message: String) {
        let now = timing.now()
        let until = now.advanced(by: RefusalPause.duration)
        guard let refused = intake.refuse(topic, until: until, now: now) else { return }
        let pause = RefusalPause.duration.seconds
        let shown = PeerText.printable(topic)
        logger.critical(
            "APNs refuses the topic", metadata: ["topic": "\(shown)", "why": "\(message)", "pause": "\(pause) s"])
        for send in refused { finish(send, .topicRefused, .queue, SendIntake.refusal(of: topic)) }
    }

    /// Ends a notification as not sent, and counts its outcome.
    func finish(
        _ send: PendingSend, _ cause: PushOutcome.Cause, _ phase: PushOutcome.Phase, _ message: String,
        isConnectionHopeless: Bool = false
    ) {
        let outcome = send.unsent(
            cause, message, phase: phase, isConnectionHopeless: isConnectionHopeless, now: timing.now())
        metrics.count(outcome)
        send.end(outcome)
    }

    // MARK: Deadlines

    /// Sweeps the queue at this time, or earlier.
    func sweepQueue(by time: MonotonicTime) {
        sweepTimer.arm(by: time, now: timing.now()) { wait in
            loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: wait)) { self.sweep() }
        }
    }

    private func sweep() {
        sweepTimer.fired()
        let now = timing.now()
        intake.release(now: now)
        for entry in intake.withdrawLate(now: now) {
            endLate(entry.send, hadRoom: entry.hadRoom, hadKey: entry.hadKey)
        }
        if let next = intake.planSweep() { sweepQueue(by: next) }
        goOn()
        finishShutdownIfDrained()
    }

    private func endLate(_ send: PendingSend, hadRoom: Bool, hadKey: Bool) {
        let (cause, name) = send.whatPassed
        if let lastFailure, !state.isServing, cause == .deadline {
            let message = "its deadline passed before there was a connection: \(lastFailure.description)"
            return finish(send, .noConnection, lastFailure.phase, message)
        }
        let whereItWaited = hadRoom ? "in the queue" : "waiting for space in the full queue"
        let (phase, why) =
            hadKey ? whyItWaits : (.queue, "a notification with the same collapse id was on the way")
        finish(send, cause, phase, "its \(name) passed while it was \(whereItWaited): \(why).")
    }

    var whyItWaits: (PushOutcome.Phase, String) {
        let taking = connections.first { state.phases[$0.handle.number] != .leaving }
        guard let stage = taking?.progress else {
            let count = state.backoff.fruitless
            return (
                .queue,
                count > 0 ? "the last \(count) connections to \(environment) brought no answer" : "no stream was free"
            )
        }
        switch stage.phase {
        case .dns:
            return (.dns, "the lookup of the name \"\(path.proxy?.host ?? environment.host)\" isn't finished")
        case .tcp: return (.tcp, "\(path.proxy.map { "the proxy \($0)" } ?? "\(environment)") hasn't answered yet")
        case .proxy: return (.proxy, "the proxy hasn't opened a tunnel to \(environment) yet")
        case .tls: return (.tls, "the TLS handshake with \(environment) isn't finished")
        case .settings: return (.settings, "\(environment) hasn't sent its HTTP/2 settings")
        default:
            return (
                .queue, stage.awaitsPing ? "\(environment) hasn't answered a PING yet" : "no stream was free"
            )
        }
    }
}
