import PushPlatform

/// How much would be moved, and what prevents the move.
extension SQLiteQueries {
    /// How many things each part has.
    func moveCounts(closed: SteadyTime, staying: Set<String>) throws(QueueError) -> [MovePart: Int] {
        var counts: [MovePart: Int] = [:]
        for (kind, count) in try sql(.countRecords).all(read: { ($0.text(0), $0.number(1)) })
        where !staying.contains(kind) && kind != MoveMark.kind {
            counts[.records, default: 0] += count
        }
        counts[.dedupeKeys] = try sql(.countKeys).first(closed) { $0.number(0) }
        counts[.idempotencyKeys] = try sql(.countRequests).first(closed) { $0.number(0) }
        let rest: [(MovePart, SQLText)] = [
            (.goneTokens, .countTokens), (.campaigns, .countCampaigns), (.lines, .countLines),
            (.refusals, .countRefusals), (.failures, .countFailures), (.outcomes, .countOutcomes),
            (.jobs, .countJobs), (.shownCampaigns, .countCampaigns),
        ]
        for (part, text) in rest { counts[part] = try sql(text).first { $0.number(0) } }
        return counts
    }

    /// Ids of jobs without an outcome, after a row.
    func unfinishedJobs(after row: Int64, limit: Int) throws(QueueError) -> [(app: String, id: UUID)] {
        let apps = try appNames()
        return try sql(.unfinishedJobs).all(row, limit) {
            (apps[$0.integer(2)] ?? "", JobKey(row: $0.integer(0), tag: $0.integer(1)).id)
        }
    }

    /// The number of jobs that workers have, by owner, without those of leases that have ended.
    func heldJobs(_ clocks: ClockSample) throws(QueueError) -> [String: Int] {
        let steady = try steadyTime(clocks)
        var held: [String: Int] = [:]
        for (owner, count) in try sql(.heldJobs).all(steady, read: { ($0.text(0), $0.number(1)) }) {
            held[owner, default: 0] &+= count
        }
        return held
    }

    /// The time of the steady clock that was noted last.
    func lastSteadyTime() throws(QueueError) -> SteadyTime {
        try sql(.moveClock).first { $0.steady(2) } ?? SteadyTime(milliseconds: 0)
    }
}

extension SQLText {
    fileprivate static let unfinishedJobs = SQLText(
        "SELECT id, tag, app FROM job NOT INDEXED WHERE id > ?1 AND state <> 3 ORDER BY id LIMIT ?2")

    fileprivate static let heldJobs = SQLText("SELECT owner, held FROM lease WHERE ends > ?1")
    fileprivate static let countRecords = SQLText("SELECT kind, count(*) FROM record GROUP BY kind")
    fileprivate static let countKeys = SQLText(
        "SELECT count(*) FROM dedupe AS d \(openJobOfKey) WHERE d.until > ?1 OR job.id IS NOT NULL")
    fileprivate static let countRequests = SQLText("SELECT count(*) FROM request WHERE until > ?1")
    fileprivate static let countTokens = SQLText("SELECT count(*) FROM gone")
    fileprivate static let countCampaigns = SQLText("SELECT count(*) FROM campaign WHERE state < 4")
    private static func countOfCampaigns(_ table: String) -> String {
        "SELECT count(*) FROM \(table) AS t JOIN campaign ON campaign.id = t.campaign WHERE campaign.state < 4"
    }
    fileprivate static let countLines = SQLText(countOfCampaigns("campaign_line"))
    fileprivate static let countRefusals = SQLText(countOfCampaigns("campaign_refusal"))
    fileprivate static let countFailures = SQLText(countOfCampaigns("campaign_failure"))
    fileprivate static let countOutcomes = SQLText(countOfCampaigns("campaign_outcome"))
    fileprivate static let countJobs = SQLText(
        "SELECT coalesce(sum(waiting + held + leased + started), 0) FROM app")
}
