/// The bytes of the fuzzer. A harness takes them from the front, as choices and as contents.
///
/// After the end it returns zeros, so that a harness needs no special case for short inputs.
package struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Whether all bytes are used.
    package var isEmpty: Bool { rest.isEmpty }

    package mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number from 0, below a limit of up to 256.
    package mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    package mutating func number16() -> Int { Int(byte()) << 8 | Int(byte()) }

    package mutating func number32() -> UInt32 { UInt32(number16()) << 16 | UInt32(number16()) }

    /// One element of a list.
    package mutating func choice<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// This number of bytes, or all that are left.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// A few bytes. The byte before them is their number.
    package mutating func piece() -> [UInt8] { bytes(Int(byte())) }

    /// All bytes that are left.
    package mutating func takeRest() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

extension FuzzInput {
    /// Printable ASCII without spaces. Every header field may have such a value.
    package mutating func word() -> String {
        String(decoding: piece().map { 0x21 + $0 % 0x5E }, as: UTF8.self)
    }

    /// A long word: a few of them fill a table of HPACK, and the longest needs more than one frame.
    package mutating func longWord() -> String {
        let kind = Int(byte())
        switch kind {
        case ..<0xC0: return String(decoding: bytes(kind % 0x40).map { 0x21 + $0 % 0x5E }, as: UTF8.self)
        // Several words have the same length, so that a table lookup could confuse them.
        case ..<0xF0: return String(repeating: ["w", "x", "y", "z"][kind % 4], count: ((kind - 0xC0) / 4 + 1) * 0x100)
        default: return String(repeating: "x", count: number16() % 0x6000)
        }
    }
}
