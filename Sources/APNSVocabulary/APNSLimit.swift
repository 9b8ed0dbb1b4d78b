/// The numbers that Apple publishes for the provider API.
public enum APNSLimit {
    /// A payload of any push type but `voip`, in bytes.
    public static let payloadBytes = 4096
    /// A payload of push type `voip`, in bytes.
    public static let voipPayloadBytes = 5120
    /// The payload of a broadcast, in bytes.
    public static let broadcastPayloadBytes = 5120
    /// A collapse id, in bytes of UTF-8.
    public static let collapseIDBytes = 64
    /// A key id or a team id, in characters.
    public static let identifierCharacters = 10
    /// The longest device token that any Apple document speaks of, in hex digits. Today's app tokens have 64.
    public static let deviceTokenHexDigits = 200
    /// How long APNs keeps a notification for a device that is away, in seconds.
    public static let storageSeconds = 30 * 24 * 3600
    /// How old a provider token may be, in seconds.
    public static let providerTokenAgeSeconds = 3600
    /// How far apart two provider tokens of one connection must be, in seconds.
    public static let providerTokenUpdateSeconds = 20 * 60

    /// Seconds since 1970 above which a time was certainly meant in milliseconds: the year 5138.
    package static let firstMilliseconds = 100_000_000_000.0

    /// The limit for a payload of a push type, in bytes.
    ///
    /// - Parameter pushType: The type, or `nil` when the request names none.
    /// - Returns: 5120 for `voip`, 4096 for everything else.
    public static func payloadBytes(for pushType: PushType?) -> Int {
        pushType == .voip ? voipPayloadBytes : payloadBytes
    }
}
