// Outcomes as the tests of an app make them: see ``PushSending``.

extension Rejection {
    /// A rejection by Apple.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: Apple's word; `nil` for an answer without one.
    ///   - timestampMilliseconds: With 410: since when the device token is dead, in milliseconds since 1970.
    ///   - registeredMilliseconds: When the app last registered the device token, in milliseconds since 1970: with
    ///     `timestampMilliseconds` it decides ``tokenFate``.
    ///   - apnsID: The notification's id.
    ///   - againAfter: How long to wait before it is sent again, where it may succeed then.
    ///   - trace: How long it took.
    public init(
        status: Int, reason: RejectionReason?, timestampMilliseconds: Int64? = nil,
        registeredMilliseconds: Int64? = nil, apnsID: String = "",
        againAfter: Duration? = nil, trace: PushTrace = .instant
    ) {
        self.init(
            status: status, reason: reason, timestampMilliseconds: timestampMilliseconds,
            registeredMilliseconds: registeredMilliseconds,
            apnsID: apnsID, uniqueID: nil, retryAfter: nil, againAfter: againAfter, body: [], trace: trace)
    }
}

extension NotSent {
    /// A notification that Apple certainly did not process.
    ///
    /// - Parameters:
    ///   - cause: Why.
    ///   - phase: How far it had come.
    ///   - description: What happened, in a sentence.
    ///   - trace: How long it took.
    public init(cause: Cause, phase: PushPhase = .queue, description: String = "", trace: PushTrace = .instant) {
        self.init(cause: cause, phase: phase, description: description, trace: trace, isConnectionHopeless: false)
    }
}

extension UnknownOutcome {
    /// A notification that was sent and got no answer.
    ///
    /// - Parameters:
    ///   - cause: Why.
    ///   - apnsID: The id that it was sent with.
    ///   - phase: How far it had come.
    ///   - description: What happened, in a sentence.
    ///   - trace: How long it took.
    public init(
        cause: Cause, apnsID: String = "", phase: PushPhase = .wait, description: String = "",
        trace: PushTrace = .instant
    ) {
        self.init(cause: cause, phase: phase, apnsID: apnsID, description: description, trace: trace)
    }
}
