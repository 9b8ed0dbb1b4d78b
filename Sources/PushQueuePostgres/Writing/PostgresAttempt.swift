import PushPlatform
import PushQueue

/// One try to do a group of steps in a transaction. It runs on the thread of the connection.
struct PostgresAttempt {
    let connection: PostgresConnection
    let address: PostgresAddress
    let cache: PostgresCache
    let options: PostgresQueueOptions

    enum Outcome: Sendable {
        case done([@Sendable () -> Void])
        case unconfirmed(Unconfirmed)
        /// Nothing is done.
        case failed(PostgresFailure)
    }

    /// A try whose connection broke after the commit was sent.
    struct Unconfirmed: Sendable {
        var answers: [@Sendable () -> Void]
        var commitProof: PostgresGroup.CommitProof?
        var failure: PostgresFailure
    }

    /// Does the steps, and commits.
    ///
    /// - Parameters:
    ///   - group: The steps.
    ///   - lockTime: How long to wait for a lock; `nil` for the default time.
    ///   - locksFirst: Whether to lock all jobs first, because an earlier try was in conflict with others.
    ///   - isRerun: Whether an earlier try may have been committed.
    ///   - committed: Gets the changes after the commit.
    /// - Returns: How it ended, as far as this is known.
    func run(
        _ group: PostgresGroup, lockTime: Duration?, locksFirst: Bool, isRerun: Bool,
        _ committed: (PostgresChanges) -> Void
    ) -> Outcome {
        do throws(QueueError) {
            return try perform(group, lockTime, locksFirst: locksFirst, isRerun: isRerun, committed)
        } catch {
            // It may have failed just after it was begun.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            return .failed(failure(error))
        }
    }

    private func failure(_ error: QueueError) -> PostgresFailure {
        switch connection.end {
        case .lockTimeout: PostgresFailure(error: error, kind: .lockTimeout)
        case .noAnswer: PostgresFailure(error: error, kind: .silent)
        case nil:
            PostgresFailure(error: error, kind: connection.isBroken || error.code == .unreachable ? .broken : .refused)
        }
    }

    private func perform(
        _ group: PostgresGroup, _ lockTime: Duration?, locksFirst: Bool, isRerun: Bool,
        _ committed: (PostgresChanges) -> Void
    ) throws(QueueError) -> Outcome {
        let transaction = try PostgresTransaction(
            connection, address, cache: cache, options: options, lockTime: lockTime)
        let answers: [@Sendable () -> Void]
        do throws(QueueError) {
            answers = try group.run(transaction, locksFirst: locksFirst)
            if isRerun, group.hasFoundItself { throw .storedBefore(address) }
            try transaction.prepareCommit()
        } catch {
            transaction.rollBack()
            throw error
        }
        do throws(QueueError) {
            try transaction.commit()
        } catch {
            let isBroken = connection.isBroken
            transaction.rollBack()
            // The last statements go out together with the commit. If one of them waits too long for a lock, the server does not commit.
            if connection.end == .lockTimeout { throw error }
            if isBroken {
                let failure = failure(error)
                return .unconfirmed(Unconfirmed(answers: answers, commitProof: group.commitProof, failure: failure))
            }
            throw error
        }
        committed(transaction.changes)
        return .done(answers)
    }

    /// Whether a job is stored, for certain: what can be read may still be missing on the standby. A commit after it waits for both.
    func isCommitted(_ commitProof: PostgresGroup.CommitProof) throws(QueueError) -> Bool {
        if try finds(commitProof) { return true }
        // The commit of that try may have waited for the standby, too, and have been hidden until then.
        return try finds(commitProof)
    }

    private func finds(_ commitProof: PostgresGroup.CommitProof) throws(QueueError) -> Bool {
        let transaction = try PostgresTransaction(connection, address, cache: cache, options: options)
        do throws(QueueError) {
            let isStored = try transaction.isStored(commitProof.id, app: commitProof.app)
            transaction.check()
            try transaction.prepareCommit()
            try transaction.commit()
            // What the other try has changed is unknown here.
            if isStored { cache.floors.with { $0.forget() } }
            return isStored
        } catch {
            transaction.rollBack()
            throw error
        }
    }
}

extension QueueError {
    fileprivate static func storedBefore(_ address: PostgresAddress) -> QueueError {
        QueueError(.conflict, "An earlier attempt at this step was stored in \(address). Its result will be read.")
    }
}

/// Why a group of steps was not done.
struct PostgresFailure: Error {
    enum Kind {
        /// Nothing is done, because of a step or of another transaction.
        case refused
        /// Nothing is done, because another transaction has held a lock for too long.
        case lockTimeout
        case broken
        /// The server did not answer in time. Other groups would wait for it as long.
        case silent
        /// Nothing was sent, because no server can be reached.
        case noConnection
    }

    var error: QueueError
    var kind: Kind
}
