/// The bytes that the fuzzer has made up, taken from the front: as numbers that decide something, and as contents.
///
/// At its end it goes on with zeros, so that a harness needs no second way for a short input.
package struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Nothing is left.
    package var isEmpty: Bool { rest.isEmpty }

    package mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number from 0, below a limit of up to 256.
    package mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    package mutating func number16() -> Int { Int(byte()) << 8 | Int(byte()) }

    package mutating func number32() -> UInt32 { UInt32(number16()) << 16 | UInt32(number16()) }

    /// One of several.
    package mutating func choice<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// So many bytes, or what there is.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// A few bytes; how many stands in front of them.
    package mutating func piece() -> [UInt8] { bytes(Int(byte())) }

    /// Everything that is left.
    package mutating func takeRest() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

extension FuzzInput {
    /// Printable ASCII without spaces: what any header field may have as its value.
    package mutating func word() -> String {
        String(decoding: piece().map { 0x21 + $0 % 0x5E }, as: UTF8.self)
    }

    /// Such a word, one of which a few fill a table of HPACK, or one that needs more than one frame.
    package mutating func longWord() -> String {
        let kind = Int(byte())
        switch kind {
        case ..<0xC0: return String(decoding: bytes(kind % 0x40).map { 0x21 + $0 % 0x5E }, as: UTF8.self)
        // Several of one length, so that what is looked for in a table can be taken for another.
        case ..<0xF0: return String(repeating: ["w", "x", "y", "z"][kind % 4], count: ((kind - 0xC0) / 4 + 1) * 0x100)
        default: return String(repeating: "x", count: number16() % 0x6000)
        }
    }
}
