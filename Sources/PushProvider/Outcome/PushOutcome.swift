/// What became of one notification. There are four outcomes and no fifth.
public enum PushOutcome: Sendable, Hashable {
    /// Apple took it.
    case accepted(Acceptance)
    /// Apple refused it and said why.
    indirect case rejected(Rejection)
    /// It was provably not processed: sending it again cannot double it.
    indirect case notSent(NotSent)
    /// It was written and no answer came: it may or may not have been taken.
    indirect case unknown(UnknownOutcome)
}

extension PushOutcome {
    /// How long it took, and on which way.
    public var trace: PushTrace {
        switch self {
        case .accepted(let acceptance): acceptance.trace
        case .rejected(let rejection): rejection.trace
        case .notSent(let notSent): notSent.trace
        case .unknown(let unknown): unknown.trace
        }
    }
}

extension PushOutcome {
    /// The same outcome, when the notification was given to connections before.
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
        }
    }
}

/// How long a notification took, and on which way.
public struct PushTrace: Sendable, Hashable {
    /// From the call until the request was given to a connection.
    public var queued: Duration
    /// From there until the end.
    public var inFlight: Duration
    /// How often it was given to a connection.
    public var attempts: Int
    /// The number of the last connection within its client, from 1; `nil` when there was none.
    public var connection: Int?

    /// How long a notification took.
    ///
    /// - Parameters:
    ///   - queued: From the call until the request was given to a connection.
    ///   - inFlight: From there until the end.
    ///   - attempts: How often it was given to a connection.
    ///   - connection: The number of the last connection within its client, from 1; `nil` when there was none.
    public init(queued: Duration, inFlight: Duration = .zero, attempts: Int = 1, connection: Int? = 1) {
        (self.queued, self.inFlight, self.attempts, self.connection) = (queued, inFlight, attempts, connection)
    }

    /// One attempt that took no time.
    public static let instant = PushTrace(queued: .zero)
}

/// Apple took the notification. That says nothing of the phone.
public struct Acceptance: Sendable, Hashable {
    /// The notification's id, as the answer has it; empty when the server sent none.
    public var apnsID: String
    /// Sandbox only: finds the notification in Apple's Push Notifications Console.
    public var uniqueID: String?
    /// How long it took, and on which way.
    public var trace: PushTrace

    /// An acceptance by Apple.
    ///
    /// - Parameters:
    ///   - apnsID: The notification's id.
    ///   - uniqueID: Sandbox only: what finds the notification in Apple's Push Notifications Console.
    ///   - trace: How long it took.
    public init(apnsID: String, uniqueID: String? = nil, trace: PushTrace = .instant) {
        (self.apnsID, self.uniqueID, self.trace) = (apnsID, uniqueID, trace)
    }
}

/// Apple refused the notification.
public struct Rejection: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// Apple's word; `nil` when the body held none.
    public var reason: RejectionReason?
    /// With 410: since when the device token is dead, in milliseconds since 1970. What that means for the token says
    /// ``tokenFate``.
    public var timestampMilliseconds: Int64?
    /// When the app last registered the device token, in milliseconds since 1970, as ``PushNotification/registeredAt`` says.
    public var registeredMilliseconds: Int64?
    /// The notification's id, as the answer has it; empty when the server sent none.
    public var apnsID: String
    /// Sandbox only: finds the notification in Apple's Push Notifications Console.
    public var uniqueID: String?
    /// `retry-after`, as it came.
    public var retryAfter: String?
    /// When the same notification may succeed without a correction: how long to wait from now, at least, before it is sent
    /// again; `nil` when it is final.
    public var againAfter: Duration?
    /// The body as it came, at most 64 KiB: what is not understood is not lost.
    public var body: [UInt8]
    /// How long it took, and on which way.
    public var trace: PushTrace

    /// What the word means and what to do, where it is known.
    public var explanation: RejectionReason.Explanation? { reason?.explanation }

    /// Sending the same notification again cannot succeed before something was corrected.
    public var isFinal: Bool {
        switch explanation?.again {
        case .never, .afterCorrection: true
        case .later, .onNewConnection, .withNewProviderToken: false
        case nil: !(status == 429 || status >= 500)
        }
    }
}

