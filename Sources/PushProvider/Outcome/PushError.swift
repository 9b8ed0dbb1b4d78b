/// Why a notification was not accepted.
///
/// The code says what you can do. After `rejected`, read Apple's reason. After `notSent`, you can send the notification
/// again without a duplicate. After `unknown`, Apple may have accepted it. With `invalid`, it was not sent because it
/// breaks a rule.
public struct PushError: Error, Sendable, CustomStringConvertible {
    /// The outcome. Later versions may add codes, but only for a new kind of outcome.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for logs and programs.
        public let description: String
        /// Apple rejected the notification: see ``PushError/rejection``.
        public static let rejected = Code(description: "rejected")
        /// Apple certainly did not process the notification: see ``PushError/notSent``.
        public static let notSent = Code(description: "not_sent")
        /// The notification was written, but no answer arrived: see ``PushError/unknown``.
        public static let unknown = Code(description: "unknown")
        /// The notification breaks a rule and was not sent: see ``PushError/findings``.
        public static let invalid = Code(description: "invalid")
    }

    /// The outcome.
    public let code: Code
    /// Apple's answer, with ``Code/rejected``.
    public let rejection: PushRejection?
    /// Why the notification was not sent, with ``Code/notSent``.
    public let notSent: PushNotSent?
    /// Why the outcome is unknown, with ``Code/unknown``.
    public let unknown: PushUnknownOutcome?
    /// The broken rules, with ``Code/invalid``.
    public let findings: [PushFinding]

    /// Creates the error for a rejection.
    ///
    /// - Parameter rejection: Apple's answer.
    /// - Returns: The error.
    public static func rejected(_ rejection: PushRejection) -> PushError {
        PushError(code: .rejected, rejection: rejection, notSent: nil, unknown: nil, findings: [])
    }

    /// Creates the error for a notification that was not sent.
    ///
    /// - Parameter notSent: Why it was not sent.
    /// - Returns: The error.
    public static func notSent(_ notSent: PushNotSent) -> PushError {
        PushError(code: .notSent, rejection: nil, notSent: notSent, unknown: nil, findings: [])
    }

    /// Creates the error for an unknown outcome.
    ///
    /// - Parameter unknown: Why the outcome is unknown.
    /// - Returns: The error.
    public static func unknown(_ unknown: PushUnknownOutcome) -> PushError {
        PushError(code: .unknown, rejection: nil, notSent: nil, unknown: unknown, findings: [])
    }

    /// Creates the error for an invalid notification.
    ///
    /// - Parameter findings: The broken rules.
    /// - Returns: The error.
    public static func invalid(_ findings: [PushFinding]) -> PushError {
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
    /// Returns the acceptance, or throws the error for any other outcome.
    ///
    /// - Returns: The acceptance.
    /// - Throws: ``PushError`` with the code `rejected`, `notSent` or `unknown`.
    public func get() throws(PushError) -> PushAcceptance { try taken() }

    /// Does the same, and moves the acceptance out.
    consuming func taken() throws(PushError) -> PushAcceptance {
        switch consume self {
        case .accepted(let acceptance): return acceptance
        case .rejected(let rejection): throw .rejected(rejection)
        case .notSent(let notSent): throw .notSent(notSent)
        case .unknown(let unknown): throw .unknown(unknown)
        }
    }
}
