/// Where and why a text is not JSON.
struct JSONError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, without the place.
    var problem: String
    /// From 1.
    var line: Int
    /// From 1, in bytes.
    var column: Int

    var description: String { "\(problem) at line \(line), column \(column)" }
}

/// Reads JSON as RFC 8259 has it and nothing more: no trailing commas, no comments, no bare words. (Foundation's decoder
/// lets trailing commas pass, and Apple's servers are not the place to learn of them.)
struct JSONReader {
    /// No payload nests deeper; without a limit a hostile answer could exhaust the stack.
    private static let deepest = 128

    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0

    /// The value that the bytes spell.
    ///
    /// - Throws: ``JSONError`` with the place.
    static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: bytes)
        // RFC 8259 section 8.1 lets a reader pass over a byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.at = 3 }
        let value = try reader.value()
        reader.skipSpace()
        if reader.at < bytes.count { throw reader.error("there is more after the end of the value") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Values

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        guard let first = peek else { throw error("it ends in the middle") }
        switch first {
        case UInt8(ascii: "{"): return try nested { reader throws(JSONError) in try reader.object() }
        case UInt8(ascii: "["): return try nested { reader throws(JSONError) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw error("a value was expected")
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < Self.deepest else { throw error("it nests deeper than \(Self.deepest) levels") }
        depth += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        at += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error("a key in quotation marks was expected") }
            let key = try string()
            skipSpace()
            guard take(":") else {
                throw error("a colon was expected after the key \"\(PeerText.printable(String(key.prefix(40))))\"")
            }
            members[key] = try value()
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw error("a comma or } was expected") }
        }
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        at += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(values) }
        while true {
            values.append(try value())
            skipSpace()
            if take("]") { return .array(values) }
            guard take(",") else { throw error("a comma or ] was expected") }
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let matches = word.withUTF8Buffer { bytes[at...].starts(with: $0) }
        guard matches else { throw error("a value was expected") }
        at += word.utf8CodeUnitCount
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = at
        _ = take("-")
        if take("0") {
            if isDigit(peek) { throw error("a number cannot begin with 0") }
        } else {
            try digits()
        }
        var isWhole = true
        if take(".") {
            isWhole = false
            try digits()
        }
        if take("e") || take("E") {
            isWhole = false
            _ = take("+") || take("-")
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw error("the number \(text.prefix(40)) is too large")
        }
        return .number(number)
    }

    private mutating func digits() throws(JSONError) {
        guard isDigit(peek) else { throw error("a digit was expected") }
        while isDigit(peek) { at += 1 }
    }

    private func isDigit(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        at += 1
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw error("a text is not UTF-8") }
                at += 1
                return string
            case UInt8(ascii: "\\"):
                at += 1
                try escape(into: &text)
            case 0..<0x20: throw error("a line break or control character stands in a text")
            default:
                text.append(byte)
                at += 1
            }
        }
        throw error("a text has no closing quotation mark")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = peek else { throw error("it ends in the middle") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try unicodeEscape())).utf8)
        default:
            at -= 1
            throw error("this escape does not exist in JSON")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A surrogate pair: two escapes for one character.
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else { throw error("half a surrogate pair") }
        let second = try fourHexDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half a surrogate pair") }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hex digits were expected after \\u")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }

    // MARK: Moving on

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private func error(_ problem: String) -> JSONError {
        let before = bytes[..<min(at, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.count { $0 == 0x0A } + 1
        return JSONError(problem: problem, line: line, column: before.count - lineStart + 1)
    }
}

extension JSONValue {
    /// The value that a text spells; `nil` when it is not JSON. Without Foundation's decoder, which takes as long to get
    /// going as a connection.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes) else { return nil }
        self = value
    }
}
