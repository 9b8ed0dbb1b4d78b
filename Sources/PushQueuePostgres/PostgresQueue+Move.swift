import PushPlatform
import PushQueue

/// What a move from a file does with the target.
extension PostgresQueue {
    /// Makes a move known, before the file is closed.
    func begin(_ move: UUID) async throws(QueueError) {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in transaction.begin(move) }
    }

    /// How far a move has got; `nil` if this queue does not know it.
    func progress(of move: UUID) async throws(QueueError) -> MoveProgress? {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
            transaction.check()
            return try transaction.progress(of: move)
        }
    }

    /// Inserts a batch, once.
    func insert(_ batch: MoveBatch, of move: UUID) async throws(QueueError) -> MoveProgress {
        try await intakeWriter.write(jobs: batch.count, .alone) { (transaction) throws(QueueError) in
            try transaction.insert(batch, of: move)
        }
    }

    /// How many of the ids are jobs of the app, and how many rows they have.
    func countJobs(_ ids: [UUID], app: String) async throws(QueueError) -> (jobs: Int, rows: Int) {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
            try transaction.countJobs(ids, app: app)
        }
    }

    /// One of the ids that is a job of the app.
    func firstKnown(_ ids: [UUID], app: String) async throws(QueueError) -> UUID? {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
            try transaction.firstKnown(ids, app: app)
        }
    }
}
