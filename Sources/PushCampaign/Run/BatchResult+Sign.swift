internal import APNSVocabulary
internal import PushProvider

extension BatchResult {
    /// What the result says about the server; `nil` for a line that was not sent.
    var sign: OutageState.Sign? {
        guard row.skipReason == nil else { return nil }
        switch outcome {
        case .push(.accepted): return .answered
        case .push(.unknown(let unknown)):
            if unknown.cause == .cancelled { return OutageState.Sign.none }
            return .refused(OutageState.Refusal(message: unknown.description))
        case .push(.rejected(let rejection)): return sign(of: rejection)
        case .push(.notSent(let notSent)): return sign(of: notSent)
        case .invalid, .duplicate, .interrupted: return OutageState.Sign.none
        }
    }

    private func sign(of rejection: PushRejection) -> OutageState.Sign {
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

    private func sign(of notSent: PushNotSent) -> OutageState.Sign {
        guard case .returns = fate else { return .none }
        return .refused(
            OutageState.Refusal(
                isUnreachable: notSent.cause == .noConnection, isAnswer: notSent.cause == .refused,
                message: notSent.description))
    }
}
