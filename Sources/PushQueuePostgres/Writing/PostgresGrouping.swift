import PushPlatform
import PushQueue

/// Which other steps can share a transaction with a step.
enum PostgresGrouping: Sendable {
    /// With all others of this kind. What the step locks is locked before the first step of the group begins.
    case shared(PostgresLocks = PostgresLocks())
    /// With others that lock one row each. They are done in the order of these rows.
    case row(PostgresRowName)
    /// With none, because the step locks several rows one after the other, or rows that it has to find first.
    case alone
}

/// Names the one row that a step locks.
struct PostgresRowName: Sendable, Comparable {
    private enum Table: Int { case request, record, queue }

    private var table: Table
    private var key: [String]

    static func request(app: String, _ key: QueueIdempotencyKey) -> PostgresRowName {
        PostgresRowName(table: .request, key: [app, key.key])
    }

    static func record(kind: String, key: String) -> PostgresRowName {
        PostgresRowName(table: .record, key: [kind, key])
    }

    /// The row of the queue comes last, because all workers share it.
    static let queue = PostgresRowName(table: .queue, key: [])

    static func < (first: PostgresRowName, second: PostgresRowName) -> Bool {
        first.table != second.table
            ? first.table.rawValue < second.table.rawValue
            : first.key.lexicographicallyPrecedes(second.key, by: String.isBefore)
    }
}
