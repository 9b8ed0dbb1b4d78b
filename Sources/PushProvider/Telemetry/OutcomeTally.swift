internal import NIOConcurrencyHelpers

/// Counts the notifications of a client that were not sent, and those whose outcome is unknown, for the report of a
/// shutdown.
final class OutcomeTally: Sendable {
    struct Counts: Equatable, Sendable {
        var notSent = 0
        var unknown = 0
    }

    private let counts = NIOLockedValueBox(Counts())

    /// Counts an outcome. Accepted and rejected notifications are not counted, so that most outcomes cost nothing here; nor are superseded
    /// ones, because nobody misses them.
    func count(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted, .rejected, .invalid: break
        case .notSent(let notSent) where notSent.cause == .superseded: break
        case .notSent: counts.withLockedValue { $0.notSent += 1 }
        case .unknown: counts.withLockedValue { $0.unknown += 1 }
        }
    }

    var soFar: Counts { counts.withLockedValue { $0 } }
}
