/// Computes when the next line may be sent, at a fixed rate. A pure value.
struct RatePace: Equatable {
    /// The time between two lines, in nanoseconds.
    private let interval: Double
    /// When the next line is due, on the clock of the caller.
    private var due: Double?

    /// The maximum lag in nanoseconds. Time lost beyond it is not made up, so that a pause is not followed by a burst.
    private static let longestLag = 50_000_000.0

    init(perSecond rate: Double) {
        // The cap is about ten years, in effect never. A rate of 0 means no limit.
        interval = rate > 0 ? min(1e9 / rate, 3e17) : 0
    }

    /// Returns how long the next line has to wait, in nanoseconds.
    mutating func wait(now: Int64) -> Int64 {
        let now = Double(now)
        let time = max(due ?? now, now - Self.longestLag)
        due = time + interval
        return Int64(min(max(0, time - now), 9e18))
    }
}
