import PushPlatform
import PushProvider

/// Counts the outcomes of all pushes of a command.
struct SendTally: Sendable {
    private(set) var worst = ExitStatus.accepted
    private var accepted = 0
    private var rejected = 0
    private var notSent = 0
    /// Pushes that a newer one has replaced before they could be sent again. They are no error.
    private var superseded = 0
    private var unknown = 0

    var hasAcceptance: Bool { accepted > 0 }

    var count: Int { accepted + rejected + notSent + superseded + unknown }

    mutating func add(_ outcome: PushOutcome, _ status: ExitStatus) {
        switch outcome {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .notSent(let push) where push.cause == .superseded: superseded += 1
        case .notSent, .invalid: notSent += 1
        case .unknown: unknown += 1
        }
        worst = max(worst, status)
    }

    mutating func add(_ other: SendTally) {
        accepted += other.accepted
        rejected += other.rejected
        notSent += other.notSent
        superseded += other.superseded
        unknown += other.unknown
        worst = max(worst, other.worst)
    }

    /// Counts a push that could not be attempted as not sent.
    mutating func addRefused(_ status: ExitStatus) {
        notSent += 1
        worst = max(worst, status)
    }

    /// `3 pushes: 2 accepted, 1 rejected.`
    var summary: String {
        let kinds = [
            (accepted, "accepted"), (rejected, "rejected"), (notSent, "not sent"), (superseded, "superseded"),
            (unknown, "unknown"),
        ]
        let counts = kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let pushes = counted(count, "push", "pushes")
        return counts.isEmpty ? "Nothing was sent." : "\(pushes): \(counts.joined(separator: ", "))."
    }
}
