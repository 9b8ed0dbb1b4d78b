import APNSVocabulary
import PushJSON

/// A JSON key with any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Returns the members of an object. Throws if it has other keys than these.
    ///
    /// - Parameters:
    ///   - keys: The known keys.
    ///   - what: A description of the object, for the error message.
    ///   - other: What the value may be instead of an object: `a number`.
    /// - Returns: The members.
    /// - Throws: ``MockFaultError`` if a key is unknown.
    func members<Key: CodingKey & CaseIterable>(
        _ keys: Key.Type, of what: String, or other: String? = nil
    ) throws -> KeyedDecodingContainer<Key> {
        if let other, let decoder = self as? MockJSONDecoder, decoder.tree.kind != .object {
            throw decoder.wrongType("\(other) or an object")
        }
        let known = Key.allCases.map(\.stringValue)
        for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            let error = MockFaultError.ofKey(
                key.stringValue,
                "Unknown key \(Finding.quote(key.stringValue)) in \(what). "
                    + NearestName.remedy(key.stringValue, among: known))
            throw (self as? MockJSONDecoder)?.mistake(error) ?? error
        }
        return try container(keyedBy: Key.self)
    }
}

extension UInt32 {
    /// Checks the range of a number. Decoding it as `UInt32` would report a number that is too large as invalid JSON.
    init(fault number: Int64, _ what: String) throws(MockFaultError) {
        guard let number = UInt32(exactly: number) else {
            throw MockFaultError(code: .outOfRange, description: "A fault's \(what) must be 0 to 4294967295.")
        }
        self = number
    }
}

extension MockFaultError {
    /// A key that an object cannot have.
    static func ofKey(_ name: String, _ description: String) -> MockFaultError {
        var error = MockFaultError(code: .unknownKey, description: description)
        error.path = [name]
        return error
    }

    static func malformed(_ description: String) -> MockFaultError {
        MockFaultError(code: .malformed, description: description)
    }
}
