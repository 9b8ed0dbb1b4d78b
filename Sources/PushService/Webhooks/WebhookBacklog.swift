package import PushQueue

/// The outcomes of a queue that its webhooks have not delivered.
package enum WebhookBacklog {
    /// The kinds of records with the positions of webhooks and the leases of workers. They have no meaning in another
    /// queue.
    package static let kindsOfOneQueue: Set<String> = [
        WebhookRecord.kind, WebhookTurn.kind, WebhookReports.kind, WebhookReports.retryKind, "recipients_gone",
    ]

    /// More outcomes are not counted.
    private static let most = 10_000

    /// How many outcomes each webhook has not delivered, by app. More than 10 000 are counted as 10 000.
    package static func count(_ queue: any QueueBackend) async throws(QueueError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for record in try await queue.records(kind: WebhookRecord.kind, after: nil, limit: 1000) {
            let position = WebhookPosition(record.value) ?? WebhookPosition(.start)
            // An event that is posted again later can be beyond the cursor. It is counted there.
            var count = position.parked.count { $0.cursor <= position.cursor }
            var cursor = position.cursor
            while count < most {
                let page = try await queue.results(of: [record.key], after: cursor, limit: 1000)
                count += page.items.count
                guard page.next > cursor, !page.items.isEmpty else { break }
                cursor = page.next
            }
            if count > 0 { counts[record.key] = min(count, most) }
        }
        return counts
    }
}

/// The events of a webhook that were not delivered.
struct WebhookWaiting {
    /// How many there are; of those that were never posted at most ``most``.
    let count: Int
    /// When the oldest of them happened; `nil` if there is none.
    let oldest: QueueTime?

    private static let most = 1000

    init(_ app: String, _ settings: WebhookSettings, _ queue: any QueueBackend) async throws(QueueError) {
        guard let record = try await queue.record(kind: WebhookRecord.kind, key: app),
            let position = WebhookPosition(record.value)
        else {
            (count, oldest) = (0, nil)
            return
        }
        let page = try await queue.results(of: [app], after: position.cursor, limit: Self.most)
        let new = page.items.filter { job in job.outcome.map { settings.outcomes.contains($0.kind) } ?? false }
        let parked = position.parked.filter { $0.cursor <= position.cursor }
        count = new.count + parked.count
        oldest = (new.compactMap(\.finished) + parked.map(\.first)).min()
    }
}
