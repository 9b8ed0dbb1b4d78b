import PushPlatform

/// Checks whether bytes are a JSON object, exactly as RFC 8259 defines it.
///
/// Foundation's decoder is not strict enough: it accepts a comma before a closing bracket.
struct JSONForm {
    /// The maximum nesting of objects and arrays. A deeper text does not count as JSON.
    private static let deepest = 500

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all bytes together are one JSON object. Nesting deeper than 500 levels is refused.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        guard beginsAsObject(bytes), String(validating: bytes, as: UTF8.self) != nil else { return false }
        var form = JSONForm(bytes)
        return form.skipValue() && form.position == bytes.count
    }

    /// Whether the first byte that is not white space is `{`. This is fast.
    static func beginsAsObject(_ bytes: [UInt8]) -> Bool {
        bytes.first { !$0.isJSONSpace } == UInt8(ascii: "{")
    }

    /// Skips a value and the white space around it.
    private mutating func skipValue() -> Bool {
        skipSpaces()
        guard position < bytes.count else { return false }
        let isValue =
            switch bytes[position] {
            case UInt8(ascii: "{"): skipMembers(until: "}") { $0.skipName() && $0.skipValue() }
            case UInt8(ascii: "["): skipMembers(until: "]") { $0.skipValue() }
            case UInt8(ascii: "\""): skipText()
            case UInt8(ascii: "t"): skip("true")
            case UInt8(ascii: "f"): skip("false")
            case UInt8(ascii: "n"): skip("null")
            default: skipNumber()
            }
        skipSpaces()
        return isValue
    }

    private mutating func skipMembers(until end: Unicode.Scalar, _ member: (inout JSONForm) -> Bool) -> Bool {
        position += 1
        depth += 1
        defer { depth -= 1 }
        skipSpaces()
        if take(end) { return true }
        guard depth <= Self.deepest else { return false }
        repeat {
            guard member(&self) else { return false }
        } while take(",")
        return take(end)
    }

    private mutating func skipName() -> Bool {
        skipSpaces()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\""), skipText() else { return false }
        skipSpaces()
        return take(":")
    }

    private mutating func skipText() -> Bool {
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard skipEscape() else { return false }
            case 0..<0x20: return false
            default: continue
            }
        }
        return false
    }

    private mutating func skipEscape() -> Bool {
        if take("u") {
            let digits = bytes[position...].prefix(4)
            position += digits.count
            return digits.count == 4 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
        guard position < bytes.count, "\"\\/bfnrt".utf8.contains(bytes[position]) else { return false }
        position += 1
        return true
    }

    private mutating func skipNumber() -> Bool {
        _ = take("-")
        if !take("0") && !skipDigits() { return false }
        if take(".") && !skipDigits() { return false }
        guard take("e") || take("E") else { return true }
        _ = take("+") || take("-")
        return skipDigits()
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isASCIIDigit { position += 1 }
        return position > start
    }

    private mutating func skip(_ literal: String) -> Bool {
        guard bytes[position...].starts(with: literal.utf8) else { return false }
        position += literal.utf8.count
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
    }
}
