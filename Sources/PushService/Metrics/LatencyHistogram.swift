/// Durations, counted in buckets.
struct LatencyHistogram: Sendable, Equatable {
    /// The upper limits of the buckets, in seconds.
    static let limits = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600,
    ]

    /// How many durations are in each bucket, and not in an earlier one; the last number is of those beyond all limits.
    private(set) var counts = [Int](repeating: 0, count: limits.count + 1)
    /// The sum of all durations, in seconds.
    private(set) var sum = 0.0

    /// Counts a duration.
    mutating func add(_ duration: Duration) {
        let seconds = max(duration / .seconds(1), 0)
        counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count] += 1
        sum += seconds
    }
}
