internal import APNSVocabulary
internal import PushProvider

extension BatchResult {
    /// What the result says about the server; `nil` for a line that was not sent.
    var sign: OutageState.Sign? {
        guard row.verdict == nil, case .push(let push) = outcome else {
            return row.verdict == nil ? OutageState.Sign.none : nil
        }
        switch (push, fate) {
        case (.unknown(let unknown), _):
            if unknown.cause == .cancelled { return OutageState.Sign.none }
            return .refused(OutageState.Refusal(message: unknown.description))
        case (.rejected(let rejection), .returns):
            let word = rejection.reason.map { " \(PeerText.printable($0.rawValue))" } ?? ""
            let asked = rejection.retryAfter == nil ? nil : rejection.againAfter
            return .refused(
                OutageState.Refusal(askedPause: asked, isAnswer: true, message: "\(rejection.status)\(word)"))
        case (.notSent(let notSent), .returns):
            return .refused(
                OutageState.Refusal(
                    isUnreachable: notSent.cause == .noConnection, isAnswer: notSent.cause == .refused,
                    message: notSent.description))
        case (.accepted, _), (.rejected, .ends): return .answered
        case (.rejected, .released), (.notSent, _): return OutageState.Sign.none
        }
    }
}
