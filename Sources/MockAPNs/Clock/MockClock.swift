import PushPlatform

/// The clock by which the mock judges: the system's clock, moved by some time, or stopped.
///
/// The age of provider tokens, expirations and the times of devices follow it. Limits, faults and TLS keep real time.
struct MockClock: Sendable, Equatable {
    private var offset = 0.0
    private var stoppedAt: Date?

    /// The time on this clock.
    ///
    /// - Parameter real: The time on the system's clock.
    /// - Returns: The time on this clock.
    func time(at real: Date) -> Date {
        stoppedAt ?? Date(timeIntervalSince1970: real.timeIntervalSince1970 + offset)
    }

    /// Whether it differs from the system's clock.
    var isMoved: Bool { offset != 0 || stoppedAt != nil }

    /// Whether it does not advance by itself.
    var isStopped: Bool { stoppedAt != nil }

    /// Moves the clock forward, or back with a negative number.
    mutating func advance(by seconds: Double) {
        if let stopped = stoppedAt {
            stoppedAt = Date(timeIntervalSince1970: stopped.timeIntervalSince1970 + seconds)
        } else {
            offset += seconds
        }
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
    }
}
