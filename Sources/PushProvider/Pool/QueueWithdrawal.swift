internal import Logging

/// Ends notifications in the queue as not sent, and counts their outcomes.
struct QueueWithdrawal {
    let setup: ConnectionSetup

    /// Ends every notification in the queue, with the reason.
    func everything(
        _ cause: PushOutcome.Cause, _ phase: PushOutcome.Phase, _ message: String, isConnectionHopeless: Bool = false
    ) {
        for send in setup.intake.withdrawAll() {
            finish(send, cause, phase, message, isConnectionHopeless: isConnectionHopeless)
        }
    }

    /// Ends every notification in the queue, because the client is shut down. The queue accepts no more.
    func everythingForShutdown() {
        for send in setup.intake.withdrawAll(closing: .shutdown) {
            finish(send, .shutdown, .queue, "the client was shut down before the notification was sent.")
        }
    }

    /// APNs refuses a topic: ends its notifications in the queue, and accepts no more of them for a minute. Other
    /// topics are not affected.
    func topic(_ topic: String, message: String) {
        let now = setup.timing.now()
        let until = now.advanced(by: RefusalPause.duration)
        guard let refused = setup.intake.refuse(topic, until: until, now: now) else { return }
        let pause = RefusalPause.duration.seconds
        let shown = PeerText.printable(topic)
        setup.logger.critical(
            "APNs refuses the topic", metadata: ["topic": "\(shown)", "why": "\(message)", "pause": "\(pause) s"])
        for send in refused { finish(send, .topicRefused, .queue, SendIntake.refusal(of: topic)) }
    }

    func finish(
        _ send: PendingSend, _ cause: PushOutcome.Cause, _ phase: PushOutcome.Phase, _ message: String,
        isConnectionHopeless: Bool = false
    ) {
        let outcome = send.unsent(
            cause, message, phase: phase, isConnectionHopeless: isConnectionHopeless, now: setup.timing.now())
        setup.metrics.count(outcome)
        setup.tally.count(outcome)
        send.end(outcome)
    }
}
