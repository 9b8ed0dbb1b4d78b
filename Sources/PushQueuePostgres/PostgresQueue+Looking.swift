public import PushPlatform
public import PushQueue

// Documented at QueueBackend. Each step is in the folders Steps and Reading.
extension PostgresQueue {
    /// How many jobs each app has.
    public func counts() async throws(QueueError) -> [String: QueueCounts] {
        try await read { (queries) throws(QueueError) in try queries.counts() }
    }

    /// Finds jobs by their ids.
    public func jobs(_ ids: [UUID], app: String) async throws(QueueError) -> [QueueJobRecord] {
        try await read { (queries) throws(QueueError) in try queries.jobs(ids, app: app) }
    }

    /// Lists jobs of an app.
    public func jobs(_ query: QueueJobQuery) async throws(QueueError) -> QueuePage<QueueJobRecord> {
        try await read { (queries) throws(QueueError) in try queries.jobs(query) }
    }

    /// What happened to a job.
    public func history(of id: UUID, app: String) async throws(QueueError) -> [QueueJobEvent]? {
        try await read { (queries) throws(QueueError) in try queries.history(of: id, app: app) }
    }

    /// The outcomes of apps after a cursor.
    public func results(
        of apps: [String], after cursor: QueueResultCursor, limit: Int
    ) async throws(QueueError) -> QueueResultPage {
        try await read { (queries) throws(QueueError) in try queries.results(of: apps, after: cursor, limit: limit)
        }
    }

    /// The cursor after all outcomes that are committed now.
    public func resultsEnd() async throws(QueueError) -> QueueResultCursor {
        try await read { (queries) throws(QueueError) in try queries.resultsEnd() }
    }

    /// The earliest due time of a waiting job.
    public func nextDue(of apps: [String]) async throws(QueueError) -> QueueTime? {
        try await read { (queries) throws(QueueError) in try queries.nextDue(of: apps) }
    }

}
