public import PushPlatform

/// The outcome of one notification, or of a broadcast or a request about a channel. `outcome(of:)` of ``PushClient`` returns it, and
/// `send` throws every outcome except ``accepted(_:)``.
///
/// There are only these five. After `rejected`, read Apple's reason. After `notSent`, you can send the notification again without a
/// duplicate. After `unknown`, Apple may have accepted it. With `invalid`, it was not sent because it breaks a rule.
public enum PushOutcome: Error, Sendable, Hashable {
    case accepted(PushOutcome.Acceptance)
    indirect case rejected(PushOutcome.Rejection)
    /// Apple certainly did not process the notification. You can send it again without a duplicate.
    indirect case notSent(PushOutcome.NotSent)
    /// The notification was written, but no answer arrived. Apple may have accepted it.
    indirect case unknown(PushOutcome.Unknown)
    /// The notification breaks these rules and was not queued.
    indirect case invalid([PushFinding])
}

extension PushOutcome {
    /// The name of the outcome, for logs and programs.
    package var name: String {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .notSent: "not_sent"
        case .unknown: "unknown"
        case .invalid: "invalid"
        }
    }

    /// Whether Apple accepted the notification.
    public var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }

    /// Apple's answer, if Apple rejected the notification.
    public var rejection: PushOutcome.Rejection? {
        if case .rejected(let rejection) = self { rejection } else { nil }
    }

    /// Returns the acceptance, or throws any other outcome.
    ///
    /// - Returns: The acceptance.
    /// - Throws: The outcome itself, if it is not ``accepted(_:)``.
    public func get() throws(PushOutcome) -> PushOutcome.Acceptance { try taken() }

    /// Does the same, and moves the acceptance out.
    consuming func taken() throws(PushOutcome) -> PushOutcome.Acceptance {
        switch consume self {
        case .accepted(let acceptance): return acceptance
        case let other: throw other
        }
    }

    /// The times, the attempts and the connection.
    public var trace: PushOutcome.Trace {
        switch self {
        case .accepted(let acceptance): acceptance.trace
        case .rejected(let rejection): rejection.trace
        case .notSent(let notSent): notSent.trace
        case .unknown(let unknown): unknown.trace
        case .invalid: PushOutcome.Trace(queued: .zero, attempts: 0, connection: nil)
        }
    }

    /// Returns the outcome with the attempts of earlier tries added.
    package func adding(attempts: Int) -> PushOutcome {
        guard attempts > 0 else { return self }
        switch self {
        case .accepted(var acceptance):
            acceptance.trace.attempts += attempts
            return .accepted(acceptance)
        case .rejected(var rejection):
            rejection.trace.attempts += attempts
            return .rejected(rejection)
        case .notSent(var notSent):
            notSent.trace.attempts += attempts
            return .notSent(notSent)
        case .unknown(var unknown):
            unknown.trace.attempts += attempts
            return .unknown(unknown)
        case .invalid: return self
        }
    }

    /// The times of a notification, its attempts, and its connection.
    public struct Trace: Sendable, Hashable {
        /// The time from the call until the last connection got the notification.
        public var queued: Duration
        /// The time from there until the outcome.
        public var inFlight: Duration
        /// How often the notification was given to a connection.
        public var attempts: Int
        /// The number of the last connection of the client, from 1; `nil` if there was none.
        public var connection: Int?

        /// Creates a trace.
        ///
        /// - Parameters:
        ///   - queued: The time from the call until the last connection got the notification.
        ///   - inFlight: The time from there until the outcome.
        ///   - attempts: How often the notification was given to a connection.
        ///   - connection: The number of the last connection of the client, from 1; `nil` if there was none.
        public init(queued: Duration, inFlight: Duration = .zero, attempts: Int = 1, connection: Int? = 1) {
            (self.queued, self.inFlight, self.attempts, self.connection) = (queued, inFlight, attempts, connection)
        }

        /// One attempt that took no time.
        public static let instant = PushOutcome.Trace(queued: .zero)
    }

    /// The answer when Apple rejected the notification.
    public struct Rejection: Sendable, Hashable {
        /// The HTTP status.
        public var status: Int
        /// Apple's reason; `nil` if the body has none.
        public var reason: RejectionReason?
        /// The `timestamp` of the answer, in milliseconds since 1970.
        package var timestampMilliseconds: Int64?
        /// ``PushNotification/registeredAt``, in milliseconds since 1970.
        package var registeredMilliseconds: Int64?
        /// The id of the notification in the answer; empty if the answer has none.
        public var apnsID: String
        /// Sandbox only: the id of the notification in Apple's Push Notifications Console.
        public var uniqueID: String?
        /// The unchanged value of the header `retry-after`.
        public var retryAfter: String?
        /// The server's clock, from the header `date`, in seconds since 1970; `nil` without a valid one.
        package var serverSeconds: Int?
        /// The minimum time to wait before a retry; `nil` if the same notification cannot succeed without a correction.
        public var againAfter: Duration?
        /// The unchanged body of the answer, at most 64 KiB.
        public var body: [UInt8]
        /// The times, the attempts and the connection.
        public var trace: PushOutcome.Trace

        /// With 410: when the device token became invalid, to the millisecond. See ``tokenStatus`` for its meaning.
        public var timestamp: Date? {
            get { timestampMilliseconds.map(Date.init(millisecondsSince1970:)) }
            set { timestampMilliseconds = newValue?.millisecondsSince1970 }
        }
        /// When the app last registered the device token, from ``PushNotification/registeredAt``.
        public var registeredAt: Date? {
            get { registeredMilliseconds.map(Date.init(millisecondsSince1970:)) }
            set { registeredMilliseconds = newValue?.millisecondsSince1970 }
        }

        /// The meaning of the reason and what to do; `nil` for an unknown reason.
        public var explanation: RejectionReason.Explanation? { reason?.explanation }

        /// Whether the same notification cannot succeed until something is corrected.
        public var isFinal: Bool {
            switch explanation?.again {
            case .never, .afterCorrection: true
            case .later, .onNewConnection, .withNewProviderToken: false
            case nil: !(status == 429 || status >= 500)
            }
        }
    }
}

