internal import APNSVocabulary
internal import PushProvider

extension BatchResult {
    /// What the result says about the server; `nil` for a line that was not sent.
    var signal: OutageState.Signal? {
        guard row.skipReason == nil else { return nil }
        switch outcome {
        case .push(.accepted): return .answered
        case .push(.unknown(let unknown)):
            if unknown.cause == .cancelled { return OutageState.Signal.none }
            return .refused(OutageState.Refusal(message: unknown.description))
        case .push(.rejected(let rejection)): return signal(of: rejection)
        case .push(.notSent(let notSent)): return signal(of: notSent)
        case .invalid, .duplicate, .interrupted, .push(.invalid): return OutageState.Signal.none
        }
    }

    private func signal(of rejection: PushOutcome.Rejection) -> OutageState.Signal {
        switch fate {
        case .ends: return .answered
        case .released: return .none
        case .returns:
            let reason = rejection.reason.map { " \(PeerText.printable($0.rawValue))" } ?? ""
            let asked = rejection.retryAfter == nil ? nil : rejection.againAfter
            return .refused(
                OutageState.Refusal(askedPause: asked, isAnswer: true, message: "\(rejection.status)\(reason)"))
        }
    }

    private func signal(of notSent: PushOutcome.NotSent) -> OutageState.Signal {
        guard case .returns = fate else { return .none }
        return .refused(
            OutageState.Refusal(
                isUnreachable: notSent.cause == .noConnection, isAnswer: notSent.cause == .refused,
                message: notSent.description))
    }
}
