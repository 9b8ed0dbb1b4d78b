package import PushPlatform

/// Which other steps can share a transaction with a step. SQLite has one writer, so there all can.
package enum StepGrouping: Sendable {
    /// With all others of this kind. What the step locks is locked before the first step of the group begins.
    case shared(StepLocks = StepLocks())
    /// With others that lock one row each. They are done in the order of these rows.
    case row(StepRow)
    /// With none, because the step locks several rows one after the other, or rows that it has to find first.
    case alone
}

package struct StepRow: Sendable, Comparable {
    private enum Table: Int { case request, record }

    private var table: Table
    private var key: [String]

    package static func request(app: String, _ key: QueueIdempotencyKey) -> StepRow {
        StepRow(table: .request, key: [app, key.key])
    }

    package static func record(kind: String, key: String) -> StepRow {
        StepRow(table: .record, key: [kind, key])
    }

    package static func < (first: StepRow, second: StepRow) -> Bool {
        first.table != second.table
            ? first.table.rawValue < second.table.rawValue
            : first.key.lexicographicallyPrecedes(second.key, by: String.isBefore)
    }
}

/// The rows that a step will lock, if they are known before it begins. A step may also lock rows that come after jobs, and its new rows.
package struct StepLocks: Sendable {
    /// Apps that the step creates if they do not exist.
    package var newApps: [String] = []
    package var jobs: [Job] = []
    /// Whether the jobs may wait again, which depends on their campaigns.
    package var locksCampaigns = false

    package struct Job: Sendable {
        package var app: String
        package var id: UUID
    }

    package init() {}

    package init(newApp: String) { newApps = [newApp] }

    package init(_ ids: [UUID], app: String) { jobs = ids.map { Job(app: app, id: $0) } }

    package init(_ leases: [QueueJobLease], locksCampaigns: Bool = false) {
        jobs = leases.map { Job(app: $0.app, id: $0.id) }
        self.locksCampaigns = locksCampaigns
    }
}

extension String {
    /// Whether a text comes before another one, in the order of their bytes.
    package static func isBefore(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}
