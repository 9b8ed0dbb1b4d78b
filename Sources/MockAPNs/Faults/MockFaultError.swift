package import PushJSON

/// Why a fault is invalid.
public struct MockFaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. New kinds can be added.
    package struct Code: Hashable, Sendable {
        let name: String
        /// The text is not JSON, or a value has the wrong type.
        package static let malformed = Code(name: "malformed")
        /// A key is unknown.
        package static let unknownKey = Code(name: "unknownKey")
        /// A value is too large, too small or not allowed.
        package static let outOfRange = Code(name: "outOfRange")
        /// A step or a condition is not possible at this moment.
        package static let impossibleHere = Code(name: "impossibleHere")
        /// The mock has as many faults as it can.
        package static let tooMany = Code(name: "tooMany")
    }

    /// The kind of error.
    package let code: Code
    /// What is wrong and how to correct it, in one or two sentences.
    public let description: String
    /// The names of the members and the indexes of the elements on the path to the mistake; empty for the whole.
    package internal(set) var path: [String] = []
    /// Where it is in the text; `nil` without a text.
    package internal(set) var location: TextPosition?

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
