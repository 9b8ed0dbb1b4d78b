/// A value of a YAML text, with its position. Aliases are replaced by the values that they stand for.
package struct YAMLNode: Sendable, Hashable {
    package indirect enum Content: Sendable, Hashable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// The members in the order of the text. No two have the same name.
        case mapping([Member])
    }

    package struct Member: Sendable, Hashable {
        package var key: YAMLScalar
        package var keyPosition: YAMLPosition
        package var value: YAMLNode
    }

    package var content: Content
    /// The value of an alias begins where the value itself is written.
    package var position: YAMLPosition
}

/// A scalar as it is written, without its quotation marks and escapes.
package struct YAMLScalar: Sendable, Hashable {
    package var text: String
    /// Whether it has no quotation marks, and is no block of lines.
    package var isPlain: Bool
    /// The tag, for example `tag:yaml.org,2002:str`; `nil` if the text has none.
    package var tag: String?

    package init(_ text: String, isPlain: Bool = true, tag: String? = nil) {
        self.text = text
        self.isPlain = isPlain
        self.tag = tag
    }
}

/// A position in a text: line and column, both from 1. The column counts characters.
package struct YAMLPosition: Sendable, Hashable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static let start = YAMLPosition(line: 1, column: 1)
}

extension YAMLScalar {
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
