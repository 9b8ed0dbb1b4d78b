internal import Logging

/// What one notification logs, if its caller gave a logger for it.
extension PendingSend {
    /// Logs that the notification is sent again.
    final func logRetry(_ outcome: PushOutcome, attempt: Int, in wait: Duration) {
        guard let logger else { return }
        logger.info(
            "the notification is sent again",
            metadata: ["apns-id": "\(apnsID)", "attempt": "\(attempt)", "in": "\(wait)", "why": "\(outcome)"])
    }

    /// Logs the outcome: an acceptance at level debug, every other outcome at level notice.
    final func log(_ outcome: PushOutcome) {
        guard let logger else { return }
        let level = isAccepted ? Logger.Level.debug : .notice
        logger.log(level: level, "the notification has its outcome", metadata: ["outcome": "\(outcome)"])
    }
}
