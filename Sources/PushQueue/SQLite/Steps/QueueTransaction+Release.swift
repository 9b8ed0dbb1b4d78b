import PushPlatform

extension QueueTransaction {
    func advanceCampaign(_ id: UUID, app: String, ahead: Int, limit: Int) throws(QueueError) -> Int {
        guard let campaign = try campaignRow(id, app: app) else { return 0 }
        switch campaign.advance(at: now) {
        case .nothing: return 0
        case .cancel: return try endLines(of: campaign.row, as: QueueJobOutcome.cancelled, limit: limit).total
        case .expire: return try expire(campaign, limit: limit)
        case .release: return try release(campaign, ahead: ahead, limit: limit)
        }
    }

    private func expire(_ campaign: CampaignRow, limit: Int) throws(QueueError) -> Int {
        if campaign.isOpen {
            try sql(.closeCampaign).run(campaign.row)
            changes.campaign(campaign.row)
        }
        return try endLines(of: campaign.row, as: QueueJobOutcome.expired, limit: limit).total
    }

    private func endLines(of campaign: Int64, as reason: String, limit: Int) throws(QueueError) -> QueueCancelled {
        try endUnstarted(try sql(.linesToEnd).all(campaign, limit) { $0.integer(0) }, as: reason)
    }

    /// Ends held lines of the cancelled campaigns of an app.
    func cancelHeldLines(of app: Int64, limit: Int) throws(QueueError) -> QueueCancelled {
        var ended = QueueCancelled()
        for campaign in try sql(.cancellingCampaigns).all(app, read: { $0.integer(0) }) where ended.total < limit {
            ended += try endLines(of: campaign, as: QueueJobOutcome.cancelled, limit: limit - ended.total)
        }
        return ended
    }

    // MARK: Releasing

    private func release(_ stored: CampaignRow, ahead: Int, limit: Int) throws(QueueError) -> Int {
        var campaign = stored
        let count = campaign.releasable(
            limit: limit, ahead: ahead, pending: changes.campaigns[campaign.row], at: steady)
        guard count > 0 else { return 0 }
        let lines = try sql(.linesToRelease).all(campaign.row, count) {
            (
                row: $0.integer(0),
                times: HeldLineTimes(
                    due: $0.time(1), expires: $0.integer(2), isExpiryRelative: $0.integer(3) != 0,
                    attempts: $0.number(4))
            )
        }
        guard !lines.isEmpty else { return 0 }
        for (row, times) in lines { try release(row, times, of: campaign) }
        if campaign.rate != nil {
            campaign.bucket.take(lines.count)
            try sql(.setBucket).run(campaign.row, campaign.bucket.level, campaign.bucket.time)
        }
        return lines.count
    }

