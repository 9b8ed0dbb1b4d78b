package import PushProvider

extension PushOutcome {
    /// The outcome and its words for machines, in one line to compare.
    package var summary: String {
        switch self {
        case .accepted: "accepted"
        case .rejected(let rejection): "rejected \(rejection.status) \(rejection.reason?.rawValue ?? "-")"
        case .notSent(let notSent): "not sent: \(notSent.cause), \(notSent.phase)"
        case .unknown(let unknown): "unknown: \(unknown.cause), \(unknown.phase)"
        case .invalid: "invalid"
        }
    }

    /// The sentence of an outcome that has one.
    package var sentence: String {
        switch self {
        case .accepted, .rejected: ""
        case .notSent(let notSent): notSent.description
        case .unknown(let unknown): unknown.description
        case .invalid: description
        }
    }

    /// Why it was not sent; `nil` for another outcome.
    package var notSent: PushOutcome.NotSent? {
        if case .notSent(let notSent) = self { notSent } else { nil }
    }

    /// Why the outcome is unknown; `nil` for another outcome.
    package var unknown: PushOutcome.Unknown? {
        if case .unknown(let unknown) = self { unknown } else { nil }
    }

    /// The broken rules; empty for another outcome.
    package var findings: [PushFinding] {
        if case .invalid(let findings) = self { findings } else { [] }
    }

    /// The number of the connection that it came by.
    package var connection: Int? {
        trace.connection
    }
}

extension PushOutcome.Trace {
    package static let sample = PushOutcome.Trace(
        queued: .milliseconds(1), inFlight: .milliseconds(2), attempts: 1, connection: 3)
}

extension PushOutcome.Rejection {
    package static func sample(_ status: Int, _ reason: RejectionReason? = nil) -> PushOutcome.Rejection {
        PushOutcome.Rejection(status: status, reason: reason, apnsID: "A1", trace: .sample)
    }
}
