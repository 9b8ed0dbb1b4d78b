internal import GRDB
internal import GRDBSQLite
internal import NIOConcurrencyHelpers

/// The one writer of a queue: runs steps in groups, each group in one transaction.
final class GroupWriter: Sendable {
    /// A step. It runs again if its group fails, so it must change nothing but the transaction.
    struct Step: Sendable {
        /// Runs the step, and returns what to do after the commit.
        var run: @Sendable (QueueTransaction) -> Ending
        /// Answers the caller with an error of the transaction.
        var fail: @Sendable (QueueError) -> Void
    }

    struct Ending: Sendable {
        /// The error for which the step was rolled back; `nil` if it is done.
        var error: QueueError?
        /// Answers the caller after the commit.
        var answer: @Sendable () -> Void
    }

    private let pool: DatabasePool
    private let files: QueueFiles
    private let path: String
    private let options: SQLiteQueue.Options
    private let mailbox = NIOLockedValueBox(GroupMailbox<Step>())
    private let connection: WriterConnection
    private let committed: @Sendable (TransactionChanges) -> Void

    init(
        _ pool: DatabasePool, files: QueueFiles, path: String, options: SQLiteQueue.Options,
        committed: @escaping @Sendable (TransactionChanges) -> Void
    ) {
        (self.pool, self.files, self.path, self.options, self.committed) = (pool, files, path, options, committed)
        connection = WriterConnection(path: path)
    }

    /// Runs a step, and returns when it is on the disk.
    ///
    /// - Parameters:
    ///   - jobs: The number of jobs that it adds.
    ///   - isOfWorker: Whether it is a step of a worker, which goes before others.
    ///   - body: The step.
    /// - Returns: What the step returns.
    /// - Throws: ``QueueError`` if the step or the transaction fails. Then nothing is done.
    func write<Value: Sendable>(
        jobs: Int = 0, isOfWorker: Bool = false,
        _ body: @escaping @Sendable (QueueTransaction) throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
            let step = Step(
                run: { transaction in
                    let result = Result { () throws(QueueError) in try body(transaction) }
                    return Ending(error: result.failure) { continuation.resume(returning: result) }
                },
                fail: { continuation.resume(returning: .failure($0)) })
            let arrival = mailbox.withLockedValue { $0.stepArrived(step, jobs: jobs, isOfWorker: isOfWorker) }
            switch arrival {
            case .nothing: break
            case .run: pool.asyncWriteWithoutTransaction { self.drain($0) }
            case .refuse: continuation.resume(returning: .failure(.closed(path)))
            }
        }
        return try result.get()
    }

    /// The number of steps that wait for the writer.
    var waiting: Int { mailbox.withLockedValue { $0.count } }

    var isOpen: Bool { mailbox.withLockedValue { !$0.isClosed } }

    /// Accepts no more steps, and returns when all accepted steps are done. Returns whether the writer was open.
    func close() async -> Bool {
        guard mailbox.withLockedValue({ $0.close() }) else { return false }
        await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [self] database in
                // A caller may be about to start the writer.
                drain(database)
                connection.close(database)
                continuation.resume()
            }
        }
        return true
    }

    private func drain(_ database: Database) {
        while true {
            let group = mailbox.withLockedValue { $0.writerIsFree() }
            if group.isEmpty { return }
            commit(group, database)
        }
    }

    // MARK: A group

    private func commit(_ group: [Step], _ database: Database) {
        if let problem = check(database) { return Self.fail(group, problem) }
        do throws(QueueError) {
            let (sql, cache) = try connection.open(database)
            var done = try perform(group, sql, cache, isolates: false)
            if done == nil { done = try perform(group, sql, cache, isolates: true) }
            guard let (endings, changes) = done else {
                throw QueueError(.defect, "A group of steps of the queue wasn't done. Please report this.")
            }
            // Nothing is confirmed that may be in a file that was moved meanwhile.
            if let problem = check(database) { return Self.fail(group, problem) }
            committed(changes)
            for ending in endings { ending.answer() }
        } catch {
            // One step may be the cause: each gets its own answer.
            if group.count > 1 {
                for step in group { commit([step], database) }
            } else {
                group.first?.fail(error)
            }
        }
    }

    private func check(_ database: Database) -> QueueError? {
        files.check { (try? database.checkpoint(.truncate)) != nil }
    }

    private static func fail(_ group: [Step], _ error: QueueError) {
        for step in group { step.fail(error) }
    }

    /// Runs a group in a transaction, and commits it.
    ///
    /// A step rarely fails, and a savepoint costs more than a small step, because SQLite copies each page that changes after it.
    /// So the first try has no savepoints.
    ///
    /// - Returns: What to do after the commit; `nil` if one of several steps has failed. Then nothing is stored, and the steps need
    ///   savepoints.
    private func perform(
        _ group: [Step], _ sql: SQLConnection, _ cache: WriterCache, isolates: Bool
    ) throws(QueueError) -> ([Ending], TransactionChanges)? {
        let transaction = try QueueTransaction(sql, cache: cache, options: options.queue, isExport: options.isExport)
        do throws(QueueError) {
            guard let endings = try run(group, in: transaction, isolates: isolates) else {
                transaction.rollBack()
                return nil
            }
            try transaction.commit()
            return (endings, transaction.changes)
        } catch {
            transaction.rollBack()
            throw error
        }
    }

    private func run(
        _ group: [Step], in transaction: QueueTransaction, isolates: Bool
    ) throws(QueueError) -> [Ending]? {
        var endings: [Ending] = []
        for step in group {
            let ending = try isolates ? isolated(step, in: transaction) : step.run(transaction)
            if let error = ending.error {
                // A single step undoes the transaction. Some errors do so by themselves.
                if group.count == 1 || !transaction.sql.isInTransaction { throw error }
                if !isolates { return nil }
            }
            endings.append(ending)
        }
        return endings
    }

    private func isolated(_ step: Step, in transaction: QueueTransaction) throws(QueueError) -> Ending {
        var ended: Ending?
        do throws(QueueError) {
            return try transaction.isolated { (transaction) throws(QueueError) in
                let ending = step.run(transaction)
                ended = ending
                if let error = ending.error { throw error }
                return ending
            }
        } catch {
            guard let ended, ended.error != nil else { throw error }
            return ended
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// The statements and the cache of the writer.
///
/// `@unchecked Sendable` is correct: only code that GRDB runs on its one queue for writing uses it: each method takes the
/// connection, which exists only there.
final class WriterConnection: @unchecked Sendable {
    private let path: String
    private var opened: (sql: SQLConnection, cache: WriterCache)?

    init(path: String) {
        self.path = path
    }

    /// The statements of the connection. The first call makes them.
    func open(_ database: Database) throws(QueueError) -> (SQLConnection, WriterCache) {
        if let opened { return opened }
        let opened = (sql: try SQLConnection(database, path: path), cache: WriterCache())
        self.opened = opened
        return opened
    }

    /// Frees the statements, so that the connection can be closed.
    func close(_ database: Database) {
        opened?.sql.forgetStatements()
        opened = nil
    }
}

extension SQLConnection {
    /// The connection of GRDB, for as long as GRDB lends it.
    convenience init(_ database: Database, path: String) throws(QueueError) {
        guard let pointer = database.sqliteConnection else { throw .closed(path) }
        self.init(pointer, path: path)
    }
}
