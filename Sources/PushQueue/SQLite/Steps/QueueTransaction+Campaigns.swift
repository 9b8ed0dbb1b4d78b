import PushPlatform

extension QueueTransaction {
    func createCampaign(_ new: NewQueueCampaign) throws(QueueError) -> QueueCampaignCreation {
        try new.check()
        let app = try appOrNew(new.app)
        if let key = new.key, let row = try sql(.campaignOfKey).first(app, key, read: { $0.integer(0) }),
            let campaign = try campaign(row)
        {
            return new.answer(earlier: campaign)
        }
        let unfinished = try sql(.countUnfinished).first(app) { $0.number(0) } ?? 0
        guard unfinished < QueueCampaign.maximumUnfinished else { return .tooMany }
        let id = NewQueueCampaign.newID(now: now, random: cache.randomNumber())
        let row = try sql(.insertCampaign).first(
            id.bytes, app, new.name, new.key, new.settings, new.rate?.perThousandSeconds, new.starts, new.expires,
            now, steady
        ) { $0.integer(0) }
        guard let row, let campaign = try campaign(row) else {
            throw QueueError(.defect, "A campaign was stored and is missing. Please report this.")
        }
        return .created(campaign)
    }

    func changeCampaign(
        _ id: UUID, app: String, _ change: QueueCampaignChange, audit: QueueAuditEntry?
    ) throws(QueueError) -> QueueCampaignAnswer {
        guard let campaign = try campaignRow(id, app: app) else { return .unknownCampaign }
        guard CampaignRules.allow(change, in: campaign.state) else { return .impossible(campaign.state) }
        let writes = campaign.writes(for: change, at: steady)
        if let audit, !writes.isEmpty { try note(audit) }
        try apply(writes, to: campaign)
        // The end of the transaction checks whether the campaign has ended.
        changes.campaign(campaign.row)
        changes.hasCampaigns = true
        return try self.campaign(campaign.row).map { .done($0) } ?? .unknownCampaign
    }

    private func apply(_ writes: [CampaignRow.Write], to campaign: CampaignRow) throws(QueueError) {
        for write in writes {
            switch write {
            case .run(let bucket): try sql(.runCampaign).run(campaign.row, now, bucket.level, bucket.time)
            case .close: try sql(.closeCampaign).run(campaign.row)
            case .pause:
                try sql(.setCampaignState).run(campaign.row, QueueCampaignState.paused.rawValue)
                try holdWaitingLines(of: campaign)
            case .cancel: try cancelCampaign(campaign.row)
            case .rate(let rate, let bucket):
                try sql(.setRate).run(campaign.row, rate?.perThousandSeconds, bucket.level, bucket.time)
            }
        }
    }

    private func holdWaitingLines(of campaign: CampaignRow) throws(QueueError) {
        let count = try sql(.holdLines).run(campaign.row)
        changes.move(campaign.app, from: .waiting, to: .held, campaign: campaign.row, count: count)
    }

    private func cancelCampaign(_ campaign: Int64) throws(QueueError) {
        try sql(.cancelCampaign).run(campaign)
        changes.campaign(campaign)
    }

    /// Cancels the campaigns of an app that send or could send again.
    func cancelCampaigns(of app: Int64) throws(QueueError) {
        for campaign in try sql(.startedCampaigns).all(app, read: { $0.integer(0) }) {
            try cancelCampaign(campaign)
            changes.hasCampaigns = true
        }
    }

    func stateOfReturned(_ campaign: Int64) throws(QueueError) -> QueueJobState {
        let state = try sql(.campaignState).first(campaign) { QueueCampaignState(rawValue: $0.number(0)) } ?? nil
        return state?.ofReturnedLines ?? .waiting
    }

    // MARK: Removing

    func dropCampaigns(endedBefore duration: Duration, limit: Int) throws(QueueError) -> Int {
        // A draft that was not started in this time is cancelled, for example after an interrupted upload.
        try cancelDrafts(leftSince: steady - duration)
        var dropped = 0
        while dropped < limit,
            let campaign = try sql(.endedCampaign).first(steady - duration, read: { $0.integer(0) })
        {
            for statement in [SQLText.dropLines, .dropRefusals, .dropFailures] where dropped < limit {
                dropped += try sql(statement).run(campaign, limit - dropped)
            }
            guard dropped < limit else { break }
            try sql(.dropOutcomes).run(campaign)
            dropped += try sql(.dropCampaign).run(campaign)
        }
        return dropped
    }

