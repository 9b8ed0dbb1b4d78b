/// A text cannot be read as YAML.
package struct YAMLError: Error, Sendable, Hashable {
    /// The kinds of mistakes.
    package enum Kind: Sendable, Hashable {
        /// The text has more bytes than the limit.
        case tooLong
        /// The text is not UTF-8.
        case notUTF8
        /// The rules of YAML are broken. The words come from the parser.
        case syntax(String)
        /// A key of a mapping occurs twice.
        case duplicateKey(String, first: YAMLPosition)
        /// A key of a mapping is a sequence or a mapping.
        case keyIsNoScalar
        /// The text has more values than the limit. The values that an alias stands for count each time.
        case tooManyValues
        /// The text has more levels than the limit.
        case tooDeep
        /// The text has more aliases than the limit.
        case tooManyAliases
        /// There is no memory.
        case noMemory
    }

    package var kind: Kind
    package var position: YAMLPosition

    init(_ kind: Kind, at position: YAMLPosition = .start) {
        self.kind = kind
        self.position = position
    }
}
