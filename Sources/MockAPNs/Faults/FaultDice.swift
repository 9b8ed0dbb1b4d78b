/// Chance that depends on a seed and on what it is drawn for, and on nothing else.
///
/// A draw is SplitMix64's mixing (Steele, Lea and Flood, 2014) over the seed, the fault, the connection, the request's
/// number on it and the purpose. So the same seed decides in the same way about the fifth request of the second
/// connection, in whatever order the connections are served and whichever other faults there are.
struct FaultDice: Sendable {
    let seed: UInt64

    /// What is drawn for a fault at one place.
    func luck(of fault: FaultID, at happening: FaultHappening) -> FaultLuck {
        let place = happening.request?.numberOnConnection ?? happening.moment.place
        let key = [fault.number, happening.connection, place]
        return FaultLuck(bits: key.reduce(Self.mixed(seed)) { Self.mixed($0, with: $1) })
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

/// The draws for one fault that acts at one place.
struct FaultLuck: Equatable, Sendable {
    fileprivate var bits: UInt64

    /// Evenly from 0 up to, but not including, 1.
    ///
    /// - Parameters:
    ///   - purpose: What it decides: 0 whether the fault acts, other numbers for its steps.
    ///   - round: How often its step was done before.
    /// - Returns: The same for the same numbers.
    func draw(_ purpose: Int, round: Int = 0) -> Double {
        var bits = FaultDice.mixed(bits, with: purpose)
        if round > 0 { bits = FaultDice.mixed(bits, with: round) }
        // 53 bits are what a Double carries.
        return Double(bits >> 11) * 0x1p-53
    }
}

extension FaultMoment {
    /// A number that no request on a connection has.
    fileprivate var place: Int {
        switch self {
        case .request: 0
        case .requestHeaders: -3
        case .connectionAccepted: -1
        case .connectionEstablished: -2
        }
    }
}