    private func cancelDrafts(leftSince time: SteadyTime) throws(QueueError) {
        for draft in try sql(.oldDrafts).all(time, read: { $0.integer(0) }) {
            try cancelCampaign(draft)
            changes.hasCampaigns = true
        }
    }

    func forgetCampaigns(of app: Int64) throws(QueueError) {
        for statement in [
            SQLText.forgetLines, .forgetRefusals, .forgetFailures, .forgetOutcomes, .forgetCampaigns,
        ] {
            try sql(statement).run(app)
        }
    }
}

extension SQLText {
    fileprivate static let campaignOfKey = SQLText("SELECT id FROM campaign WHERE app = ?1 AND key = ?2")
    fileprivate static let countUnfinished = SQLText(
        "SELECT count(*) FROM campaign INDEXED BY campaign_app WHERE app = ?1 AND state < 4")
    fileprivate static let insertCampaign: SQLText = """
        INSERT INTO campaign (uuid, app, name, key, settings, rate, starts, expires, created, level_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id
        """
    static let closeCampaign = SQLText("UPDATE campaign SET is_open = 0 WHERE id = ?1")
    fileprivate static let setCampaignState = SQLText("UPDATE campaign SET state = ?2 WHERE id = ?1")
    fileprivate static let runCampaign: SQLText = """
        UPDATE campaign SET state = 1, started = coalesce(started, ?2), level = ?3, level_at = ?4 WHERE id = ?1
        """
    fileprivate static let cancelCampaign = SQLText("UPDATE campaign SET state = 3, is_open = 0 WHERE id = ?1")
    fileprivate static let setRate = SQLText(
        "UPDATE campaign SET rate = ?2, level = ?3, level_at = ?4 WHERE id = ?1")
    fileprivate static let holdLines: SQLText = """
        UPDATE job INDEXED BY job_campaign SET state = 4 WHERE campaign = ?1 AND state = 0 AND state IN (0, 4)
        """
    fileprivate static let startedCampaigns = SQLText(
        "SELECT id FROM campaign INDEXED BY campaign_app WHERE app = ?1 AND state IN (1, 2)")
    fileprivate static let campaignState = SQLText("SELECT state FROM campaign WHERE id = ?1")
    fileprivate static let oldDrafts = SQLText("SELECT id FROM campaign WHERE state = 0 AND level_at <= ?1")
    fileprivate static let endedCampaign: SQLText = """
        SELECT id FROM campaign INDEXED BY campaign_ended
        WHERE ended_steady IS NOT NULL AND ended_steady <= ?1 ORDER BY ended_steady LIMIT 1
        """
    fileprivate static let dropLines: SQLText = """
        DELETE FROM campaign_line WHERE campaign = ?1
            AND line IN (SELECT line FROM campaign_line WHERE campaign = ?1 LIMIT ?2)
        """
    fileprivate static let dropRefusals: SQLText = """
        DELETE FROM campaign_refusal WHERE campaign = ?1
            AND line IN (SELECT line FROM campaign_refusal WHERE campaign = ?1 LIMIT ?2)
        """
    fileprivate static let dropFailures: SQLText = """
        DELETE FROM campaign_failure WHERE campaign = ?1
            AND line IN (SELECT line FROM campaign_failure WHERE campaign = ?1 LIMIT ?2)
        """
    fileprivate static let dropOutcomes = SQLText("DELETE FROM campaign_outcome WHERE campaign = ?1")
    fileprivate static let dropCampaign = SQLText("DELETE FROM campaign WHERE id = ?1")
    private static func forget(_ table: String) -> SQLText {
        SQLText("DELETE FROM \(table) WHERE campaign IN (SELECT id FROM campaign WHERE app = ?1)")
    }
    fileprivate static let forgetLines = forget("campaign_line")
    fileprivate static let forgetRefusals = forget("campaign_refusal")
    fileprivate static let forgetFailures = forget("campaign_failure")
    fileprivate static let forgetOutcomes = forget("campaign_outcome")
    fileprivate static let forgetCampaigns = SQLText("DELETE FROM campaign WHERE app = ?1")
}
