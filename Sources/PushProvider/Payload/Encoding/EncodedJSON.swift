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
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .value(let value): value.write(to: &bytes)
        case .digits(let digits): bytes += digits.utf8
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                PushJSONValue.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension EncodedJSON {
    static func text(_ text: String) -> EncodedJSON { .value(.string(text)) }
    static func integer(_ integer: Int) -> EncodedJSON { .value(.integer(integer)) }
    static func texts(_ texts: [String]) -> EncodedJSON { .array(texts.map(EncodedJSON.text)) }
}
