import APNSVocabulary
import PushJSON

/// An object in the JSON of faults. One table reads and writes its members.
protocol FaultObject: Codable {
    /// What it is, in messages.
    static var what: String { get }
    /// The object before anything is read.
    static var blank: Self { get }
    /// The members, in the order in which they are read.
    static var members: [FaultMember<Self>] { get }
}

extension FaultObject {
    /// Reads the members.
    ///
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    init(membersOf decoder: any Decoder) throws {
        self = Self.blank
        let table = Self.members
        let members = try decoder.members(table.map(\.key.stringValue), of: Self.what)
        for member in table { try member.read(&self, members, member.key) }
    }

    /// Decodes the JSON that `docs/mock-api.md#failure-injection` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws { try self.init(membersOf: decoder) }

    /// Encodes the same JSON. Members with default values are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: AnyKey.self)
        for member in Self.members { try member.write(self, &members, member.key) }
    }
}

/// A member of an object in the JSON of faults: its name, how it is read, and how it is written.
struct FaultMember<Whole> {
    let key: AnyKey
    let read: (inout Whole, KeyedDecodingContainer<AnyKey>, AnyKey) throws -> Void
    let write: (Whole, inout KeyedEncodingContainer<AnyKey>, AnyKey) throws -> Void
}

extension FaultMember {
    /// A member that must be there.
    init<Value: Codable>(_ key: AnyKey, _ path: WritableKeyPath<Whole, Value>) {
        self.init(
            key: key, read: { $0[keyPath: path] = try $1.decode(Value.self, forKey: $2) },
            write: { try $1.encode($0[keyPath: path], forKey: $2) })
    }

    /// A member that is omitted if there is no value.
    init<Value: Codable>(_ key: AnyKey, _ path: WritableKeyPath<Whole, Value?>) {
        self.init(key, path, read: { $0 as Value }, write: \.self)
    }

    /// The same for a value that has another form in JSON.
    init<Value, Form: Codable>(
        _ key: AnyKey, _ path: WritableKeyPath<Whole, Value?>, read: @escaping (Form) throws -> Value,
        write: @escaping (Value) -> Form
    ) {
        self.init(
            key: key, read: { $0[keyPath: path] = try $1.decodeIfPresent(Form.self, forKey: $2).map(read) },
            write: { try $1.encodeIfPresent($0[keyPath: path].map(write), forKey: $2) })
    }

    /// A member that is omitted if it has its default value.
    init<Value: Codable & Equatable>(
        _ key: AnyKey, _ path: WritableKeyPath<Whole, Value>, default value: Value
    ) {
        self.init(key, path, default: value, read: { $0 as Value }, write: \.self)
    }

    /// The same for a value that has another form in JSON.
    init<Value: Equatable, Form: Codable>(
        _ key: AnyKey, _ path: WritableKeyPath<Whole, Value>, default value: Value,
        read: @escaping (Form) throws -> Value, write: @escaping (Value) -> Form
    ) {
        self.init(
            key: key, read: { $0[keyPath: path] = try $1.decodeIfPresent(Form.self, forKey: $2).map(read) ?? value },
            write: { if $0[keyPath: path] != value { try $1.encode(write($0[keyPath: path]), forKey: $2) } })
    }
}

struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral name: String) { stringValue = name }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Returns the members of an object. Throws if it has other keys than these.
    ///
    /// - Parameters:
    ///   - known: The known keys.
    ///   - what: A description of the object, for the error message.
    ///   - other: What the value may be instead of an object: `a number`.
    /// - Returns: The members.
    /// - Throws: ``MockFaultError`` if a key is unknown.
    func members(
        _ known: [String], of what: String, or other: String? = nil
    ) throws -> KeyedDecodingContainer<AnyKey> {
        if let other, let decoder = self as? MockJSONDecoder, decoder.tree.kind != .object {
            throw decoder.wrongType("\(other) or an object")
        }
        let members = try container(keyedBy: AnyKey.self)
        for key in members.allKeys where !known.contains(key.stringValue) {
            let (problem, remedy) = NearestName.unknownKey(key.stringValue, among: known, "in \(what)")
            let error = MockFaultError.ofKey(key.stringValue, "\(problem) \(remedy)")
            throw (self as? MockJSONDecoder)?.mistake(error) ?? error
        }
        return members
    }
}

extension UInt32 {
    /// Checks the range of a number. Decoding it as `UInt32` would report a number that is too large as invalid JSON.
    init(fault number: Int64, _ what: String) throws(MockFaultError) {
        guard let number = UInt32(exactly: number) else {
            throw MockFaultError(.outOfRange, "A fault's \(what) must be 0 to 4294967295.")
        }
        self = number
    }
}

extension MockFaultError {
    static func ofKey(_ name: String, _ description: String) -> MockFaultError {
        var error = MockFaultError(.unknownKey, description)
        error.path = [name]
        return error
    }

    static func malformed(_ description: String) -> MockFaultError {
        MockFaultError(.malformed, description)
    }
}
