package import PushQueue
package import PushQueuePostgres

/// Makes queues of one backend for the conformance suite and the model suite. Each is used for one test.
package struct QueueUnderTest: Sendable {
    /// The clock of the queues.
    package let clock: ManualClock
    /// Opens a new, empty queue.
    package let open: @Sendable (QueueOptions) async throws -> any QueueBackend
    /// Whether the backend knows that the process of a worker has ended, so that its leases need not run out.
    package let knowsEndedProcesses: Bool
    /// Opens the queue as another process would find it if this one were killed now.
    package let reopenAfterKill: @Sendable (any QueueBackend, QueueOptions) async throws -> any QueueBackend

    package init(
        clock: ManualClock, open: @escaping @Sendable (QueueOptions) async throws -> any QueueBackend,
        knowsEndedProcesses: Bool,
        reopenAfterKill: @escaping @Sendable (any QueueBackend, QueueOptions) async throws -> any QueueBackend
    ) {
        (self.clock, self.open, self.knowsEndedProcesses) = (clock, open, knowsEndedProcesses)
        self.reopenAfterKill = reopenAfterKill
    }

    /// The usual options with the manual clock, for the time until the machine is started again.
    package var options: QueueOptions {
        var options = QueueOptions()
        let clock = clock
        options.clock = { clock.now }
        options.uptime = { clock.uptime }
        options.boot = clock.boot
        return options
    }
}

extension PostgresQueue.Options {
    /// Options whose limits no test reaches, even on a busy machine. A test of a limit sets only that one.
    package static var patient: PostgresQueue.Options {
        var options = PostgresQueue.Options()
        (options.connectTime, options.statementTime) = (.seconds(300), .seconds(300))
        (options.confirmTime, options.lockTime) = (.seconds(300), .seconds(200))
        (options.stepTime, options.checkTime) = (.seconds(3600), .seconds(300))
        return options
    }
}
