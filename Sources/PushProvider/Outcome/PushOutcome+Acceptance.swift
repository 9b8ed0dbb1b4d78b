public import PushPlatform

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

// Initializers for the tests of an app: see ``PushSending``.

extension PushOutcome.Rejection {
    /// Creates a rejection by Apple.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: Apple's reason; `nil` for an answer without a reason.
    ///   - timestamp: With 410: when the device token became invalid.
    ///   - registeredAt: When the app last registered the device token. Together with `timestamp` it decides
    ///     ``tokenStatus``.
    ///   - apnsID: The id of the notification.
    ///   - againAfter: How long to wait before a retry; `nil` if a retry cannot succeed.
    ///   - trace: The times and the connection.
    public init(
        status: Int, reason: RejectionReason?, timestamp: Date? = nil, registeredAt: Date? = nil, apnsID: String = "",
        againAfter: Duration? = nil, trace: PushOutcome.Trace = .instant
    ) {
        self.init(
            status: status, reason: reason, timestampMilliseconds: timestamp?.millisecondsSince1970,
            registeredMilliseconds: registeredAt?.millisecondsSince1970,
            apnsID: apnsID, uniqueID: nil, retryAfter: nil, againAfter: againAfter, body: [], trace: trace)
    }
}

extension PushOutcome.NotSent {
    /// Creates the outcome of a notification that Apple certainly did not process.
    ///
    /// - Parameters:
    ///   - cause: Why it was not sent.
    ///   - phase: The phase in which it ended.
    ///   - description: What happened, in a sentence.
    ///   - trace: The times and the connection.
    public init(
        cause: PushOutcome.Cause, phase: PushOutcome.Phase = .queue, description: String = "",
        trace: PushOutcome.Trace = .instant
    ) {
        self.init(cause: cause, phase: phase, description: description, trace: trace, isConnectionHopeless: false)
    }
}

extension PushOutcome.Unknown {
    /// Creates the outcome of a notification that was sent and got no answer.
    ///
    /// - Parameters:
    ///   - cause: Why there is no answer.
    ///   - apnsID: The id that was sent.
    ///   - phase: The phase in which it ended.
    ///   - description: What happened, in a sentence.
    ///   - trace: The times and the connection.
    public init(
        cause: PushOutcome.Cause, apnsID: String = "", phase: PushOutcome.Phase = .wait, description: String = "",
        trace: PushOutcome.Trace = .instant
    ) {
        self.init(cause: cause, phase: phase, apnsID: apnsID, description: description, trace: trace)
    }
}
