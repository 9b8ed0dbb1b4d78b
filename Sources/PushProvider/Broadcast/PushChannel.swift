/// A broadcast channel of an app: devices subscribe to it, and one request updates the Live Activities of all of them.
public struct PushChannel: Sendable, Hashable {
    /// What APNs stores for devices that are offline. It cannot be changed after the channel was created.
    public enum Storage: Int, Sendable, Hashable, CaseIterable {
        /// Nothing: a device that is offline misses the broadcast. APNs allows more broadcasts on such a channel.
        case none = 0
        /// The newest broadcast, for 8 hours at most.
        case newest = 1
    }

    /// The id of the channel.
    public let id: PushChannel.ID
    /// What APNs stores for devices that are offline.
    public let storage: Storage
    /// The push type of its broadcasts, as APNs returned it: `LiveActivity`.
    public let pushType: String

    /// Creates a channel, for tests.
    ///
    /// - Parameters:
    ///   - id: The id of the channel.
    ///   - storage: What APNs stores for devices that are offline.
    ///   - pushType: The push type of its broadcasts.
    public init(id: PushChannel.ID, storage: Storage, pushType: String = "LiveActivity") {
        (self.id, self.storage, self.pushType) = (id, storage, pushType)
    }
}
