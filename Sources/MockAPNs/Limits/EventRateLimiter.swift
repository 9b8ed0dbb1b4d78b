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
