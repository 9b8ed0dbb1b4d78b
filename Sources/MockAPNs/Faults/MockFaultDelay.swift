import PushPlatform

extension MockFault {
    /// How long a fault waits: a fixed time, or a random time from the mock's seed. At most one hour.
    public enum Delay: Sendable, Hashable {
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
}

/// A number, or an object that describes a distribution. All times are in milliseconds.
extension MockFault.Delay: Codable {
    /// Decodes the JSON that `docs/mock-api.md#failure-injection` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        if let milliseconds = try? Double(from: decoder) {
            self = .exactly(try Duration(faultMilliseconds: milliseconds))
            return
        }
        let members = try decoder.members(
            ["from", "through", "mean", "median", "p99"], of: "\"wait_ms\"", or: "a number")
        func time(_ key: AnyKey) throws -> Duration {
            try Duration(faultMilliseconds: try members.decode(Double.self, forKey: key))
        }
        switch Set(members.allKeys.map(\.stringValue)) {
        case ["from", "through"]: self = .between(try time("from"), try time("through"))
        case ["mean"]: self = .mean(try time("mean"))
        case ["median", "p99"]: self = .quantiles(median: try time("median"), p99: try time("p99"))
        default:
            throw MockFaultError.malformed(
                """
                "wait_ms" must be a number, or have "from" and "through", or "mean", or "median" and "p99".
                """)
        }
    }

    /// Encodes the same JSON.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        let times: [String: Duration]
        switch self {
        case .exactly(let time): return try time.faultMilliseconds.encode(to: encoder)
        case .between(let shortest, let longest): times = ["from": shortest, "through": longest]
        case .mean(let mean): times = ["mean": mean]
        case .quantiles(let median, let p99): times = ["median": median, "p99": p99]
        }
        try times.mapValues(\.faultMilliseconds).encode(to: encoder)
    }
}

extension Duration {
    init(faultMilliseconds milliseconds: Double) throws(MockFaultError) {
        guard (0...3_600_000).contains(milliseconds) else {
            throw MockFaultError(.outOfRange, "A fault's wait must be 0 to 3,600,000 ms.")
        }
        self = .microseconds(Int64((milliseconds * 1000).rounded()))
    }

    var faultMilliseconds: Double {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        return Double(microseconds) / 1000
    }
}
