/// Any JSON value, for custom keys beside `aps`.
///
/// It can be written as a literal: `["order": 42, "tags": ["new", "paid"]]`.
public enum PushJSONValue: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A whole number.
    case integer(Int)
    /// Any other number. JSON has no infinite numbers and no NaN; a notification with one of them is refused.
    case number(Double)
    /// A string.
    case string(String)
    /// Values in order.
    case array([PushJSONValue])
    /// Values by name, written in the order of their names.
    case object([String: PushJSONValue])
}

extension PushJSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Values in order.
    public init(arrayLiteral elements: PushJSONValue...) { self = .array(elements) }
    /// Values by name. If a name occurs twice, the later value counts.
    public init(dictionaryLiteral elements: (String, PushJSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, later in later }))
    }
    /// `null`
    public init(nilLiteral: ()) { self = .null }
}

extension PushJSONValue: Decodable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([PushJSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: PushJSONValue].self))
        }
    }
}

extension PushJSONValue {
    /// The value of a key; `nil` if this is not an object or has no such key.
    public subscript(key: String) -> PushJSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }

    package var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    package var isFinite: Bool { !hasNumber { !$0.isFinite } }

    /// Whether a number in the value was too large to be kept digit by digit.
    package var hasInexactNumber: Bool { hasNumber { $0.magnitude >= 0x1p53 } }

    /// Those that are kept digit by digit don't count.
    private func hasNumber(_ isLikeThis: (Double) -> Bool) -> Bool {
        switch self {
        case .number(let value): isLikeThis(value)
        case .array(let values): values.contains { $0.hasNumber(isLikeThis) }
        case .object(let members): members.values.contains { $0.hasNumber(isLikeThis) }
        case .null, .bool, .integer, .string: false
        }
    }

    /// The value as compact JSON in UTF-8.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONWriter {
    /// The members of objects are in the order of their names.
    package mutating func value(_ value: PushJSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .integer(let integer): self.integer(integer)
        case .number(let number): self.number(number)
        case .string(let text): string(text)
        case .array(let values): array(values) { $0.value($1) }
        case .object(let members):
            object { writer in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    writer.member(name) { $0.value(value) }
                }
            }
        }
    }
}

extension PushJSONValue: Encodable {
    /// Encodes the value. A payload uses the value without an encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

extension PushJSONValue {
    /// An object without the members that are `nil`.
    package static func members(_ members: [(String, PushJSONValue?)]) -> PushJSONValue {
        var object: [String: PushJSONValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    /// A member that is there already stays as it is.
    package func adding(_ more: [String: PushJSONValue]) -> PushJSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.merging(more) { first, _ in first })
    }
}
