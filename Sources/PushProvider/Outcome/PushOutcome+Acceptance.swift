extension PushOutcome {
    /// The answer when Apple accepted the notification. It does not mean that the device got it.
    public struct Acceptance: Sendable, Hashable {
        /// The id of the notification in the answer, or of a broadcast (`apns-request-id`); empty if the answer has none.
        public var apnsID: String
        /// The times, the attempts and the connection.
        public var trace: PushOutcome.Trace
        /// What most acceptances do not have; `nil` if there is nothing of it.
        private var rest: Rest?

        /// Sandbox only: the id of the notification in Apple's Push Notifications Console.
        public var uniqueID: String? {
            get { rest?.uniqueID }
            set { rest = Rest(uniqueID: newValue, reply: reply) }
        }

        /// The rest of the answer to a request about a channel.
        var reply: Reply? {
            get { rest?.reply }
            set { rest = Rest(uniqueID: uniqueID, reply: newValue) }
        }

        /// The rest of the answer to a request about a channel.
        struct Reply: Sendable, Hashable {
            let channelID: String?
            let body: [UInt8]
            /// Whether the body was longer than what is kept.
            var isCut = false

            static func == (left: Reply, right: Reply) -> Bool {
                left.channelID == right.channelID && left.body == right.body
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(channelID)
                hasher.combine(body)
            }
        }

        /// Behind one reference, because each reference of an outcome is counted with every copy.
        private final class Rest: Sendable, Hashable {
            let uniqueID: String?
            let reply: Reply?

            init?(uniqueID: String?, reply: Reply?) {
                if uniqueID == nil, reply == nil { return nil }
                (self.uniqueID, self.reply) = (uniqueID, reply)
            }

            static func == (left: Rest, right: Rest) -> Bool {
                left.uniqueID == right.uniqueID && left.reply == right.reply
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(uniqueID)
                hasher.combine(reply)
            }
        }

        /// Creates an acceptance by Apple.
        ///
        /// - Parameters:
        ///   - apnsID: The id of the notification.
        ///   - uniqueID: Sandbox only: the id of the notification in Apple's Push Notifications Console.
        ///   - trace: The times, the attempts and the connection.
        public init(apnsID: String, uniqueID: String? = nil, trace: PushOutcome.Trace = .instant) {
            (self.apnsID, self.trace) = (apnsID, trace)
            if uniqueID != nil { self.uniqueID = uniqueID }
        }
    }
}
