package import PushJSON

/// What is wrong in a profile, where, and how to correct it.
public struct PhoneProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in a sentence.
    public let message: String
    /// The JSON Pointer of the value.
    public let field: String
    /// How to correct it, in a sentence.
    public let remedy: String?
    /// The position in the text; `nil` if the value has none.
    package let location: TextPosition?

    /// The line, from 1.
    public var line: Int? { location?.line }
    /// The column, from 1.
    public var column: Int? { location?.column }

    /// The mistake and its remedy, without the position.
    public var description: String {
        (field.isEmpty ? "" : "\(field): ") + [message, remedy].compactMap(\.self).joined(separator: " ")
    }

    init(_ message: String, at field: String, _ location: TextPosition?, remedy: String? = nil) {
        self.message = message
        self.field = field
        self.location = location
        self.remedy = remedy
    }
}

extension PhoneProfileError: ReadingMistake {
    package static func invalid(
        _ detail: String, code: String, field: String?, at position: TextPosition?, remedy: String?
    ) -> PhoneProfileError {
        PhoneProfileError(detail, at: field ?? "", position, remedy: remedy)
    }
}

typealias ProfileReader = ObjectReader<PhoneProfileError>
