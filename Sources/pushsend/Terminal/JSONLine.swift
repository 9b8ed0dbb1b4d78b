internal import PushJSON
import PushProvider

/// A JSON object on one line, with keys in snake_case: the output of `--json`.
struct JSONLine {
    private var members: [String: PushJSONValue] = [:]

    /// Keys without a value are left out.
    subscript(key: String) -> PushJSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// The line as bytes. Characters that could control the terminal are escaped.
    var bytes: [UInt8] { PeerText.printableJSON(PushJSONValue.object(members).encoded) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
