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
            JSONMistake(
                kind: .notANumber, range: range, problem: "The number \(text.prefix(40)) is too large",
                advice: "Use a number below 1e308, or a string."))
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
            JSONMistake(
                kind: .invalidUTF8, range: fault..<(fault + 1), problem: "The byte \(hex) isn't UTF-8",
                advice: "Save the file as UTF-8. It may be in Windows-1252 or Latin-1."))
    }
}
