import PushPlatform

/// How long a fault waits: a fixed time, or a random time from the mock's seed. At most one hour.
public enum MockFaultDelay: Sendable, Hashable {
    /// Exactly this time.
    case exactly(Duration)
    /// A uniformly distributed time between the two.
    case between(Duration, Duration)
    /// An exponentially distributed time with this mean: mostly shorter, rarely much longer. Like the time until an
    /// event that can happen at any moment.
    case mean(Duration)
    /// A log-normally distributed time, like the response time of a real service: half of the waits are shorter than
    /// `median`, one in a hundred is longer than `p99`.
    case quantiles(median: Duration, p99: Duration)

    /// The maximum wait. Longer configured times are refused, longer random times are shortened to it.
    static let longest = Duration.seconds(3600)

    /// Returns the time for a random number from 0 up to, but not including, 1.
    func time(drawn chance: Double) -> Duration {
        switch self {
        case .exactly(let time): return time
        case .between(let shortest, let longest): return shortest + (longest - shortest) * chance
        case .mean(let mean): return Self.bounded(Self.seconds(mean) * -log(1 - chance))
        case .quantiles(let median, let p99):
            let spread = log(p99 / median) / Self.normal(0.99)
            return Self.bounded(Self.seconds(median) * exp(spread * Self.normal(chance)))
        }
    }

    /// Limits the time before it is converted to `Duration`, because a larger one could overflow.
    private static func bounded(_ seconds: Double) -> Duration {
        .seconds(min(max(seconds, 0), Self.seconds(longest)))
    }

    private static func seconds(_ time: Duration) -> Double { time / .seconds(1) }

    /// Returns a quantile of the standard normal distribution, to three digits (Abramowitz and Stegun, 26.2.23).
    private static func normal(_ chance: Double) -> Double {
        let tail = max(min(chance, 1 - chance), 1e-12)
        let root = (-2 * log(tail)).squareRoot()
        let above = 2.515517 + root * (0.802853 + root * 0.010328)
        let below = 1 + root * (1.432788 + root * (0.189269 + root * 0.001308))
        let distance = root - above / below
        return chance < 0.5 ? -distance : distance
    }
}
