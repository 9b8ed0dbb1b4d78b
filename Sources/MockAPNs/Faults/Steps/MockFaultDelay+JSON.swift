/// A number, or an object that describes a distribution. All times are in milliseconds.
extension MockFaultDelay: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case from, through, mean, median, p99
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        if let milliseconds = try? decoder.singleValueContainer().decode(Double.self) {
            self = .exactly(try Duration(faultMilliseconds: milliseconds))
            return
        }
        let members = try decoder.members(Key.self, of: "\"wait_ms\"")
        func time(_ key: Key) throws -> Duration {
            try Duration(faultMilliseconds: try members.decode(Double.self, forKey: key))
        }
        switch Set(members.allKeys) {
        case [.from, .through]: self = .between(try time(.from), try time(.through))
        case [.mean]: self = .mean(try time(.mean))
        case [.median, .p99]: self = .quantiles(median: try time(.median), p99: try time(.p99))
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
        if case .exactly(let time) = self {
            var value = encoder.singleValueContainer()
            return try value.encode(time.faultMilliseconds)
        }
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .exactly: break
        case .between(let shortest, let longest):
            try members.encode(shortest.faultMilliseconds, forKey: .from)
            try members.encode(longest.faultMilliseconds, forKey: .through)
        case .mean(let mean): try members.encode(mean.faultMilliseconds, forKey: .mean)
        case .quantiles(let median, let p99):
            try members.encode(median.faultMilliseconds, forKey: .median)
            try members.encode(p99.faultMilliseconds, forKey: .p99)
        }
    }
}

extension Duration {
    init(faultMilliseconds milliseconds: Double) throws(MockFaultError) {
        guard (0...3_600_000).contains(milliseconds) else {
            throw MockFaultError(code: .outOfRange, description: "A fault's wait must be 0 to 3 600 000 ms.")
        }
        self = .microseconds(Int64((milliseconds * 1000).rounded()))
    }

    var faultMilliseconds: Double {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        return Double(microseconds) / 1000
    }
}
