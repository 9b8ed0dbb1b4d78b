internal import APNSVocabulary

extension YAMLError {
    /// Returns what is wrong and what to do about it, for the author of the text.
    ///
    /// - Parameters:
    ///   - noun: What the text is: `file`.
    ///   - limits: The limits that it was read with.
    /// - Returns: One or two sentences.
    package func message(about noun: String, limits: YAMLLimits) -> String {
        switch kind {
        case .tooLong: "The \(noun) is larger than \(Self.size(limits.bytes)), the maximum."
        case .notUTF8: "The \(noun) isn't UTF-8. Save it as UTF-8."
        case .syntax(let problem): "This isn't valid YAML: \(Self.advice(problem))."
        case .duplicateKey(let key, let first):
            "\"\(key.printable)\" occurs twice, also in line \(first.line). Give one of them another name, or remove it."
        case .keyIsNoScalar: "A key must be a word, not a list or a group."
        case .tooManyValues:
            "The \(noun) has more than \(limits.values) values. A value counts again for each alias (*name)."
        case .tooDeep: "The \(noun) has more than \(limits.depth) levels."
        case .tooManyAliases:
            "The \(noun) has more than \(limits.aliases ?? 0) YAML aliases (*name). Write the values instead."
        case .noMemory: "There isn't enough memory to read the \(noun)."
        }
    }

    private static func size(_ bytes: Int) -> String {
        bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : bytes % 1024 == 0 ? "\(bytes >> 10) KiB" : "\(bytes) B"
    }

    /// The problem as the parser says it, or the usual mistake behind it.
    private static func advice(_ problem: String) -> String {
        if problem.contains("cannot start any token") { return "a tab or a reserved character; indent with spaces" }
        if problem.contains("mapping values are not allowed") {
            return "a second colon in one line; put the value in quotation marks"
        }
        return problem
    }
}

extension YAMLNode {
    /// Whether nothing is written where a value could be, or `~` or `null`.
    package var isEmpty: Bool {
        guard case .scalar(let scalar) = content else { return false }
        return scalar.isPlain && ["", "~", "null"].contains(scalar.text)
    }
}

package struct YAMLError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case tooLong
        case notUTF8
        /// The rules of YAML are broken. The words come from the parser.
        case syntax(String)
        case duplicateKey(String, first: YAMLPosition)
        case keyIsNoScalar
        /// The values that an alias stands for count each time.
        case tooManyValues
        case tooDeep
        case tooManyAliases
        case noMemory
    }

    package var kind: Kind
    package var position: YAMLPosition

    init(_ kind: Kind, at position: YAMLPosition = .start) {
        self.kind = kind
        self.position = position
    }
}
