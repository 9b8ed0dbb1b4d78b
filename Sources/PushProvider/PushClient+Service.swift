public import ServiceLifecycle

/// A client among the services of a process: it works before and without it, and drains when the process is to end.
extension PushClient: Service {
    /// Waits for a graceful shutdown, or for the cancellation of the task; then takes nothing more and waits until everything
    /// taken in has its outcome, at most ``PushConfiguration/drainTime``. What could not finish is logged.
    public func run() async throws {
        // Cancelled it ends in the same way.
        try? await gracefulShutdown()
        await shutdown()
    }
}
