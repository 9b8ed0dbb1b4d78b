/// The limits that Apple publishes for the provider API.
public enum APNSLimit {
    /// The maximum size of a payload of any push type except `voip`, in bytes.
    public static let payloadBytes = 4096
    /// The maximum size of a payload of push type `voip`, in bytes.
    public static let voipPayloadBytes = 5120
    /// The maximum size of the payload of a broadcast, in bytes.
    public static let broadcastPayloadBytes = 5120
    /// The maximum number of broadcast channels of an app in one environment.
    public static let channels = 10_000
    /// The maximum length of a collapse id, in bytes of UTF-8.
    public static let collapseIDBytes = 64
    /// The length of a key id or a team id, in characters.
    public static let identifierCharacters = 10
    /// The maximum length of a device token in Apple's documentation, in hex digits. Today app tokens have 64.
    public static let deviceTokenHexDigits = 200
    /// The minimum time between two provider tokens on one connection.
    public static let providerTokenUpdateTime = Duration.seconds(providerTokenUpdateSeconds)

    // In seconds, for calculations with the whole seconds of headers and provider tokens.
    /// How long APNs stores a notification for a device that is offline.
    package static let storageSeconds = 30 * 24 * 3600
    /// The maximum age of a provider token.
    package static let providerTokenAgeSeconds = 3600
    package static let providerTokenUpdateSeconds = 20 * 60

    /// The greatest plausible time, in seconds since 1970 (the year 5138). A greater number is in milliseconds.
    package static let firstMilliseconds = 100_000_000_000.0

    /// The limit for a payload of a push type, in bytes.
    ///
    /// - Parameter pushType: The push type; `nil` if the request has none.
    /// - Returns: 5120 for `voip`, 4096 for all others.
    public static func payloadBytes(for pushType: PushType?) -> Int {
        pushType == .voip ? voipPayloadBytes : payloadBytes
    }
}

/// Apple's host names for sending, and their ports.
public enum APNSHost {
    /// The domain of all of Apple's hosts for push.
    package static let domain = "push.apple.com"
    /// The host for apps from TestFlight, ad hoc builds and the App Store.
    public static let production = "api.push.apple.com"
    /// The host for apps installed by Xcode.
    public static let sandbox = "api.sandbox.push.apple.com"
    /// All names of the sandbox host, including the older one.
    public static let sandboxNames = [sandbox, "api.development.push.apple.com"]
    /// The default port.
    public static let port = 443
    /// The alternative port, for networks that block 443 for this traffic.
    public static let alternatePort = 2197

    /// The host that manages the broadcast channels of ``production``.
    public static let productionChannels = "api-manage-broadcast.push.apple.com"
    /// The port of ``productionChannels``. The numbers of the two ports are as Apple documents them.
    public static let productionChannelsPort = 2196
    /// The host that manages the broadcast channels of ``sandbox``.
    public static let sandboxChannels = "api-manage-broadcast.sandbox.push.apple.com"
    /// The port of ``sandboxChannels``.
    public static let sandboxChannelsPort = 2195

    /// All push hosts that Apple documents or has documented. The mock accepts all of them.
    public static let all = [
        production,
        sandbox,
        "api.development.push.apple.com",
        "api-broadcast.push.apple.com",
        "api-broadcast.sandbox.push.apple.com",
        productionChannels,
        sandboxChannels,
    ]
}
