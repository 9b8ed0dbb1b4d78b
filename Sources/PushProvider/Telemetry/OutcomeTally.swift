internal import NIOConcurrencyHelpers

/// How many notifications of a client were not sent, and of how many nobody knows: what a shutdown reports.
final class OutcomeTally: Sendable {
    struct Counts: Equatable, Sendable {
        var notSent = 0
        var unknown = 0
    }

    private let counts = NIOLockedValueBox(Counts())

    /// Most are accepted, and cost nothing here.
    func count(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted, .rejected: break
        case .notSent: counts.withLockedValue { $0.notSent += 1 }
        case .unknown: counts.withLockedValue { $0.unknown += 1 }
        }
    }

    var soFar: Counts { counts.withLockedValue { $0 } }
}
