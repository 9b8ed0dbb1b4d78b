import Logging
import PushDelivery
import PushPlatform
import PushQueue
import PushQueuePostgres

/// Copies outcomes into the database of an inbox.
struct InboxFeed {
    let inbox: PostgresInbox
    let parts: ServiceParts
    /// The name by which pushes of the inbox are known in the queue.
    let name: String
    /// The name of the queue among those that have this inbox.
    let queue: String
    let includesAccepted: Bool
    let logger: Logger
    private var dropsAt = ContinuousClock.now
    /// Where a warning was logged.
    private var warned: QueueResultCursor?

    init(
        _ inbox: PostgresInbox, _ parts: ServiceParts, name: String, queue: String, includesAccepted: Bool,
        _ logger: Logger
    ) {
        (self.inbox, self.parts, self.name, self.queue) = (inbox, parts, name, queue)
        (self.includesAccepted, self.logger) = (includesAccepted, logger)
    }

    private static let pageLength = 500
    private static let dropPace = Duration.seconds(60)

    /// The name of a queue, which it keeps when it moves to another machine.
    static func queueName(_ queue: any QueueBackend) async throws(QueueError) -> String {
        while true {
            if let record = try await queue.record(kind: "inbox", key: "queue") {
                return String(decoding: record.value, as: UTF8.self)
            }
            _ = try await queue.store(Array(JobAnswer.text(UUID()).utf8), kind: "inbox", key: "queue", ifVersion: 0)
        }
    }

    /// Copies what is new.
    mutating func round() async throws(QueueError) {
        var cursor = try await position()
        while !Task.isCancelled {
            let page = try await parts.queue.results(of: parts.apps.names, after: cursor, limit: Self.pageLength)
            if page.hasGap, warned != cursor {
                warn(page.next < cursor)
                warned = page.next
            }
            guard page.next != cursor else { break }
            let isStored = try await inbox.store(
                page.items.compactMap(outcome), of: queue, from: cursor, to: page.next)
            cursor = isStored ? page.next : try await position()
        }
        guard dropsAt <= .now else { return }
        try await inbox.dropOld(of: queue)
        dropsAt = .now + Self.dropPace
    }

    /// The position, which begins at the end of the outcomes.
    func position() async throws(QueueError) -> QueueResultCursor {
        try await inbox.position(of: queue, startingAt: try await parts.queue.resultsEnd())
    }

    /// The row of an outcome; `nil` if it is not for this inbox.
    private func outcome(_ job: QueueJobRecord) -> InboxOutcome? {
        let words = PushDetails(encoded: job.push)?.inbox?.split(separator: " ") ?? []
        let isOwn = words.first.map { $0 == name } ?? false
        let isWanted = isOwn && (includesAccepted || job.outcome?.kind != .accepted)
        guard isWanted || job.outcome?.goneSince != nil else { return nil }
        let given = isOwn && words.count > 1 ? UUID(uuidString: String(words[1])) : nil
        return InboxOutcome(id: given ?? job.id, job)
    }

    private func warn(_ isRestored: Bool) {
        let cause =
            isRestored
            ? "The queue is older than the outcomes of the inbox: it was restored from a backup. They are copied again from the oldest on, and none is replaced."
            : "Outcomes were dropped from the queue before they were copied into the inbox. Copying goes on with the oldest one."
        logger.warning("\(cause)")
    }
}
