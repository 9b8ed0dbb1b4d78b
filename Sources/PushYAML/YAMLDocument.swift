package enum YAMLDocument {
    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: YAML, or JSON, in UTF-8. A byte order mark is skipped.
    ///   - limits: How large the text may be.
    /// - Returns: The value; `nil` for a text without one.
    /// - Throws: ``YAMLError``
    package static func read(_ bytes: [UInt8], limits: YAMLLimits) throws(YAMLError) -> YAMLNode? {
        guard bytes.count <= limits.bytes else { throw YAMLError(.tooLong) }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw YAMLError(.notUTF8) }
        // libyaml counts the mark as a character of the first line, which then begins further right than the others.
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        var composer = try YAMLComposer(hasMark ? Array(bytes.dropFirst(3)) : bytes, limits)
        return try composer.document()
    }
}

/// How large a YAML text may be. Reading a text within the limits takes little time and memory, whatever it contains.
package struct YAMLLimits: Sendable {
    package var bytes: Int
    /// The maximum number of values, where the values that an alias stands for count each time.
    package var values: Int
    /// The maximum number of levels below the outermost value. Reading uses some stack for each level.
    package var depth: Int
    /// The maximum number of aliases; `nil` for no limit besides the one of values.
    package var aliases: Int?

    package init(bytes: Int, values: Int = 100_000, depth: Int = 100, aliases: Int? = nil) {
        self.bytes = bytes
        self.values = values
        self.depth = depth
        self.aliases = aliases
    }
}
