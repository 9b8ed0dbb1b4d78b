/// A JSON value, or a YAML value with the same meaning, that knows its position in the text.
package struct LocatedJSON: Sendable {
    package struct Member: Sendable {
        package let name: String
        package let value: LocatedJSON
    }

    package let tree: JSONTree
    package let node: Int

    package init(_ tree: JSONTree, at node: Int = JSONTree.root) {
        (self.tree, self.node) = (tree, node)
    }

    package init(json bytes: [UInt8]) throws(JSONTextError) {
        do throws(JSONMistake) {
            self.init(try JSONReader.tree(bytes))
        } catch {
            throw JSONTextError(error, in: bytes)
        }
    }

    package static let emptyObject = LocatedJSON(
        JSONTree(bytes: Array("{}".utf8), nodes: [JSONTree.Node(kind: .object, start: 0, end: 2, next: 1)]))

    package var kind: JSONTree.Kind { tree.nodes[node].kind }

    /// The lines are counted each time, so this is only for mistakes.
    package var position: TextPosition { TreePositions(tree).position(of: node) }

    /// Where the key of the value begins; the value itself if it has no key.
    package var keyPosition: TextPosition { TreePositions(tree).position(ofKeyOf: node) }

    // MARK: Members

    /// The values of an array; none for other kinds.
    package var items: [LocatedJSON] {
        kind == .array ? tree.children(of: node).map { LocatedJSON(tree, at: $0) } : []
    }

    /// The values of an array; `nil` for other kinds.
    package var array: [LocatedJSON]? { kind == .array ? items : nil }

    /// The members of an object in their order, including duplicates; none for other kinds.
    package var members: [Member] {
        guard kind == .object else { return [] }
        return tree.children(of: node).map { Member(name: tree.key(of: $0) ?? "", value: LocatedJSON(tree, at: $0)) }
    }

    /// The value of the last member with this name; `nil` if there is none, or this is not an object.
    package subscript(name: String) -> LocatedJSON? {
        guard kind == .object else { return nil }
        var found: Int?
        for child in tree.children(of: node) where tree.key(of: child) == name { found = child }
        return found.map { LocatedJSON(tree, at: $0) }
    }

    /// The value at a path of member names and array indexes; `nil` if there is none.
    package subscript(path path: [String]) -> LocatedJSON? {
        path.reduce(Optional(self)) { value, part in
            guard let items = value?.array else { return value?[part] }
            return Int(part).flatMap { items.indices.contains($0) ? items[$0] : nil }
        }
    }

    // MARK: Contents

    package var string: String? { tree.text(of: node) }

    /// A whole number, also one that is written like `20.0`; `nil` for other kinds.
    package var integer: Int? { tree.integer(of: node) ?? number.flatMap(Int.init(exactly:)) }

    package var number: Double? { tree.number(of: node) }

    package var bool: Bool? { kind == .bool ? tree.nodes[node].flag : nil }

    /// A string, number or truth value as text; `nil` for other kinds.
    package var plainText: String? {
        switch kind {
        case .string: string
        case .number, .bool: tree.spelling(of: node)
        case .null, .array, .object: nil
        }
    }

    /// The same, with a number of YAML as it is written: `0123`, where ``plainText`` is `83`.
    package var writtenText: String? {
        kind == .number || kind == .bool ? tree.written(node) : string
    }

    /// The value as JSON on one line. Members keep their order, and numbers their digits.
    package var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch kind {
        case .null, .bool, .number: writer.raw(tree.spelling(of: node))
        case .string: writer.string(string ?? "")
        case .array: writer.array(items) { $1.write(to: &$0) }
        case .object:
            writer.object { writer in
                for member in members { writer.member(member.name) { member.value.write(to: &$0) } }
            }
        }
    }
}

/// Why a text is not JSON or YAML, and where.
package struct JSONTextError: Error, Hashable, Sendable {
    package var message: String
    package var remedy: String?
    package var position: TextPosition

    package init(_ message: String, remedy: String? = nil, at position: TextPosition) {
        (self.message, self.remedy, self.position) = (message, remedy, position)
    }

    /// A mistake in the words of a text that is no payload.
    init(_ mistake: JSONMistake, in bytes: [UInt8]) {
        self.init(
            "\(mistake.problem.replacing("payload", with: "text")).",
            remedy: mistake.advice.contains("aps") ? nil : mistake.advice.replacing("payload", with: "text"),
            at: TextPosition(of: mistake.range.lowerBound, in: bytes))
    }
}
