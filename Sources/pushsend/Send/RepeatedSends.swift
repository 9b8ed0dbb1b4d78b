import PushProvider

/// The same push again and again, its text counting.
struct RepeatedSends: Sendable {
    var count: Int
    /// From the beginning of one push to the beginning of the next.
    var interval: Duration

    /// The notifications of that order, counted from 0, made of those that are repeated.
    static func round(_ index: Int, of notifications: [PushNotification]) -> [PushNotification] {
        // All of them share one payload.
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
