import PushPlatform

/// A row of `campaign`.
typealias CampaignRow = StoredCampaign<Int64>

extension CampaignRow {
    static let columns = "id, app, state, is_open, rate, starts, expires, level, level_at, waiting + in_flight"

    init(_ row: borrowing SQLRow) {
        self.init(
            row: row.integer(0), app: row.integer(1), state: row.number(2), isOpen: row.integer(3) != 0,
            rate: row.optional(4) { $0.number($1) }, starts: row.optional(5) { $0.time($1) },
            expires: row.optional(6) { $0.time($1) },
            bucket: ReleaseBucket(level: row.integer(7), time: row.steady(8)))
        released = row.number(9)
    }
}

extension QueueTransaction {
    /// The campaign of an app; `nil` if there is none.
    func campaignRow(_ id: UUID, app name: String) throws(QueueError) -> CampaignRow? {
        guard let app = try app(name) else { return nil }
        return try sql(.campaignRow).first(id.bytes, app) { CampaignRow($0) }
    }

    /// The campaign as it is after what this transaction has changed.
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
