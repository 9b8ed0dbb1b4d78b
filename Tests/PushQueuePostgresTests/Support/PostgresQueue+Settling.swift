import PushQueue

@testable import PushQueuePostgres

extension PostgresQueue {
    /// Waits until no transaction holds up what is committed now.
    ///
    /// Any transaction on the server that has its number, and not yet its lock, counts as one of this queue.
    func settleCommits() async throws {
        let end = try await read { (queries) throws(QueueError) in
            try queries.query(.snapshotEnd, []).first?.integer(0) ?? 0
        }
        while try await limit() < end { try Task.checkCancellation() }
    }

    private func limit() async throws(QueueError) -> Int64 {
        try await read { (queries) throws(QueueError) in
            try queries.connection.run(.committedLimit).first?.integer(0) ?? 0
        }
    }

    /// Settles a queue of a check.
    static func settleQueue(_ queue: any QueueBackend) async throws {
        try await (queue as? PostgresQueue)?.settleCommits()
    }
}

extension PostgresText {
    fileprivate static let snapshotEnd = PostgresText("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8")
}
