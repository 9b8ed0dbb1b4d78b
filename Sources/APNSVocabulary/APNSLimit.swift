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
    /// How long APNs stores the newest broadcast of a channel for devices that are offline.
    public static let broadcastStorageTime = Duration.seconds(8 * 3600)
    /// The maximum length of a collapse id, in bytes of UTF-8.
    public static let collapseIDBytes = 64
    /// The length of a key id or a team id, in characters.
    public static let identifierCharacters = 10
    /// The maximum length of a device token in Apple's documentation, in hex digits. Today app tokens have 64.
    public static let deviceTokenHexDigits = 200
    /// How long APNs stores a notification for a device that is offline.
    public static let storageTime = Duration.seconds(storageSeconds)
    /// The maximum age of a provider token.
    public static let providerTokenAge = Duration.seconds(providerTokenAgeSeconds)
    /// The minimum time between two provider tokens on one connection.
    public static let providerTokenUpdateTime = Duration.seconds(providerTokenUpdateSeconds)

    // The same in seconds, for calculations with the whole seconds of headers and provider tokens.
    package static let storageSeconds = 30 * 24 * 3600
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
