/// Random numbers that depend only on the seed and on their purpose.
///
/// A random number is SplitMix64's mixing function (Steele, Lea and Flood, 2014) applied to the seed, the fault, the
/// connection, the number of the request on it, and the purpose. So the same seed always gives the same result for the
/// fifth request of the second connection, in any order of the connections and with any other faults.
struct FaultDice: Sendable {
    let seed: UInt64

    func randomNumbers(of fault: MockFault.ID, at event: FaultEvent) -> FaultRandomNumbers {
        let index = event.request?.numberOnConnection ?? event.moment.index
        let key = [fault.number, event.connection, index]
        return FaultRandomNumbers(bits: key.reduce(Self.mixed(seed)) { Self.mixed($0, with: $1) })
    }

    fileprivate static func mixed(_ bits: UInt64, with value: Int) -> UInt64 {
        mixed(bits ^ UInt64(bitPattern: Int64(value)))
    }

    static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

struct FaultRandomNumbers: Equatable, Sendable {
    fileprivate var bits: UInt64

    /// Returns a uniformly distributed number from 0 up to, but not including, 1.
    ///
    /// - Parameters:
    ///   - purpose: What the number is for: 0 decides whether the fault acts, other values are for its steps.
    ///   - round: How many times the step was executed before.
    /// - Returns: The same number for the same arguments.
    func draw(_ purpose: Int, round: Int = 0) -> Double {
        var bits = FaultDice.mixed(bits, with: purpose)
        if round > 0 { bits = FaultDice.mixed(bits, with: round) }
        // A Double has 53 significant bits.
        return Double(bits >> 11) * 0x1p-53
    }
}

extension MockFault.Moment {
    /// A number for the moments without a request number. It differs from all request numbers.
    fileprivate var index: Int {
        switch self {
        case .request: 0
        case .requestHeaders: -3
        case .connectionAccepted: -1
        case .connectionEstablished: -2
        }
    }
}
