/// Allows so many at once, and so many each second after that.
struct TokenBucket: Equatable {
    private let size: Double
    private let perNanosecond: Double
    private var left: Double
    private var filledAt: UInt64

    /// - Parameters:
    ///   - size: How many at once; it is full at the beginning.
    ///   - perSecond: How many come back each second.
    ///   - now: The time, in nanoseconds since any beginning.
    init(size: Int, perSecond: Int, now: UInt64) {
        self.size = Double(size)
        perNanosecond = Double(perSecond) / 1e9
        left = self.size
        filledAt = now
    }

    /// - Returns: Whether there were as many; if not, it is empty now.
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
