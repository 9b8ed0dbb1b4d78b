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
