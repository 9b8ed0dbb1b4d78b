/// Keeps the steady clock of a queue, and notices that the wall clock jumped.
///
/// It is stored with the queue. So all processes of the machine share it, and the first one that notices a jump corrects for it.
package struct ClockWatch: Equatable {
    /// The name of the start of the machine to which ``base`` belongs; empty in a new queue.
    package var boot: String
    /// The steady time at which the uptime was 0, in milliseconds.
    package var base: Int64
    /// The latest steady time that was noted.
    package var seen: SteadyTime
    /// The wall clock minus the steady clock when a jump was noticed last, in milliseconds.
    package var shift: Int64

    package init(boot: String, base: Int64, seen: SteadyTime, shift: Int64) {
        (self.boot, self.base, self.seen, self.shift) = (boot, base, seen, shift)
    }

    /// A jump of fewer milliseconds is not corrected for. The steady clock does not follow it, either.
    package static let tolerance: Int64 = 2000
    /// How far the steady clock moves before it is noted again, in milliseconds.
    package static let interval: Int64 = 1000

    package struct Tick: Equatable {
        package var now: SteadyTime
        package var action: Action
    }

    package enum Action: Equatable {
        case nothing
        case note
        /// Note the watch, and move all wall times that were counted from the wall clock. A negative duration means back.
        case move(Duration)
    }

    package mutating func tick(_ sample: ClockSample) -> Tick {
        let uptime = sample.uptime.wholeMilliseconds
        // A smaller uptime belongs to another start, even if the name is the same.
        let isNewStart = sample.boot != boot || base + uptime < seen.milliseconds - Self.tolerance
        if isNewStart { begin(sample, uptime) }
        let now = max(seen, SteadyTime(milliseconds: base + uptime))
        let jump = sample.wall.milliseconds - now.milliseconds - shift
        if jump.magnitude > UInt64(Self.tolerance) {
            (seen, shift) = (now, shift + jump)
            return Tick(now: now, action: .move(.milliseconds(jump)))
        }
        guard isNewStart || now.milliseconds - seen.milliseconds >= Self.interval else {
            return Tick(now: now, action: .nothing)
        }
        seen = now
        return Tick(now: now, action: .note)
    }

    /// Continues after a restart of the machine. Only the wall clock shows how long the machine was off. If the wall clock was set back
    /// since, the steady clock continues from its last value.
    private mutating func begin(_ sample: ClockSample, _ uptime: Int64) {
        let off = max(0, sample.wall.milliseconds - shift - seen.milliseconds)
        (boot, base) = (sample.boot, seen.milliseconds + off - uptime)
        seen = SteadyTime(milliseconds: seen.milliseconds + off)
    }
}
