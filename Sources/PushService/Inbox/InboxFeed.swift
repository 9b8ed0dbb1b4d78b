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
    /// How often old outcomes are dropped.
    var dropPace = Self.defaultDropPace
    private var dropsAt = ContinuousClock.now
    /// The apps of the queue, as far as they are known.
    private var apps: Set<String> = []
    /// How many outcomes are read and stored at once. It falls while a trigger of somebody makes that take too long.
    private var pageLength = Self.longestPage
    private var copied: QueueResultCursor?
    /// Where a warning was logged.
    private var warned: QueueResultCursor?

    /// Where the queue keeps the name of an inbox, and which outcomes were copied into it, up to where: `4f1c09ab failures 1200`. So the
    /// service knows the name and that there were some if the table `position` was emptied, and an export knows which are missing.
    private static func known(
        _ inbox: PostgresInbox, _ queue: any QueueBackend
    ) async throws(QueueError) -> (name: String, hasOutcomes: Bool)? {
        let record = try await queue.record(kind: kind, key: inbox.label)
        let words = record.map { String(decoding: $0.value, as: UTF8.self).split(separator: " ") } ?? []
        return words.first.map { (String($0), words.count > 1) }
    }

    /// The name by which pushes of an inbox are known in the queue. A queue that knows one stays with it, so an inbox that was emptied, or
    /// installed anew, gets the outcomes of all its pushes.
    ///
    /// - Parameters:
    ///   - inbox: The inbox.
    ///   - all: All inboxes of the service. A copy of one of them, as of a template of databases, would get its outcomes.
    ///   - queue: The queue.
    /// - Returns: The name.
    /// - Throws: ``QueueError`` (`.unusable`) if the inbox is such a copy, or both are and nobody knows which one was first.
    static func name(
        _ inbox: PostgresInbox, among all: [PostgresInbox] = [], _ queue: any QueueBackend
    ) async throws(QueueError) -> String {
        let known = try await known(inbox, queue)?.name
        let stored = try await inbox.name(earlier: known)
        if let known { return known }
        for other in all where other.label != inbox.label {
            let earlier = try await Self.known(other, queue)?.name
            guard earlier == nil || earlier == stored else { continue }
            let found: PostgresInbox.Identity
            do throws(QueueError) { found = try await other.identity() } catch {
                // Of two that are new, one that is down holds up nobody.
                if earlier == nil { continue }
                throw error
            }
            guard earlier ?? found.name == stored, try await inbox.identity().place != found.place else { continue }
            throw .sameName(inbox, other)
        }
        _ = try await queue.store(Array(stored.utf8), kind: kind, key: inbox.label, ifVersion: nil)
        return stored
    }

    init(
        _ inbox: PostgresInbox, _ parts: ServiceParts, name: String, queue: String, includesAccepted: Bool,
        _ logger: Logger
    ) {
        (self.inbox, self.parts, self.name, self.queue) = (inbox, parts, name, queue)
        (self.includesAccepted, self.logger) = (includesAccepted, logger)
    }

    private static let longestPage = 500
    private static let longestDrop = 5000
    /// How many outcomes are dropped at once. After a failure, fewer.
    private var dropLength = longestDrop
    static let defaultDropPace = Duration.seconds(60)

    /// The name of a queue, which it keeps when it moves to another machine.
    static func queueName(_ queue: any QueueBackend) async throws(QueueError) -> String {
        while true {
            if let record = try await queue.record(kind: kind, key: "queue") {
                return String(decoding: record.value, as: UTF8.self)
            }
            _ = try await queue.store(Array(JobAnswer.text(UUID()).utf8), kind: kind, key: "queue", ifVersion: 0)
        }
    }

    mutating func round() async throws(QueueError) {
        let (inbox, queue) = (inbox, queue)
        var (cursor, hasMore) = (try await position(), true)
        var failure: QueueError?
        while hasMore, !Task.isCancelled {
            let version = try await inbox.version(of: queue)
            let page = try await page(after: cursor)
            if page.hasGap, warned != cursor {
                try await warn(
                    page.next < cursor
                        ? "The queue is older than the outcomes of the inbox: it was restored from a backup. They are copied again from the oldest on, and none is replaced."
                        : "Outcomes were dropped from the queue before they were copied into the inbox. Copying goes on with the oldest one."
                )
                warned = page.next
            }
            hasMore = page.next != cursor
            if hasMore {
                let outcomes = page.items.compactMap { Self.outcome($0, name, includesAccepted) }
                let old = cursor
                let isStored = try await adapting(outcomes.count) { () throws(QueueError) in
                    try await inbox.store(outcomes, of: queue, from: old, to: page.next, version: version)
                }
                cursor = isStored ? page.next : try await position()
            }
            copied = cursor
            do throws(QueueError) { try await dropOld() } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// The next outcomes of all apps of the queue, also of those that only other workers know: they have one position.
    private mutating func page(after cursor: QueueResultCursor) async throws(QueueError) -> QueueResultPage {
        while true {
            let page = try await parts.queue.results(of: Array(apps), after: cursor, limit: pageLength)
            // Read afterwards: an app that is new by now may have an outcome before those of the page.
            let all = Set(try await parts.queue.counts().keys)
            if all.isSubset(of: apps) { return page }
            apps = all
        }
    }

    /// Drops old outcomes now and then. Only rounds that could copy get here, so nothing else makes outcomes older. What cannot be dropped
    /// waits as long for the next try, and holds up no outcome.
    private mutating func dropOld() async throws(QueueError) {
        guard dropsAt <= .now else { return }
        dropsAt = .now + dropPace
        try await note()
        do throws(QueueError) {
            try await inbox.dropOld(of: queue, limit: dropLength)
            dropLength = min(dropLength * 2, Self.longestDrop)
        } catch {
            dropLength = max(dropLength / 2, 1)
            throw error
        }
    }

    /// Does something with a number of outcomes. If it takes too long, the next try has half of them, and later ones more again.
    private mutating func adapting<Value>(
        _ count: Int, _ body: () async throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        let begun = ContinuousClock.now
        do throws(QueueError) {
            let value = try await body()
            if begun.duration(to: .now) < Self.quick { pageLength = min(pageLength * 2, Self.longestPage) }
            return value
        } catch {
            if [.busy, .unreachable].contains(error.code) { pageLength = max(min(pageLength, count) / 2, 1) }
            throw error
        }
    }

    /// After such a time, there may be twice as many outcomes.
    private static let quick = Duration.seconds(2)

    /// Stores with the queue up to where outcomes are copied.
    func note() async throws(QueueError) {
        let words = [name, includesAccepted ? "outcomes" : "failures", copied.map { "\($0.number)" }].compactMap(\.self)
        _ = try await parts.queue.store(
            Array(words.joined(separator: " ").utf8), kind: Self.kind, key: inbox.label, ifVersion: nil)
    }

    private static let kind = "inbox"

    /// How many outcomes each inbox has not got, as far as the queue knows.
    static func backlog(_ queue: any QueueBackend) async throws(QueueError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for record in try await queue.records(kind: kind, after: nil, limit: 1000) {
            let words = String(decoding: record.value, as: UTF8.self).split(separator: " ")
            guard words.count > 1 else { continue }
            let (name, includesAccepted) = (String(words[0]), words[1] == "outcomes")
            let position = QueueResultCursor(number: words.count > 2 ? Int64(words[2]) ?? 0 : 0)
            let count = try await queue.count(of: Array(try await queue.counts().keys), after: position) {
                outcome($0, name, includesAccepted) != nil
            }
            if count > 0 { counts[record.key] = count }
        }
        return counts
    }

    /// Stores the first position, and that there is one. One that is damaged stops the feed later, and nothing else.
    mutating func begin() async throws(QueueError) {
        do throws(QueueError) { copied = try await position() } catch {
            guard error.code == .damaged else { throw error }
        }
        try await note()
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

    /// `nil` if it is not for this inbox.
    private static func outcome(
        _ job: QueueJobRecord, _ name: String, _ includesAccepted: Bool
    ) -> InboxOutcome? {
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

extension QueueError {
    fileprivate static func sameName(_ inbox: PostgresInbox, _ other: PostgresInbox) -> QueueError {
        QueueError(
            .unusable,
            """
            The inbox \(inbox.label) has the name of the inbox \(other.label), as a copy of a database has, so each would get the other's \
            outcomes. Give the copy a new name: DELETE FROM \(inbox.positionTable);
            """)
    }
}
