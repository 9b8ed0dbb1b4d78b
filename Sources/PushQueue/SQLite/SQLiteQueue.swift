internal import GRDB

/// A queue in a file, by SQLite. It needs no server.
///
/// Several processes of one machine may open the same file. It must be on a local disk.
///
/// The steps themselves are in other types.
public final class SQLiteQueue: QueueBackend {
    /// The path of the file.
    public let path: String

    let writer: GroupWriter
    let options: SQLiteQueue.Options
    private let pool: DatabasePool
    private let subscribers: ChangeSubscribers
    let owners: OwnerLocks
    private let files: QueueFiles

    /// Opens a queue, and creates the file if it does not exist. Only its owner may read the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Its folder must exist.
    ///   - options: How the queue behaves.
    /// - Throws: ``QueueError``, which says what is wrong with the file and what to do.
    public init(_ path: String, options: SQLiteQueue.Options = SQLiteQueue.Options()) throws(QueueError) {
        (self.path, self.options) = (path, options)
        let subscribers = ChangeSubscribers()
        self.subscribers = subscribers
        (pool, owners, files) = try QueueOpening.open(path, options)
        writer = GroupWriter(pool, files: files, path: path, options: options) { changes in
            for kind in changes.kinds { subscribers.notify(kind) }
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteQueries) throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        guard writer.isOpen else { throw .closed(path) }
        do {
            return try await pool.read { [path] database in
                try body(SQLiteQueries(sql: SQLConnection(database, path: path)))
            }
        } catch {
            throw .from(error, path)
        }
    }

    /// Moves committed data from the `-wal` file into the queue file, so that neither contains erased data. Readers may prevent it.
    ///
    /// This also runs in a cancelled task.
    func checkpoint() async {
        // Another program may have opened a file that was moved, and stored something in it.
        if files.problem != nil { return }
        await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                _ = try? database.checkpoint(.truncate)
                continuation.resume()
            }
        }
    }

    package func now() async throws(QueueError) -> QueueTime {
        options.queue.clock()
    }

    /// An element whenever this process has changed something of the kind. Several changes may make one element.
    package func changes(of kind: QueueChange) -> AsyncStream<Void> {
        subscribers.stream(of: kind)
    }

    /// Waits until everything that was begun is on the disk, and closes the file. Later calls fail.
    ///
    /// If no other process has the file open, its `-wal` and `-shm` are gone afterwards.
    public func close() async {
        guard await writer.close() else { return }
        subscribers.finish()
        // The last connection that closes moves the `-wal` into the file and removes it. A reader cannot, and the pool closes
        // its readers last.
        try? await pool.barrierWriteWithoutTransaction { _ in }
        pool.invalidateReadOnlyConnections()
        try? pool.close()
        owners.close()
    }
}

// Documented at JobQueue and QueueBackend. Each step is in the folder Steps, and each query in the folder Queries.
extension SQLiteQueue {
    package func perform<Answer: Sendable>(_ step: QueueStep<Answer>) async throws(QueueError) -> Answer {
        try await writer.write(jobs: step.jobs, isOfWorker: step.isOfWorker) { (transaction) throws(QueueError) in
            try step.run(transaction)
        }
    }

    package func query<Answer: Sendable>(
        _ read: @escaping @Sendable (any QueueQueries) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await self.read { (queries) throws(QueueError) in try read(queries) }
    }

    /// Adds jobs to the queue.
    public func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
        try await writer.write(jobs: request.jobs.count) { (transaction) throws(QueueError) in
            try transaction.enqueue(request)
        }
    }

    /// Leases due jobs to a worker.
    public func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob] {
        try owners.hold(request.owner)
        return try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.claim(request)
        }
    }

    /// Notes that jobs are about to be sent.
    public func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult] {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.start(jobs)
        }
    }

    /// Gives jobs their outcome.
    public func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult] {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.complete(completions)
        }
    }
}