extension PushOutcome.Rejection {
    /// Whether the answer is about the sender, not about the notification: about the credentials (status 403) or the
    /// topic.
    ///
    /// The same notification can succeed when the sender has corrected its credentials or the topic.
    package var concernsSender: Bool {
        status == 403 || reason?.concernsTopic == true || reason?.concernsCredentials == true
    }
}

extension PushOutcome {
    /// Why a notification was not sent, or why there is no answer to it. Later versions may add causes.
    public struct Cause: Hashable, Sendable, CustomStringConvertible {
        /// The name of the cause, for logs and programs.
        public let description: String
        /// The deadline passed.
        public static let deadline = Cause(description: "deadline")
        /// The expiration of the notification passed before it was written.
        public static let expired = Cause(description: "expired")
        /// The task was cancelled.
        public static let cancelled = Cause(description: "cancelled")
        /// No connection could be opened.
        public static let noConnection = Cause(description: "no_connection")
        /// The connection ended.
        public static let connectionLost = Cause(description: "connection_lost")
        /// The server reported that it did not process the request: REFUSED_STREAM, or a GOAWAY with a lower stream id.
        public static let refused = Cause(description: "refused")
        /// The client was shut down.
        public static let shutdown = Cause(description: "shutdown")
        /// The provider token cannot be signed, or the server refuses the credentials.
        public static let credentials = Cause(description: "credentials")
        /// APNs refuses the topic: nothing is sent to it for a minute. Other topics are not affected.
        public static let topicRefused = Cause(description: "topic_refused")
        /// The sequence was stopped because almost all answers say that device tokens and setup do not match. See ``PushMismatch``.
        public static let mismatch = Cause(description: "mismatch")
        /// A newer notification with the same collapse id was started before this one could be tried again. The device
        /// shows the newer one, so do not send this one again.
        public static let superseded = Cause(description: "superseded")
        /// Unknown outcomes only: the server reset the stream.
        public static let streamReset = Cause(description: "stream_reset")
        /// Unknown outcomes only: the answer is malformed.
        public static let malformedAnswer = Cause(description: "malformed_answer")
    }

