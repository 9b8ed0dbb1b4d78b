import PushPlatform

/// The part of a row of `job` that a step needs for its decisions.
struct JobRow {
    var key: JobKey
    var app: Int64
    var rules: JobRules
    var expires: Int64
    var lost: Int
    var outcome: QueueJobOutcome.Kind?
    var sequence: Int64
    /// The line of a campaign that the job is; `nil` for other jobs.
    var line: LineKey?

    var isUncertain: Bool { rules.isUncertain }
    var state: QueueJobState { rules.state }

    static let columns = """
        job.id, job.tag, job.app, job.state, job.fence, job.policy, job.is_uncertain, job.expires, job.lost,
        job.outcome, job.sequence, job.campaign, job.line
        """

    init(_ row: borrowing SQLRow) {
        key = JobKey(row: row.integer(0), tag: row.integer(1))
        app = row.integer(2)
        rules = JobRules(
            state: QueueJobState(rawValue: row.number(3)) ?? .finished, fence: row.integer(4),
            policy: QueueDeliveryPolicy(rawValue: row.number(5)) ?? .atMostOnce, isUncertain: row.integer(6) != 0)
        expires = row.integer(7)
        lost = row.number(8)
        outcome = row.optional(9) { $0.number($1) }.flatMap { QueueJobOutcome.Kind(rawValue: $0) }
        sequence = row.integer(10)
        line = row.optional(11) { LineKey(campaign: $0.integer($1), number: $0.integer(12)) }
    }
}

struct LineKey: Hashable {
    /// The row of the campaign.
    var campaign: Int64
    var number: Int64
}

extension QueueTransaction {
    func job(_ key: JobKey?, app: Int64?) throws(QueueError) -> JobRow? {
        guard let key, let app, let job = try job(row: key.row) else { return nil }
        return job.key == key && job.app == app ? job : nil
    }

    func job(row: Int64) throws(QueueError) -> JobRow? {
        try sql(.job).first(row) { JobRow($0) }
    }

    /// `nil` if the app was never used.
    func app(_ name: String) throws(QueueError) -> Int64? {
        if let app = changes.apps[name] { return app }
        let app = try sql(.app).first(name) { $0.integer(0) }
        if let app { changes.apps[name] = app }
        return app
    }

    func appOrNew(_ name: String) throws(QueueError) -> Int64 {
        if let app = try app(name) { return app }
        try QueueArgument.require(name, as: "The name of an app")
        try sql(.insertApp).run(name)
        return try app(name) ?? 0
    }

    /// Only the last ``maximumEvents`` are kept.
    func note(_ kind: QueueJobEvent.Kind, of job: JobKey, detail: String?) throws(QueueError) {
        try sql(.insertEvent).run(job.row, nextNumber(), now, kind.name, detail)
        try sql(.dropOldEvents).run(job.row, Self.maximumEvents)
    }

    static let maximumEvents = 20
}

extension SQLText {
    fileprivate static let job = SQLText("SELECT \(JobRow.columns) FROM job WHERE id = ?1")
    fileprivate static let insertApp = SQLText("INSERT INTO app (name) VALUES (?1)")
    fileprivate static let insertEvent = SQLText("INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5)")
    fileprivate static let dropOldEvents: SQLText = """
        DELETE FROM event WHERE job = ?1 AND number <=
            (SELECT number FROM event WHERE job = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
        """
}

typealias CampaignRow = StoredCampaign<Int64>

extension CampaignRow {
    static let columns = "id, app, state, is_open, rate, starts, expires, level, level_at, waiting + in_flight"

    init(_ row: borrowing SQLRow) {
        self.init(row, row: row.integer(0), app: row.integer(1))
        released = row.number(9)
    }
}

extension QueueTransaction {
    func campaignRow(_ id: UUID, app name: String) throws(QueueError) -> CampaignRow? {
        guard let app = try app(name) else { return nil }
        return try sql(.campaignRow).first(id.bytes, app) { CampaignRow($0) }
    }

    func campaign(_ row: Int64) throws(QueueError) -> QueueCampaign? {
        try sql(.campaign).first(row) { QueueCampaign($0, now: now) }?.adding(changes.campaigns[row])
    }
}

extension SQLText {
    fileprivate static let campaignRow = SQLText(
        "SELECT \(CampaignRow.columns) FROM campaign WHERE uuid = ?1 AND app = ?2")
    fileprivate static let campaign = SQLText(
        "SELECT \(QueueCampaign.columns) FROM campaign JOIN app ON app.id = campaign.app WHERE campaign.id = ?1")
}
