/// Reads the elements of DER (X.690) one after the other, from untrusted bytes.
///
/// It never reads outside the bytes. An incomplete element, or a length that DER does not allow, ends the reading.
struct DERReader {
    struct Element: Equatable {
        // The tags of the types that certificates contain (X.690, section 8).
        static let integer: UInt8 = 0x02
        static let objectIdentifier: UInt8 = 0x06
        static let utf8String: UInt8 = 0x0C
        static let printableString: UInt8 = 0x13
        static let ia5String: UInt8 = 0x16
        static let sequence: UInt8 = 0x30

        /// The first byte of the tag.
        var tag: UInt8
        var content: ArraySlice<UInt8>
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Returns the next element; `nil` at the end or at an invalid element.
    mutating func next() -> Element? {
        var at = rest
        guard let tag = at.popFirst(), Self.skipLongTag(tag, in: &at), let length = Self.length(in: &at),
            length <= at.count
        else {
            rest = []
            return nil
        }
        rest = at.dropFirst(length)
        return Element(tag: tag, content: at.prefix(length))
    }

    /// Skips the rest of a tag. Tag numbers above 30 have further bytes, with seven bits each.
    private static func skipLongTag(_ tag: UInt8, in bytes: inout ArraySlice<UInt8>) -> Bool {
        guard tag & 0x1F == 0x1F else { return true }
        while let byte = bytes.popFirst() {
            if byte < 0x80 { return true }
        }
        return false
    }

    private static func length(in bytes: inout ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.popFirst() else { return nil }
        if first < 0x80 { return Int(first) }
        // Four bytes are enough for the length of any file here. 0x80 is the indefinite length, which DER does not
        // allow.
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count >= count else { return nil }
        let length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        bytes = bytes.dropFirst(count)
        return length
    }
}
