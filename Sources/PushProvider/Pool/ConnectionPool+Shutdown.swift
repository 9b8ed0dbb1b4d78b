internal import NIOCore

struct PoolShutdown {
    var isOn = false
    /// Ends the shutdown when its time has passed.
    var timer: Scheduled<Void>?
    var whenDrained: [EventLoopPromise<Void>] = []
    /// Keeps the pool alive during the shutdown.
    var pool: ConnectionPool?
}

/// The shutdown: finishes the notifications in the queue and in flight, and then closes the connections.
extension ConnectionPool {
    /// Accepts nothing more, finishes all notifications for `drainTime` at most, and fulfils the promise when nothing
    /// is left.
    func shutdown(drainTime: Duration, promise: EventLoopPromise<Void>?) {
        ending.isOn = true
        ending.pool = self
        if let promise { ending.whenDrained.append(promise) }
        reportPulls()
        ending.timer?.cancel()
        ending.timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: drainTime)) {
            self.abandonEverything()
        }
        drainIfIdle()
        finishShutdownIfDrained()
    }

    /// During a shutdown, connections report each time that they take notifications: it may be the last time.
    func reportPulls() {
        guard ending.isOn else { return }
        for connection in connections { connection.handle.perform { $0.reportsPulls = true } }
    }

    /// Closes the connections as soon as the queue is empty and their streams have ended.
    func drainIfIdle() {
        guard ending.isOn, !intake.holdsAnything() else { return }
        for connection in connections { connection.handle.perform { $0.drain() } }
    }

    func abandonEverything() {
        // The queue accepts no more.
        for send in intake.withdrawAll(closing: .shutdown) {
            finish(send, .shutdown, .queue, "the client was shut down before the notification was sent.")
        }
        let end = ConnectionFailure(phase: .queue, description: "the client was shut down.")
        for connection in connections { connection.handle.perform { $0.fail(end) } }
        finishShutdownIfDrained()
    }

    func finishShutdownIfDrained() {
        guard ending.isOn, connections.isEmpty, !intake.holdsAnything() else { return }
        sweepTimer.cancel()
        for timer in [connectTimer, ending.timer, checks.timer] { timer?.cancel() }
        watch.growth.limit(to: 0)
        published.view = PoolView(watch: watch)
        for promise in ending.whenDrained { promise.succeed() }
        ending.whenDrained = []
        ending.pool = nil
    }
}
