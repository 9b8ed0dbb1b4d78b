package import PushPlatform

extension QueueBackend {
    package func counts() async throws(QueueError) -> [String: QueueCounts] {
        try await query { (queries) throws(QueueError) in try queries.counts() }
    }

    /// Jobs that do not exist are left out.
    package func jobs(_ ids: [UUID], app: String) async throws(QueueError) -> [QueueJobRecord] {
        try await query { (queries) throws(QueueError) in try queries.jobs(ids, app: app) }
    }

    /// The order is stable; a cursor is valid for ever.
    package func jobs(_ list: QueueJobQuery) async throws(QueueError) -> QueuePage<QueueJobRecord> {
        try await query { (queries) throws(QueueError) in try queries.jobs(list) }
    }

    /// The earliest first; `nil` if there is no such job.
    package func history(of id: UUID, app: String) async throws(QueueError) -> [QueueJobEvent]? {
        try await query { (queries) throws(QueueError) in try queries.history(of: id, app: app) }
    }

    /// The outcomes of apps after a cursor, in the order in which they were committed. It never passes an outcome that is
    /// not committed yet.
    package func results(
        of apps: [String], after cursor: QueueResultCursor, limit: Int
    ) async throws(QueueError) -> QueueResultPage {
        try await query { (queries) throws(QueueError) in
            try queries.results(of: apps, after: cursor, limit: limit)
        }
    }

    /// The cursor after all outcomes of all apps that are committed now.
    package func resultsEnd() async throws(QueueError) -> QueueResultCursor {
        try await query { (queries) throws(QueueError) in try queries.resultsEnd() }
    }

    /// The earliest due time of a waiting job of these apps; `nil` if no job waits.
    package func nextDue(of apps: [String]) async throws(QueueError) -> QueueTime? {
        try await query { (queries) throws(QueueError) in try queries.nextDue(of: apps) }
    }

    package func seal() async throws(QueueError) -> QueueSeal? {
        try await query { (queries) throws(QueueError) in try queries.seal() }
    }

    /// `nil`: no other program makes the store slower.
    package func storageLoad() async throws(QueueError) -> QueueStorageLoad? { nil }
}

/// What other programs do that makes the store of a queue slower.
package struct QueueStorageLoad: Sendable, Hashable {
    package struct Transaction: Sendable, Hashable {
        package var age: Duration
        package var owner: String

        package init(age: Duration, owner: String) {
            (self.age, self.owner) = (age, owner)
        }
    }

    /// The oldest open transaction of any program; `nil` if there is none. Rows that were removed or changed since its start
    /// cannot be cleaned up until it ends, so each step takes longer.
    package var oldest: Transaction?
    /// How many connections of other roles may have older transactions, which the role of the queue has no permission to see.
    package var hidden = 0
    /// The number of rows of unfinished jobs that are waiting to be cleaned up.
    package var deadRows = 0

    package init() {}
}
