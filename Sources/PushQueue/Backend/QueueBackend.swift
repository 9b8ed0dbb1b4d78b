public import PushPlatform

/// A durable queue of pushes.
///
/// When a method returns, its changes are durable. Any number of processes may use the same queue. All times are those of the
/// wall clock of the backend.
///
/// If the wall clock jumps by more than two seconds, durations keep their remaining time. A steady clock, which never
/// jumps, measures leases, reservations, idempotency keys, dedupe keys, and the age of finished jobs. Retries after a
/// duration, jobs that are due at once, and their expiry after a duration move with the jump. So a jump does not take a job from a
/// live worker, and does not accept a request twice. Points in time follow the wall clock, by intent: ``NewQueueJob/Due/at(_:)``,
/// ``NewQueueJob/Expiry/at(_:)``, ``QueueJobRetry/Due/at(_:)``, and an expiry after such a due time. A jump forward past the expiry ends the
/// job.
///
/// While the machine sleeps, the steady clock stands still, because no worker can work. After a restart of the machine,
/// the wall clock shows how long it was off. Leases from before the restart expire like others. The queue does not end
/// them earlier, because a wrong guess about a restart would take jobs from live workers.
///
/// A worker claims jobs, starts them before it writes the first byte, and completes them or retries them. Each step is
/// checked against the fence of the lease, for each job: a worker that lost its lease cannot change the job any more.
///
/// Any name can be an app. The app is created when it is used for the first time.
public protocol QueueBackend: Sendable {
    /// The time of the clock of the backend.
    func now() async throws(QueueError) -> QueueTime

    // MARK: Taking in

    /// Adds jobs to the queue.
    func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer

    /// Reserves an idempotency key while its request is being read. The reservation ends by itself after a duration.
    func reserve(_ key: QueueIdempotencyKey, app: String, lasting: Duration) async throws(QueueError)
        -> QueueReservationAnswer

    /// Stores the answer to the request of a reserved key. Returns whether the reservation still held. An answer of more than
    /// ``QueueReservation/longestAnswer`` bytes is refused with the error ``QueueError/Code/tooLarge``, and the key stays reserved.
    func settle(
        _ key: QueueIdempotencyKey, app: String, reservation: QueueReservation, answer: [UInt8]
    ) async throws(QueueError) -> Bool

    /// Gives a reservation up: the key is as if it had never been used.
    func release(_ key: QueueIdempotencyKey, app: String, reservation: QueueReservation) async throws(QueueError)

    // MARK: Working

