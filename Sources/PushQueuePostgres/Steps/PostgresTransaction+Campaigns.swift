import PushPlatform
import PushQueue

extension PostgresTransaction {
    func createCampaign(_ new: NewQueueCampaign) throws(QueueError) -> QueueCampaignCreation {
        try new.check()
        let app = try appOrNew(new.app)
        let id = NewQueueCampaign.newID(now: now, random: cache.randomNumber())
        let unfinished = try query(.countUnfinished, app).first?.number(0) ?? 0
        let isFull = unfinished >= QueueCampaign.maximumUnfinished
        let inserted: Int32? =
            try isFull
            ? nil
            : query(
                .insertCampaign, id, app, new.name, new.key, new.settings,
                new.rate.map { Int32($0.perThousandSeconds) }, new.starts, new.expires, now, steady
            ).first.map { $0.int4(0) }
        if let inserted, let campaign = try campaign(inserted) { return .created(campaign) }
        // Only a used key can refuse the insert. The campaign with this key is committed: the insert waited for it.
        let earlier = try query(.campaignOfKey, app, new.key ?? "").first
        guard let row = earlier.map({ $0.int4(0) }), let campaign = try campaign(row)
        else { return isFull ? .tooMany : .inProgress }
        return new.answer(earlier: campaign)
    }

    func changeCampaign(
        _ id: UUID, app: String, _ change: QueueCampaignChange, audit: QueueAuditEntry?
    ) throws(QueueError) -> QueueCampaignAnswer {
        guard let campaign = try lockCampaign(id, app: app) else { return .unknownCampaign }
        guard CampaignRules.allow(change, in: campaign.state) else { return .impossible(campaign.state) }
        let writes = campaign.writes(for: change, at: steady)
        if let audit, !writes.isEmpty { try note(audit) }
        try apply(writes, to: campaign)
        changes.statesOfReturned[campaign.row] = nil
        // The end of the transaction checks whether the campaign has ended.
        changes.campaign(campaign.row)
        changes.hasCampaigns = true
        return try self.campaign(campaign.row).map { .done($0) } ?? .unknownCampaign
    }

    private func apply(_ writes: [PostgresCampaign.Write], to campaign: PostgresCampaign) throws(QueueError) {
        let row = PostgresValue.int4(campaign.row)
        for write in writes {
            switch write {
            case .run(let bucket): perform(.runCampaign, [row, .int8(now.milliseconds)] + bucket.values)
            case .close: perform(.closeCampaign, row)
            case .pause:
                perform(.setCampaignState, row, Int16(QueueCampaignState.paused.rawValue))
                try holdWaitingLines(of: campaign)
            case .cancel: cancelCampaign(campaign.row)
            case .rate(let rate, let bucket):
                let number = rate.map { PostgresValue.int4(Int32($0.perThousandSeconds)) } ?? .null
                perform(.setRate, [row, number] + bucket.values)
            }
        }
    }

    /// Sets the lines that wait for a worker back to held.
    private func holdWaitingLines(of campaign: PostgresCampaign) throws(QueueError) {
        perform(.lockWaitingLines, campaign.row)
        let count = try query(.holdLines, campaign.row).affected
        changes.move(campaign.app, from: .waiting, to: .held, campaign: campaign.row, count: count)
    }

    private func cancelCampaign(_ campaign: Int32) {
        perform(.cancelCampaign, campaign)
        changes.campaign(campaign)
    }

    /// Cancels the campaigns of an app that send or could send again.
    func cancelCampaigns(of app: Int32) throws(QueueError) {
        for row in try query(.startedCampaigns, app).map({ $0.int4(0) }) {
            cancelCampaign(row)
            changes.hasCampaigns = true
        }
    }

    /// The state of a line that a worker gives back. The campaign is not paused until the transaction ends. Steps of workers have locked it
    /// before the job.
    func stateOfReturned(_ campaign: Int32) throws(QueueError) -> QueueJobState {
        if let known = changes.statesOfReturned[campaign] { return known }
        let row = try query(.campaignState, campaign).first
        let returned = row.flatMap { QueueCampaignState(rawValue: $0.number(0)) }?.ofReturnedLines ?? .waiting
        changes.statesOfReturned[campaign] = returned
        return returned
    }

    // MARK: Removing

    func dropCampaigns(endedBefore duration: Duration, limit: Int) throws(QueueError) -> Int {
        let latest = PostgresValue.int8((steady - duration).milliseconds)
        // A draft that was not started in this time is cancelled, for example after an interrupted upload.
        for row in try query(.oldDrafts, latest).map({ $0.int4(0) }) {
            cancelCampaign(row)
            changes.hasCampaigns = true
        }
        var dropped = 0
        while dropped < limit, let row = try query(.endedCampaign, latest).first {
            let campaign = row.int4(0)
            dropped += try dropLines(of: campaign, limit: limit - dropped)
            guard dropped < limit else { break }
            forget(campaign: campaign)
            dropped += 1
        }
        return dropped
    }

