internal import APNSVocabulary

// MARK: Numbers

extension JSONReader {
    mutating func number(_ key: Key?) throws(JSONMistake) {
        let start = at
        _ = take("-")
        var isWhole = true
        if take("0") {
            if peek.isDigit || peek.isHexMark { return try oddNumber(from: start, key) }
        } else {
            guard peek.isDigit else { return try oddNumber(from: start, key) }
            skipDigits()
        }
        if take(".") {
            isWhole = false
            guard peek.isDigit else { return try oddNumber(from: start, key) }
            skipDigits()
        }
        if take("e") || take("E") {
            isWhole = false
            _ = take("+") || take("-")
            guard peek.isDigit else { return try oddNumber(from: start, key) }
            skipDigits()
        }
        if peek?.isWordByte == true { return try oddNumber(from: start, key) }
        // Only a long number or one with an exponent can be too large.
        if !isWhole || at - start > 300 { try refuseTooLarge(start..<at) }
        add(.number, from: start, key, flag: !isWhole)
    }

    private mutating func skipDigits() {
        while at < bytes.count, bytes[at] &- 0x30 < 10 { at += 1 }
    }

    private mutating func refuseTooLarge(_ range: Range<Int>) throws(JSONMistake) {
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard Double(text)?.isFinite != true else { return }
        try passOver(
            .notANumber, range, "The number \(text.prefix(40)) is too large", "Use a number below 1e308, or a string.")
    }
}

extension UInt8? {
    var isDigit: Bool {
        guard let self else { return false }
        return self &- 0x30 < 10
    }

    fileprivate var isHexMark: Bool { self == UInt8(ascii: "x") || self == UInt8(ascii: "X") }
}

// MARK: Strings

extension JSONReader {
    /// Reads a string, beginning at its quotation mark.
    ///
    /// - Returns: Whether the string has escapes.
    mutating func string() throws(JSONMistake) -> Bool {
        let start = at
        at += 1
        var hasEscapes = false
        var high: UInt8 = 0
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                if high >= 0x80 { try refuseBrokenUTF8((start + 1)..<at) }
                at += 1
                return hasEscapes
            }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try escape()
            } else if byte < 0x20 {
                try control(in: start)
            } else {
                high |= byte
                at += 1
            }
        }
        throw unclosedText(from: start)
    }

    private mutating func escape() throws(JSONMistake) {
        let start = at
        guard at + 1 < bytes.count else {
            at = bytes.count
            return
        }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        case UInt8(ascii: "u"):
            guard let (_, width) = JSONEscapes.scalar(at: start, of: bytes[...]) else { return try badUnicode() }
            at += width
        default: try badEscape()
        }
    }

    private mutating func refuseBrokenUTF8(_ range: Range<Int>) throws(JSONMistake) {
        guard let fault = UTF8Form.firstFault(in: bytes, range) else { return }
        let hex = String(bytes[fault], radix: 16, uppercase: true)
        try passOver(
            .invalidUTF8, fault..<(fault + 1), "The byte \(hex) isn't UTF-8",
            "Save the file as UTF-8. It may be in Windows-1252 or Latin-1.")
    }
}

// Number formats of other languages that JSON does not allow.

extension JSONReader {
    /// Reads all bytes that may be part of a number.
    mutating func oddNumber(from start: Int, _ key: Key?) throws(JSONMistake) {
        at = start
        while let byte = peek, byte.isWordByte || byte == 0x2B || byte == 0x2D || byte == 0x2E { at += 1 }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if ["-Infinity", "+Infinity", "-inf", "-NaN"].contains(text) { return try noNumber(start..<at, key) }
        let meant = OddNumber.meaning(of: text)
        let shown = PeerText.printable(String(text.prefix(40)))
        try passOver(
            .numberForm, start..<at, "\(shown) isn't a valid number in JSON",
            meant.map { "Write \($0)." }
                ?? "Write a decimal number without leading zeros, or a string in quotation marks.",
            edits: meant.map { [JSONEdit(start..<at, $0)] } ?? [])
        add(.number, from: start, key, flag: true)
    }
}

enum OddNumber {
    /// Returns the same number in JSON; `nil` if that is uncertain. A number with leading zeros is uncertain: some
    /// languages read it as octal.
    static func meaning(of text: String) -> String? {
        // This may be a telephone number.
        if text.hasPrefix("+"), text.utf8.count > 7 { return nil }
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard let meant = hexadecimal(digits) ?? decimal(digits) else { return nil }
        return (isNegative ? "-" : "") + meant
    }

    private static func hexadecimal(_ text: Substring) -> String? {
        guard let match = text.wholeMatch(of: #/0[xX]([0-9a-fA-F]+)/#), let number = Int(match.1, radix: 16),
            number < 1 << 53
        else { return nil }
        return "\(number)"
    }

    /// Reads a decimal number. Digits are needed on one side of the point only, and an underscore may be between two
    /// digits.
    private static func decimal(_ text: Substring) -> String? {
        let form = #/(0|[1-9](_?[0-9])*)?(\.([0-9](_?[0-9])*)?)?([eE][+-]?[0-9]+)?/#
        guard let match = text.wholeMatch(of: form) else { return nil }
        let (whole, fraction) = (match.1 ?? "", match.4 ?? "")
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        let meant = (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : ".\(fraction)") + (match.6 ?? "")
        return meant.filter { $0 != "_" }
    }
}
