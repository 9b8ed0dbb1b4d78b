import PushPlatform
import PushQueue

/// The part of a job that a step needs for its decisions.
struct PostgresJob {
    var app: Int32
    var id: UUID
    var rules: JobRules
    var due: QueueTime
    var expires: Int64
    var lost: Int
    /// `nil` for a job that has no outcome yet.
    var outcome: QueueJobOutcome.Kind?
    /// The row of the campaign of which the job is a line.
    var campaign: Int32?
    var line: Int64

    var state: QueueJobState { rules.state }
    var isUncertain: Bool { rules.isUncertain }

    fileprivate static let columns = """
        app, id, fence, policy, is_uncertain, expires, lost, campaign, coalesce(line, 0), due
        """

    fileprivate init(_ row: PostgresRow, isFinished: Bool) {
        app = row.int4(0)
        id = row.uuid(1)
        let state = isFinished ? .finished : QueueJobState(rawValue: row.number(10)) ?? .waiting
        rules = JobRules(
            state: state, fence: row.integer(2),
            policy: QueueDeliveryPolicy(rawValue: row.number(3)) ?? .atMostOnce,
            isUncertain: row.bool(4))
        (expires, lost) = (row.integer(5), row.number(6))
        campaign = row.optional(7) { $0.int4($1) }
        (line, due) = (row.integer(8), row.time(9))
        outcome = isFinished ? QueueJobOutcome.Kind(rawValue: row.number(10)) : nil
    }
}

struct PostgresJobKey: Hashable {
    var app: Int32
    var id: UUID

    /// Whether all transactions lock the first job before the second one.
    static func isLockedBefore(_ first: PostgresJobKey?, _ second: PostgresJobKey?) -> Bool {
        guard let first, let second else { return second != nil }
        return first.app != second.app ? first.app < second.app : first.id < second.id
    }
}

extension PostgresTransaction {
    /// Finds jobs, and locks the jobs without an outcome until the transaction ends. If it does not wait, it leaves out jobs that another
    /// transaction has locked.
    func lock(_ keys: [PostgresJobKey], waits: Bool = true) throws(QueueError) -> [PostgresJobKey: PostgresJob] {
        guard !keys.isEmpty else { return [:] }
        let values: [PostgresValue] = [.int4s(keys.map(\.app)), .uuids(keys.map(\.id))]
        // A job that is being finished elsewhere is waited for, and then found by the second statement.
        let results = try query([
            PostgresStatement(waits ? .lockJobs : .lockFreeJobs, values),
            PostgresStatement(.finishedJobs, values),
        ])
        var jobs: [PostgresJobKey: PostgresJob] = [:]
        for (result, isFinished) in zip(results, [false, true]) {
            for job in result.map({ PostgresJob($0, isFinished: isFinished) }) {
                jobs[PostgresJobKey(app: job.app, id: job.id)] = job
            }
        }
        return jobs
    }

    /// Finds jobs of an app, as ``lock(_:)`` does.
    func lock(_ ids: [UUID], app: Int32) throws(QueueError) -> [UUID: PostgresJob] {
        let jobs = try lock(ids.map { PostgresJobKey(app: app, id: $0) })
        return Dictionary(uniqueKeysWithValues: jobs.map { ($0.key.id, $0.value) })
    }

    // MARK: Apps

    /// The number of an app; `nil` if it was never used.
    func app(_ name: String) throws(QueueError) -> Int32? {
        if let app = changes.apps[name] ?? cache.apps[name] { return app }
        guard QueueArgument.isName(name) else { return nil }
        let row = try query(.app, name).first
        let app = row.map { $0.int4(0) }
        if let app { changes.apps[name] = app }
        return app
    }

    /// The number of an app, which is created if it was never used.
    func appOrNew(_ name: String) throws(QueueError) -> Int32 {
        try QueueArgument.require(name, as: "The name of an app")
        if try app(name) == nil {
            // Otherwise it could get the number of an app whose row was lost, and its jobs.
            guard try query(.appsWithoutName).count == 0 else { throw .lostApps() }
            perform(.insertApp, name)
        }
        guard let app = try app(name) else {
            throw QueueError(.defect, "An app was stored and is missing. Please report this.")
        }
        if changes.knownApps.insert(app).inserted { perform(.knowApp, app) }
        return app
    }

    // MARK: History

    /// Notes something in the history of a job. Only the last events are kept.
    func note(_ kind: QueueJobEvent.Kind, of job: PostgresJobKey, detail: String?) {
        let detail = detail.map { PostgresValue.text($0.withoutZeroBytes) } ?? .null
        perform(.insertEvent, job.app, job.id, now, kind.name, detail)
        perform(.dropOldEvents, job.app, job.id, Self.maximumEvents)
    }

    static var maximumEvents: Int { 20 }
}

extension QueueError {
    fileprivate static func lostApps() -> QueueError {
        QueueError(
            .damaged,
            """
            The table app lacks apps that have jobs: it was emptied or restored without the other tables. Nothing was \
            stored. Restore a backup of the whole schema.
            """)
    }
}

extension String {
    /// PostgreSQL stores no zero byte in a text.
    var withoutZeroBytes: String {
        utf8.contains(0) ? String(decoding: utf8.filter { $0 != 0 }, as: UTF8.self) : self
    }
}

extension PostgresText {
    fileprivate static let lockJobs = PostgresText(lockedJobs("FOR UPDATE"))
    fileprivate static let lockFreeJobs = PostgresText(lockedJobs("FOR UPDATE SKIP LOCKED"))
    private static func lockedJobs(_ lock: String) -> String {
        """
        SELECT j.* FROM (
            SELECT DISTINCT app, id FROM unnest($1::int4[], $2::uuid[]) AS k (app, id) ORDER BY app, id OFFSET 0
        ) AS k CROSS JOIN LATERAL (
            SELECT \(PostgresJob.columns), state FROM job WHERE job.app = k.app AND job.id = k.id OFFSET 0 \(lock)
        ) AS j
        """
    }
    fileprivate static let finishedJobs: PostgresText = """
        SELECT f.* FROM unnest($1::int4[], $2::uuid[]) AS k (app, id) CROSS JOIN LATERAL (
            SELECT \(PostgresJob.columns), outcome FROM finished
            WHERE finished.app = k.app AND finished.id = k.id OFFSET 0
        ) AS f
        """
    fileprivate static let insertApp = PostgresText(
        "INSERT INTO app (name) VALUES ($1::text) ON CONFLICT (name) DO NOTHING")
    fileprivate static let knowApp = PostgresText(
        "UPDATE app SET is_known = true WHERE id = $1::int4 AND NOT is_known")
    fileprivate static let insertEvent: PostgresText = """
        INSERT INTO event VALUES ($1::int4, $2::uuid, nextval('version'), $3::int8, $4::text, $5::text)
        """
    fileprivate static let dropOldEvents: PostgresText = """
        DELETE FROM event WHERE app = $1::int4 AND job = $2::uuid AND number <= (
            SELECT number FROM event WHERE app = $1::int4 AND job = $2::uuid
            ORDER BY number DESC LIMIT 1 OFFSET $3::int8)
        """
}
