internal import PushProvider

/// The counts of one run of a campaign.
public struct BatchSummary: Sendable {
    /// The number of accepted lines.
    public internal(set) var accepted = 0
    /// The number of rejected lines.
    public internal(set) var rejected = 0
    /// The number of lines that were not processed for certain.
    public internal(set) var notSent = 0
    /// The number of lines in `again.jsonl`: lines that were not sent, and lines that were rejected for a temporary
    /// reason. The file can be used as input.
    public internal(set) var again = 0
    /// The number of lines whose outcome is unknown. They are in `unknown.jsonl`.
    public internal(set) var unknown = 0
    /// The number of lines that are invalid and cannot be sent.
    public internal(set) var invalid = 0
    /// The number of lines with a device token that an earlier line has.
    public internal(set) var duplicates = 0
    /// The number of lines that were not sent, because a later line with the same device token and collapse id was.
    public internal(set) var superseded = 0
    /// The number of device tokens that are gone.
    public internal(set) var gone = 0
    /// The number of device tokens with a 410 but without a known registration time. They may be gone.
    public internal(set) var undecided = 0
    /// The number of lines that were not accepted for a reason that concerns the sender or the whole run. The next run
    /// sends them.
    public internal(set) var released = 0
    /// How many of the released lines APNs refused because of the credentials or the topic. They are valid once that is
    /// corrected.
    public internal(set) var refusedSender = 0
    /// The last of these answers of APNs; `nil` if there is none.
    public internal(set) var senderRefusal: String?
    /// How often each reason occurred.
    public internal(set) var reasons: [String: Int] = [:]
    /// Why the run stopped early; `nil` if it reached the end of the input.
    public internal(set) var stop: BatchStop?
    /// The number of lines with an outcome from earlier runs.
    public internal(set) var before = 0
    /// The number of outcomes that could not be written. The next run treats these lines as unknown.
    public internal(set) var unwritten = 0

    /// Creates the summary of a run that has not begun.
    public init() {}

    /// The number of lines that got their outcome in this run.
    public var concluded: Int { accepted + rejected + notSent + unknown + invalid + duplicates + superseded }
    /// Whether no work is left for another run.
    public var isFinished: Bool { stop == nil && released == 0 && unwritten == 0 }

    /// The number of lines with each outcome, in this run and the earlier ones: `accepted`, `rejected`, `not_sent`,
    /// `unknown`, `invalid`, `duplicates`, `superseded`.
    public var totals: [String: Int] {
        let here: [(String, JournalEnd, Int)] = [
            ("accepted", .accepted, accepted), ("rejected", .rejected, rejected), ("not_sent", .notSent, notSent),
            ("unknown", .unknown, unknown), ("invalid", .invalid, invalid), ("duplicates", .duplicate, duplicates),
            ("superseded", .superseded, superseded),
        ]
        return Dictionary(uniqueKeysWithValues: here.map { ($0, $2 + earlier[$1, default: 0]) })
    }

    /// The outcomes of the lines of earlier runs.
    var earlier: [JournalEnd: Int] = [:]
    /// The maximum number of different reasons. Further ones are counted as "other".
    private static let maximumReasons = 100
    /// How many lines count towards ``BatchOptions/maximumErrors``.
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
        case .superseded: superseded += 1
        case .released, .returned: break
        }
        if result.goesAgain { again += 1 }
        count(result.reason)
        // The error belongs to the earlier run.
        if case .interrupted = result.outcome { return }
        if case .push(.rejected(let rejection)) = result.outcome {
            if rejection.isTokenGone(atFaceValue: takesGoneAtFaceValue) {
                gone += 1
            } else if rejection.tokenStatus == .unclear {
                undecided += 1
            }
            if rejection.status != 410 { errors += 1 }
        } else if result.end != .duplicate, result.end != .superseded {
            errors += 1
        }
    }

    /// Adds a line that the next run sends.
    mutating func release(_ result: BatchResult) {
        released += 1
        guard result.isSenderRefused else { return }
        refusedSender += 1
        errors += 1
        count(result.reason)
        switch result.outcome {
        case .push(.rejected(let rejection)): senderRefusal = rejection.description
        case .push(.notSent(let notSent)): senderRefusal = senderRefusal ?? notSent.description
        default: break
        }
    }

    private mutating func count(_ reason: String?) {
        guard let reason else { return }
        // A server can send any text as reason, so the number of different reasons is limited.
        let isKnown = reasons[reason] != nil || reasons.count < Self.maximumReasons
        reasons[isKnown ? reason : "other", default: 0] += 1
    }
}

/// Why a campaign stopped before all of its lines were sent.
public struct BatchStop: Sendable, Hashable, CustomStringConvertible {
    /// The kind of stop. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name for programs.
        public let description: String
        /// The user or the program stopped it.
        public static let asked = Code(description: "asked")
        /// The time limit was reached.
        public static let time = Code(description: "time")
        /// Too many lines were not accepted.
        public static let errors = Code(description: "errors")
        /// Every line breaks the same rule.
        public static let lint = Code(description: "lint")
        /// The server accepted no requests for longer than the campaign waits.
        public static let outage = Code(description: "outage")
        /// No connection can be made.
        public static let unreachable = Code(description: "unreachable")
        /// Device tokens and setup do not match.
        public static let mismatch = Code(description: "mismatch")
        /// The credentials are refused, or cannot be used.
        public static let credentials = Code(description: "credentials")
        /// The input cannot be read.
        public static let input = Code(description: "input")
        /// The results cannot be written.
        public static let output = Code(description: "output")
        /// The reader of the results has closed the pipe.
        public static let unread = Code(description: "unread")
    }

    /// The kind of stop.
    public let code: Code
    /// What happened, as a sentence.
    public let description: String

    /// Creates a stop.
    ///
    /// - Parameters:
    ///   - code: The kind of stop.
    ///   - description: What happened, as a sentence.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
