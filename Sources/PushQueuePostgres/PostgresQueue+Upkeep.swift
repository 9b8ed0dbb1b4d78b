import PushPlatform
package import PushQueue

// Documented at QueueBackend. Each step is in the folders Steps and Queries.
extension PostgresQueue {
    /// Ends waiting jobs that have expired.
    package func expireOverdue(limit: Int) async throws(QueueError) -> Int {
        try await intakeWriter.write { (transaction) throws(QueueError) in
            try transaction.expireOverdue(limit: max(limit, 0))
        }
    }

    /// Erases everything that concerns a device token, in slices.
    package func purge(token: String, app: String?) async throws(QueueError) -> Int {
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
            try transaction.forgetGone(token, app: app)
        }
        // Each table in a step of its own, so that no step waits for another one that locks the tables in another order.
        for text in PostgresTransaction.keyRemovals {
            try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
                try transaction.forgetKeys(token, app: app, by: text)
            }
        }
        let target = QueueJobTarget.device(token)
        var keys = try await read { (queries) throws(QueueError) in
            try queries.patiently { () throws(QueueError) in try queries.jobs(of: target, app: app) }
        }[...]
        var count = 0
        while !keys.isEmpty {
            let slice = Array(keys.prefix(Self.slice))
            keys = keys.dropFirst(slice.count)
            let ids = try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
                try transaction.purge(slice, of: target)
            }
            count += ids.count
            try await forgetRequests(of: ids)
        }
        return count
    }

    /// Removes the keys of requests whose only job was one of these.
    private func forgetRequests(of ids: [UUID]) async throws(QueueError) {
        if ids.isEmpty { return }
        let keys = try await read { (queries) throws(QueueError) in
            try queries.patiently { () throws(QueueError) in try queries.requests(ofOnly: ids) }
        }
        if keys.isEmpty { return }
        try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in transaction.forgetRequests(keys) }
    }

    package func purge(app: String, limit: Int) async throws(QueueError) -> Int {
        var count = 0
        while true {
            let rest = max(limit - count, 1)
            let part = try await intakeWriter.write(.alone) { (transaction) throws(QueueError) in
                try transaction.purge(app: app, limit: rest)
            }
            count += part.jobs
            if !part.hasMore { return count }
        }
    }

    /// What other programs do that makes the server slower for the queue.
    package func storageLoad() async throws(QueueError) -> QueueStorageLoad? {
        try await read { (queries) throws(QueueError) in try queries.storageLoad() }
    }

    /// Whether a job can be stored.
    package func checkWriting() async throws(QueueError) {
        try requireRoom()
        let time = options.checkTime
        let (answers, answered) = AsyncStream.makeStream(of: Result<Void, QueueError>.self)
        // The writer may be in the middle of a step that takes longer, or wait for a lock.
        let timer = Task {
            try await Task.sleep(for: time)
            answered.yield(.failure(.heldUp(address)))
        }
        Task {
            do throws(QueueError) {
                try await intakeWriter.write(.alone, within: time) { (transaction) throws(QueueError) in
                    try transaction.checkTables()
                }
                answered.yield(.success(()))
            } catch {
                answered.yield(.failure(error))
            }
        }
        let answer = await answers.first { _ in true }
        timer.cancel()
        try (answer ?? .failure(.closed(address))).get()
    }

    /// The number of jobs that a step removes at once.
    private static var slice: Int { 500 }
}
