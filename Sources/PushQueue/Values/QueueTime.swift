public import PushPlatform

/// A point in time by the clock of a queue, in whole milliseconds since 1970.
public struct QueueTime: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// Creates a time from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates a time from a date. Fractions of a millisecond are cut off; a date out of range becomes the nearest time.
    public init(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1000).rounded(.down)
        milliseconds = Int64(max(Double(Self.earliest.milliseconds), min(exact, Double(Self.latest.milliseconds))))
    }

    /// 1970-01-01. A queue takes no earlier time.
    public static let earliest = QueueTime(milliseconds: 0)
    /// The year 2109. A queue takes no later time.
    public static let latest = QueueTime(milliseconds: (1 << 42) - 1)

    /// The time of the system's clock.
    public static var now: QueueTime { QueueTime(Date()) }

    /// The time as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Whether a queue takes this time.
    public var isInRange: Bool { (Self.earliest...Self.latest).contains(self) }

    /// Whether a time is earlier than another one.
    public static func < (left: QueueTime, right: QueueTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time after a duration. It stays between ``earliest`` and ``latest``.
    public static func + (time: QueueTime, duration: Duration) -> QueueTime {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        if overflow { return duration < .zero ? earliest : latest }
        return min(max(QueueTime(milliseconds: sum), earliest), latest)
    }

    /// The duration from one time to another.
    public static func - (time: QueueTime, earlier: QueueTime) -> Duration {
        .milliseconds(time.milliseconds &- earlier.milliseconds)
    }
}

/// A point in time by the steady clock of a queue, in milliseconds.
///
/// The steady clock starts with the time of the wall clock when the queue is created. Then it advances with the uptime
/// of the machine and ignores changes of the wall clock, so it never jumps. Durations are measured by this clock.
package struct SteadyTime: Hashable, Comparable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The latest time. It is far beyond ``QueueTime/latest``.
    package static let latest = SteadyTime(milliseconds: 1 << 60)

    package static func < (left: SteadyTime, right: SteadyTime) -> Bool { left.milliseconds < right.milliseconds }

    /// The time after a duration. It stays between 0 and ``latest``.
    package static func + (time: SteadyTime, duration: Duration) -> SteadyTime {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        if overflow { return duration < .zero ? SteadyTime(milliseconds: 0) : latest }
        return min(max(SteadyTime(milliseconds: sum), SteadyTime(milliseconds: 0)), latest)
    }

    package static func - (time: SteadyTime, duration: Duration) -> SteadyTime { time + (.zero - duration) }
}

extension Duration {
    /// The whole milliseconds; a very long duration becomes about 290 million years.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min / 2 : .max / 2) : whole &+ attoseconds / 1_000_000_000_000_000
    }
}
