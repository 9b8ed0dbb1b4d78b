package import PushPlatform

/// Takes jobs in, and gives them to workers. Any number of workers can share a queue.
public protocol JobQueue: Sendable {
    /// Adds jobs to the queue.
    func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer

    /// Leases due jobs to a worker: each app gets its share of the limit, and the others get the part that it does not need. In an
    /// app, a higher priority goes first, then the earlier due time, then the order of the request. A job that several workers were lost
    /// with is claimed alone.
    func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob]

    /// Notes that jobs are about to be sent. Send only those for which the result is ``QueueLeaseResult/done``. The newest push of each
    /// ``QueueReplacement/key`` that was started is remembered for ``QueueOptions/keepKeys``.
    func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult]

    /// Gives jobs their outcome. If an earlier try may have reached Apple, not sent becomes unknown.
    func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult]

    /// Puts jobs back for another try. A job that expires before its due time ends as expired.
    func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult]

    /// Takes jobs from workers whose lease has ended: those not started wait again, and count an attempt. A started job ends as
    /// unknown if it is at-most-once, and otherwise waits again with its id. After ``QueueOptions/buryAfter`` lost workers a job is buried;
    /// from the third on, only those count that had it alone. A queue that knows for certain that the process of a worker has ended does
    /// not wait for its leases.
    func recoverLeases() async throws(QueueError) -> QueueLeaseRecovery

    /// Finishes the current steps, and closes the queue. Later calls fail.
    func close() async
}

extension JobQueue {
    /// Notes that jobs are about to be sent that replace no others.
    public func start(_ leases: [QueueJobLease]) async throws(QueueError) -> [QueueLeaseResult] {
        try await start(leases.map { QueueJobStart($0) })
    }
}

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
///
/// A backend has a type of ``QueueSteps`` and one of ``QueueQueries``, and runs them. Most calls are forwarded to one of these by the
/// extensions of this protocol. What a backend does in its own way is required here.
package protocol QueueBackend: JobQueue {
    /// Runs a step in a transaction, and returns when it is durable.
    func perform<Answer: Sendable>(_ step: QueueStep<Answer>) async throws(QueueError) -> Answer

    /// Reads what is committed.
    func query<Answer: Sendable>(
        _ read: @escaping @Sendable (any QueueQueries) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer

    /// The time of the clock of the backend.
    func now() async throws(QueueError) -> QueueTime

    /// Yields an element after a change. A backend may also report changes of other processes. Several changes may yield one
    /// element.
    func changes(of kind: QueueChange) -> AsyncStream<Void>

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

    /// Ends waiting jobs that have expired, at most a number of them. Returns how many.
    func expireOverdue(limit: Int) async throws(QueueError) -> Int

    /// Erases everything that concerns a device token: jobs in any state, keys that are the token, the keys of requests that
    /// only made such a job, and the note that it is gone. Returns the number of jobs. Without an app, it does so for all apps.
    func purge(token: String, app: String?) async throws(QueueError) -> Int

    /// Erases jobs of an app in any state, at most a number of them; after the last one also its keys and gone tokens.
    /// Returns the number of jobs.
    func purge(app: String, limit: Int) async throws(QueueError) -> Int

    /// What other programs do that makes the store slower; `nil` if no other program can.
    func storageLoad() async throws(QueueError) -> QueueStorageLoad?

    /// Whether a job can be stored: commits something, durably.
    func checkWriting() async throws(QueueError)
}

/// The options of a queue that all backends have.
public struct QueueOptions: Sendable {
    /// How long idempotency keys and dedupe keys are kept. A dedupe key is kept at least until its job has its outcome.
    public var keepKeys: Duration = .seconds(24 * 3600)
    /// How many lost workers bury a job.
    public var buryAfter = 10
    /// The maximum number of entries of the audit. Beyond it, upkeep drops the oldest of the key that has most, and of those the oldest of
    /// its most frequent action: so no key pushes out entries of another, nor what it rarely does with what it does all the time.
    package var maximumAuditEntries = 100_000
    /// The wall clock of the queue. Tests give their own.
    public var clock: @Sendable () -> QueueTime = { .now }
    /// How long the machine has run, by a clock that no one sets. It shows whether ``clock`` jumped. Tests give their own.
    public var uptime: @Sendable () -> Duration = { MachineClock.uptime() }
    /// A name that changes at each start of the machine, when ``uptime`` starts from 0. Tests set their own name.
    public var boot: String = MachineClock.boot

    /// Creates the default options.
    public init() {}
}

package enum QueueRedriveResult: Sendable, Hashable {
    /// A new job with this id waits.
    case queued(UUID)
    /// It was put into the queue again earlier, as the job with this id.
    case redriven(UUID)
    case notBuried
    /// Its payload was erased.
    case erased
    case unknownJob
}

/// A step that changes a queue: what it does in a transaction, and what a backend has to know before it begins.
package struct QueueStep<Answer: Sendable>: Sendable {
    package var grouping: StepGrouping
    /// The number of jobs that it adds.
    package var jobs: Int
    /// Whether it is a step of a worker, which goes before others.
    package var isOfWorker: Bool
    /// Does it. It can run several times, so it must change nothing but the transaction.
    package let run: @Sendable (any QueueSteps) throws(QueueError) -> Answer
}

extension QueueBackend {
    func work<Answer: Sendable>(
        _ grouping: StepGrouping, _ run: @escaping @Sendable (any QueueSteps) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await perform(QueueStep(grouping: grouping, jobs: 0, isOfWorker: true, run: run))
    }

    func change<Answer: Sendable>(
        _ grouping: StepGrouping = .alone, jobs: Int = 0,
        _ run: @escaping @Sendable (any QueueSteps) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await perform(QueueStep(grouping: grouping, jobs: jobs, isOfWorker: false, run: run))
    }
}
