public import PushPlatform

// Documented at QueueBackend. Each step is in the folders Steps and Reading.
extension SQLiteQueue {
    /// Makes a campaign without lines.
    public func createCampaign(_ campaign: NewQueueCampaign) async throws(QueueError) -> QueueCampaignCreation {
        try await writer.write { (transaction) throws(QueueError) in try transaction.createCampaign(campaign) }
    }

    /// Takes lines into a campaign, which are held.
    public func addLines(
        _ lines: [QueueCampaignLine], to campaign: UUID, app: String
    ) async throws(QueueError) -> QueueLinesAnswer {
        try await writer.write(jobs: lines.count) { (transaction) throws(QueueError) in
            try transaction.addLines(lines, to: campaign, app: app)
        }
    }

    /// Changes a campaign.
    public func changeCampaign(
        _ campaign: UUID, app: String, _ change: QueueCampaignChange
    ) async throws(QueueError) -> QueueCampaignAnswer {
        try await writer.write { (transaction) throws(QueueError) in
            try transaction.changeCampaign(campaign, app: app, change)
        }
    }

    /// Does the next step of a campaign.
    public func advanceCampaign(
        _ campaign: UUID, app: String, ahead: Int, limit: Int
    ) async throws(QueueError) -> Int {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.advanceCampaign(campaign, app: app, ahead: ahead, limit: max(limit, 0))
        }
    }

    /// The campaigns that were started and have not ended.
    public func activeCampaigns() async throws(QueueError) -> [QueueCampaign] {
        let now = options.queue.clock()
        return try await read { (queries) throws(QueueError) in try queries.activeCampaigns(now: now) }
    }

    /// A campaign of an app.
    public func campaign(_ campaign: UUID, app: String) async throws(QueueError) -> QueueCampaign? {
        let now = options.queue.clock()
        return try await read { (queries) throws(QueueError) in
            try queries.campaign(campaign, app: app, now: now)
        }
    }

    /// The campaigns of an app.
    public func campaigns(
        app: String, after cursor: String?, limit: Int
    ) async throws(QueueError) -> QueuePage<QueueCampaign> {
        let now = options.queue.clock()
        return try await read { (queries) throws(QueueError) in
            try queries.campaigns(app: app, after: cursor, limit: limit, now: now)
        }
    }

    /// How the lines of a campaign ended.
    public func outcomes(
        ofCampaign campaign: UUID, app: String
    ) async throws(QueueError) -> [QueueCampaignOutcome] {
        try await read { (queries) throws(QueueError) in try queries.outcomes(ofCampaign: campaign, app: app) }
    }

    /// Lines of a campaign.
    public func lines(_ query: QueueCampaignLineQuery) async throws(QueueError) -> [QueueCampaignLineRecord] {
        try await read { (queries) throws(QueueError) in try queries.lines(query) }
    }

    /// Drops campaigns that ended a duration ago.
    public func dropCampaigns(endedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int {
        try await writer.write { (transaction) throws(QueueError) in
            try transaction.dropCampaigns(endedBefore: duration, limit: max(limit, 0))
        }
    }
}
