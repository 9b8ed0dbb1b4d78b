internal import APNSVocabulary
package import PushJSON

/// A JSON object on one line, with keys in snake_case: the output of `--json`.
package struct JSONLine: Equatable {
    package private(set) var members: [String: PushJSONValue] = [:]

    /// A line without members.
    package init() {}

    /// The members of an object.
    package init(_ value: PushJSONValue) {
        if case .object(let members) = value { self.members = members }
    }

    /// Keys without a value are left out.
    package subscript(key: String) -> PushJSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// The line as bytes. Characters that could control the terminal are escaped.
    package var bytes: [UInt8] { PeerText.printableJSON(PushJSONValue.object(members).encoded) }
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
