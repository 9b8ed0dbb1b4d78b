internal import PushTime

/// Finds a connection that is much slower than the others: its address, or the route to it, may be worse. A pure value;
/// time is an argument.
struct SlowConnections: Equatable {
    /// A connection is slow if its answer time meets two conditions. First, it is more than this number of times the median
    /// of the others.
    static let ratio = 3
    /// Second, it is more than this time above the median.
    static let difference: Duration = .milliseconds(50)
    /// How long a connection must be slow without a break before it is replaced.
    static let patience: Duration = .seconds(3)
    /// The growth of the pauses between two replacements. It starts again at the first pause after a long time without a
    /// replacement.
    static let pauses = ExponentialBackoff(first: .seconds(30), longest: .seconds(1800))

    private var slowSince: [Int: MonotonicTime] = [:]
    private var notBefore = MonotonicTime(nanoseconds: 0)
    /// The number of replacements since the pauses started at the first one.
    private var replacements = 0

    /// - Returns: The number of the connection to replace; `nil` for none.
    mutating func observe(_ statistics: [ConnectionStatistics], now: MonotonicTime) -> Int? {
        let serving = statistics.filter { $0.isServing && $0.pace.answers > 0 }
        var slow: [Int: MonotonicTime] = [:]
        let times = serving.map { $0.answerTime(now: now) }.sorted()
        guard times.count > 1 else {
            slowSince = [:]
            return nil
        }
        for one in serving {
            let time = one.answerTime(now: now)
            // The median of all others.
            let middle =
                times[(times.count - 1) / 2] < time ? times[(times.count - 1) / 2] : times[(times.count + 1) / 2]
            guard one.inFlight > 0, time > middle * Self.ratio, time > middle + Self.difference else { continue }
            slow[one.number] = slowSince[one.number] ?? now
        }
        slowSince = slow
        guard now >= notBefore,
            let worst = slow.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            worst.value.duration(to: now) >= Self.patience
        else { return nil }
        slowSince[worst.key] = nil
        if notBefore.duration(to: now) > Self.pauses.pause(after: replacements) * 4 { replacements = 0 }
        notBefore = now.advanced(by: Self.pauses.pause(after: replacements))
        replacements += 1
        return worst.key
    }
}
