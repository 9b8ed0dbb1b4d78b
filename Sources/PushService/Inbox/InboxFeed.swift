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

    /// Where the queue keeps the name of an inbox, and whether outcomes were copied into it: `4f1c09ab outcomes`. So the service knows both if
    /// the table `position` was emptied.
    private static func known(
        _ inbox: PostgresInbox, _ queue: any QueueBackend
    ) async throws(QueueError) -> (name: String, hasOutcomes: Bool)? {
        let record = try await queue.record(kind: "inbox", key: inbox.label)
        let words = record.map { String(decoding: $0.value, as: UTF8.self).split(separator: " ") } ?? []
        return words.first.map { (String($0), words.count > 1) }
    }

    /// The name by which pushes of an inbox are known in the queue. A queue that knows one stays with it, so an inbox that was emptied, or
    /// installed anew, gets the outcomes of all its pushes.
    static func name(_ inbox: PostgresInbox, _ queue: any QueueBackend) async throws(QueueError) -> String {
        let known = try await known(inbox, queue)?.name
        let stored = try await inbox.name(earlier: known)
        if let known { return known }
        _ = try await queue.store(Array(stored.utf8), kind: "inbox", key: inbox.label, ifVersion: nil)
        return stored
    }

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
            let version = try await inbox.version(of: queue)
            let page = try await parts.queue.results(of: parts.apps.names, after: cursor, limit: Self.pageLength)
            if page.hasGap, warned != cursor {
                try await warn(
                    page.next < cursor
                        ? "The queue is older than the outcomes of the inbox: it was restored from a backup. They are copied again from the oldest on, and none is replaced."
                        : "Outcomes were dropped from the queue before they were copied into the inbox. Copying goes on with the oldest one."
                )
                warned = page.next
            }
            guard page.next != cursor else { break }
            let isStored = try await inbox.store(
                page.items.compactMap(outcome), of: queue, from: cursor, to: page.next, version: version)
            cursor = isStored ? page.next : try await position()
        }
        guard dropsAt <= .now else { return }
        try await inbox.dropOld(of: queue)
        dropsAt = .now + Self.dropPace
    }

    /// Stores the first position, and that there is one. One that is damaged stops the feed later, and nothing else.
    func begin() async throws(QueueError) {
        do throws(QueueError) { _ = try await position() } catch {
            guard error.code == .damaged else { throw error }
        }
        _ = try await parts.queue.store(Array("\(name) outcomes".utf8), kind: "inbox", key: inbox.label, ifVersion: nil)
    }

    /// The position, which begins at the end of the outcomes. One that was lost begins at the oldest outcome.
    private func position() async throws(QueueError) -> QueueResultCursor {
        if let cursor = try await inbox.position(of: queue) { return cursor }
        let hadOutcomes = try await Self.known(inbox, parts.queue)?.hasOutcomes ?? false
        if hadOutcomes {
            _ = try await inbox.name(earlier: name)
            try await warn(
                """
                The table "position" of the inbox was emptied. Outcomes are copied again from the oldest on; none is \
                replaced, and those that you deleted come back.
                """)
        }
        let start = hadOutcomes ? QueueResultCursor.start : try await parts.queue.resultsEnd()
        return try await inbox.position(of: queue, startingAt: start) ?? start
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

    private func warn(_ text: String) async throws(QueueError) {
        logger.warning("\(text)")
        let now = try await parts.queue.now()
        parts.metrics.change(ServiceMetrics.InboxPart(inbox: inbox.label, part: "outcomes")) {
            $0.warning = (text, now)
        }
    }
}
