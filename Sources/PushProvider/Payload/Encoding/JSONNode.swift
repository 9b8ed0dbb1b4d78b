/// A node of JSON that is being encoded, with its contents so far. Its containers share it.
final class JSONNode {
    private enum Content {
        case nothing
        case tree(EncodedJSON)
        case array([JSONNode])
        case object([String: JSONNode])
    }

    private var content = Content.nothing
    /// Whether two containers of different kinds were requested for this node.
    private var isContradictory = false

    init() {}

    init(_ tree: EncodedJSON) {
        content = .tree(tree)
    }

    // MARK: Encoding

    func put(_ tree: EncodedJSON) {
        switch content {
        case .nothing, .tree: content = .tree(tree)
        case .array, .object: isContradictory = true
        }
    }

    func becomeArray() {
        switch content {
        case .nothing: content = .array([])
        case .array: break
        case .tree, .object: isContradictory = true
        }
    }

    func becomeObject() {
        switch content {
        case .nothing: content = .object([:])
        case .object: break
        case .tree, .array: isContradictory = true
        }
    }

    // MARK: Children

    var count: Int {
        guard case .array(let nodes) = content else { return 0 }
        return nodes.count
    }

    func append(_ node: JSONNode) {
        guard case .array(var nodes) = content else { return }
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
    }

    func set(_ name: String, _ node: JSONNode) {
        guard case .object(var members) = content else { return }
        content = .nothing
        members[name] = node
        content = .object(members)
    }

    /// Returns the child with a name, and creates it if it does not exist.
    func member(_ name: String) -> JSONNode {
        if case .object(let members) = content, let node = members[name] { return node }
        let node = JSONNode()
        set(name, node)
        return node
    }

    // MARK: Result

    /// Returns the encoded value. If nothing was encoded, it is an empty object, as in Foundation.
    ///
    /// - Parameter path: The path of this node, for errors.
    /// - Returns: The JSON value.
    /// - Throws: ``PushPayloadError`` if containers of two kinds were requested for one node.
    func tree(at path: String) throws(PushPayloadError) -> EncodedJSON {
        if isContradictory { throw .contradiction(path) }
        switch content {
        case .nothing: return .object([:])
        case .tree(let tree): return tree
        case .array(let nodes):
            var elements: [EncodedJSON] = []
            elements.reserveCapacity(nodes.count)
            for (index, node) in nodes.enumerated() { elements.append(try node.tree(at: "\(path)[\(index)]")) }
            return .array(elements)
        case .object(let nodes):
            var members: [String: EncodedJSON] = [:]
            for (name, node) in nodes { members[name] = try node.tree(at: "\(path).\(name)") }
            return .object(members)
        }
    }
}
