internal import PushJSON
import PushProvider

/// The payload to send, with other values from its source.
struct ComposedPayload: Sendable {
    var payload: PushPayload
    /// The bundle id in a simulator file.
    var bundleID: String?
    /// Whether the payload was given as bytes, without a push type.
    var isRaw = false
    /// The template from which it was made.
    private(set) var template: ReadyPayload?
    /// The given bytes, for positions in messages; for a built payload its own bytes.
    var source: [UInt8]

    /// The key from which `xcrun simctl push` reads the bundle id. It is for the simulator only, and is not sent.
    static let simulatorKey = "Simulator Target Bundle"

    /// Creates the value for a payload that was built from flags.
    init(built payload: PushPayload) {
        self.payload = payload
        source = payload.bytes
    }

    init(_ template: ReadyPayload, _ payload: PushPayload) {
        self.payload = payload
        self.template = template
        source = payload.bytes
    }

    /// Creates the value for given bytes, and removes the simulator key. Invalid JSON is refused later, with its
    /// position.
    init(raw bytes: [UInt8]) {
        isRaw = true
        source = bytes
        payload = PushPayload(json: bytes)
        guard let bundle = PushJSONValue(json: bytes)?[Self.simulatorKey] else { return }
        if case .string(let bundle) = bundle, !bundle.isEmpty { bundleID = bundle }
        var rest = bytes
        while let range = Self.simulatorMember(in: rest) { rest.removeSubrange(range) }
        payload = PushPayload(json: rest)
    }

    /// Returns the range of the simulator key with its value and one comma; `nil` if it does not occur. The other bytes
    /// stay as they are.
    private static func simulatorMember(in bytes: [UInt8]) -> Range<Int>? {
        guard let tree = try? JSONReader.tree(bytes) else { return nil }
        let members = Array(tree.children(of: JSONTree.root))
        guard let index = members.firstIndex(where: { tree.key(of: $0) == simulatorKey }),
            let start = tree.keyRange(of: members[index])?.lowerBound
        else { return nil }
        if index + 1 < members.count, let next = tree.keyRange(of: members[index + 1]) {
            return start..<next.lowerBound
        }
        // The last member has its comma before it.
        return
            (index > 0 ? tree.range(of: members[index - 1]).upperBound : start)..<tree.range(of: members[index])
            .upperBound
    }
}
