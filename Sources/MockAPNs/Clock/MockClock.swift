package import PushPlatform
import PushTime

/// The clock that the mock uses for its checks: the system's clock, moved by some time, or stopped.
///
/// The age of provider tokens, expirations and the times of devices follow it. Limits, faults and TLS keep real time.
struct MockClock: Sendable, Equatable {
    private var offset = 0.0
    private var stoppedAt: Date?
    /// The part of the move that a scenario made, in seconds. Setting the clock ends it.
    private var shift = 0.0

    /// The time on this clock, in the years 1 to 9999.
    ///
    /// - Parameter real: The time on the system's clock.
    /// - Returns: The time on this clock.
    func time(at real: Date) -> Date {
        let time = stoppedAt ?? Date(timeIntervalSince1970: real.timeIntervalSince1970 + offset)
        return min(max(time, Date.writable.lowerBound), Date.writable.upperBound)
    }

    /// Whether it differs from the system's clock.
    var isMoved: Bool { offset != 0 || stoppedAt != nil }

    /// Whether it does not advance by itself.
    var isStopped: Bool { stoppedAt != nil }

    /// Moves the clock forward, or back with a negative number. Beyond the years 1 to 9999 it stays at their edge.
    ///
    /// - Returns: By how many seconds it was moved.
    @discardableResult
    mutating func advance(by seconds: Double, at real: Date) -> Double {
        guard seconds.isFinite else { return 0 }
        let before = time(at: real)
        let wanted = Date(timeIntervalSince1970: before.timeIntervalSince1970 + seconds)
        let after = min(max(wanted, Date.writable.lowerBound), Date.writable.upperBound)
        if stoppedAt != nil {
            stoppedAt = after
        } else if after == wanted {
            offset += seconds
        } else {
            offset = after - real
        }
        return after == wanted ? seconds : after - before
    }

    /// Moves the clock for as long as a scenario acts.
    mutating func shift(by seconds: Double, at real: Date) {
        shift += advance(by: seconds, at: real)
    }

    /// Takes back what ``shift(by:at:)`` has moved, unless the clock was set since.
    mutating func endShift(at real: Date) {
        guard shift != 0 else { return }
        advance(by: -shift, at: real)
        shift = 0
    }

    /// Sets the clock.
    ///
    /// - Parameters:
    ///   - time: The time that it shows now.
    ///   - real: The time on the system's clock.
    ///   - stops: Whether the clock stays at this time.
    mutating func set(to time: Date, at real: Date, stops: Bool) {
        stoppedAt = stops ? time : nil
        offset = time - real
        shift = 0
    }
}

extension Date {
    /// Milliseconds since 1970, the unit of `timestamp` in the body of a 410. Clamped to the range of `Int64`.
    package var millisecondsSince1970: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    /// Returns the seconds from the right date to the left one. Negative if the right one is later.
    package static func - (later: Date, earlier: Date) -> Double {
        later.timeIntervalSince(earlier)
    }

    /// Parses a time in the years 1 to 9999: a time as in ``TimeText``.
    package init?(text: String) {
        guard let milliseconds = TimeText.millisecondsSince1970(text) else { return nil }
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        guard Self.writable.contains(date) else { return nil }
        self = date
    }
}
