/// Counts what a client does on one connection, and says when it has gone too far.
///
/// Times are arguments, in nanoseconds since any beginning.
struct ConnectionWatch {
    private let limits: MockLimits
    private var resets: TokenBucket?
    private var idleFrames: TokenBucket?
    /// The newest stream at the last look for unfinished ones.
    private var newestStream: Int32 = 0
    private var oldestUnread: Int32?

    init(_ limits: MockLimits, now: UInt64) {
        self.limits = limits
        resets = Self.bucket(limits.resetsAtOnce, limits.resetsPerSecond, now)
        idleFrames = Self.bucket(limits.idleFramesAtOnce, limits.idleFramesPerSecond, now)
    }

    /// Where one of the two is lifted, both are.
    private static func bucket(_ atOnce: Int?, _ perSecond: Int?, _ now: UInt64) -> TokenBucket? {
        guard let atOnce, let perSecond else { return nil }
        return TokenBucket(size: atOnce, perSecond: perSecond, now: now)
    }

    /// Frames have come that cost the client little and the mock more.
    ///
    /// - Parameters:
    ///   - count: How many streams were reset, by the client or because of what it sent.
    ///   - idleCount: How many frames had no use.
    ///   - now: The time.
    /// - Returns: The limit that the client has gone beyond.
    mutating func came(resets count: Int, idleFrames idleCount: Int, at now: UInt64) -> LimitReached? {
        if count > 0, resets?.take(count, at: now) == false {
            return LimitReached(.resetsPerSecond, in: limits)
        }
        if idleCount > 0, idleFrames?.take(idleCount, at: now) == false {
            return LimitReached(.idleFramesPerSecond, in: limits)
        }
        return nil
    }

    /// It is looked for requests that are not whole, as is done every ``MockLimits/requestTime``: one that was there at the
    /// look before has taken longer than it may.
    mutating func looked(unfinished: Int32?, newest: Int32) -> LimitReached? {
        defer { newestStream = newest }
        guard let unfinished, unfinished <= newestStream else { return nil }
        return LimitReached(.requestTime, in: limits)
    }

    /// The same for answers, every ``MockLimits/unreadTime``.
    mutating func looked(unread: Int32?) -> LimitReached? {
        defer { oldestUnread = unread }
        return unread != nil && unread == oldestUnread ? LimitReached(.unreadTime, in: limits) : nil
    }
}
