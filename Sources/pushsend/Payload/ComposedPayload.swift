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

    /// Creates the value for a template, possibly changed.
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
        guard let bundle = JSONValue(json: bytes)?[Self.simulatorKey] else { return }
        if case .string(let bundle) = bundle, !bundle.isEmpty { bundleID = bundle }
        var text = JSONText(bytes)
        text.removeMember(Self.simulatorKey)
        payload = PushPayload(json: text.bytes)
    }
}
