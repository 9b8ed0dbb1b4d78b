public import PushPlatform
public import PushQueue

// Documented at QueueBackend. Each step is in the folders Steps and Reading.
extension PostgresQueue {
    /// Cancels jobs that have not been started.
    public func cancel(_ ids: [UUID], app: String) async throws(QueueError) -> [QueueStopResult] {
        try await intakeWriter.write(.shared(PostgresLocks(ids, app: app))) { (transaction) throws(QueueError) in
            try transaction.cancel(ids, app: app)
        }
    }

    /// Cancels waiting jobs of an app.
    public func cancelAll(app: String, limit: Int) async throws(QueueError) -> Int {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
            try transaction.cancelAll(app: app, limit: max(limit, 0))
        }
    }

    /// Ends jobs as dead letters.
    public func bury(_ ids: [UUID], app: String, detail: String) async throws(QueueError) -> [QueueStopResult] {
        try await intakeWriter.write(.shared(PostgresLocks(ids, app: app))) { (transaction) throws(QueueError) in
            try transaction.bury(ids, app: app, detail: detail)
        }
    }

    /// Puts dead letters into the queue again.
    public func redrive(
        _ ids: [UUID], app: String, expiry: NewQueueJob.Expiry
    ) async throws(QueueError) -> [QueueRedriveResult] {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
            try transaction.redrive(ids, app: app, expiry: expiry)
        }
    }

    // MARK: Gone tokens

    /// Notes that device tokens are gone.
    public func recordGone(_ tokens: [GoneToken], app: String) async throws(QueueError) {
        try await intakeWriter.write(.shared(PostgresLocks(newApp: app))) { (transaction) throws(QueueError) in
            try transaction.recordGone(tokens, app: app)
        }
    }

    /// Which of the device tokens are gone.
    public func gone(among tokens: [String], app: String) async throws(QueueError) -> [GoneToken] {
        try await read { (queries) throws(QueueError) in try queries.gone(among: tokens, app: app) }
    }

    /// The gone tokens of an app.
    public func gone(
        app: String, after cursor: String?, limit: Int
    ) async throws(QueueError) -> QueuePage<GoneToken> {
        try await read { (queries) throws(QueueError) in try queries.gone(app: app, after: cursor, limit: limit) }
    }

    /// Forgets that device tokens are gone.
    public func forgetGone(_ tokens: [String], app: String) async throws(QueueError) {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
            try transaction.forgetGone(tokens, app: app)
        }
    }

    // MARK: Records

    /// Stores a record.
    public func store(
        _ value: [UInt8], kind: String, key: String, ifVersion version: Int64?
    ) async throws(QueueError) -> Int64? {
        try await intakeWriter.write(.row(.record(kind: kind, key: key))) { (transaction) throws(QueueError) in
            try transaction.store(value, kind: kind, key: key, ifVersion: version)
        }
    }

    /// A record.
    public func record(kind: String, key: String) async throws(QueueError) -> QueueServiceRecord? {
        try await read { (queries) throws(QueueError) in try queries.record(kind: kind, key: key) }
    }

    /// The records of a kind.
    public func records(
        kind: String, after key: String?, limit: Int
    ) async throws(QueueError) -> [QueueServiceRecord] {
        try await read { (queries) throws(QueueError) in try queries.records(kind: kind, after: key, limit: limit) }
    }

    /// Removes a record.
    public func removeRecord(
        kind: String, key: String, ifVersion version: Int64?
    ) async throws(QueueError) -> Bool {
        try await intakeWriter.write(.row(.record(kind: kind, key: key))) { (transaction) throws(QueueError) in
            try transaction.removeRecord(kind: kind, key: key, ifVersion: version)
        }
    }

}
