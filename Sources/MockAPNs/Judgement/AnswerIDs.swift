/// The ids that an answer may need, drawn by the caller, so that the same request always gets the same verdict.
///
/// They are kept as bits: most requests bring their own id, and then nothing is spelled out.
public struct AnswerIDs: Hashable, Sendable {
    /// In which letters an id is spelled.
    public enum LetterCase: Sendable, Hashable {
        /// `1294465C-E2AA-…`, as APNs generates them.
        case upper
        /// `1294465c-e2aa-…`, as Apple's documentation calls canonical.
        case lower
    }

    /// The bits of the `apns-id` for a request that brings none.
    public let messageID: UInt128
    /// The bits of the `apns-unique-id`.
    public let uniqueID: UInt128

    /// Takes the bits of both ids.
    public init(messageID: UInt128, uniqueID: UInt128) {
        self.messageID = messageID
        self.uniqueID = uniqueID
    }

    /// Draws both ids at random.
    public static func random() -> AnswerIDs {
        AnswerIDs(messageID: .random(in: .min ... .max), uniqueID: .random(in: .min ... .max))
    }

    private static let upperDigits: StaticString = "0123456789ABCDEF"
    private static let lowerDigits: StaticString = "0123456789abcdef"

    /// Digits and hyphens one by one from the front: it is done for each answer of the sandbox.
    static func spell(_ bits: UInt128, _ letterCase: LetterCase) -> String {
        let digits = (letterCase == .upper ? upperDigits : lowerDigits).utf8Start
        return String(unsafeUninitializedCapacity: 36) { text in
            var at = 0
            func put(_ half: UInt64, from first: Int, _ count: Int) {
                for place in first..<first + count {
                    text[at] = digits[Int(truncatingIfNeeded: half >> UInt64(60 - 4 * place)) & 15]
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