    /// Leases due jobs to a worker: each app gets its share of the limit, and the others get the part that it does not need. In an
    /// app, a higher priority goes first, then the earlier due time, then the order of the request. A job that several workers were lost
    /// with is claimed alone.
    func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob]

    /// Makes leases end a duration from now. All jobs of a claim share its lease.
    func extend(_ leases: [QueueJobLease], by duration: Duration) async throws(QueueError) -> [QueueLeaseResult]

    /// Gives back jobs that were not started: they wait again. This does not count as an attempt.
    func giveBack(_ leases: [QueueJobLease]) async throws(QueueError) -> [QueueLeaseResult]

    /// Notes that jobs are about to be sent. Send only those for which the result is ``QueueLeaseResult/done``. The newest push of each
    /// ``QueueReplacement/key`` that was started is remembered for ``QueueOptions/keepKeys``.
    func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult]

    /// Gives jobs their outcome. If an earlier try may have reached Apple, not sent becomes unknown.
    func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult]

    /// Puts jobs back for another try. A job that expires before its due time ends as expired.
    func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult]

    // MARK: Operating

    /// Cancels jobs of an app that have not been started.
    func cancel(_ ids: [UUID], app: String) async throws(QueueError) -> [QueueStopResult]

    /// Cancels waiting jobs of an app, and its campaigns that run or are paused, at most a number of jobs. Returns how many were
    /// cancelled.
    func cancelAll(app: String, limit: Int) async throws(QueueError) -> Int

    /// Ends jobs of an app that have not been started as dead letters.
    func bury(_ ids: [UUID], app: String, detail: String) async throws(QueueError) -> [QueueStopResult]

    /// Puts dead letters of an app into the queue again, as new jobs. Each is due at once, or at its delivery time if that lies ahead and the
    /// new job does not expire before. Each keeps the place of the first one in the order of ``QueueReplacement``.
    func redrive(_ ids: [UUID], app: String, expiry: NewQueueJob.Expiry) async throws(QueueError)
        -> [QueueRedriveResult]

    // MARK: Campaigns

    /// Makes a campaign without lines.
    func createCampaign(_ campaign: NewQueueCampaign) async throws(QueueError) -> QueueCampaignCreation

    /// Takes lines into a campaign, which are held. A line that the campaign has already is ignored, so the same lines can be
    /// given twice, also when the campaign is closed. If it has another line of the same number, nothing is added.
    func addLines(_ lines: [QueueCampaignLine], to campaign: UUID, app: String) async throws(QueueError)
        -> QueueLinesAnswer

    /// Changes a campaign.
    func changeCampaign(
        _ campaign: UUID, app: String, _ change: QueueCampaignChange
    ) async throws(QueueError) -> QueueCampaignAnswer

    /// Does the next step of a campaign. A running campaign releases its next lines, within its rate: held jobs become waiting. At most
    /// `ahead` released lines have no outcome yet. A cancelled or expired campaign ends lines. Any number of workers may call it:
    /// together they keep the rate.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - app: The app.
    ///   - ahead: The maximum number of released lines without an outcome.
    ///   - limit: The maximum number of lines in this step.
    /// - Returns: The number of lines that changed.
    /// - Throws: ``QueueError`` if the queue cannot be written. Nothing has changed then.
    func advanceCampaign(
        _ campaign: UUID, app: String, ahead: Int, limit: Int
    ) async throws(QueueError) -> Int

    /// The campaigns that were started and have not ended, of all apps, without their settings.
    func activeCampaigns() async throws(QueueError) -> [QueueCampaign]

    /// A campaign of an app; `nil` if there is none.
    func campaign(_ campaign: UUID, app: String) async throws(QueueError) -> QueueCampaign?

    /// The campaigns of an app, the newest first.
    func campaigns(app: String, after cursor: String?, limit: Int) async throws(QueueError) -> QueuePage<QueueCampaign>

    /// How the lines of a campaign ended, the most frequent outcome first. It is fast for any number of lines.
    func outcomes(ofCampaign campaign: UUID, app: String) async throws(QueueError) -> [QueueCampaignOutcome]

    /// Lines of a campaign in the order of their numbers.
    func lines(_ query: QueueCampaignLineQuery) async throws(QueueError) -> [QueueCampaignLineRecord]

    /// Drops campaigns that ended a duration ago, and whose jobs are dropped, at most a number of lines. Cancels drafts that were made a
    /// duration ago and not started. Returns how many lines and campaigns were dropped.
    func dropCampaigns(endedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int

    // MARK: Reading

    /// How many jobs each app has.
    func counts() async throws(QueueError) -> [String: QueueCounts]

    /// Finds jobs of an app by their ids. Jobs that do not exist are left out.
    func jobs(_ ids: [UUID], app: String) async throws(QueueError) -> [QueueJobRecord]

    /// Lists jobs of an app. The order is stable; a cursor is valid for ever.
    func jobs(_ query: QueueJobQuery) async throws(QueueError) -> QueuePage<QueueJobRecord>

    /// What happened to a job of an app, the earliest first; `nil` if there is no such job.
    func history(of id: UUID, app: String) async throws(QueueError) -> [QueueJobEvent]?

    /// The outcomes of apps after a cursor, in the order in which they were committed. It never passes an outcome that is
    /// not committed yet.
    func results(
        of apps: [String], after cursor: QueueResultCursor, limit: Int
    ) async throws(QueueError) -> QueueResultPage

    /// The cursor after all outcomes of all apps that are committed now.
    func resultsEnd() async throws(QueueError) -> QueueResultCursor

    /// The earliest due time of a waiting job of these apps; `nil` if no job waits.
    func nextDue(of apps: [String]) async throws(QueueError) -> QueueTime?

    /// Yields an element after a change. A backend may also report changes of other processes. Several changes may yield one
    /// element.
    func changes(of kind: QueueChange) -> AsyncStream<Void>

    // MARK: Upkeep, in slices that do not keep others waiting

    /// Ends waiting jobs that have expired, at most a number of them. Returns how many.
    func expireOverdue(limit: Int) async throws(QueueError) -> Int

    /// Takes jobs from workers whose lease has ended: those not started wait again, and count an attempt. A started job ends as
    /// unknown if it is at-most-once, and otherwise waits again with its id. After ``QueueOptions/buryAfter`` lost workers a job is buried;
    /// from the third on, only those count that had it alone. A backend that knows for certain that the process of a worker has ended does
    /// not wait for its leases.
    func recoverLeases() async throws(QueueError) -> QueueLeaseRecovery

    /// Erases payloads and variables of jobs that finished a duration ago, at most a number of jobs. Returns how many.
    func erasePayloads(finishedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int

    /// Drops jobs that finished a duration ago, at most a number of them. Returns how many.
    func dropFinished(before duration: Duration, limit: Int) async throws(QueueError) -> Int

    /// Drops keys that are no longer needed, at most a number of them. Returns how many.
    func dropKeys(limit: Int) async throws(QueueError) -> Int

    /// Erases everything that concerns a device token: jobs in any state, keys that are the token, the keys of requests that
    /// only made such a job, and the note that it is gone. Returns the number of jobs. Without an app, it does so for all apps.
    func purge(token: String, app: String?) async throws(QueueError) -> Int

    /// Erases jobs of an app in any state, at most a number of them; after the last one also its keys and gone tokens.
    /// Returns the number of jobs.
    func purge(app: String, limit: Int) async throws(QueueError) -> Int

    // MARK: Tokens that are gone

    /// Notes that device tokens are gone. A later time replaces an earlier one.
    func recordGone(_ tokens: [GoneToken], app: String) async throws(QueueError)

    /// Which of the device tokens are gone.
    func gone(among tokens: [String], app: String) async throws(QueueError) -> [GoneToken]

    /// The gone tokens of an app, in the order in which they were stored. The last page also has a cursor, for tokens that are stored
    /// later. The cursor is `nil` only if no token was ever stored.
    func gone(app: String, after cursor: String?, limit: Int) async throws(QueueError) -> QueuePage<GoneToken>

    /// Removes device tokens from the gone ones, because they were registered again.
    func forgetGone(_ tokens: [String], app: String) async throws(QueueError)

    // MARK: Records of the service

    /// Stores a record, if its version is still the given one; 0 means that there is none yet, `nil` any. A value of more than
    /// ``QueueServiceRecord/longestValue`` bytes is refused with the error ``QueueError/Code/tooLarge``.
    ///
    /// - Returns: The new version; `nil` if the version is another one.
    func store(
        _ value: [UInt8], kind: String, key: String, ifVersion version: Int64?
    ) async throws(QueueError) -> Int64?

    /// A record; `nil` if there is none.
    func record(kind: String, key: String) async throws(QueueError) -> QueueServiceRecord?

    /// The records of a kind, in the order of their keys.
    func records(kind: String, after key: String?, limit: Int) async throws(QueueError) -> [QueueServiceRecord]

    /// Removes a record, if its version is still the given one; `nil` means any. Returns whether it was removed.
    func removeRecord(kind: String, key: String, ifVersion version: Int64?) async throws(QueueError) -> Bool

    // MARK: Life

    /// What other programs do that makes the store slower; `nil` if no other program can.
    func storageLoad() async throws(QueueError) -> QueueStorageLoad?

    /// Whether a job can be stored: commits something, durably.
    func checkWriting() async throws(QueueError)

    /// Finishes the current steps, and closes the queue. Later calls fail.
    func close() async
}

extension QueueBackend {
    /// Notes that jobs are about to be sent that replace no others.
    public func start(_ leases: [QueueJobLease]) async throws(QueueError) -> [QueueLeaseResult] {
        try await start(leases.map { QueueJobStart($0) })
    }

    /// `nil`: no other program makes the store slower.
    public func storageLoad() async throws(QueueError) -> QueueStorageLoad? { nil }
}

/// The options of a queue that all backends have.
public struct QueueOptions: Sendable {
    /// How long idempotency keys and dedupe keys are kept. A dedupe key is kept at least until its job has its outcome.
    public var keepKeys: Duration = .seconds(24 * 3600)
    /// How many lost workers bury a job.
    public var buryAfter = 10
    /// The wall clock of the queue. Tests give their own.
    public var clock: @Sendable () -> QueueTime = { .now }
    /// How long the machine has run, by a clock that no one sets. It shows whether ``clock`` jumped. Tests give their own.
    public var uptime: @Sendable () -> Duration = { MachineClock.uptime() }
    /// A name that changes at each start of the machine, when ``uptime`` starts from 0. Tests set their own name.
    public var boot: String = MachineClock.boot

    /// Creates the usual options.
    public init() {}
}

/// The result of putting a dead letter into the queue again.
public enum QueueRedriveResult: Sendable, Hashable {
    /// A new job with this id waits.
    case queued(UUID)
    /// It was put into the queue again earlier, as the job with this id.
    case redriven(UUID)
    /// The job is not a dead letter.
    case notBuried
    /// Its payload was erased.
    case erased
    /// The app has no such job.
    case unknownJob
}
