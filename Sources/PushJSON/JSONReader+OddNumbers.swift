internal import APNSVocabulary

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
            JSONMistake(
                kind: .numberForm, range: start..<at, problem: "\(shown) isn't a valid number in JSON",
                advice: meant.map { "Write \($0)." }
                    ?? "Write a decimal number without leading zeros, or a string in quotation marks.",
                edits: meant.map { [JSONEdit(start..<at, $0)] } ?? []))
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
