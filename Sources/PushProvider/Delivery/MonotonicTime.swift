/// A point on a clock that never goes back, in nanoseconds from an unknown beginning.
struct MonotonicTime: Hashable, Comparable, Sendable {
    var nanoseconds: UInt64

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// A time that never comes.
    static let never = MonotonicTime(nanoseconds: .max)

    func advanced(by duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let step = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        guard step > 0 else { return self }
        let room = Double(UInt64.max - nanoseconds)
        return step >= room ? .never : MonotonicTime(nanoseconds: nanoseconds + UInt64(step))
    }

    func duration(to later: MonotonicTime) -> Duration {
        later > self ? .nanoseconds(Int64(clamping: later.nanoseconds - nanoseconds)) : .zero
    }
}
