import NIOConcurrencyHelpers

/// How much each key has used: a bucket of tokens for each key, which fills steadily up to one second's worth.
final class KeyRates: Sendable {
    private struct Bucket {
        var tokens: Double
        /// How many refused requests can still get back what they have taken. It fills like the tokens.
        var returns: Double
        var filled: ContinuousClock.Instant
    }

    /// Buckets that are full again are dropped when there are more.
    private static let maximumBuckets = 10_000

    private let rate: Double?
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let buckets = NIOLockedValueBox<[String: Bucket]>([:])

    init(perSecond rate: Double?, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.rate, self.clock) = (rate, clock)
    }

    /// How many tokens a key gets in a second, and at most has; `nil` for no limit.
    var limit: Int? { rate.map { max(Int($0), 1) } }

    /// How many tokens a key has now: none while it is in debt. `nil` for no limit.
    func remaining(of key: String) -> Int? {
        guard let rate else { return nil }
        let (now, size) = (clock(), max(rate, 1))
        return buckets.withLockedValue { buckets in
            guard let bucket = buckets[key] else { return Int(size) }
            return Int(min(max(bucket.tokens + rate * ((now - bucket.filled) / .seconds(1)), 0), size))
        }
    }

    /// Takes a number of tokens of a key: all of them, or no token.
    ///
    /// A number that no bucket holds is taken from a full bucket, which is then in debt. So a large array is possible at
    /// any rate.
    ///
    /// - Parameters:
    ///   - count: How many tokens.
    ///   - key: The key.
    ///   - taken: How many tokens the request has taken before. The decision is as if it took all of them now. A refused request gets them
    ///     back, so that two large requests at the same time do not refuse each other. Beyond the rate, refused requests get nothing back.
    /// - Returns: `nil` if they were taken; otherwise the seconds until the whole request can be repeated, if nothing else uses the key.
    func take(_ count: Int, of key: String, after taken: Int = 0) -> Double? {
        guard let rate else { return nil }
        let (now, size) = (clock(), max(rate, 1))
        let needed = min(Double(count + taken), size)
        return buckets.withLockedValue { buckets in
            var bucket = buckets[key] ?? Bucket(tokens: size, returns: size, filled: now)
            let new = rate * ((now - bucket.filled) / .seconds(1))
            bucket.tokens = min(size, bucket.tokens + new)
            bucket.returns = min(size, bucket.returns + new)
            bucket.filled = now
            let isPossible = needed <= bucket.tokens + Double(taken)
            if isPossible {
                bucket.tokens -= Double(count)
            } else if taken > 0, bucket.returns >= 1 {
                bucket.returns -= 1
                bucket.tokens += Double(taken)
            }
            if buckets.count >= Self.maximumBuckets {
                buckets = buckets.filter { $0.value.tokens + rate * ((now - $0.value.filled) / .seconds(1)) < size }
            }
            buckets[key] = bucket
            return isPossible ? nil : (needed - bucket.tokens) / rate
        }
    }
}
