import PushJSON

struct MockJSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: MockJSONDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    /// Each name once. Of members with the same name, the last one counts.
    var allKeys: [Key] { Set(decoder.tree.members.map(\.name)).sorted().compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { decoder.tree[key.stringValue] != nil }

    private func member(_ key: any CodingKey) throws -> MockJSONDecoder {
        guard let tree = decoder.tree[key.stringValue] else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
            throw MockJSONMistake(
                path: codingPath.map(\.stringValue), error: DecodingError.keyNotFound(key, context))
        }
        return MockJSONDecoder(tree, at: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    // One function for all types: a primitive type decodes itself from a single value.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).value(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

struct MockJSONItems: UnkeyedDecodingContainer {
    private struct Index: CodingKey {
        var intValue: Int?
        var stringValue: String { intValue.map(String.init) ?? "" }

        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    let items: [LocatedJSON]
    let decoder: MockJSONDecoder
    private(set) var currentIndex = 0

    init(items: [LocatedJSON], decoder: MockJSONDecoder) {
        self.items = items
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    /// Decodes the next element, and moves on if that is possible.
    private mutating func next<Value>(_ decode: (MockJSONDecoder) throws -> Value) throws -> Value {
        guard !isAtEnd else { throw decoder.mistake("The list is too short.") }
        let value = try decode(MockJSONDecoder(items[currentIndex], at: codingPath + [Index(intValue: currentIndex)]))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, items[currentIndex].kind == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.value(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
