/// Why a notification was not accepted.
///
/// The code tells what may be done: a rejection is Apple's word, what was not sent can be sent again without doubling,
/// what is unknown may have been taken, and what is invalid was never taken in.
public struct PushError: Error, Sendable, CustomStringConvertible {
    /// Which of the outcomes it is; grows only if there should be another way not to be accepted.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A word for machines.
        public let description: String
        /// Apple refused it: see ``PushError/rejection``.
        public static let rejected = Code(description: "rejected")
        /// It was provably not processed: see ``PushError/notSent``.
        public static let notSent = Code(description: "not_sent")
        /// It was written and no answer came: see ``PushError/unknown``.
        public static let unknown = Code(description: "unknown")
        /// It breaks a rule and was never taken in: see ``PushError/findings``.
        public static let invalid = Code(description: "invalid")
    }

    /// Which of the outcomes it is.
    public let code: Code
    /// Apple's answer, with ``Code/rejected``.
    public let rejection: Rejection?
    /// What kept it, with ``Code/notSent``.
    public let notSent: NotSent?
    /// What is known, with ``Code/unknown``.
    public let unknown: UnknownOutcome?
    /// What is wrong with it, with ``Code/invalid``.
    public let findings: [Finding]

    /// The error for a rejection.
    ///
    /// - Parameter rejection: What Apple answered.
    /// - Returns: The error.
    public static func rejected(_ rejection: Rejection) -> PushError {
        PushError(code: .rejected, rejection: rejection, notSent: nil, unknown: nil, findings: [])
    }

    /// The error for a notification that was not sent.
    ///
    /// - Parameter notSent: What kept it from being sent.
    /// - Returns: The error.
    public static func notSent(_ notSent: NotSent) -> PushError {
        PushError(code: .notSent, rejection: nil, notSent: notSent, unknown: nil, findings: [])
    }

    /// The error for an unknown outcome.
    ///
    /// - Parameter unknown: What is known.
    /// - Returns: The error.
    public static func unknown(_ unknown: UnknownOutcome) -> PushError {
        PushError(code: .unknown, rejection: nil, notSent: nil, unknown: unknown, findings: [])
    }

    /// The error for an invalid notification.
    ///
    /// - Parameter findings: What is wrong with it.
    /// - Returns: The error.
    public static func invalid(_ findings: [Finding]) -> PushError {
        PushError(code: .invalid, rejection: nil, notSent: nil, unknown: nil, findings: findings)
    }

    /// What happened and what to do.
    public var description: String {
        if let rejection { return PushOutcome.rejected(rejection).description }
        if let notSent { return PushOutcome.notSent(notSent).description }
        if let unknown { return PushOutcome.unknown(unknown).description }
        return "The notification is not valid: \(findings.map(\.description).joined(separator: " "))"
    }
}

extension PushOutcome {
    /// The acceptance, or the error that every other outcome is.
    public func get() throws(PushError) -> Acceptance {
        switch self {
        case .accepted(let acceptance): return acceptance
        case .rejected(let rejection): throw .rejected(rejection)
        case .notSent(let notSent): throw .notSent(notSent)
        case .unknown(let unknown): throw .unknown(unknown)
        }
    }
}
