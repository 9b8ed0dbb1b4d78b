/// Why a connection ends, as far as it is known.
struct EndReason {
    /// The failure of the connection; `nil` if there was none yet.
    private(set) var failure: ConnectionFailure?
    /// The server's GOAWAY, for people.
    private(set) var goAwayMessage: String?
    /// The reason in the server's GOAWAY.
    private(set) var goAwayReason: RejectionReason?

    /// The error of the server about the certificate, if the server refuses it. The next connection would end in the
    /// same way.
    var certificateRefusal: ConnectionFailure? { failure.flatMap { $0.isAboutCredentials ? $0 : nil } }

    /// The connection has failed. The first failure counts.
    mutating func failed(_ failure: ConnectionFailure) {
        if self.failure == nil { self.failure = failure }
    }

    /// The server has sent GOAWAY.
    ///
    /// - Parameters:
    ///   - message: Its description.
    ///   - reason: The reason in it, if there is one.
    ///   - refusal: What it says about the certificate. This counts, even if the socket reports another error at the
    ///     end.
    mutating func goAwayReceived(_ message: String, _ reason: RejectionReason?, refusal: ConnectionFailure?) {
        goAwayMessage = message
        goAwayReason = reason
        if let refusal { failure = refusal }
    }

    /// The connection has ended.
    ///
    /// - Parameters:
    ///   - peer: The server, for messages.
    ///   - phase: For an unused connection: the phase that it had reached. `nil` if it has carried a request, or if this
    ///     side has ended it.
    /// - Returns: The failure that says the reason.
    mutating func ended(by peer: String, unusedIn phase: PushOutcome.Phase?) -> ConnectionFailure {
        var failure = self.failure ?? .ended(by: peer, message: goAwayMessage, reason: goAwayReason)
        if let phase, failure.phase == .wait { failure.phase = phase }
        self.failure = failure
        return failure
    }
}
