/// The ids that an answer may need. The caller generates them, so that the same request always gets the same verdict.
///
/// They are stored as bits and formatted only when they are used: most requests bring their own id.
public struct MockAnswerIDs: Hashable, Sendable {
    /// The bits of the `apns-id` for a request that has none.
    package let messageID: UInt128
    /// The bits of the `apns-unique-id`.
    package let uniqueID: UInt128

    /// Creates the ids from their bits.
    package init(messageID: UInt128, uniqueID: UInt128) {
        self.messageID = messageID
        self.uniqueID = uniqueID
    }

    /// Returns two random ids.
    package static func random() -> MockAnswerIDs {
        MockAnswerIDs(messageID: .random(in: .min ... .max), uniqueID: .random(in: .min ... .max))
    }

    private static let upperDigits: StaticString = "0123456789ABCDEF"
    private static let lowerDigits: StaticString = "0123456789abcdef"

    /// Returns an id in the form 8-4-4-4-12. Written by hand for speed: each answer of the sandbox needs it.
    static func spell(_ bits: UInt128, _ letterCase: MockAnswerIDLetters) -> String {
        let digits = (letterCase == .upper ? upperDigits : lowerDigits).utf8Start
        return String(unsafeUninitializedCapacity: 36) { text in
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
            return at
        }
    }
}
