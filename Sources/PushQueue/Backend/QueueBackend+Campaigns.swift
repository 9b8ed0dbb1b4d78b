package import PushPlatform

extension QueueBackend {
    /// If it is new, the audit gets an entry.
    package func createCampaign(
        _ campaign: NewQueueCampaign, audit: (@Sendable (QueueCampaign) -> QueueAuditEntry)? = nil
    ) async throws(QueueError) -> QueueCampaignCreation {
        try await change { (steps) throws(QueueError) in
            let result = try steps.createCampaign(campaign)
            if let audit, case .created(let campaign) = result { try steps.note(audit(campaign)) }
            return result
        }
    }

    /// Takes lines into a campaign, which are held. A line that the campaign has already is ignored, so the same lines can be
    /// given twice, also when the campaign is closed. If it has another line of the same number, nothing is added.
    package func addLines(
        _ lines: [QueueCampaignLine], to campaign: UUID, app: String
    ) async throws(QueueError) -> QueueLinesAnswer {
        try await change(jobs: lines.count) { (steps) throws(QueueError) in
            try steps.addLines(lines, to: campaign, app: app)
        }
    }

    package func changeCampaign(
        _ campaign: UUID, app: String, _ change: QueueCampaignChange, audit: QueueAuditEntry? = nil
    ) async throws(QueueError) -> QueueCampaignAnswer {
        try await self.change { (steps) throws(QueueError) in
            try steps.changeCampaign(campaign, app: app, change, audit: audit)
        }
    }

    package func advanceCampaign(
        _ campaign: UUID, app: String, ahead: Int, limit: Int
    ) async throws(QueueError) -> Int {
        try await work(.shared()) { (steps) throws(QueueError) in
            try steps.advanceCampaign(campaign, app: app, ahead: ahead, limit: max(limit, 0))
        }
    }

    /// Drops campaigns that ended a duration ago, and whose jobs are dropped, at most a number of lines. Cancels drafts that were made a
    /// duration ago and not started. Returns how many lines and campaigns were dropped.
    package func dropCampaigns(endedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int {
        try await change { (steps) throws(QueueError) in
            try steps.dropCampaigns(endedBefore: duration, limit: max(limit, 0))
        }
    }

    // MARK: Reading

    /// The campaigns that were started and have not ended, of all apps, without their settings.
    package func activeCampaigns() async throws(QueueError) -> [QueueCampaign] {
        let now = try await now()
        return try await query { (queries) throws(QueueError) in try queries.activeCampaigns(now: now) }
    }

    package func campaign(_ campaign: UUID, app: String) async throws(QueueError) -> QueueCampaign? {
        let now = try await now()
        return try await query { (queries) throws(QueueError) in
            try queries.campaign(campaign, app: app, now: now)
        }
    }

    /// The newest first.
    package func campaigns(
        app: String, after cursor: String?, limit: Int
    ) async throws(QueueError) -> QueuePage<QueueCampaign> {
        let now = try await now()
        return try await query { (queries) throws(QueueError) in
            try queries.campaigns(app: app, after: cursor, limit: limit, now: now)
        }
    }

    /// How the lines of a campaign ended, the most frequent outcome first. It is fast for any number of lines.
    package func outcomes(
        ofCampaign campaign: UUID, app: String
    ) async throws(QueueError) -> [QueueCampaignOutcome] {
        try await query { (queries) throws(QueueError) in try queries.outcomes(ofCampaign: campaign, app: app) }
    }

    /// In the order of their numbers.
    package func lines(_ lines: QueueCampaignLineQuery) async throws(QueueError) -> [QueueCampaignLineRecord] {
        try await query { (queries) throws(QueueError) in try queries.lines(lines) }
    }
}
