import PushJSON
import PushPlatform
import PushQueue

/// A session as it is stored.
extension Sessions.Session {
    /// The value of the record.
    var encoded: [UInt8] {
        PushJSONValue.object([
            "key": .string(key.id), "sha256": .string(HexText.of(key.digest)), "csrf": .string(csrf),
            "until": .integer(Int(until.milliseconds)),
        ]).encoded
    }

    /// Reads the value of a record; `nil` if it is damaged.
    init?(_ bytes: [UInt8]) {
        guard let value = PushJSONValue(json: bytes), case .string(let id)? = value["key"],
            case .string(let hex)? = value["sha256"], case .string(let csrf)? = value["csrf"],
            case .integer(let until)? = value["until"], let digest = HexText.bytes(of: hex)
        else { return nil }
        self.init(
            key: KeyProof(id: id, digest: digest), csrf: csrf, until: QueueTime(milliseconds: Int64(until)))
    }
}
