internal import PushJSON

// Each container encodes any value with one function: ``PayloadEncoder`` handles values that are primitive in JSON.

struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PayloadEncoder
    let node: JSONNode

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) {
        node.set(key.stringValue, JSONNode(.value(.null)))
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        node.set(key.stringValue, JSONNode(try encoder.tree(of: value, key)))
    }

    // Without these two functions, the standard library would throw.
    func encode(_ value: Int128, forKey key: Key) throws {
        node.set(key.stringValue, JSONNode(try encoder.tree(of: value, key)))
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        node.set(key.stringValue, JSONNode(try encoder.tree(of: value, key)))
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        encoder.next(key, node.member(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.next(key, node.member(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder.next(JSONKey.parent, node.member(JSONKey.parent.stringValue))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder.next(key, node.member(key.stringValue))
    }
}

struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: PayloadEncoder
    let node: JSONNode

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { node.count }

    private var key: JSONKey { JSONKey(node.count) }

    func encodeNil() {
        node.append(JSONNode(.value(.null)))
    }

    func encode(_ value: some Encodable) throws {
        node.append(JSONNode(try encoder.tree(of: value, key)))
    }

    func encode(_ value: Int128) throws {
        node.append(JSONNode(try encoder.tree(of: value, key)))
    }

    func encode(_ value: UInt128) throws {
        node.append(JSONNode(try encoder.tree(of: value, key)))
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nextEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nextEncoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nextEncoder() }

    private func nextEncoder() -> PayloadEncoder {
        let next = JSONNode()
        let encoder = encoder.next(key, next)
        node.append(next)
        return encoder
    }
}

struct JSONSingleValueContainer: SingleValueEncodingContainer {
    let encoder: PayloadEncoder
    let node: JSONNode

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() {
        node.put(.value(.null))
    }

    func encode(_ value: some Encodable) throws {
        node.put(try encoder.tree(of: value, nil))
    }

    func encode(_ value: Int128) throws {
        node.put(try encoder.tree(of: value, nil))
    }

    func encode(_ value: UInt128) throws {
        node.put(try encoder.tree(of: value, nil))
    }
}
