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

    static func spell(_ bits: UInt128, _ letterCase: LetterCase) -> String {
        let firstLetter = UInt8(ascii: letterCase == .upper ? "A" : "a") - 10
        var rest = bits
        return String(unsafeUninitializedCapacity: 36) { text in
            for index in (0..<36).reversed() {
                if index == 8 || index == 13 || index == 18 || index == 23 {
                    text[index] = UInt8(ascii: "-")
                } else {
                    let digit = UInt8(truncatingIfNeeded: rest & 15)
                    text[index] = digit + (digit < 10 ? UInt8(ascii: "0") : firstLetter)
                    rest >>= 4
                }
            }
            return 36
        }
    }
}
