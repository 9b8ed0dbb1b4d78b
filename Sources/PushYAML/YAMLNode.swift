/// A value of a YAML text, with its position. Aliases are replaced by the values that they stand for.
package struct YAMLNode: Sendable, Hashable {
    /// The kinds of values.
    package indirect enum Content: Sendable, Hashable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// The members in the order of the text. No two have the same name.
        case mapping([Member])
    }

    /// A member of a mapping.
    package struct Member: Sendable, Hashable {
        package var key: YAMLScalar
        package var keyPosition: YAMLPosition
        package var value: YAMLNode
    }

    package var content: Content
    /// Where the value begins. The value of an alias begins where the value itself is written.
    package var position: YAMLPosition
}

/// A scalar as it is written, without its quotation marks and escapes.
package struct YAMLScalar: Sendable, Hashable {
    package var text: String
    /// Whether it has no quotation marks, and is no block of lines.
    package var isPlain: Bool
    /// The tag, for example `tag:yaml.org,2002:str`; `nil` if the text has none.
    package var tag: String?

    /// Creates a scalar.
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

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of the first character.
    package static let start = YAMLPosition(line: 1, column: 1)
}
