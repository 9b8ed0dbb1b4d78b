public import PushPlatform

extension PushPayload {
    /// The alert, the updates and the end of a Live Activity. `startLiveActivity`, `updateLiveActivity` and `endLiveActivity` take them.
    public enum LiveActivity {}
}

extension PushPayload.LiveActivity {
    /// The alert when a Live Activity starts, changes or ends, on devices that show an alert for it.
    ///
    /// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications".
    public struct Alert: Sendable, Hashable {
        /// The title.
        public var title: PushPayload.Text
        /// The text.
        public var body: PushPayload.Text
        /// The name of a sound file in the app, or `default`.
        public var sound: String?

        /// Creates an alert.
        ///
        /// - Parameters:
        ///   - title: The title.
        ///   - body: The text.
        ///   - sound: The name of a sound file in the app, or `default`.
        public init(title: PushPayload.Text, body: PushPayload.Text, sound: String? = nil) {
            self.title = title
            self.body = body
            self.sound = sound
        }

        var tree: EncodedJSON {
            var members = ["title": title.tree, "body": body.tree]
            members.set("sound", sound)
            return .object(members)
        }
    }

    /// How a Live Activity that a push has started gets its updates (iOS 18): by a token or by a channel, never by both.
    public enum Input: Sendable, Hashable {
        /// By pushes to its own update token, which the app sends to your server.
        case token
        /// By broadcasts on a channel with this id, in base64.
        case channel(String)

        func write(to aps: inout [String: EncodedJSON]) {
            switch self {
            case .token: aps["input-push-token"] = .integer(1)
            case .channel(let id): aps["input-push-channel"] = .text(id)
            }
        }
    }

    /// How long an ended Live Activity stays on the Lock Screen.
    public enum Dismissal: Sendable, Hashable {
        /// As long as the system decides: up to four hours.
        case bySystem
        /// It is removed immediately.
        case immediately
        /// Until this time, but at most four hours.
        case at(Date)
    }
}