extension Rejection {
    /// The answer speaks of who sends, not of the notification: of the credentials (status 403) or of the topic.
    ///
    /// The same notification is good once the sender has corrected it.
    package var concernsSender: Bool {
        status == 403 || reason?.concernsTopic == true || reason?.concernsCredentials == true
    }
}

/// The notification was provably not processed.
public struct NotSent: Sendable, Hashable, CustomStringConvertible {
    /// Why; grows as more is told apart.
    public struct Cause: Hashable, Sendable, CustomStringConvertible {
        /// A word for machines.
        public let description: String
        /// Its deadline passed before it was written.
        public static let deadline = Cause(description: "deadline")
        /// The notification's own expiration passed before it was written.
        public static let expired = Cause(description: "expired")
        /// The task was cancelled before it was written.
        public static let cancelled = Cause(description: "cancelled")
        /// No connection came about.
        public static let noConnection = Cause(description: "no_connection")
        /// The connection ended before it was written.
        public static let connectionLost = Cause(description: "connection_lost")
        /// The server said that it did not process it: REFUSED_STREAM, or a GOAWAY below it.
        public static let refused = Cause(description: "refused")
        /// The client was shut down.
        public static let shutdown = Cause(description: "shutdown")
        /// The provider token could not be signed, or the server does not take the certificate.
        public static let credentials = Cause(description: "credentials")
        /// APNs refuses the topic: nothing is sent to it for a minute. Other topics are not affected.
        public static let topicRefused = Cause(description: "topic_refused")
        /// Its sequence was stopped: almost all answers said that device tokens and setup do not fit. See ``PushMismatch``.
        public static let mismatch = Cause(description: "mismatch")
    }

    /// Why.
    public var cause: Cause
    /// How far it had come.
    public var phase: PushPhase
    /// What happened, in a sentence.
    public var description: String
    /// How long it took, and on which way.
    public var trace: PushTrace
    /// Something has to be corrected before a notification like this one can be sent: the credentials, the topic, or the way to the
    /// server, such as a certificate that cannot be trusted. Waiting does not help.
    public var needsCorrection: Bool {
        cause == .credentials || cause == .topicRefused || cause == .mismatch || isConnectionHopeless
    }
    /// No connection can be made before something is corrected, as with a server certificate that is not trusted.
    package var isConnectionHopeless = false
}

/// The notification was written, and no answer came.
public struct UnknownOutcome: Sendable, Hashable, CustomStringConvertible {
    /// Why; grows as more is told apart.
    public struct Cause: Hashable, Sendable, CustomStringConvertible {
        /// A word for machines.
        public let description: String
        /// Its deadline passed.
        public static let deadline = Cause(description: "deadline")
        /// The task was cancelled.
        public static let cancelled = Cause(description: "cancelled")
        /// The connection ended.
        public static let connectionLost = Cause(description: "connection_lost")
        /// The server reset the stream.
        public static let streamReset = Cause(description: "stream_reset")
        /// What came was no answer.
        public static let malformedAnswer = Cause(description: "malformed_answer")
    }

    /// Why.
    public var cause: Cause
    /// How far it had come.
    public var phase: PushPhase
    /// The id that it was sent with, to look for it in Apple's logs; empty when ids are not assigned.
    public var apnsID: String
    /// What happened, in a sentence.
    public var description: String
    /// How long it took, and on which way.
    public var trace: PushTrace
}

/// How far a notification has come, or a connection.
public struct PushPhase: Hashable, Sendable, CustomStringConvertible {
    /// A word for machines.
    public let description: String
    /// In the queue, while a connection is there.
    public static let queue = PushPhase(description: "queue")
    /// Looking up the host name.
    public static let dns = PushPhase(description: "dns")
    /// Opening the TCP connection, to a proxy where there is one.
    public static let tcp = PushPhase(description: "tcp")
    /// Waiting for the proxy's tunnel.
    public static let proxy = PushPhase(description: "proxy")
    /// The TLS handshake.
    public static let tls = PushPhase(description: "tls")
    /// Waiting for the server's SETTINGS.
    public static let settings = PushPhase(description: "settings")
    /// Handing it to the kernel.
    public static let write = PushPhase(description: "write")
    /// Waiting for the answer.
    public static let wait = PushPhase(description: "wait")
    /// Reading the answer.
    public static let parse = PushPhase(description: "parse")
}
