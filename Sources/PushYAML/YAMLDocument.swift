/// Reads a text with one YAML document.
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
        var composer = try YAMLComposer(bytes, limits)
        return try composer.document()
    }
}
