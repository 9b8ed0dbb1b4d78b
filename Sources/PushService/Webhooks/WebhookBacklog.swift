import PushQueue

/// The outcomes of a queue that its webhooks have not delivered.
enum WebhookBacklog {
    /// The kinds of records with the positions of webhooks and the leases of workers.
    static let kindsOfOneQueue: Set<String> = [
        WebhookRecord.kind, WebhookTurn.kind, WebhookReports.kind, WebhookReports.retryKind,
    ]

    /// How many outcomes each webhook has not delivered, by app. More than 10 000 are counted as 10 000.
    static func count(_ queue: any QueueBackend) async throws(QueueError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for record in try await queue.records(kind: WebhookRecord.kind, after: nil, limit: 1000) {
            let position = WebhookPosition(record.value) ?? WebhookPosition(.start)
            // An event that is posted again later can be beyond the cursor. It is counted there.
            let parked = position.parked.count { $0.cursor <= position.cursor }
            let count = parked + (try await queue.count(of: [record.key], after: position.cursor) { _ in true })
            if count > 0 { counts[record.key] = min(count, QueueDepth.maximumCounted) }
        }
        return counts
    }
}

struct WebhookWaiting {
    /// How many there are; of those that were never posted at most ``maximum``.
    let count: Int
    /// When the oldest of them happened; `nil` if there is none.
    let oldest: QueueTime?

    private static let maximum = 1000

    init(_ app: String, _ settings: WebhookSettings, _ queue: any QueueBackend) async throws(QueueError) {
        guard let record = try await queue.record(kind: WebhookRecord.kind, key: app),
            let position = WebhookPosition(record.value)
        else {
            (count, oldest) = (0, nil)
            return
        }
        let page = try await queue.results(of: [app], after: position.cursor, limit: Self.maximum)
        let new = page.items.filter { job in job.outcome.map { settings.outcomes.contains($0.kind) } ?? false }
        let parked = position.parked.filter { $0.cursor <= position.cursor }
        count = new.count + parked.count
        oldest = (new.compactMap(\.finished) + parked.map(\.first)).min()
    }
}

/// The position of a webhook. It is stored in the database of the queue, so that a service continues from it after a kill.
struct WebhookPosition: Equatable {
    /// An event that the receiver has not taken yet, and that will be posted again.
    struct Parked: Equatable {
        let cursor: QueueResultCursor
        let failures: Int
        /// When it was posted for the first time.
        let first: QueueTime
        let due: QueueTime
    }

    /// Each event up to this one is done, or is in ``parked``.
    var cursor: QueueResultCursor
    /// Events that are posted again. They can also be beyond the cursor.
    var parked: [Parked] = []

    init(_ cursor: QueueResultCursor, parked: [Parked] = []) {
        (self.cursor, self.parked) = (cursor, parked)
    }

    init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let first = lines.first, let number = Int64(first) else { return nil }
        cursor = QueueResultCursor(number: number)
        for line in lines.dropFirst() {
            let numbers = line.split(separator: " ").map { Int64($0) }
            guard numbers.count == 4, let number = numbers[0], let failures = numbers[1], let first = numbers[2],
                let due = numbers[3]
            else { return nil }
            parked.append(
                Parked(
                    cursor: QueueResultCursor(number: number), failures: Int(failures),
                    first: QueueTime(milliseconds: first), due: QueueTime(milliseconds: due)))
        }
    }

    /// A line with the cursor, and a line for each parked event: its cursor, failures, first and due time.
    var bytes: [UInt8] {
        let lines = parked.map { event in
            "\(event.cursor.number) \(event.failures) \(event.first.milliseconds) \(event.due.milliseconds)"
        }
        return Array((["\(cursor.number)"] + lines).joined(separator: "\n").utf8)
    }
}
