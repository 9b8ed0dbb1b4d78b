internal import NIOCore

/// Acts once when a connection has been idle for a time. Use it only on one event loop.
final class IdleTimer {
    private let eventLoop: any EventLoop
    private let time: TimeAmount
    private let isBusy: () -> Bool
    private let act: () -> Void
    private var lastUse = NIODeadline.now()
    private var timer: Scheduled<Void>?

    /// Starts the timer.
    ///
    /// - Parameters:
    ///   - time: How long the connection must be idle.
    ///   - eventLoop: The event loop of the connection.
    ///   - isBusy: Whether the connection is in use now.
    ///   - act: What happens then.
    init(_ time: Duration, on eventLoop: any EventLoop, isBusy: @escaping () -> Bool, act: @escaping () -> Void) {
        self.time = TimeAmount(time)
        self.eventLoop = eventLoop
        self.isBusy = isBusy
        self.act = act
        schedule(in: self.time)
    }

    /// The connection was in use now.
    func used() { lastUse = .now() }

    /// Stops the timer.
    func cancel() { timer?.cancel() }

    private func schedule(in rest: TimeAmount) {
        timer = eventLoop.assumeIsolated().scheduleTask(in: rest) { [weak self] in self?.check() }
    }

    private func check() {
        if isBusy() {
            used()
            return schedule(in: max(time, .milliseconds(1)))
        }
        let rest = lastUse + time - .now()
        if rest > .zero { schedule(in: rest) } else { act() }
    }
}
