#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How long a fault waits: one time, or one that is drawn from the mock's seed. At most an hour.
public enum FaultDelay: Sendable, Hashable {
    /// So long.
    case exactly(Duration)
    /// Anything between two times, each as likely as the other.
    case between(Duration, Duration)
    /// So long on average, mostly shorter and seldom much longer (exponential): the time until something that can happen at
    /// any moment.
    case mean(Duration)
    /// Half of them shorter than `median`, one in a hundred longer than `p99` (log-normal): how long answers of real
    /// services take.
    case quantiles(median: Duration, p99: Duration)

    /// The longest that a fault waits.
    static let longest = Duration.seconds(3600)

    /// The time for a draw from 0 up to, but not including, 1.
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

    /// A duration holds only so much: it is made when the time is known to be short enough.
    private static func bounded(_ seconds: Double) -> Duration {
        .seconds(min(max(seconds, 0), Self.seconds(longest)))
    }

    private static func seconds(_ time: Duration) -> Double { time / .seconds(1) }

    /// The standard normal distribution's quantile, to three digits (Abramowitz and Stegun, 26.2.23).
    private static func normal(_ chance: Double) -> Double {
        let tail = max(min(chance, 1 - chance), 1e-12)
        let root = (-2 * log(tail)).squareRoot()
        let above = 2.515517 + root * (0.802853 + root * 0.010328)
        let below = 1 + root * (1.432788 + root * (0.189269 + root * 0.001308))
        let distance = root - above / below
        return chance < 0.5 ? -distance : distance
    }
}
