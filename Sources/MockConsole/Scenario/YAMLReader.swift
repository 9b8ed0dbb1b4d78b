import MockAPNs
internal import Yams

/// Reads YAML as the equivalent JSON, with positions.
enum YAMLReader {
    /// The maximum size of a text, in bytes.
    static let mostBytes = 1 << 20
    /// The maximum number of values. Aliases can stand for a huge number of them.
    private static let mostValues = 100_000
    /// The maximum nesting of values. A deeper text is an error.
    private static let deepest = 100

    /// Reads a text.
    ///
    /// - Parameter bytes: YAML, or JSON.
    /// - Returns: The value; an empty object for an empty text.
    /// - Throws: ``MockJSONError``.
    static func read(_ bytes: [UInt8]) throws(MockJSONError) -> MockJSON {
        let start = MockJSON.Location(line: 1, column: 1)
        guard bytes.count <= mostBytes else {
            throw MockJSONError(message: "The text is longer than \(mostBytes) bytes.", location: start)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw MockJSONError(message: "The text is not UTF-8.", location: start)
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw MockJSONError(error)
        } catch {
            throw MockJSONError(message: "The text is not YAML.", location: start)
        }
        guard let root else { return MockJSON(.object([]), at: start) }
        var count = 0
        return try tree(root, depth: 0, &count)
    }

    private static func tree(_ node: Node, depth: Int, _ count: inout Int) throws(MockJSONError) -> MockJSON {
        let location = node.mark.map { MockJSON.Location(line: $0.line, column: $0.column) }
        count += 1
        guard count <= mostValues, depth <= deepest else {
            throw MockJSONError(
                message: "The text has too many values or levels.", location: location ?? .init(line: 1, column: 1))
        }
        switch node {
        case .scalar(let scalar): return MockJSON(value(node, scalar), at: location)
        case .sequence(let sequence):
            var items: [MockJSON] = []
            for item in sequence { items.append(try tree(item, depth: depth + 1, &count)) }
            return MockJSON(.array(items), at: location)
        case .mapping(let mapping):
            var members: [MockJSON.Member] = []
            for (key, value) in mapping {
                members.append(
                    MockJSON.Member(name: key.scalar?.string ?? "", value: try tree(value, depth: depth + 1, &count)))
            }
            return MockJSON(.object(members), at: location)
        case .alias:
            throw MockJSONError(message: "This alias is not known.", location: location ?? .init(line: 1, column: 1))
        }
    }

    private static func value(_ node: Node, _ scalar: Node.Scalar) -> MockJSON.Value {
        guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
        if node.null != nil { return .null }
        if let flag = Bool.construct(from: scalar), ["true", "false"].contains(scalar.string.lowercased()) {
            return .bool(flag)
        }
        // The parser's numbers to the base of 60, such as 12:30:00, can overflow. Here they are texts.
        if scalar.string.contains(":") { return .string(scalar.string) }
        if let number = node.int { return .number(String(number)) }
        if let number = node.float, number.isFinite { return .number("\(number)") }
        return .string(scalar.string)
    }
}

extension MockJSONError {
    fileprivate init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(message: "This is not YAML: \(problem).", location: .init(line: mark.line, column: mark.column))
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.joined(separator: ", ")
            self.init(
                message: "The key \(names) occurs twice.",
                location: .init(line: context.mark.line, column: context.mark.column))
        default: self.init(message: "The text is not YAML.", location: .init(line: 1, column: 1))
        }
    }
}
