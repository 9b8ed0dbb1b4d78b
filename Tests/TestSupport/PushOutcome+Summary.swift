package import PushProvider

extension PushResult {
    /// The outcome of a notification that was queued.
    package var push: PushOutcome {
        get throws {
            switch outcome {
            case .push(let push): push
            case .invalid(let error): throw error
            }
        }
    }
}

extension PushOutcome {
    /// The outcome and its words for machines, in one line to compare.
    package var summary: String {
        switch self {
        case .accepted: "accepted"
        case .rejected(let rejection): "rejected \(rejection.status) \(rejection.reason?.rawValue ?? "-")"
        case .notSent(let notSent): "not sent: \(notSent.cause), \(notSent.phase)"
        case .unknown(let unknown): "unknown: \(unknown.cause), \(unknown.phase)"
        }
    }

    /// The sentence of an outcome that has one.
    package var sentence: String {
        switch self {
        case .accepted, .rejected: ""
        case .notSent(let notSent): notSent.description
        case .unknown(let unknown): unknown.description
        }
    }

    /// The number of the connection that it came by.
    package var connection: Int? {
        switch self {
        case .accepted(let acceptance): acceptance.trace.connection
        case .rejected(let rejection): rejection.trace.connection
        case .notSent(let notSent): notSent.trace.connection
        case .unknown(let unknown): unknown.trace.connection
        }
    }
}

extension PushTrace {
    package static let sample = PushTrace(
        queued: .milliseconds(1), inFlight: .milliseconds(2), attempts: 1, connection: 3)
}

extension PushRejection {
    package static func sample(_ status: Int, _ reason: RejectionReason? = nil) -> PushRejection {
        PushRejection(status: status, reason: reason, apnsID: "A1", trace: .sample)
    }
}
