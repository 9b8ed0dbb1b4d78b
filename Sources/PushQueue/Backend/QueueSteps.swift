package import PushPlatform

/// The steps of a transaction: what each backend does with its own statements. ``QueueBackend`` says what each one promises.
package protocol QueueSteps {
    func reserve(_ key: QueueIdempotencyKey, app: String, lasting: Duration) throws(QueueError)
        -> QueueReservationAnswer
    func release(_ key: QueueIdempotencyKey, app: String, reservation: QueueReservation) throws(QueueError)

    func extend(_ leases: [QueueJobLease], by duration: Duration) throws(QueueError) -> [QueueLeaseResult]
    func giveBack(_ leases: [QueueJobLease]) throws(QueueError) -> [QueueLeaseResult]
    func retry(_ retries: [QueueJobRetry]) throws(QueueError) -> [QueueLeaseResult]

    /// Ends jobs of an app that have not been started with an outcome.
    func stop(_ ids: [UUID], app: String, as outcome: QueueJobOutcome) throws(QueueError) -> [QueueStopResult]
    func cancelAll(app: String, limit: Int) throws(QueueError) -> QueueCancelled
    func redrive(_ ids: [UUID], app: String, expiry: NewQueueJob.Expiry) throws(QueueError) -> [QueueRedriveResult]

    func createCampaign(_ campaign: NewQueueCampaign) throws(QueueError) -> QueueCampaignCreation
    func addLines(_ lines: [QueueCampaignLine], to campaign: UUID, app: String) throws(QueueError) -> QueueLinesAnswer
    /// Unless the campaign is so already, the audit gets the entry.
    func changeCampaign(
        _ campaign: UUID, app: String, _ change: QueueCampaignChange, audit: QueueAuditEntry?
    ) throws(QueueError) -> QueueCampaignAnswer
    func advanceCampaign(_ campaign: UUID, app: String, ahead: Int, limit: Int) throws(QueueError) -> Int
    func dropCampaigns(endedBefore duration: Duration, limit: Int) throws(QueueError) -> Int

    /// Takes the jobs of a lease that has ended from its worker; `nil` if there is no such lease.
    func recoverLease() throws(QueueError) -> QueueLeaseRecovery?
    func erasePayloads(finishedBefore duration: Duration, limit: Int) throws(QueueError) -> Int
    func dropFinished(before duration: Duration, limit: Int) throws(QueueError) -> Int
    func dropKeys(limit: Int) throws(QueueError) -> Int

    func recordGone(_ tokens: [GoneToken], app: String) throws(QueueError)
    func forgetGone(_ tokens: [String], app: String) throws(QueueError)

    func store(_ value: [UInt8], kind: String, key: String, ifVersion version: Int64?) throws(QueueError) -> Int64?
    func removeRecord(kind: String, key: String, ifVersion version: Int64?) throws(QueueError) -> Bool

    func note(_ entry: QueueAuditEntry) throws(QueueError)
}

/// What each backend reads with its own statements. ``QueueBackend`` says what each one promises.
package protocol QueueQueries {
    func counts() throws(QueueError) -> [String: QueueCounts]
    func jobs(_ ids: [UUID], app: String) throws(QueueError) -> [QueueJobRecord]
    func jobs(_ query: QueueJobQuery) throws(QueueError) -> QueuePage<QueueJobRecord>
    func history(of id: UUID, app: String) throws(QueueError) -> [QueueJobEvent]?
    func results(of apps: [String], after cursor: QueueResultCursor, limit: Int) throws(QueueError) -> QueueResultPage
    func resultsEnd() throws(QueueError) -> QueueResultCursor
    func contents(of ids: [UUID], app: String) throws(QueueError) -> [UUID: QueueJobContent]
    func newest(_ query: QueueNewestQuery) throws(QueueError) -> QueueNewestPage
    func tallies(
        of apps: [String], _ span: QueueTallySpan, since time: QueueTime, until end: QueueTime
    ) throws(QueueError) -> [QueueTally]
    func audit(of apps: [String]?, before number: Int64, limit: Int) throws(QueueError) -> [QueueAuditRecord]
    func nextDue(of apps: [String]) throws(QueueError) -> QueueTime?

    func activeCampaigns(now: QueueTime) throws(QueueError) -> [QueueCampaign]
    func campaign(_ id: UUID, app: String, now: QueueTime) throws(QueueError) -> QueueCampaign?
    func campaigns(
        app: String, after cursor: String?, limit: Int, now: QueueTime
    ) throws(QueueError) -> QueuePage<QueueCampaign>
    func outcomes(ofCampaign id: UUID, app: String) throws(QueueError) -> [QueueCampaignOutcome]
    func lines(_ query: QueueCampaignLineQuery) throws(QueueError) -> [QueueCampaignLineRecord]

    func gone(among tokens: [String], app: String) throws(QueueError) -> [GoneToken]
    func gone(app: String, after cursor: String?, limit: Int) throws(QueueError) -> QueuePage<GoneToken>
    func record(kind: String, key: String) throws(QueueError) -> QueueServiceRecord?
    func records(kind: String, after key: String?, limit: Int) throws(QueueError) -> [QueueServiceRecord]

    func seal() throws(QueueError) -> QueueSeal?
}
