internal import PushJSON

/// Encodes any `Encodable` as JSON, like Foundation's `JSONEncoder` does by default, so the default `JSONDecoder` on a
/// device can read it. Foundation's encoder is not used because its first use takes as long as opening a connection.
struct PayloadEncoder: Encoder {
    /// The maximum depth of nesting in an encoded value. It leaves two levels for the payload and its `aps`, so that
    /// the whole payload can be parsed. A deeper value throws an error; without a limit, a value that contains itself
    /// would exhaust the stack.
    private static let deepest = JSONReader.deepest - 2

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private let node: JSONNode
    /// The number of values around this one, also those that are not a step in the path.
    private let depth: Int

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: Any value.
    ///   - name: Its path in the payload, for errors: `aps.content-state`.
    /// - Returns: Its JSON.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent.
    static func tree(of value: some Encodable, as name: String) throws(PushPayloadError) -> EncodedJSON {
        do {
            return try PayloadEncoder(codingPath: [JSONKey(name)], node: JSONNode(), depth: 0).tree(of: value, nil)
        } catch let error as PushPayloadError {
            throw error
        } catch {
            throw .cannotEncode(name, error)
        }
    }

    private init(codingPath: [any CodingKey], node: JSONNode, depth: Int) {
        self.codingPath = codingPath
        self.node = node
        self.depth = depth
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(JSONKeyedContainer(encoder: self, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return JSONUnkeyedContainer(encoder: self, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingleValueContainer(encoder: self, node: node)
    }

    // MARK: For the containers

    func next(_ key: any CodingKey, _ node: JSONNode) -> PayloadEncoder {
        PayloadEncoder(codingPath: codingPath + [key], node: node, depth: depth + 1)
    }

    /// Encodes the value of a container. `key` is the step to it in the path; `nil` if the value replaces this node.
    func tree(of value: some Encodable, _ key: (any CodingKey)?) throws -> EncodedJSON {
        if let primitive = value as? any JSONPrimitive {
            guard let tree = primitive.tree else { throw PushPayloadError.notFinite(path(key)) }
            return tree
        }
        guard depth < Self.deepest else { throw PushPayloadError.tooDeep(path(nil)) }
        let node = JSONNode()
        let path = key.map { codingPath + [$0] } ?? codingPath
        try value.encode(to: PayloadEncoder(codingPath: path, node: node, depth: depth + 1))
        return try node.tree(at: self.path(key))
    }

    private func path(_ key: (any CodingKey)?) -> String {
        var text = ""
        for step in codingPath + (key.map { [$0] } ?? []) {
            if let index = step.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? step.stringValue : ".\(step.stringValue)"
            }
        }
        return text
    }
}

/// A step in a path: a name or a number.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(stringValue: String) { self.init(stringValue) }
    init(intValue: Int) { self.init(intValue) }

    /// The key under which a class encodes its superclass.
    static let parent = JSONKey("super")
}
