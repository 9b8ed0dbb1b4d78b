import PushProvider

/// What is to be said, and what the place that it comes from tells besides.
struct SpokenPayload: Sendable {
    var payload: PushPayload
    /// Of a file for the simulator: the bundle id in it.
    var bundleID: String?
    /// Whether the bytes were given as they are, so that nobody has said the push type.
    var isRaw = false

    /// The key that `xcrun simctl push` reads the bundle id from. It is for the simulator only and is not sent.
    private static let simulatorKey = "Simulator Target Bundle"

    /// Something built from flags.
    init(built payload: PushPayload) {
        self.payload = payload
    }

    /// Bytes as they are, but for the simulator's own key. What is no JSON is refused later, with the place.
    init(raw bytes: [UInt8]) {
        isRaw = true
        payload = PushPayload(json: bytes)
        guard let bundle = JSONValue(json: bytes)?[Self.simulatorKey] else { return }
        if case .string(let bundle) = bundle, !bundle.isEmpty { bundleID = bundle }
        var text = JSONText(bytes)
        text.removeMember(Self.simulatorKey)
        payload = PushPayload(json: text.bytes)
    }
}
