internal import NIOCore

/// Counts what a client does on one connection, and reports when it exceeds a limit.
///
/// Times are arguments, in nanoseconds from any fixed origin.
struct ConnectionWatch {
    private let limits: MockLimits
    private var resets: EventRateLimiter?
    private var idleFrames: EventRateLimiter?
    /// The newest stream at the last check for incomplete requests.
    private var newestStream: Int32 = 0
    private var oldestUnread: Int32?

    init(_ limits: MockLimits, now: UInt64) {
        self.limits = limits
        resets = Self.bucket(limits.resetsAtOnce, limits.resetsPerSecond, now)
        idleFrames = Self.bucket(limits.idleFramesAtOnce, limits.idleFramesPerSecond, now)
    }

    /// If one of the two limits is `nil`, neither applies.
    private static func bucket(_ atOnce: Int?, _ perSecond: Int?, _ now: UInt64) -> EventRateLimiter? {
        guard let atOnce, let perSecond else { return nil }
        return EventRateLimiter(size: atOnce, perSecond: perSecond, now: now)
    }

    /// Counts frames that cost the mock more than the client.
    ///
    /// - Parameters:
    ///   - count: The number of streams that were reset, by the client or because of what it sent.
    ///   - idleCount: The number of idle frames.
    ///   - now: The time.
    /// - Returns: The limit that the client has exceeded.
    mutating func came(resets count: Int, idleFrames idleCount: Int, at now: UInt64) -> LimitExceeded? {
        if count > 0, resets?.take(count, at: now) == false {
            return LimitExceeded(.resetsPerSecond, in: limits)
        }
        if idleCount > 0, idleFrames?.take(idleCount, at: now) == false {
            return LimitExceeded(.idleFramesPerSecond, in: limits)
        }
        return nil
    }

    /// Checks for incomplete requests, every ``MockLimits/requestTime``. A request that was already incomplete at the previous
    /// check has exceeded the limit.
    mutating func checked(unfinished: Int32?, newest: Int32) -> LimitExceeded? {
        defer { newestStream = newest }
        guard let unfinished, unfinished <= newestStream else { return nil }
        return LimitExceeded(.requestTime, in: limits)
    }

    /// Checks for unread answers, every ``MockLimits/unreadTime``.
    mutating func checked(unread: Int32?) -> LimitExceeded? {
        defer { oldestUnread = unread }
        return unread != nil && unread == oldestUnread ? LimitExceeded(.unreadTime, in: limits) : nil
    }
}

/// Limits how many events of a kind happen in a second: a token bucket, which allows a burst and a rate after it.
struct EventRateLimiter: Equatable {
    private let size: Double
    private let perNanosecond: Double
    private var left: Double
    private var filledAt: UInt64

    /// - Parameters:
    ///   - size: The size of a burst. The bucket is full at the beginning.
    ///   - perSecond: The refill rate per second.
    ///   - now: The time, in nanoseconds from any fixed origin.
    init(size: Int, perSecond: Int, now: UInt64) {
        self.size = Double(size)
        perNanosecond = Double(perSecond) / 1e9
        left = self.size
        filledAt = now
    }

    /// - Returns: Whether the bucket had enough tokens. If not, it is empty now.
    mutating func take(_ count: Int, at now: UInt64) -> Bool {
        if now > filledAt {
            left = min(size, left + Double(now - filledAt) * perNanosecond)
            filledAt = now
        }
        left -= Double(count)
        guard left < 0 else { return true }
        left = 0
        return false
    }
}

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

    func used() { lastUse = .now() }

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
