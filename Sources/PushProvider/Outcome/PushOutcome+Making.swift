public import PushPlatform

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
