public import ServiceLifecycle

/// A client as a service of a process. It can send before `run()` and without it, and drains when the process shuts
/// down.
extension PushClient: Service {
    /// Waits for a graceful shutdown, or for the cancellation of the task. Then the client accepts no more
    /// notifications and waits until every notification in the queue or in flight has its outcome, for
    /// ``PushConfiguration/drainTime`` at most. Unfinished notifications are logged.
    public func run() async throws {
        // A cancellation ends the client in the same way.
        try? await gracefulShutdown()
        await shutdown()
    }
}
