import MockAPNs
internal import PushYAML

/// Reads YAML as the equivalent JSON, with positions.
enum YAMLReader {
    /// The maximum size of a text, in bytes.
    static let mostBytes = 1 << 20
    private static let limits = YAMLLimits(bytes: mostBytes, aliases: 100)

    /// Reads a text.
    ///
    /// - Parameter bytes: YAML, or JSON.
    /// - Returns: The value; an empty object for an empty text.
    /// - Throws: ``MockJSONError``.
    static func read(_ bytes: [UInt8]) throws(MockJSONError) -> MockJSON {
        do throws(YAMLError) {
            guard let root = try YAMLDocument.read(bytes, limits: limits) else {
                return MockJSON(.object([]), at: MockJSON.Location(.start))
            }
            return tree(root)
        } catch {
            throw MockJSONError(error)
        }
    }

    private static func tree(_ node: YAMLNode) -> MockJSON {
        let location = MockJSON.Location(node.position)
        switch node.content {
        case .scalar(let scalar): return MockJSON(value(scalar), at: location)
        case .sequence(let items): return MockJSON(.array(items.map(tree)), at: location)
        case .mapping(let members):
            return MockJSON(
                .object(members.map { MockJSON.Member(name: $0.key.text, value: tree($0.value)) }), at: location)
        }
    }

    private static func value(_ scalar: YAMLScalar) -> MockJSON.Value {
        switch scalar.value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .integer(let number): .number(String(number))
        case .float(let number): .number("\(number)")
        case .string(let text): .string(text)
        }
    }
}

extension MockJSON.Location {
    fileprivate init(_ position: YAMLPosition) {
        self.init(line: position.line, column: position.column)
    }
}

extension MockJSONError {
    fileprivate init(_ error: YAMLError) {
        var position = error.position
        let message: String
        switch error.kind {
        case .tooLong: message = "The text is longer than \(YAMLReader.mostBytes) bytes."
        case .notUTF8: message = "The text is not UTF-8."
        case .syntax(let problem): message = "This is not YAML: \(problem)."
        case .duplicateKey(let name, let first):
            message = "The key \(name) occurs twice."
            position = first
        case .keyIsNoScalar: message = "A key must be a word, not a list or a group."
        case .tooManyValues, .tooDeep, .tooManyAliases: message = "The text has too many values or levels."
        case .noMemory: message = "There is not enough memory to read the text."
        }
        self.init(message: message, location: MockJSON.Location(position))
    }
}
