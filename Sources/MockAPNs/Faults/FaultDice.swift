/// Chance that depends on a seed and on what it is drawn for, and on nothing else.
///
/// A draw is SplitMix64's mixing (Steele, Lea and Flood, 2014) over the seed, the fault, the connection, the request's
/// number on it and the purpose. So the same seed decides in the same way about the fifth request of the second
/// connection, in whatever order the connections are served and whichever other faults there are.
struct FaultDice: Sendable {
    let seed: UInt64

    /// Evenly from 0 up to, but not including, 1.
    func draw(_ fault: FaultID, _ happening: FaultHappening, purpose: Int) -> Double {
        let key = [
            fault.number, happening.connection, happening.request?.numberOnConnection ?? happening.moment.place,
            purpose,
        ]
        let bits = key.reduce(Self.mixed(seed)) { Self.mixed($0 ^ UInt64(bitPattern: Int64($1))) }
        // 53 bits are what a Double carries.
        return Double(bits >> 11) * 0x1p-53
    }

    static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
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
