import PushPlatform
import PushQueue

/// A row of `campaign`.
typealias PostgresCampaign = StoredCampaign<Int32>

extension PostgresCampaign {
    static let columns = "id, app, state, is_open, rate, starts, expires, level, level_at"

    init(_ row: PostgresRow) {
        self.init(row, row: row.int4(0), app: row.int4(1))
    }
}

extension QueueCampaign {
    /// The columns of a campaign with the name of its app and the sums of its counters.
    static let postgresColumns = "\(allColumns("campaign.settings"))"
    /// The same without the settings, which can be large.
    static let postgresColumnsWithoutSettings = "\(allColumns("''::bytea"))"

    private static func allColumns(_ settings: String) -> String {
        """
        campaign.uuid, app.name, campaign.name, campaign.state, campaign.is_open, \(settings), campaign.rate,
        campaign.starts, campaign.expires, campaign.created, campaign.started, campaign.ended, sums.last_line, sums.lines,
        sums.refused, sums.held, sums.waiting, sums.in_flight, sums.accepted, sums.rejected, sums.unknown, sums.not_sent,
        sums.window_ats, sums.window_counts, sums.window_rates, campaign.id, (SELECT shift FROM queue WHERE id = 1)
        """
    }
    static let postgresTables = """
        campaign JOIN app ON app.id = campaign.app CROSS JOIN LATERAL (
            SELECT coalesce(max(last_line), 0) AS last_line, coalesce(sum(lines), 0)::int8 AS lines,
                coalesce(sum(refused), 0)::int8 AS refused, coalesce(sum(held), 0)::int8 AS held,
                coalesce(sum(waiting), 0)::int8 AS waiting, coalesce(sum(in_flight), 0)::int8 AS in_flight,
                coalesce(sum(accepted), 0)::int8 AS accepted, coalesce(sum(rejected), 0)::int8 AS rejected,
                coalesce(sum(unknown), 0)::int8 AS unknown, coalesce(sum(not_sent), 0)::int8 AS not_sent,
                coalesce(array_agg(window_at), '{}') AS window_ats,
                coalesce(array_agg(window_count), '{}') AS window_counts,
                coalesce(array_agg(window_rate), '{}') AS window_rates
            FROM campaign_count WHERE campaign_count.campaign = campaign.id
        ) AS sums
        """

    /// A campaign from a row of ``postgresColumns``, at a time of the wall clock.
    init(_ row: PostgresRow, now: QueueTime) {
        self.init(row)
        let steady = SteadyTime(milliseconds: now.milliseconds - row.integer(26))
        let windows = zip(row.integers(22), zip(row.integers(23), row.integers(24)))
        speed = windows.reduce(0) { sum, window in
            let begin = SteadyTime(milliseconds: window.0)
            return sum + SpeedWindow(begin: begin, count: window.1.0, last: window.1.1).speed(at: steady)
        }
    }
}

extension PostgresTransaction {
    /// Locks the campaign of an app until the transaction ends. Returns `nil` if there is no such campaign. If it does not wait, it also
    /// returns `nil` if another transaction has locked the campaign.
    func lockCampaign(
        _ id: UUID, app name: String, waits: Bool = true
    ) throws(QueueError) -> PostgresCampaign? {
        guard let app = try app(name) else { return nil }
        let text = waits ? PostgresText.lockCampaign : .lockFreeCampaign
        return try query(text, [.uuid(id), .int4(app)]).first.map { PostgresCampaign($0) }
    }

    /// The campaign as it is after what this transaction has changed.
    func campaign(_ row: Int32) throws(QueueError) -> QueueCampaign? {
        try query(.campaign, row).first.map { QueueCampaign($0, now: now).adding(changes.campaigns[row]) }
    }
}

extension PostgresText {
    fileprivate static let lockCampaign = PostgresText(
        "SELECT \(PostgresCampaign.columns) FROM campaign WHERE uuid = $1::uuid AND app + 0 = $2::int4 FOR UPDATE")
    fileprivate static let lockFreeCampaign: PostgresText = """
        SELECT \(PostgresCampaign.columns) FROM campaign WHERE uuid = $1::uuid AND app + 0 = $2::int4
        FOR UPDATE SKIP LOCKED
        """
    fileprivate static let campaign = PostgresText(
        "SELECT \(QueueCampaign.postgresColumns) FROM \(QueueCampaign.postgresTables) WHERE campaign.id = $1::int4")
}
