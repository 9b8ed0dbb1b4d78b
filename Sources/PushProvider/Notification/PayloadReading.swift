/// What a look into a payload tells, taken once per payload and not once per notification.
struct PayloadReading: Hashable, Sendable {
    /// Why the bytes cannot be a payload, in a sentence; `nil` when they can.
    var problem: String?
    /// The push type that the payload can only mean; `nil` where it is not plain.
    var plainPushType: PushType?
    /// `aps` has something to see or hear.
    var isVisible = false

    init(of bytes: [UInt8]) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self.init(problem: "it begins with a byte order mark, which JSON must not (RFC 8259 section 8.1)")
            return
        }
        do throws(JSONError) {
            self.init(of: try JSONReader.read(bytes))
        } catch {
            self.init(problem: bytes.isEmpty ? "there is nothing in it" : "it is not JSON: \(error)")
        }
    }

    private init(problem: String) {
        self.problem = problem
    }

    init(of value: JSONValue) {
        guard case .object(let members) = value else {
            problem = "it is JSON but not an object: a payload begins with { and holds \"aps\""
            return
        }
        if !value.isFinite { problem = "a number in it is not finite and has no form in JSON" }
        if members["aps"] == nil, members["mdm"] != nil { plainPushType = .mdm }
        guard case .object(let aps)? = members["aps"] else {
            if members["aps"] != nil { problem = "its \"aps\" is not an object" }
            return
        }
        isVisible = ["alert", "badge", "sound"].contains { aps[$0] != nil }
        if aps["content-state"] != nil, aps["event"] != nil {
            plainPushType = .liveactivity
        } else if isVisible {
            plainPushType = .alert
        } else if [.integer(1), .number(1)].contains(aps["content-available"]) {
            plainPushType = .background
        }
    }
}
