/// The ids that an answer may need. The caller generates them, so that the same request always gets the same verdict.
///
/// They are stored as bits and formatted only when they are used: most requests bring their own id.
package struct MockAnswerIDs: Hashable, Sendable {
    /// The bits of the `apns-id` for a request that has none.
    package let messageID: UInt128
    /// The bits of the `apns-unique-id`.
    package let uniqueID: UInt128

    package init(messageID: UInt128, uniqueID: UInt128) {
        self.messageID = messageID
        self.uniqueID = uniqueID
    }

    package static func random() -> MockAnswerIDs {
        MockAnswerIDs(messageID: .random(in: .min ... .max), uniqueID: .random(in: .min ... .max))
    }

    private static let upperDigits: StaticString = "0123456789ABCDEF"
    private static let lowerDigits: StaticString = "0123456789abcdef"

    /// The length of an id in the form 8-4-4-4-12, in bytes.
    static let length = 36

    /// Writes an id in this form. Written by hand for speed: each answer of the sandbox needs it.
    static func write(
        _ bits: UInt128, _ letterCase: MockAnswerIDLetters, to text: UnsafeMutableBufferPointer<UInt8>
    ) {
        let digits = (letterCase == .upper ? upperDigits : lowerDigits).utf8Start
        var at = 0
        func put(_ half: UInt64, from first: Int, _ count: Int) {
            for digit in first..<first + count {
                text[at] = digits[Int(truncatingIfNeeded: half >> UInt64(60 - 4 * digit)) & 15]
                at += 1
            }
        }
        func hyphen() {
            text[at] = UInt8(ascii: "-")
            at += 1
        }
        let (left, right) = (UInt64(truncatingIfNeeded: bits >> 64), UInt64(truncatingIfNeeded: bits))
        put(left, from: 0, 8)
        hyphen()
        put(left, from: 8, 4)
        hyphen()
        put(left, from: 12, 4)
        hyphen()
        put(right, from: 0, 4)
        hyphen()
        put(right, from: 4, 12)
    }
}

/// The id of an answer. One that the mock generated is formatted only where it is used: a string of each would take 3 % of the time of
/// a request.
package enum MockAnswerID: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The id of the request, or no id.
    case text(String)
    case generated(UInt128, MockAnswerIDLetters)

    package init(stringLiteral text: String) {
        self = .text(text)
    }

    var isEmpty: Bool { if case .text(let text) = self { text.isEmpty } else { false } }

    package var text: String {
        switch self {
        case .text(let text): text
        case .generated(let bits, let letters):
            String(unsafeUninitializedCapacity: MockAnswerIDs.length) { text in
                MockAnswerIDs.write(bits, letters, to: text)
                return MockAnswerIDs.length
            }
        }
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        switch self {
        case .text(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .generated(let bits, let letters):
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: MockAnswerIDs.length) { text in
                MockAnswerIDs.write(bits, letters, to: text)
                body(UnsafeRawBufferPointer(text))
            }
        }
    }

    /// Ids are equal if their texts are.
    package static func == (left: MockAnswerID, right: MockAnswerID) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

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
