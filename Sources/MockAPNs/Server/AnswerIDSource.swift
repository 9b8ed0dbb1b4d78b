/// Generates the ids of a connection's answers.
///
/// Ids must be unique, but need not be hard to guess. The system's generator seeds xoshiro256++ (Blackman and Vigna, 2019) once
/// per connection; four calls of the system's generator per request took a tenth of the time of a request. The sequences of
/// two connections do not overlap in practice.
struct AnswerIDSource {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        // The state must not be all zero: the generator would return only zeros.
        state = (system.next() | 1, system.next(), system.next(), system.next())
    }

    mutating func next() -> MockAnswerIDs {
        MockAnswerIDs(messageID: bits(), uniqueID: bits())
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
