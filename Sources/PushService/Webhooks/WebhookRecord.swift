internal import PushQueue

/// The record of the queue's database that has the position of a webhook.
struct WebhookRecord: Sendable {
    static let kind = "webhook_cursor"

    let app: String
    let queue: any QueueBackend

    struct Stored {
        var position: WebhookPosition
        /// The version of the record. A position is stored only if the record still has it.
        var version: Int64
        /// Whether the webhook began with it.
        var isNew = false
    }

    /// A webhook that is new begins at the end of the outcomes, and this is stored at once.
    func read() async throws(QueueError) -> Stored {
        while true {
            if let record = try await queue.record(kind: Self.kind, key: app) {
                // A record of which nothing is understood must not lose an outcome.
                let position = WebhookPosition(record.value) ?? WebhookPosition(.start)
                return Stored(position: position, version: record.version)
            }
            let position = WebhookPosition(try await queue.resultsEnd())
            if let version = try await write(position, ifVersion: 0) {
                return Stored(position: position, version: version, isNew: true)
            }
        }
    }

    /// Stores a position.
    ///
    /// - Returns: The new version; `nil` if another process has stored a position in between.
    func write(_ position: WebhookPosition, ifVersion version: Int64) async throws(QueueError) -> Int64? {
        try await queue.store(position.bytes, kind: Self.kind, key: app, ifVersion: version)
    }
}
