extension YAMLScalar {
    /// What a scalar means.
    package enum Value: Sendable, Hashable {
        case null
        case bool(Bool)
        case integer(Int)
        /// A finite number.
        case float(Double)
        case string(String)
    }

    /// What the scalar means, by the core schema of YAML 1.2 and, for numbers such as `1_000` and `010`, by YAML 1.1.
    ///
    /// `yes`, `no`, `on`, `off`, times and numbers that are not finite are strings.
    package var value: Value {
        guard isPlain, tag != "!", tag != "tag:yaml.org,2002:str" else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        // In YAML 1.1, 12:30 is a number in base 60, which nobody expects.
        if text.contains(":") { return .string(text) }
        let digits = text.filter { $0 != "_" }
        if let number = Self.integer(digits) { return .integer(number) }
        if let number = Double(digits), number.isFinite { return .float(number) }
        return .string(text)
    }

    /// Returns a decimal number, or one that begins with `0x`, `0o`, `0b`, or with `0` for an octal number.
    private static func integer(_ text: String) -> Int? {
        if text == "0" { return 0 }
        let hasSign = text.hasPrefix("-") || text.hasPrefix("+")
        let number = text.dropFirst(hasSign ? 1 : 0)
        let sign = text.hasPrefix("-") ? "-" : ""
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8), ("0", 8)] where number.hasPrefix(prefix) {
            return Int(sign + number.dropFirst(prefix.count), radix: radix)
        }
        return Int(text)
    }
}
