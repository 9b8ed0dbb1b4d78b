import PushPlatform

/// The lines of campaigns.
extension QueueTransaction {
    func addLines(_ lines: [QueueCampaignLine], to id: UUID, app: String) throws(QueueError) -> QueueLinesAnswer {
        guard let campaign = try campaignRow(id, app: app) else { return .unknownCampaign }
        guard campaign.isOpen else { return .closed(campaign.state) }
        var results: [QueueLineResult] = []
        results.reserveCapacity(lines.count)
        var rows = try freeRows(lines.map { _ in now })
        for line in lines {
            guard (1...QueueCampaignLine.greatestNumber).contains(line.number) else {
                throw QueueError(
                    .invalid,
                    "The number of a line must be 1 to \(QueueCampaignLine.greatestNumber): \(line.number).")
            }
            results.append(try add(line, to: campaign, row: rows.take(now)))
        }
        let last = lines.lazy.map(\.number).max() ?? 0
        changes.campaign(campaign.row) { $0.lastLine = max($0.lastLine, Int64(last)) }
        if campaign.state == .running { changes.hasCampaigns = true }
        return .done(results)
    }

    private func add(
        _ line: QueueCampaignLine, to campaign: CampaignRow, row: Int64
    ) throws(QueueError) -> QueueLineResult {
        let key = LineKey(campaign: campaign.row, number: Int64(line.number))
        if try sql(.hasLine).first(key.campaign, key.number, read: { _ in true }) != nil { return .repeated }
        switch line.content {
        case .refused(let refusal): return try refuse(key, refusal)
        case .job(var job):
            (job.due, job.dedupeKey) = (.now, nil)
            if let refusal = EnqueueRules.refusal(of: job) { return try refuse(key, QueueLineRefusal(refusal)) }
            switch EnqueueRules.times(of: job, now: now) {
            case .failure(let refusal): return try refuse(key, QueueLineRefusal(refusal.reason))
            case .success(let times): return .held(try hold(job, times, key, campaign, row: row))
            }
        }
    }

    private func hold(
        _ job: NewQueueJob, _ ownTimes: EnqueueRules.Times, _ line: LineKey, _ campaign: CampaignRow,
        row: Int64
    ) throws(QueueError) -> UUID {
        var times = ownTimes
        if !times.isExpiryRelative, let end = campaign.expires { times.expires = min(times.expires ?? end, end) }
        let key = try insertJob(app: campaign.app, job.priority, job.policy, times, row: row, line: line)
        try insertContent(of: job, as: key, app: campaign.app)
        try sql(.insertLineNumber).run(line.campaign, line.number, key.row)
        let wasRefused = try sql(.dropRefusal).run(line.campaign, line.number)
        changes.campaign(line.campaign) { step in
            step.counts.lines += 1
            step.counts.refused -= wasRefused
        }
        return key.id
    }

    private func refuse(_ line: LineKey, _ refusal: QueueLineRefusal) throws(QueueError) -> QueueLineResult {
        let before = try sql(.dropRefusal).run(line.campaign, line.number)
        try sql(.insertRefusal).run(
            line.campaign, line.number, refusal.code, refusal.detail, refusal.field, refusal.remedy)
        changes.campaign(line.campaign) { $0.counts.refused += 1 - before }
        return .refused(refusal)
    }

    /// Notes that a line has its outcome.
    func ended(_ line: LineKey, from state: QueueJobState, _ outcome: QueueJobOutcome) throws(QueueError) {
        if outcome.kind != .accepted { try sql(.insertFailure).run(line.campaign, line.number) }
        changes.campaign(line.campaign) { step in
            if let counter = state.campaignCounter { step.counts[keyPath: counter] -= 1 }
            step.counts[keyPath: outcome.kind.campaignCounter] += 1
            step.outcomes[CampaignStep.Outcome(kind: outcome.kind, reason: outcome.reason ?? ""), default: 0] += 1
        }
    }
}

extension SQLText {
    fileprivate static let hasLine = SQLText("SELECT 1 FROM campaign_line WHERE campaign = ?1 AND line = ?2")
    fileprivate static let insertLineNumber = SQLText("INSERT INTO campaign_line VALUES (?1, ?2, ?3)")
    fileprivate static let dropRefusal = SQLText("DELETE FROM campaign_refusal WHERE campaign = ?1 AND line = ?2")
    fileprivate static let insertRefusal = SQLText("INSERT INTO campaign_refusal VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    fileprivate static let insertFailure = SQLText("INSERT OR IGNORE INTO campaign_failure VALUES (?1, ?2)")
}