    /// Removes the rows of the lines of a campaign that this transaction has locked, up to a limit. Returns how many it has removed.
    func dropLines(of campaign: Int32, limit: Int) throws(QueueError) -> Int {
        var dropped = 0
        for text in [PostgresText.dropLines, .dropRefusals, .dropFailures] where dropped < limit {
            dropped += try query(text, [.int4(campaign), .int8(Int64(limit - dropped))]).affected
        }
        return dropped
    }

    /// Removes a campaign without lines that this transaction has locked.
    func forget(campaign: Int32) {
        for text in [PostgresText.dropOutcomes, .dropCampaignCounts, .dropCampaign] {
            perform(text, [.int4(campaign)])
        }
        changes.campaigns[campaign] = nil
    }
}

extension ReleaseBucket {
    var values: [PostgresValue] { [.int8(level), .int8(time.milliseconds)] }
}

extension PostgresText {
    fileprivate static let campaignOfKey = PostgresText(
        "SELECT id FROM campaign WHERE app = $1::int4 AND key = $2::text")
    fileprivate static let countUnfinished = PostgresText(
        "SELECT count(*) FROM campaign WHERE app = $1::int4 AND state < 4")
    fileprivate static let insertCampaign: PostgresText = """
        INSERT INTO campaign (uuid, app, name, key, settings, rate, starts, expires, created, level_at)
        VALUES ($1::uuid, $2::int4, $3::text, $4::text, $5::bytea, $6::int4, $7::int8, $8::int8, $9::int8, $10::int8)
        ON CONFLICT (app, key) WHERE key IS NOT NULL DO NOTHING RETURNING id
        """
    static let closeCampaign = PostgresText("UPDATE campaign SET is_open = false WHERE id = $1::int4")
    fileprivate static let setCampaignState = PostgresText(
        "UPDATE campaign SET state = $2::int2 WHERE id = $1::int4")
    fileprivate static let runCampaign: PostgresText = """
        UPDATE campaign SET state = 1, started = coalesce(started, $2::int8), level = $3::int8, level_at = $4::int8
        WHERE id = $1::int4
        """
    fileprivate static let cancelCampaign = PostgresText(
        "UPDATE campaign SET state = 3, is_open = false WHERE id = $1::int4 AND state < 4")
    fileprivate static let setRate = PostgresText(
        "UPDATE campaign SET rate = $2::int4, level = $3::int8, level_at = $4::int8 WHERE id = $1::int4")
    /// With a range and `ORDER BY`, the planner uses the index `job_released`. With `=`, it could use another one.
    private static let waitingLines = """
        FROM job WHERE campaign BETWEEN $1::int4 AND $1::int4 AND is_waiting AND campaign IS NOT NULL ORDER BY campaign
        """
    fileprivate static let lockWaitingLines: PostgresText = """
        SELECT FROM (
            SELECT app, id FROM (SELECT app, id \(waitingLines) OFFSET 0) AS waiting ORDER BY app, id OFFSET 0
        ) AS k CROSS JOIN LATERAL (
            SELECT FROM job WHERE job.app = k.app AND job.id = k.id OFFSET 0 FOR UPDATE
        ) AS locked
        """
    fileprivate static let holdLines: PostgresText = """
        UPDATE job SET state = 4, is_waiting = false, is_held = true
        WHERE ctid = ANY (ARRAY(SELECT ctid \(waitingLines))) AND is_waiting
        """
    fileprivate static let startedCampaigns = PostgresText(
        "SELECT id FROM campaign WHERE app = $1::int4 AND state IN (1, 2) ORDER BY id FOR UPDATE")
    fileprivate static let campaignState = PostgresText(
        "SELECT state FROM campaign WHERE id = $1::int4 FOR SHARE")
    fileprivate static let oldDrafts = PostgresText(
        "SELECT id FROM campaign WHERE state = 0 AND level_at <= $1::int8 ORDER BY id FOR UPDATE SKIP LOCKED")
    fileprivate static let endedCampaign: PostgresText = """
        SELECT id FROM campaign WHERE ended_steady <= $1::int8 ORDER BY ended_steady LIMIT 1 FOR UPDATE SKIP LOCKED
        """
    private static func slice(of table: String) -> String {
        """
        DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM \(table) WHERE campaign = $1::int4 ORDER BY line LIMIT $2::int8))
        """
    }
    static let dropLines = PostgresText(slice(of: "campaign_line"))
    fileprivate static let dropRefusals = PostgresText(slice(of: "campaign_refusal"))
    static let dropFailures = PostgresText(slice(of: "campaign_failure"))
    fileprivate static let dropOutcomes = PostgresText("DELETE FROM campaign_outcome WHERE campaign = $1::int4")
    fileprivate static let dropCampaignCounts = PostgresText("DELETE FROM campaign_count WHERE campaign = $1::int4")
    fileprivate static let dropCampaign = PostgresText("DELETE FROM campaign WHERE id = $1::int4")
}
