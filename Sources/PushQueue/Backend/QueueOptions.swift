/// How a queue behaves, whatever its backend is.
public struct QueueOptions: Sendable {
    /// How long idempotency keys and dedupe keys are kept. A dedupe key is kept at least until its job has its outcome.
    public var keepKeys: Duration = .seconds(24 * 3600)
    /// How many lost workers bury a job.
    public var buryAfter = 10
    /// The clock of the queue. Tests give their own.
    public var clock: @Sendable () -> QueueTime = { .now }

    /// Creates the usual options.
    public init() {}
}
