import PushJSON
internal import PushPlatform

/// Scans JSON without creating values. Finds where each value begins and ends, and rejects what RFC 8259 does not
/// allow.
///
/// A campaign has millions of lines, and only a few bytes of each are needed, so nothing is copied. That is why it is not
/// `JSONReader`, which allocates a tree: for a line of 150 bytes, the tree takes 0.46 microseconds and the scanner 0.13.
struct JSONScanner {
    struct Mistake: Error, Equatable {
        var message: String
        /// The offset in bytes, from 0.
        var offset: Int
    }

    /// The maximum nesting of objects and arrays. A deeper text is an error.
    private static let deepest = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var at: Int

    /// Creates a scanner. The bytes must outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int = 0) {
        self.bytes = bytes
        at = start
    }

    var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    func problem(_ message: String) -> Mistake { Mistake(message: message, offset: at) }

    static func isValue(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return (try? scanner.value()) == bytes.indices
        }
    }

    /// Reads the value that begins at the current offset.
    mutating func value(depth: Int = 0) throws(Mistake) -> Range<Int> {
        let start = at
        guard let first = peek else { throw problem("unexpected end") }
        switch first {
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "{"): try object(depth)
        case UInt8(ascii: "["): try array(depth)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: throw problem("a value was expected")
        }
        return start..<at
    }

    /// Reads a string with its quotation marks.
    mutating func string() throws(Mistake) -> Range<Int> {
        let start = at
        at += 1
        while true {
            at = JSONBytes.endOfPlainText(bytes, from: at)
            guard at < bytes.count else { break }
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                return start..<at
            }
            guard byte == UInt8(ascii: "\\") else {
                throw problem("a string contains a line break or control character")
            }
            try escape()
        }
        throw problem("a string has no closing quotation mark")
    }

    /// Reads the key of a member with its quotation marks, and the colon after it.
    mutating func key() throws(Mistake) -> Range<Int> {
        skipSpace()
        guard peek == UInt8(ascii: "\"") else { throw problem("a key in quotation marks was expected") }
        let key = try string()
        skipSpace()
        guard take(":") else { throw problem("a colon was expected after a key") }
        skipSpace()
        return key
    }

    /// Whether an object or array ends here. Otherwise this skips the comma before its next value.
    mutating func ends(with bracket: Unicode.Scalar) throws(Mistake) -> Bool {
        skipSpace()
        if take(bracket) { return true }
        guard take(",") else { throw problem("a comma or \(bracket) was expected") }
        return false
    }

    private mutating func object(_ depth: Int) throws(Mistake) {
        guard depth < Self.deepest else { throw problem("it nests deeper than \(Self.deepest) levels") }
        at += 1
        skipSpace()
        if take("}") { return }
        repeat {
            _ = try key()
            _ = try value(depth: depth + 1)
        } while try !ends(with: "}")
    }

    private mutating func array(_ depth: Int) throws(Mistake) {
        guard depth < Self.deepest else { throw problem("it nests deeper than \(Self.deepest) levels") }
        at += 1
        skipSpace()
        if take("]") { return }
        repeat {
            skipSpace()
            _ = try value(depth: depth + 1)
        } while try !ends(with: "]")
    }

    private mutating func literal(_ literal: StaticString) throws(Mistake) {
        for offset in 0..<literal.utf8CodeUnitCount {
            guard peek == literal.utf8Start[offset] else { throw problem("a value was expected") }
            at += 1
        }
    }

    private mutating func number() throws(Mistake) {
        _ = take("-")
        if take("0") {
            if isDigit { throw problem("a number can't begin with 0") }
        } else {
            try digits()
        }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
    }

    private var isDigit: Bool { peek.map { $0 &- UInt8(ascii: "0") < 10 } ?? false }

    private mutating func digits() throws(Mistake) {
        guard isDigit else { throw problem("a digit was expected") }
        while isDigit { at += 1 }
    }

    private mutating func escape() throws(Mistake) {
        at += 1
        guard let byte = peek else { throw problem("unexpected end") }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        case UInt8(ascii: "u"): try unicodeEscape()
        default: throw problem("this escape doesn't exist in JSON")
        }
    }

    /// Reads a Unicode escape. A surrogate pair has two escapes.
    private mutating func unicodeEscape() throws(Mistake) {
        let first = try fourHexDigits()
        guard (0xD800..<0xE000).contains(first) else { return }
        guard first < 0xDC00, take("\\"), peek == UInt8(ascii: "u") else { throw problem("incomplete surrogate pair") }
        guard (0xDC00..<0xE000).contains(try fourHexDigits()) else { throw problem("incomplete surrogate pair") }
    }

    private mutating func fourHexDigits() throws(Mistake) -> Int {
        at += 1
        var value = 0
        for _ in 0..<4 {
            guard let digit = peek?.hexDigitValue else {
                throw problem("four hex digits were expected after \\u")
            }
            value = value << 4 | Int(digit)
            at += 1
        }
        return value
    }
}
