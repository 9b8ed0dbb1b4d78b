internal import PushProvider

/// What became of a campaign, in one run of it.
public struct BatchSummary: Sendable {
    /// How many lines were accepted.
    public internal(set) var accepted = 0
    /// How many were rejected.
    public internal(set) var rejected = 0
    /// How many were provably not processed.
    public internal(set) var notSent = 0
    /// How many stand in `again.jsonl`, ready to be fed in: those that were not sent, and those that were rejected for a reason
    /// that may pass.
    public internal(set) var again = 0
    /// Of how many nobody knows: they are in `unknown.jsonl`.
    public internal(set) var unknown = 0
    /// How many cannot be sent as they are.
    public internal(set) var invalid = 0
    /// How many have a token that a line before them has.
    public internal(set) var duplicates = 0
    /// How many device tokens are gone.
    public internal(set) var gone = 0
    /// Of how many device tokens APNs said 410, and nobody has said when the app registered them: they may be gone.
    public internal(set) var undecided = 0
    /// How many were not taken for a reason that concerns the sender or the whole run: the next run sends them.
    public internal(set) var released = 0
    /// How many of those APNs refused for the credentials or the topic: they are good once that is corrected.
    public internal(set) var refusedSender = 0
    /// What APNs said to the last of those; `nil` without any.
    public internal(set) var senderRefusal: String?
    /// How often each reason was given.
    public internal(set) var reasons: [String: Int] = [:]
    /// Why it was ended early; `nil` when the input came to its end.
    public internal(set) var stop: BatchStop?
    /// How many lines had their outcomes from runs before.
    public internal(set) var before = 0
    /// Outcomes that could not be written: their lines are unknown to the next run.
    public internal(set) var unwritten = 0

    /// Of a run that has not begun.
    public init() {}

    /// How many lines have had their outcomes in this run.
    public var concluded: Int { accepted + rejected + notSent + unknown + invalid + duplicates }
    /// Nothing is left that another run would do.
    public var isFinished: Bool { stop == nil && released == 0 && unwritten == 0 }

    /// How many lines have ended how, in this run and in those before: `accepted`, `rejected`, `not_sent`, `unknown`, `invalid`,
    /// `duplicates`.
    public var totals: [String: Int] {
        let here: [(String, JournalEnd, Int)] = [
            ("accepted", .accepted, accepted), ("rejected", .rejected, rejected), ("not_sent", .notSent, notSent),
            ("unknown", .unknown, unknown), ("invalid", .invalid, invalid), ("duplicates", .duplicate, duplicates),
        ]
        return Dictionary(uniqueKeysWithValues: here.map { ($0, $2 + earlier[$1, default: 0]) })
    }

    /// How the lines of runs before have ended.
    var earlier: [JournalEnd: Int] = [:]
    private static let mostReasons = 100
    /// How many of them count against ``BatchOptions/mostErrors``.
    var errors = 0

    mutating func add(_ result: BatchResult, takesGoneAtFaceValue: Bool = false) {
        switch result.end {
        case .accepted:
            accepted += 1
            return
        case .rejected: rejected += 1
        case .notSent: notSent += 1
        case .unknown: unknown += 1
        case .invalid: invalid += 1
        case .duplicate: duplicates += 1
        case .released: break
        }
        if result.goesAgain { again += 1 }
        count(result.reason)
        // That was the run before.
        if case .interrupted = result.outcome { return }
        if case .push(.rejected(let rejection)) = result.outcome {
            if rejection.isTokenGone(atFaceValue: takesGoneAtFaceValue) {
                gone += 1
            } else if rejection.tokenFate == .unclear {
                undecided += 1
            }
            if rejection.status != 410 { errors += 1 }
        } else if result.end != .duplicate {
            errors += 1
        }
    }

    /// A line that the next run sends.
    mutating func release(_ result: BatchResult) {
        released += 1
        guard result.isSenderRefused else { return }
        refusedSender += 1
        errors += 1
        count(result.reason)
        switch result.outcome {
        case .push(.rejected(let rejection)): senderRefusal = PushError.rejected(rejection).description
        case .push(.notSent(let notSent)): senderRefusal = senderRefusal ?? notSent.description
        default: break
        }
    }

    private mutating func count(_ reason: String?) {
        guard let reason else { return }
        // Servers choose their words themselves.
        let isKnown = reasons[reason] != nil || reasons.count < Self.mostReasons
        reasons[isKnown ? reason : "other", default: 0] += 1
    }
}
