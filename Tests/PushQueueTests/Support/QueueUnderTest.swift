import PushQueue

/// Makes queues of one backend for the conformance suite and the model suite. Each is used for one test.
struct QueueUnderTest: Sendable {
    /// The clock of the queues.
    let clock: ManualClock
    /// Opens a new, empty queue.
    let open: @Sendable (QueueOptions) async throws -> any QueueBackend
    /// Whether the backend knows that the process of a worker has ended, so that its leases need not run out.
    let knowsEndedProcesses: Bool
    /// Opens the queue as another process would find it if this one were killed now.
    let reopenAfterKill: @Sendable (any QueueBackend, QueueOptions) async throws -> any QueueBackend

    /// The usual options with the manual clock, for the time until the machine is started again.
    var options: QueueOptions {
        var options = QueueOptions()
        let clock = clock
        options.clock = { clock.now }
        options.uptime = { clock.uptime }
        options.boot = clock.boot
        return options
    }
}
