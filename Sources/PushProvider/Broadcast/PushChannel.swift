import PushPlatform

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

extension PushChannel {
    /// The id of a broadcast channel: base64 that Apple chooses when the channel is created.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        /// The id, as Apple returned it.
        public let description: String

        /// The maximum length in characters. Apple does not document one; its own ids have 24.
        public static let longest = 200

        /// Creates a channel id from its text.
        ///
        /// - Parameter text: The id as Apple returned it.
        /// - Throws: ``PushConfigurationError`` if the text is not base64.
        public init(_ text: String) throws(PushConfigurationError) {
            guard !text.isEmpty else {
                throw PushConfigurationError(name: "channel", description: "The channel id is empty.")
            }
            let shown = PeerText.printable(text)
            guard text.utf8.count <= Self.longest else {
                throw PushConfigurationError(
                    name: "channel",
                    description: "The channel id has \(text.utf8.count) characters, more than \(Self.longest).")
            }
            guard let data = Data(base64Encoded: text), !data.isEmpty else {
                throw PushConfigurationError(
                    name: "channel",
                    description: """
                        "\(shown)" isn't a channel id: it isn't base64. Copy the id that APNs returned, with every = at its end.
                        """)
            }
            description = text
        }

        /// Creates the id from a text that APNs has returned; `nil` for a text that cannot be an id. The form of the ids may
        /// change, so everything is accepted that can stand in a header field and in a line of text.
        init?(returned text: String) {
            guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !text.hasPrefix("-")
            else { return nil }
            description = text
        }
    }
}
