import PushJSON
internal import PushPlatform
internal import PushYAML

enum YAMLReader {
    /// The maximum size of a text, in bytes.
    static let maximumBytes = 1 << 20
    private static let limits = YAMLLimits(bytes: maximumBytes, aliases: 100)
    /// The maximum size of the equivalent JSON, in bytes. Only a text with many aliases of a long text is longer, and is refused.
    private static let maximumJSONBytes = 4 * maximumBytes

    /// Reads a text.
    ///
    /// - Parameter bytes: YAML, or JSON.
    /// - Returns: The value; an empty object for an empty text.
    /// - Throws: ``JSONTextError``.
    static func read(_ bytes: [UInt8]) throws(JSONTextError) -> LocatedJSON {
        let root = try rethrowing(try YAMLDocument.read(bytes, limits: limits)) { (error: YAMLError) in
            JSONTextError(error.message(about: "text", limits: limits), at: TextPosition(error.position))
        }
        guard let root else { return .emptyObject }
        var writer = Writer()
        writer.write(root, key: root.position)
        guard writer.json.bytes.count <= maximumJSONBytes else {
            throw JSONTextError("The aliases of the text stand for too much.", at: TextPosition(root.position))
        }
        var tree = try LocatedJSON(json: writer.json.bytes).tree
        tree.marks = writer.marks
        return LocatedJSON(tree)
    }

    /// Writes the JSON, and notes the position of each value in the order in which a tree has them.
    private struct Writer {
        var json = JSONWriter()
        var marks: [JSONTree.Mark] = []

        mutating func write(_ node: YAMLNode, key: YAMLPosition) {
            marks.append(
                JSONTree.Mark(
                    value: TextPosition(node.position), key: TextPosition(key), spelling: Self.spelling(node)))
            // What is too long is refused at the end.
            guard json.bytes.count <= maximumJSONBytes else { return json.null() }
            switch node.content {
            case .scalar(let scalar): write(scalar)
            case .sequence(let items):
                json.begin("[")
                for item in items { write(item, key: item.position) }
                json.end("]")
            case .mapping(let members):
                json.begin("{")
                for member in members {
                    json.name(member.key.text)
                    write(member.value, key: member.keyPosition)
                }
                json.end("}")
            }
        }

        private static func spelling(_ node: YAMLNode) -> String? {
            guard case .scalar(let scalar) = node.content else { return nil }
            switch scalar.value {
            case .null, .string: return nil
            case .bool, .integer, .float: return scalar.text
            }
        }

        private mutating func write(_ scalar: YAMLScalar) {
            switch scalar.value {
            case .null: json.null()
            case .bool(let flag): json.bool(flag)
            case .integer(let number): json.integer(number)
            case .float(let number): json.number(number)
            case .string(let text): json.string(text)
            }
        }
    }
}

extension TextPosition {
    fileprivate init(_ position: YAMLPosition) {
        self.init(line: position.line, column: position.column)
    }
}