    private func release(_ row: Int64, _ times: HeldLineTimes, of campaign: CampaignRow) throws(QueueError) {
        guard let (due, expires) = times.released(at: now, end: campaign.expires) else {
            if let job = try job(row: row) {
                try finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired))
            }
            return
        }
        try sql(.releaseLine).run(row, due, expires)
        changes.move(campaign.app, from: .held, to: .waiting, campaign: campaign.row)
    }

    // MARK: Counters

    /// Writes the counters of campaigns, and ends those whose last line has its outcome.
    func flushCampaigns() throws(QueueError) {
        for (row, step) in changes.campaigns {
            let counts = step.counts
            try sql(.addCampaignCounts).run(
                row, counts.lines, counts.refused, counts.held, counts.waiting, counts.inFlight, counts.accepted,
                counts.rejected, counts.unknown, counts.notSent, step.lastLine)
            for (outcome, count) in step.outcomes { try add(count, of: outcome, to: row) }
            if counts.finished > 0 { try countSpeed(counts.finished, of: row) }
            try endIfDone(row)
        }
    }

    private func add(_ count: Int, of outcome: CampaignStep.Outcome, to campaign: Int64) throws(QueueError) {
        if try sql(.addOutcomes).run(campaign, outcome.kind.rawValue, outcome.reason, count) > 0 { return }
        var reason = outcome.reason
        let reasons = try sql(.countReasons).first(campaign) { $0.number(0) } ?? 0
        if reasons >= QueueCampaignOutcome.maximumReasons {
            reason = "other"
            if try sql(.addOutcomes).run(campaign, outcome.kind.rawValue, reason, count) > 0 { return }
        }
        try sql(.insertOutcomes).run(campaign, outcome.kind.rawValue, reason, count)
    }

    private func countSpeed(_ outcomes: Int, of campaign: Int64) throws(QueueError) {
        let stored = try sql(.speedWindow).first(campaign) {
            SpeedWindow(begin: $0.steady(0), count: $0.integer(1), last: $0.integer(2))
        }
        guard var window = stored else { return }
        window.add(outcomes, at: steady)
        try sql(.setSpeedWindow).run(campaign, window.begin, window.count, window.last)
    }

    private func endIfDone(_ campaign: Int64) throws(QueueError) {
        let state = try sql(.stateIfDone).first(campaign) { QueueCampaignState(rawValue: $0.number(0)) }
        guard let state = state ?? nil, let end = CampaignRules.end(of: state) else { return }
        try sql(.endCampaign).run(campaign, end.rawValue, now, steady)
    }
}

extension SQLText {
    fileprivate static let linesToEnd = SQLText(
        "SELECT id FROM job INDEXED BY job_campaign WHERE campaign = ?1 AND state IN (0, 4) LIMIT ?2")
    fileprivate static let cancellingCampaigns = SQLText(
        "SELECT id FROM campaign INDEXED BY campaign_app WHERE app = ?1 AND state = 3")
    fileprivate static let linesToRelease: SQLText = """
        SELECT id, due, expires, is_expiry_relative, attempts FROM job INDEXED BY job_campaign
        WHERE campaign = ?1 AND state = 4 AND state IN (0, 4) ORDER BY line LIMIT ?2
        """
    fileprivate static let releaseLine = SQLText(
        "UPDATE job SET state = 0, due = ?2, expires = ?3, is_due_relative = 1 WHERE id = ?1")
    fileprivate static let setBucket = SQLText("UPDATE campaign SET level = ?2, level_at = ?3 WHERE id = ?1")
    fileprivate static let addCampaignCounts: SQLText = """
        UPDATE campaign SET lines = lines + ?2, refused = refused + ?3, held = held + ?4, waiting = waiting + ?5,
            in_flight = in_flight + ?6, accepted = accepted + ?7, rejected = rejected + ?8, unknown = unknown + ?9,
            not_sent = not_sent + ?10, last_line = max(last_line, ?11)
        WHERE id = ?1
        """
    fileprivate static let addOutcomes = SQLText(
        "UPDATE campaign_outcome SET count = count + ?4 WHERE campaign = ?1 AND kind = ?2 AND reason = ?3")
    fileprivate static let countReasons = SQLText("SELECT count(*) FROM campaign_outcome WHERE campaign = ?1")
    fileprivate static let insertOutcomes = SQLText("INSERT INTO campaign_outcome VALUES (?1, ?2, ?3, ?4)")
    fileprivate static let speedWindow = SQLText(
        "SELECT window_at, window_count, window_rate FROM campaign WHERE id = ?1")
    fileprivate static let setSpeedWindow = SQLText(
        "UPDATE campaign SET window_at = ?2, window_count = ?3, window_rate = ?4 WHERE id = ?1")
    fileprivate static let stateIfDone = SQLText(
        "SELECT state FROM campaign WHERE id = ?1 AND is_open = 0 AND held = 0 AND waiting = 0 AND in_flight = 0")
    fileprivate static let endCampaign = SQLText(
        "UPDATE campaign SET state = ?2, ended = ?3, ended_steady = ?4 WHERE id = ?1")
}