    /// The outcome of a notification that Apple certainly did not process.
    public struct NotSent: Sendable, Hashable, CustomStringConvertible {
        /// Why the notification was not sent.
        public var cause: Cause
        /// The phase in which the notification ended.
        public var phase: PushOutcome.Phase
        /// What happened, in a sentence.
        public var description: String
        /// The times, the attempts and the connection.
        public var trace: PushOutcome.Trace
        /// Whether something must be corrected before such a notification can be sent: the credentials, the topic, the
        /// setup, or the connection to the server, for example a server certificate that is not trusted. Waiting does not
        /// help.
        public var needsCorrection: Bool {
            cause == .credentials || cause == .topicRefused || cause == .mismatch || isConnectionHopeless
        }
        /// Whether no connection can be opened until something is corrected, for example a server certificate that is not
        /// trusted.
        package var isConnectionHopeless = false

        /// What happened, with the cause ``Cause/superseded``.
        package static let superseding =
            "a newer one with the same collapse id was sent to this device in the meantime."
    }

    /// The outcome of a notification that was written and got no answer.
    public struct Unknown: Sendable, Hashable, CustomStringConvertible {
        /// Why there is no answer.
        public var cause: Cause
        /// The phase in which the notification ended.
        public var phase: PushOutcome.Phase
        /// The id that was sent, to find the notification in Apple's logs; empty if the client assigns no ids.
        public var apnsID: String
        /// What happened, in a sentence.
        public var description: String
        /// The times, the attempts and the connection.
        public var trace: PushOutcome.Trace
    }

    /// The phase of a notification, or of the connection that it waits for.
    public struct Phase: Hashable, Sendable, CustomStringConvertible {
        /// The name of the phase, for logs and programs.
        public let description: String
        /// In the queue, while a connection exists.
        public static let queue = PushOutcome.Phase(description: "queue")
        /// Looking up the host name.
        public static let dns = PushOutcome.Phase(description: "dns")
        /// Opening the TCP connection, to the server or to the proxy.
        public static let tcp = PushOutcome.Phase(description: "tcp")
        /// Waiting for the proxy's tunnel.
        public static let proxy = PushOutcome.Phase(description: "proxy")
        /// The TLS handshake.
        public static let tls = PushOutcome.Phase(description: "tls")
        /// Waiting for the server's SETTINGS.
        public static let settings = PushOutcome.Phase(description: "settings")
        /// Writing the request to the kernel.
        public static let write = PushOutcome.Phase(description: "write")
        /// Waiting for the answer.
        public static let wait = PushOutcome.Phase(description: "wait")
        /// Reading the answer.
        public static let parse = PushOutcome.Phase(description: "parse")
    }
}

extension RejectionReason {
    /// Whether the reason is about the key or the certificate, not about one notification. APNs sends such a reason in
    /// a GOAWAY or with status 403.
    var concernsCredentials: Bool { Self.ofCredentials.contains(self) }

    private static let ofCredentials: Set<RejectionReason> = [
        .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .badEnvironmentKeyIDInToken,
        .badEnvironmentKeyInToken,
    ]

    /// Whether the reason is about the topic and its sender: another notification with the same topic gets the same
    /// answer.
    var concernsTopic: Bool {
        self == .topicDisallowed || self == .badTopic || self == .missingTopic || self == .topicMismatch
    }
}
