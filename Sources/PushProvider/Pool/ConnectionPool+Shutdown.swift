internal import NIOCore

/// The shutdown: finishes the notifications in the queue and in flight, and then closes the connections.
extension ConnectionPool {
    /// Accepts nothing more, finishes all notifications for `drainTime` at most, and fulfils the promise when nothing
    /// is left.
    func shutdown(drainTime: Duration, promise: EventLoopPromise<Void>?) {
        isShuttingDown = true
        itself = self
        if let promise { whenDrained.append(promise) }
        tellOfShutdown()
        drainTimer?.cancel()
        drainTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: drainTime)) {
            self.abandonEverything()
        }
        drainIfIdle()
        finishShutdownIfDrained()
    }

    /// During a shutdown, connections report each time that they take notifications: it may be the last time.
    func tellOfShutdown() {
        guard isShuttingDown else { return }
        for connection in connections { connection.perform { $0.tellsPulls = true } }
    }

    /// Closes the connections as soon as the queue is empty and their streams have ended.
    func drainIfIdle() {
        guard isShuttingDown, !intake.holdsAnything() else { return }
        for connection in connections { connection.perform { $0.drain() } }
    }

    func abandonEverything() {
        for send in intake.withdrawAll(closing: .shutdown) {
            finish(send, .shutdown, .queue, "the client was shut down before the notification was sent.")
        }
        let end = ConnectionFailure(phase: .queue, description: "the client was shut down.")
        for connection in connections { connection.perform { $0.fail(end) } }
        finishShutdownIfDrained()
    }

    func finishShutdownIfDrained() {
        guard isShuttingDown, connections.isEmpty, !intake.holdsAnything() else { return }
        for timer in [sweepTimer, connectTimer, drainTimer, watchTimer] { timer?.cancel() }
        published.diagnosis = .nothing(wanted: 0)
        for promise in whenDrained { promise.succeed() }
        whenDrained = []
        itself = nil
    }
}
