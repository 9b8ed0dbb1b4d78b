/// A key of JSON that can be any text.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// The members of an object that has no other keys than these.
    ///
    /// - Parameters:
    ///   - keys: The keys that there are.
    ///   - what: What the object is, for the words of the refusal.
    /// - Returns: The members.
    /// - Throws: ``FaultError`` for any other key.
    func members<Key: CodingKey & CaseIterable>(
        _ keys: Key.Type, of what: String
    ) throws -> KeyedDecodingContainer<Key> {
        let known = Key.allCases.map(\.stringValue)
        for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            throw FaultError(
                code: .unknownKey,
                description: "There is no \(Finding.quote(key.stringValue)) in \(what): "
                    + "it can have \(known.joined(separator: ", ")).")
        }
        return try container(keyedBy: Key.self)
    }
}

extension UInt32 {
    /// A number of a fault, which the decoder would call no JSON where it is too large.
    init(fault number: Int64, _ what: String) throws(FaultError) {
        guard let number = UInt32(exactly: number) else {
            throw FaultError(code: .outOfRange, description: "A fault's \(what) must be 0 to 4294967295.")
        }
        self = number
    }
}

extension FaultError {
    static func malformed(_ description: String) -> FaultError {
        FaultError(code: .malformed, description: description)
    }
}
