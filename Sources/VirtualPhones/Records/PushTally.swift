package import PushPlatform

/// How many pushes arrived lately, in short spans of time.
package struct PushTally: Sendable {
    /// One span of time.
    package struct Span: Sendable, Hashable {
        /// How many pushes arrived.
        package var all = 0
        /// How many of them were rejected.
        package var rejected = 0
    }

    /// The length of a span, in seconds.
    package static let spanLength = 7.5
    /// The number of spans.
    package static let spanCount = 40

    /// The spans by their number since 1970. Only the newest are kept.
    private var spans: [Int: Span] = [:]

    mutating func add(_ count: Int = 1, rejected: Int = 0, at time: Date) {
        let number = Self.number(of: time)
        spans[number, default: Span()].all += count
        spans[number, default: Span()].rejected += rejected
        guard spans.count > 2 * Self.spanCount else { return }
        spans = spans.filter { abs($0.key - number) <= Self.spanCount }
    }

    /// The spans until now, oldest first.
    package func spans(until now: Date) -> [Span] {
        let last = Self.number(of: now)
        return ((last - Self.spanCount + 1)...last).map { spans[$0] ?? Span() }
    }

    private static func number(of time: Date) -> Int { Int((time.timeIntervalSince1970 / spanLength).rounded(.down)) }
}
