internal import PushJSON
import PushProvider

/// What is to be said, and what the place that it comes from tells besides.
struct SpokenPayload: Sendable {
    var payload: PushPayload
    /// Of a file for the simulator: the bundle id in it.
    var bundleID: String?
    /// Whether the bytes were given as they are, so that nobody has said the push type.
    var isRaw = false
    /// The template that it was made of.
    private(set) var template: ReadyPayload?
    /// The bytes as they were given, in which places are told; of something built the payload itself.
    var source: [UInt8]

    /// The key that `xcrun simctl push` reads the bundle id from. It is for the simulator only and is not sent.
    static let simulatorKey = "Simulator Target Bundle"

    /// Something built from flags.
    init(built payload: PushPayload) {
        self.payload = payload
        source = payload.bytes
    }

    /// A template, as it is or as changed.
    init(_ template: ReadyPayload, _ payload: PushPayload) {
        self.payload = payload
        self.template = template
        source = payload.bytes
    }

    /// Bytes as they are, but for the simulator's own key. What is no JSON is refused later, with the place.
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
