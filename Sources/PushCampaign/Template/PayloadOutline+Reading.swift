import PushJSON
internal import PushPlatform

// Reads the JSON of a payload for the outline. The JSON is known to be valid.

extension PayloadOutline {
    /// The current byte; 0 at the end, because no value begins with 0.
    var peek: UInt8 { at < json.count ? json[at] : 0 }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    mutating func skipSpace() {
        while at < json.count, json[at] <= 0x20 { at += 1 }
    }

    /// Reads a string with its quotation marks; `nil` if it has no end.
    mutating func string() -> (range: Range<Int>, hasEscapes: Bool)? {
        guard peek == UInt8(ascii: "\"") else { return nil }
        let start = at
        var hasEscapes = false
        at += 1
        while true {
            at = JSONBytes.endOfPlainText(json, from: min(at, json.count))
            guard at < json.count else { return nil }
            let byte = json[at]
            at += 1
            if byte == UInt8(ascii: "\"") { return (start..<at, hasEscapes) }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                at += 1
            }
        }
    }

    mutating func skipScalar() {
        while at < json.count, json[at] > 0x20, json[at] != UInt8(ascii: ","), json[at] != UInt8(ascii: "}"),
            json[at] != UInt8(ascii: "]")
        {
            at += 1
        }
    }

    mutating func skipValue() -> Bool {
        var depth = 0
        repeat {
            switch peek {
            case 0: return false
            case UInt8(ascii: "\""): guard string() != nil else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                at += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                at += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 1...0x20: at += 1
            default: skipScalar()
            }
        } while depth > 0
        return depth == 0
    }

    var endOfDigits: Int {
        var end = at
        while end < json.count, json[end] &- UInt8(ascii: "0") < 10 { end += 1 }
        return end
    }

    /// Whether neither a fraction nor an exponent follows.
    func isEndOfNumber(_ offset: Int) -> Bool {
        guard offset < json.count else { return true }
        return json[offset] <= 0x20 || json[offset] == UInt8(ascii: ",") || json[offset] == UInt8(ascii: "}")
            || json[offset] == UInt8(ascii: "]")
    }

    func isKey(_ key: Range<Int>, _ name: StaticString) -> Bool {
        guard key.count == name.utf8CodeUnitCount, let start = json.baseAddress else { return false }
        return memcmp(start + key.lowerBound, name.utf8Start, key.count) == 0
    }
}
