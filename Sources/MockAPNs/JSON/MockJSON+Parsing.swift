/// Why a text is not JSON.
package struct MockJSONError: Error, Hashable, Sendable {
    package var message: String
    package var location: MockJSON.Location

    /// Creates an error.
    package init(message: String, location: MockJSON.Location) {
        self.message = message
        self.location = location
    }
}

extension MockJSON {
    /// Parses JSON, exactly as RFC 8259 defines it. Nesting deeper than 500 levels is refused.
    ///
    /// - Parameter bytes: One JSON value, in UTF-8.
    /// - Throws: ``MockJSONError``.
    package init(json bytes: [UInt8]) throws(MockJSONError) {
        var parser = MockJSONParser(bytes)
        self = try parser.document()
    }
}

private struct MockJSONParser {
    /// The maximum nesting of objects and arrays. A deeper text is an error.
    private static let deepest = 500

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(MockJSONError) -> MockJSON {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw error("The text is not valid UTF-8.", at: 0)
        }
        let tree = try next()
        skipSpaces()
        if position < bytes.count { throw error("There is text after the end of the JSON value.", at: position) }
        return tree
    }

    private mutating func next() throws(MockJSONError) -> MockJSON {
        skipSpaces()
        guard position < bytes.count else { throw error("A value is missing.", at: position) }
        let start = location(position)
        let value: MockJSON.Value
        switch bytes[position] {
        case UInt8(ascii: "{"): value = .object(try members())
        case UInt8(ascii: "["): value = .array(try items())
        case UInt8(ascii: "\""): value = .string(try text())
        case UInt8(ascii: "t"): value = try literal("true", .bool(true))
        case UInt8(ascii: "f"): value = try literal("false", .bool(false))
        case UInt8(ascii: "n"): value = try literal("null", .null)
        default: value = .number(try number())
        }
        return MockJSON(value, at: start)
    }

    private mutating func members() throws(MockJSONError) -> [MockJSON.Member] {
        try goDeeper()
        defer { depth -= 1 }
        var members: [MockJSON.Member] = []
        skipSpaces()
        if take("}") { return members }
        repeat {
            skipSpaces()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw error("A member name in quotes is missing.", at: position)
            }
            let name = try text()
            skipSpaces()
            guard take(":") else { throw error("A colon is missing after the member name.", at: position) }
            members.append(MockJSON.Member(name: name, value: try next()))
            skipSpaces()
        } while take(",")
        guard take("}") else { throw error("A comma or a closing brace is missing.", at: position) }
        return members
    }

    private mutating func items() throws(MockJSONError) -> [MockJSON] {
        try goDeeper()
        defer { depth -= 1 }
        var items: [MockJSON] = []
        skipSpaces()
        if take("]") { return items }
        repeat {
            items.append(try next())
            skipSpaces()
        } while take(",")
        guard take("]") else { throw error("A comma or a closing bracket is missing.", at: position) }
        return items
    }

    private mutating func goDeeper() throws(MockJSONError) {
        position += 1
        depth += 1
        if depth > Self.deepest { throw error("The nesting is deeper than \(Self.deepest) levels.", at: position) }
    }

    private mutating func text() throws(MockJSONError) -> String {
        let start = position
        position += 1
        var result: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"): result.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw error("A control character in a string must be escaped.", at: position - 1)
            default: result.append(byte)
            }
        }
        throw error("The string has no closing quote.", at: start)
    }

    private mutating func escape() throws(MockJSONError) -> Character {
        guard position < bytes.count else { throw error("An escape is incomplete.", at: position) }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try unicodeEscape())
        default: throw error("This escape is unknown.", at: position - 1)
        }
    }

    private mutating func unicodeEscape() throws(MockJSONError) -> Unicode.Scalar {
        let first = try fourDigits()
        guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let after = position
        if take("\\"), take("u"), let second = try? fourDigits(), (0xDC00...0xDFFF).contains(second) {
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
        }
        position = after
        return "\u{FFFD}"
    }

    private mutating func fourDigits() throws(MockJSONError) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            digits.first != UInt8(ascii: "+")
        else { throw error("Four hexadecimal digits are missing.", at: position) }
        position += 4
        return number
    }

    private mutating func number() throws(MockJSONError) -> String {
        let start = position
        _ = take("-")
        let isNumber =
            (take("0") || digits()) && (!take(".") || digits())
            && (!(take("e") || take("E")) || exponent())
        guard isNumber else { throw error("This is not a JSON value.", at: start) }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func exponent() -> Bool {
        _ = take("+") || take("-")
        return digits()
    }

    private mutating func digits() -> Bool {
        let start = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        return position > start
    }

    private mutating func literal(_ literal: String, _ value: MockJSON.Value) throws(MockJSONError) -> MockJSON.Value {
        guard bytes[position...].starts(with: literal.utf8) else {
            throw error("This is not a JSON value.", at: position)
        }
        position += literal.utf8.count
        return value
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while position < bytes.count, JSONForm.isSpace(bytes[position]) { position += 1 }
    }

    /// The index up to which lines and columns are counted, and its location. It only moves forward, so that a document is read
    /// once for all its locations.
    private var counted = 0
    private var countedLocation = MockJSON.Location(line: 1, column: 1)

    private mutating func location(_ index: Int) -> MockJSON.Location {
        while counted < min(index, bytes.count) {
            if bytes[counted] == 0x0A {
                countedLocation = MockJSON.Location(line: countedLocation.line + 1, column: 1)
            } else if bytes[counted] & 0xC0 != 0x80 {
                // The first byte of a character, not one that continues it.
                countedLocation.column += 1
            }
            counted += 1
        }
        return countedLocation
    }

    private func error(_ message: String, at index: Int) -> MockJSONError {
        var copy = self
        if index < copy.counted { (copy.counted, copy.countedLocation) = (0, MockJSON.Location(line: 1, column: 1)) }
        return MockJSONError(message: message, location: copy.location(index))
    }
}
