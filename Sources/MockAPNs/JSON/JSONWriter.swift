/// Writes JSON on one line, in the order of the calls.
package struct JSONWriter: Sendable {
    /// What was written.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Creates a writer without any text.
    package init() {}

    package mutating func null() { raw("null") }

    package mutating func bool(_ flag: Bool) { raw(flag ? "true" : "false") }

    package mutating func integer(_ number: some BinaryInteger) { raw(String(number)) }

    package mutating func number(_ number: Double) { raw(number.isFinite ? "\(number)" : "null") }

    /// Writes text that is already JSON.
    package mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes bytes that are already JSON.
    package mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    package mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    /// Writes an object.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes an array.
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ body: (inout JSONWriter, Elements.Element) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { body(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes a member of an object; the closure writes its value.
    package mutating func member(_ name: String, _ value: (inout JSONWriter) -> Void) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        value(&self)
        needsComma = true
    }

    /// Writes a member with a text; nothing for `nil`.
    package mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        member(name) { $0.string(text) }
    }

    /// Writes a member with a number; nothing for `nil`.
    package mutating func member(_ name: String, _ number: Int?) {
        guard let number else { return }
        member(name) { $0.integer(number) }
    }

    /// Writes a member with a truth value.
    package mutating func member(_ name: String, _ flag: Bool) {
        member(name) { $0.bool(flag) }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case 0..<0x20, 0x7F:
                bytes += Array("\\u00".utf8)
                bytes += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
