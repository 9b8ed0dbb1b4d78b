import PushPlatform
import PushQueue

/// The order of locks.
///
/// A transaction that has to wait for a lock holds only locks that come before it in this order, so no two transactions wait for each other:
///
/// 1. apps, by name; the one of a purge by itself;
/// 2. campaigns, by number;
/// 3. jobs, by app and id;
/// 4. contents of jobs, by id;
/// 5. keys of requests, then dedupe keys, then gone tokens, then records, then the latest pushes, each by app and bytes;
/// 6. lines of campaigns, by their place in the table;
/// 7. the counters, also those of outcomes, in rows of this writer; leases, by fence; shared payloads, by number;
/// 8. the row of this machine, and the one of `queue`.
///
/// Several steps of one transaction cannot follow it one after the other. So a group locks the apps, campaigns and jobs of all its steps
/// before the first step (``lockFirst(_:jobs:)``), unless a single statement locks all its jobs. A step that locks other rows than these is
/// not in a group with others (``StepGrouping``).
///
/// Steps that are repeated until nothing is left skip rows that others have locked (`SKIP LOCKED`), so they never wait: claims, the next
/// step of a campaign and its end, expiry, and the removal of old keys and campaigns.
extension PostgresTransaction {
    /// Locks what the steps of a group lock, in the order of all transactions.
    /// Without `jobs`, it leaves out jobs and their campaigns; then a single statement must lock them in order.
    func lockFirst(_ locks: [StepLocks], jobs: Bool) throws(QueueError) {
        let names = Set(locks.flatMap(\.newApps))
        if names.count > 1 { for name in names.sorted(by: String.isBefore) { _ = try appOrNew(name) } }
        guard jobs else { return }
        hasLockedJobs = true
        let returned = try keys(of: locks.filter(\.locksCampaigns).flatMap(\.jobs))
        if !returned.isEmpty { try lockCampaigns(of: returned) }
        let keys = try keys(of: locks.flatMap(\.jobs))
        // The only one has no order.
        if keys.count > 1 { perform(.lockOnly, Self.values(keys)) }
    }

    /// Checks that jobs may be locked after others. Otherwise, the group runs again, and locks all its jobs first.
    func requireOrder(locked: Bool, more: Bool) throws(QueueError) {
        if locked, more, !hasLockedJobs { throw QueueError(.conflict, "Jobs were locked out of order.") }
    }

    /// Keeps the campaigns of jobs from being paused until the transaction ends. This comes before the jobs are locked.
    func lockCampaigns(of keys: [PostgresJobKey]) throws(QueueError) {
        let states = try query(.lockCampaignsOfJobs, Self.values(keys)).map { row in
            (row.int4(0), QueueCampaignState(rawValue: row.number(1)))
        }
        for (campaign, state) in states { changes.statesOfReturned[campaign] = state?.ofReturnedLines ?? .waiting }
    }

    private func keys(of jobs: [StepLocks.Job]) throws(QueueError) -> [PostgresJobKey] {
        var keys: Set<PostgresJobKey> = []
        for job in jobs { if let app = try app(job.app) { keys.insert(PostgresJobKey(app: app, id: job.id)) } }
        return Array(keys)
    }

    private static func values(_ keys: [PostgresJobKey]) -> [PostgresValue] {
        [.int4s(keys.map(\.app)), .uuids(keys.map(\.id))]
    }
}

extension PostgresText {
    fileprivate static let lockOnly: PostgresText = """
        SELECT FROM (
            SELECT DISTINCT app, id FROM unnest($1::int4[], $2::uuid[]) AS k (app, id) ORDER BY app, id OFFSET 0
        ) AS k CROSS JOIN LATERAL (
            SELECT FROM job WHERE job.app = k.app AND job.id = k.id OFFSET 0 FOR UPDATE
        ) AS j
        """
    /// The campaign of a job never changes, so it is read before the job is locked.
    fileprivate static let lockCampaignsOfJobs: PostgresText = """
        SELECT locked.id, locked.state FROM (
            SELECT DISTINCT found.campaign FROM unnest($1::int4[], $2::uuid[]) AS k (app, id) CROSS JOIN LATERAL (
                SELECT campaign FROM job WHERE job.app = k.app AND job.id = k.id OFFSET 0
            ) AS found WHERE found.campaign IS NOT NULL ORDER BY found.campaign OFFSET 0
        ) AS asked CROSS JOIN LATERAL (
            SELECT id, state FROM campaign WHERE campaign.id = asked.campaign OFFSET 0 FOR SHARE
        ) AS locked
        """
}
