internal import PushJSON
import PushProvider

/// One object on one line, keys in snake_case: what `--json` prints.
struct JSONLine {
    private var members: [String: JSONValue] = [:]

    /// Keys without a value are left out.
    subscript(key: String) -> JSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// What could steer a terminal is escaped.
    var bytes: [UInt8] { PeerText.printableJSON(JSONValue.object(members).encoded) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
