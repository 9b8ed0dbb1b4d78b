/// How many lines of a campaign may be released at its rate. A pure value. A backend stores it with the campaign, so
/// that all workers use the same one.
package struct ReleaseBucket: Equatable {
    /// Millionths of a line that may be released.
    package var level: Int64
    package var time: SteadyTime

    package static let line: Int64 = 1_000_000

    package init(at time: SteadyTime) {
        (level, self.time) = (0, time)
    }

    package init(level: Int64, time: SteadyTime) {
        (self.level, self.time) = (level, time)
    }

    /// After a pause of all workers, the lines of a fifth of a second are released at once.
    package mutating func fill(rate: QueueCampaignRate, at now: SteadyTime) {
        let perMillisecond = Int64(rate.perThousandSeconds)
        let age = min(max(now.milliseconds - time.milliseconds, 0), 3_600_000)
        level = min(level + perMillisecond * age, max(Self.line, 200 * perMillisecond))
        time = max(now, time)
    }

    /// The maximum number of released lines without an outcome: the lines of two seconds. So an app that could not send
    /// for a while does not send too many at once. But at least ten, so that a few lines that are tried again do not
    /// stop the others.
    package static func maximumAhead(at rate: QueueCampaignRate) -> Int {
        max(10, rate.perThousandSeconds / 500)
    }

    package var lines: Int { Int(max(level, 0) / Self.line) }

    package mutating func take(_ lines: Int) {
        level -= Int64(lines) * Self.line
    }
}
