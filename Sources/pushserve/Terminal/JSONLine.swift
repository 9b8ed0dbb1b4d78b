import APNSVocabulary
import PushJSON

/// A JSON object on one line, with keys in snake_case: the output of `--json`.
struct JSONLine: Equatable {
    private(set) var members: [String: PushJSONValue] = [:]

    /// A line without members.
    init() {}

    /// The members of an object.
    init(_ value: PushJSONValue) {
        if case .object(let members) = value { self.members = members }
    }

    /// Keys without a value are left out.
    subscript(key: String) -> PushJSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// The line as bytes. Characters that could control the terminal are escaped.
    var bytes: [UInt8] { PeerText.printableJSON(PushJSONValue.object(members).encoded) }
}
