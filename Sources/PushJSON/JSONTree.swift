/// Parsed JSON: each value and key with its range in the bytes.
///
/// All values are in one array, and each container is directly before its members. So parsing needs one allocation, and
/// access needs none. Lines and columns are counted only for reported mistakes.
package struct JSONTree: Sendable {
    package enum Kind: UInt8, Sendable {
        case null, bool, number, string, array, object

        /// The kind as it is shown in messages: `an array`, `null`.
        package var noun: String {
            switch self {
            case .null: "null"
            case .bool: "a boolean"
            case .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    package struct Node: Sendable {
        package var kind: Kind
        /// For a string: it has escapes. For a number: it has a fraction or an exponent. For a bool: it is true.
        var flag = false
        /// The range of the value, including quotation marks.
        var start: Int32
        var end: Int32 = -1
        /// The range of its key without quotation marks; -1 if it has no key.
        package var keyStart: Int32 = -1
        package var keyEnd: Int32 = -1
        package var keyHasEscapes = false
        /// The index of the node after it and its members; -1 while it is being read.
        package var next: Int32 = -1
    }

    /// Where a value and its key are in a text of another format.
    package struct Mark: Sendable {
        package var value: TextPosition
        package var key: TextPosition
        /// How the value is written there, if the JSON has another spelling: `0123` for 83.
        package var spelling: String?

        package init(value: TextPosition, key: TextPosition, spelling: String? = nil) {
            (self.value, self.key, self.spelling) = (value, key, spelling)
        }
    }

    package let bytes: [UInt8]
    package let nodes: [Node]
    /// The position of each node, if the JSON was made of YAML; empty for a text that was JSON.
    package var marks: [Mark] = []

    package init(bytes: [UInt8], nodes: [Node]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    package static let root = 0

    // MARK: Walking

    /// The values in a container, in their order, including duplicates; empty for any other value.
    package func children(of node: Int) -> Children {
        let isContainer = nodes[node].kind == .array || nodes[node].kind == .object
        return Children(tree: self, at: node + 1, end: isContainer ? Int(nodes[node].next) : node + 1)
    }

    package struct Children: Sequence, IteratorProtocol {
        fileprivate let tree: JSONTree
        fileprivate var at: Int
        fileprivate let end: Int

        package mutating func next() -> Int? {
            guard at < end else { return nil }
            defer { at = Int(tree.nodes[at].next) }
            return at
        }
    }

    /// If the key occurs several times, the last one counts, as in most parsers.
    package func member(_ key: StaticString, of object: Int) -> Int? {
        guard nodes[object].kind == .object else { return nil }
        var found: Int?
        for child in children(of: object) where hasKey(key, child) { found = child }
        return found
    }

    package func hasKey(_ key: StaticString, _ node: Int) -> Bool {
        let (start, end) = (Int(nodes[node].keyStart), Int(nodes[node].keyEnd))
        if nodes[node].keyHasEscapes { return (self.key(of: node) ?? "").utf8.elementsEqual(key.description.utf8) }
        guard start >= 0, end - start == key.utf8CodeUnitCount else { return false }
        return key.withUTF8Buffer { bytes[start..<end].elementsEqual($0) }
    }

    // MARK: Ranges

    package func range(of node: Int) -> Range<Int> { Int(nodes[node].start)..<Int(nodes[node].end) }

    /// The range of the key of a member with its quotation marks; `nil` if it has no key.
    package func keyRange(of node: Int) -> Range<Int>? {
        let (start, end) = (Int(nodes[node].keyStart), Int(nodes[node].keyEnd))
        guard start >= 0 else { return nil }
        return start > 0 && bytes[start - 1] == UInt8(ascii: "\"") ? (start - 1)..<(end + 1) : start..<end
    }

    // MARK: Contents

    package func key(of node: Int) -> String? {
        let (start, end) = (Int(nodes[node].keyStart), Int(nodes[node].keyEnd))
        guard start >= 0 else { return nil }
        return JSONTree.text(bytes[start..<end], hasEscapes: nodes[node].keyHasEscapes)
    }

    /// The text of a string, without escapes; `nil` for any other value.
    package func text(of node: Int) -> String? {
        guard nodes[node].kind == .string else { return nil }
        return JSONTree.text(bytes[contents(of: node)], hasEscapes: nodes[node].flag)
    }

    package func number(of node: Int) -> Double? {
        guard nodes[node].kind == .number else { return nil }
        return Double(spelling(of: node))
    }

    /// The value of a number without fraction and exponent; `nil` for any other value.
    package func integer(of node: Int) -> Int? {
        guard nodes[node].kind == .number, !nodes[node].flag else { return nil }
        return Int(spelling(of: node))
    }

    /// The value as a person has written it, also if the JSON was made of YAML.
    package func written(_ node: Int) -> String {
        (marks.isEmpty ? nil : marks[node].spelling) ?? spelling(of: node)
    }

    package func spelling(of node: Int) -> String { String(decoding: bytes[range(of: node)], as: UTF8.self) }

    /// The range of a string without its quotation marks. If a tolerant reading found other quotation marks, the range
    /// of the node already excludes them.
    package func contents(of node: Int) -> Range<Int> {
        let range = range(of: node)
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return range }
        return (range.lowerBound + 1)..<(range.upperBound - 1)
    }

    private static func text(_ bytes: ArraySlice<UInt8>, hasEscapes: Bool) -> String {
        guard hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: JSONEscapes.undone(bytes), as: UTF8.self)
    }
}

extension PushJSONValue {
    /// If a key occurs several times, the last one counts.
    init(_ tree: JSONTree, at node: Int = JSONTree.root) {
        switch tree.nodes[node].kind {
        case .null: self = .null
        case .bool: self = .bool(tree.nodes[node].flag)
        case .number: self = tree.integer(of: node).map(PushJSONValue.integer) ?? .number(tree.number(of: node) ?? 0)
        case .string: self = .string(tree.text(of: node) ?? "")
        case .array: self = .array(tree.children(of: node).map { PushJSONValue(tree, at: $0) })
        case .object:
            var members: [String: PushJSONValue] = [:]
            for child in tree.children(of: node) { members[tree.key(of: child) ?? ""] = PushJSONValue(tree, at: child) }
            self = .object(members)
        }
    }
}
