internal import PushJSON

/// A payload under construction: `aps` and the keys beside it.
struct PayloadDraft: Sendable {
    /// The value of `aps`; `nil` for a payload without it.
    var aps: [String: EncodedJSON]?
    private var members: [String: EncodedJSON] = [:]

    init(aps: [String: EncodedJSON]?) {
        self.aps = aps
    }

    init(aps: [String: EncodedJSON]?, custom: [String: PushJSONValue]) throws(PushPayloadError) {
        self.aps = aps
        try add(custom.checkedTrees(in: "custom"))
    }

    init(aps: [String: EncodedJSON]?, encoding value: some Encodable) throws(PushPayloadError) {
        self.aps = aps
        guard let members = try PayloadEncoder.tree(of: value, as: "custom").members else {
            throw .notAnObject("custom")
        }
        try add(members)
    }

    init(aps: [String: EncodedJSON]?, values: [String: any Encodable]) throws(PushPayloadError) {
        self.aps = aps
        var members: [String: EncodedJSON] = [:]
        // Sorted, so that the same error is always reported first.
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            members[name] = try PayloadEncoder.tree(of: value, as: "custom.\(name)")
        }
        try add(members)
    }

    /// Sets a key beside `aps`.
    mutating func set(_ name: String, _ text: String) {
        members[name] = .text(text)
    }

    private mutating func add(_ custom: [String: EncodedJSON]) throws(PushPayloadError) {
        guard custom["aps"] == nil else {
            throw .reservedKey("custom.aps", "rename the app's own key, or build the payload from JSON.")
        }
        members.merge(custom) { _, later in later }
    }

    func payload(_ pushType: PushType?) -> PushPayload {
        var members = members
        if let aps { members["aps"] = .object(aps) }
        return PushPayload(json: EncodedJSON.object(members).encoded, pushType: pushType)
    }
}
