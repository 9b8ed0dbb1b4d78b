internal import PushJSON

/// A JSON value before it is written as bytes: like ``PushJSONValue``, but numbers keep all their digits.
enum EncodedJSON: Hashable, Sendable {
    case value(PushJSONValue)
    /// A number that neither `Int` nor `Double` can represent exactly.
    case digits(String)
    case array([EncodedJSON])
    case object([String: EncodedJSON])

    /// The members; `nil` if it is not an object.
    var members: [String: EncodedJSON]? {
        switch self {
        case .object(let members): members
        case .value(.object(let members)): members.mapValues(EncodedJSON.value)
        case .value, .digits, .array: nil
        }
    }

    /// The value as compact JSON in UTF-8.
    var encoded: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .value(let value): writer.value(value)
        case .digits(let digits): writer.raw(digits)
        case .array(let elements): writer.array(elements) { $1.write(to: &$0) }
        case .object(let members):
            writer.object { writer in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    writer.member(name) { value.write(to: &$0) }
                }
            }
        }
    }
}

extension EncodedJSON {
    static func text(_ text: String) -> EncodedJSON { .value(.string(text)) }
    static func integer(_ integer: Int) -> EncodedJSON { .value(.integer(integer)) }
    static func texts(_ texts: [String]) -> EncodedJSON { .array(texts.map(EncodedJSON.text)) }
}
