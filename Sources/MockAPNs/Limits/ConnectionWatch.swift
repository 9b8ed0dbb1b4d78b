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
