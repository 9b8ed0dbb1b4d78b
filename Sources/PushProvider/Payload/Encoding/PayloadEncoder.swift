internal import PushJSON

/// Makes JSON of any `Encodable`, as Foundation's `JSONEncoder` does by default: what the default `JSONDecoder` on a
/// device reads back. Without Foundation's encoder, which takes as long to get going as a connection.
struct PayloadEncoder: Encoder {
    /// What is encoded stands in the payload, and may stand in its `aps`: so deep it may go that the whole can still be read.
    /// Without a limit a value that holds itself could exhaust the stack.
    private static let deepest = JSONReader.deepest - 2

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private let place: JSONPlace
    /// How many values this one stands in, those that are no step in the path included.
    private let depth: Int

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: Anything.
    ///   - name: What it is in the payload, for errors: `aps.content-state`.
    /// - Returns: Its JSON.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON.
    static func tree(of value: some Encodable, as name: String) throws(PayloadError) -> EncodedJSON {
        do {
            return try PayloadEncoder(codingPath: [JSONKey(name)], place: JSONPlace(), depth: 0).tree(of: value, nil)
        } catch let error as PayloadError {
            throw error
        } catch {
            throw .cannotEncode(name, error)
        }
    }

    private init(codingPath: [any CodingKey], place: JSONPlace, depth: Int) {
        self.codingPath = codingPath
        self.place = place
        self.depth = depth
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        place.becomeObject()
        return KeyedEncodingContainer(JSONKeyedContainer(encoder: self, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        place.becomeArray()
        return JSONUnkeyedContainer(encoder: self, place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingleValueContainer(encoder: self, place: place)
    }

    // MARK: For the containers

    /// The encoder of a place one step further down.
    func next(_ key: any CodingKey, _ place: JSONPlace) -> PayloadEncoder {
        PayloadEncoder(codingPath: codingPath + [key], place: place, depth: depth + 1)
    }

    /// Encodes what a container was given; `key` is the step down to it, and `nil` where it takes this place itself.
    func tree(of value: some Encodable, _ key: (any CodingKey)?) throws -> EncodedJSON {
        if let primitive = value as? any JSONPrimitive {
            guard let tree = primitive.tree else { throw PayloadError.notFinite(path(key)) }
            return tree
        }
        guard depth < Self.deepest else { throw PayloadError.tooDeep(path(nil)) }
        let place = JSONPlace()
        let path = key.map { codingPath + [$0] } ?? codingPath
        try value.encode(to: PayloadEncoder(codingPath: path, place: place, depth: depth + 1))
        return try place.tree(at: self.path(key))
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

    /// Where a class encodes the one that it inherits from.
    static let parent = JSONKey("super")
}
