internal import PushProvider

/// Limits how many pushes of an app are sent in a second: a token bucket. A pure value.
struct PushRateLimiter: Equatable {
    /// How many pushes may be sent in a second.
    private(set) var rate: Double
    /// How many pushes may be sent at once after a pause: those of a tenth of a second.
    private var capacity: Double
    private var tokens: Double
    private var time: MonotonicTime

    /// - Parameters:
    ///   - rate: How many pushes may be sent in a second: above 0.
    ///   - now: The current time.
    ///   - isFull: Whether the bucket begins full, or empty.
    init(rate: Double, now: MonotonicTime, isFull: Bool = true) {
        self.rate = rate
        capacity = Self.capacity(rate)
        tokens = isFull ? capacity : 0
        time = now
    }

    private static func capacity(_ rate: Double) -> Double { max(1, rate / 10) }

    /// Changes the rate from now on. A higher rate gives nothing for the time before.
    mutating func change(to rate: Double, at now: MonotonicTime) {
        let level = level(at: now)
        (self.rate, capacity) = (rate, Self.capacity(rate))
        tokens = min(level, capacity)
        time = max(time, now)
    }

    func available(at now: MonotonicTime) -> Int {
        Int(level(at: now))
    }

    mutating func take(_ count: Int, at now: MonotonicTime) {
        tokens = level(at: now) - Double(count)
        time = max(time, now)
    }

    /// When the next pushes may be sent, at the earliest. Several are sent together, so that each group costs less.
    func nextTime(after now: MonotonicTime) -> MonotonicTime {
        let missing = max(1, capacity / 5) - level(at: now)
        return missing > 0 ? now.advanced(by: .seconds(missing / rate)) : now
    }

    private func level(at now: MonotonicTime) -> Double {
        let (seconds, attoseconds) = time.duration(to: now).components
        return min(capacity, tokens + rate * (Double(seconds) + Double(attoseconds) / 1e18))
    }
}
