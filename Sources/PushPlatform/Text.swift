/// The percent-encoding of URIs (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Encodes everything except ASCII letters, digits and `-._~`.
    package static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            if byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// Decodes a text; `nil` if a `%` is not followed by two hex digits.
    ///
    /// - Parameters:
    ///   - text: The encoded text. Characters that need not be encoded may occur.
    ///   - plusIsBlank: Whether `+` is a space, as in the queries of HTML forms.
    /// - Returns: The bytes.
    package static func bytes(_ text: some StringProtocol, plusIsBlank: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// Decodes a text as ``bytes(_:plusIsBlank:)`` does; `nil` also if the bytes are not UTF-8.
    package static func text(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String? {
        bytes(text, plusIsBlank: plusIsBlank).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension UInt8 {
    @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether it is one of the blanks and line ends that JSON allows between its values (RFC 8259 section 2).
    @inlinable package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    @inlinable package var isASCIILetterOrDigit: Bool { isASCIIDigit || (0x61...0x7A).contains(self | 0x20) }

    /// The value of a hex digit; `nil` for any other character.
    @inlinable package var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: self - 0x61 + 10
        case 0x41...0x46: self - 0x41 + 10
        default: nil
        }
    }
}

package enum HexText {
    /// The bytes of a text in hex; `nil` if the text is not hex.
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = digit.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Bytes in hex, in lower-case letters.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digit(byte >> 4)
                text[2 * index + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    package static func of(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes(of) }

    /// The digit for a value below 16.
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// A number and its noun in the right form: `1 line`, `0 lines`, `2 authorities`.
///
/// - Parameters:
///   - count: The number.
///   - one: The noun for one thing. It can be followed by a verb: `job waits`.
///   - several: The noun for any other number; `nil` if it only has an `s` at its end.
///   - shown: The number as text, if it has another form, such as `9,998,213`.
/// - Returns: The number, a space and the noun.
package func counted(
    _ count: some BinaryInteger, _ one: String, _ several: String? = nil, shown: String? = nil
) -> String {
    "\(shown ?? String(count)) \(count == 1 ? one : several ?? one + "s")"
}

/// Runs a call of another layer, and turns its error into one of this layer.
@inlinable
package func rethrowing<Value, Inner: Error, Outer: Error>(
    _ call: @autoclosure () throws(Inner) -> Value, as change: (Inner) -> Outer
) throws(Outer) -> Value {
    do throws(Inner) { return try call() } catch { throw change(error) }
}

/// Environment variables, read one by one: a dictionary of all of them takes time at each start.
package struct Variables: ExpressibleByDictionaryLiteral, Sendable {
    /// Values for tests; `nil` for the variables of this process.
    private let values: [String: String]?

    package static let ofProcess = Variables(values: nil)

    private init(values: [String: String]?) {
        self.values = values
    }

    /// These variables alone.
    package init(_ values: [String: String]) {
        self.values = values
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        values = Dictionary(elements) { $1 }
    }

    package var names: [String] { Array((values ?? ProcessInfo.processInfo.environment).keys) }

    package subscript(name: String) -> String? {
        if let values { return values[name] }
        return getenv(name).map { String(cString: $0) }
    }

    /// The value of a variable; `nil` if it is not set or empty, as in a compose file that passes an unset variable on.
    package subscript(set name: String) -> String? {
        self[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    package func only(_ names: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for name in names { found[name] = self[name] }
        return found
    }
}

/// Numbers as a query, a path or a field has them.
package enum WholeNumber {
    /// The number of a text of digits, with a minus before them if it is negative; `nil` for everything else. `Int` itself takes `+5`, too,
    /// which is a blank and a 5 in the query of a form.
    package static func of(_ text: some StringProtocol) -> Int? {
        text.utf8.first == UInt8(ascii: "+") ? nil : Int(text)
    }

    /// A whole number as JSON can write it, `10`, `10.0` or `1e1`, or as a text or a column of a CSV file has it; `nil` for everything else.
    package static func written(_ text: String) -> Int? {
        if let number = of(text) { return number }
        guard text.utf8.allSatisfy({ $0.isASCIIDigit || "eE+-.".utf8.contains($0) }) else { return nil }
        return Double(text).flatMap { Int(exactly: $0) }
    }
}
