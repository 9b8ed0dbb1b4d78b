import PushProvider

/// The same push several times, with a counter in its text.
struct RepeatedSends: Sendable {
    var count: Int
    /// The time from the start of one push to the start of the next.
    var interval: Duration

    /// Returns the notifications of one round, counted from 0, with the counter in their text.
    static func round(_ index: Int, of notifications: [PushNotification]) -> [PushNotification] {
        // All notifications share one payload.
        guard let first = notifications.first else { return [] }
        let payload = NumberedPayload(first.payload)[index]
        return notifications.map { notification in
            var numbered = notification
            numbered.payload = payload
            return numbered
        }
    }

    /// Sends until all are sent, the credentials are refused, or the task is cancelled.
    func run(_ notifications: [PushNotification], with sender: PushSender) async -> SendTally {
        var tally = SendTally()
        let clock = ContinuousClock()
        let start = clock.now
        for index in 0..<count {
            if index > 0 {
                try? await clock.sleep(until: start + interval * index)
                if Task.isCancelled { break }
            }
            await sender.send(Self.round(index, of: notifications), adding: &tally)
            if tally.worst == .credentials { break }
        }
        return tally
    }
}
