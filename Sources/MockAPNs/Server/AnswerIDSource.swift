/// Draws the ids of a connection's answers.
///
/// Ids must differ, and need not be hard to guess: the system is asked for random numbers once for each connection, because
/// asking four times for each request took a tenth of its time. From there on it is xoshiro256++ (Blackman and Vigna,
/// 2019), whose sequences do not meet in practice.
struct AnswerIDSource {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        // All zero is the one state that it does not leave.
        state = (system.next() | 1, system.next(), system.next(), system.next())
    }

    mutating func next() -> AnswerIDs {
        AnswerIDs(messageID: bits(), uniqueID: bits())
    }

    private mutating func bits() -> UInt128 {
        UInt128(draw()) << 64 | UInt128(draw())
    }

    private mutating func draw() -> UInt64 {
        let result = Self.rotated(state.0 &+ state.3, 23) &+ state.0
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotated(state.3, 45)
        return result
    }

    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }
}
