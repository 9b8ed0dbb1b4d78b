/// One instant, read from two clocks of this machine.
struct ClockSample: Equatable, Sendable {
    /// The wall clock, in seconds since 1970. It can be set.
    let secondsSince1970: Int
    /// The monotonic clock, in whole seconds since an unknown beginning. It cannot be set.
    let monotonicSeconds: Int

    /// The maximum of a reading, in seconds. Larger values are reduced to it, so that differences cannot overflow.
    private static let maximum = 1 << 60

    init(secondsSince1970: Int, monotonicSeconds: Int) {
        self.secondsSince1970 = min(max(secondsSince1970, -Self.maximum), Self.maximum)
        self.monotonicSeconds = min(max(monotonicSeconds, 0), Self.maximum)
    }

    /// Returns the time since an earlier reading, in seconds of the monotonic clock.
    func seconds(since earlier: ClockSample) -> Int {
        max(0, monotonicSeconds - earlier.monotonicSeconds)
    }

    /// Returns the change of the wall clock since an earlier reading, in seconds; negative if it was set back.
    func wallClockStep(since earlier: ClockSample) -> Int {
        secondsSince1970 - earlier.secondsSince1970 - (monotonicSeconds - earlier.monotonicSeconds)
    }
}
