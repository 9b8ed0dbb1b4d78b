public import PushPlatform

/// What a service did with a notification that was handed to it.
public struct QueuedPush: Sendable, Hashable, Decodable {
    /// What it did. New results can be added.
    public struct Result: Sendable, Hashable, Decodable {
        let name: String
        /// It is in the queue, durably.
        public static let queued = Result(name: "queued")
        /// It was not queued: an earlier notification, whose id this is, has the same dedupe key.
        public static let duplicate = Result(name: "duplicate")

        init(name: String) { self.name = name }

        /// Reads the word of the API.
        public init(from decoder: any Decoder) throws {
            name = try decoder.singleValueContainer().decode(String.self)
        }
    }

    /// The id, which is also the `apns-id` of every try.
    public var id: UUID
    /// What the service did.
    public var result: Result
}

/// A notification as a service knows it.
public struct PushServiceJob: Sendable, Hashable, Decodable {
    /// How a notification ended.
    public struct Outcome: Sendable, Hashable, Decodable {
        /// The kind of outcome. There are only these four.
        public enum Kind: String, Sendable, Hashable, Decodable, CaseIterable {
            case accepted
            case rejected
            /// Apple may have accepted it.
            case unknown
            /// Apple certainly did not get it.
            case notSent = "not_sent"
        }

        /// The kind of outcome.
        public var kind: Kind
        /// A word for programs, such as `BadDeviceToken`, `expired` or `superseded`; `nil` if it was accepted. A newer service can have
        /// more words.
        public var reason: String?
        /// A sentence for people.
        public var detail: String?
        /// The HTTP status of Apple's answer.
        public var status: Int?
        /// The `apns-unique-id` of Apple's answer.
        public var uniqueID: UUID?

        private enum CodingKeys: String, CodingKey {
            case kind, reason, detail, status
            case uniqueID = "apns_unique_id"
        }
    }

    /// The id, which is also the `apns-id` of every try.
    public var id: UUID
    /// The app.
    public var app: String
    /// The device token; `nil` for a channel.
    public var token: String?
    /// The id of the channel; `nil` for a device.
    public var channel: String?
    /// Where it is: `waiting`, `held` (a line of a paused campaign), `leased`, `started` or `finished`.
    public var state: String
    /// How it ended; `nil` while it has not.
    public var outcome: Outcome?
    /// When the service took it in.
    public var queuedAt: Date
    /// When it got its outcome; `nil` while it has none.
    public var finishedAt: Date?
    /// How often the service tried to send it.
    public var attempts: Int

    private enum CodingKeys: String, CodingKey {
        case id, app, token, channel, state, outcome, attempts
        case queuedAt = "queued_at"
        case finishedAt = "finished_at"
    }
}

/// Outcomes after a cursor.
public struct PushServiceResults: Sendable, Hashable, Decodable {
    /// The notifications with their outcomes, in the order in which these were stored.
    public var items: [PushServiceJob]
    /// The cursor for the next call. It stays valid for ever, also if the list is empty.
    public var next: String
    /// Whether outcomes after the cursor of the call were dropped before they were read, or the database is an older one that
    /// was restored: then the oldest outcomes that are kept follow, some of them for a second time.
    public var gap: Bool
}
