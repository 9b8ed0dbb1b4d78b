/// Counts which of the last answers of a sequence said that token and setup do not fit, and how many notifications in a row
/// found the client stopped for its credentials. A pure value.
struct MismatchWatch: Equatable {
    /// What one answer says of the setup.
    enum Answer: UInt8 {
        /// It knows the token, be it to say that it has died.
        case fits
        case badDeviceToken
        case notForTopic
        case topicDisallowed
    }

    /// Most of the last answers were such.
    struct Verdict: Equatable {
        /// The most frequent of them.
        var reason: RejectionReason
        var mismatches: Int
        var answers: Int
        /// What the last one of that kind was sent for.
        var topic: String?
    }

    /// So many in a row that are not sent for the credentials, with no answer between, are the client's and not one's own.
    static let mostUnsent = 20

    private let window: Int
    private let enough: Int
    /// A ring, once it is full.
    private var last: [Answer] = []
    private var oldest = 0
    private var mismatches = 0
    /// What the last rejection of each kind was sent for.
    private var topics: [Answer: String] = [:]
    /// Since the last answer.
    private var unsent = 0
    private var hasStopped = false

    /// - Parameter breaker: Its values are valid.
    init(_ breaker: MismatchBreaker) {
        window = breaker.window
        enough = breaker.enough
    }

    /// How many may be under way: until it is known whether the setup fits, no more than tell.
    var mayBeUnderWay: Int {
        let fitting = last.count - mismatches
        return last.count == window || window - fitting < enough ? .max : window
    }

    /// An answer that says nothing of token and setup.
    mutating func answered() {
        unsent = 0
    }

    /// An answer that says something, and what was sent for it; the topic is not asked for what fits.
    ///
    /// - Returns: The reason to stop, once.
    mutating func answered(_ answer: Answer, topic: @autoclosure () -> String? = nil) -> Verdict? {
        unsent = 0
        if answer != .fits {
            mismatches += 1
            topics[answer] = topic()
        }
        if last.count < window {
            last.append(answer)
        } else {
            if last[oldest] != .fits { mismatches -= 1 }
            last[oldest] = answer
            oldest = (oldest + 1) % window
        }
        guard !hasStopped, last.count == window, mismatches >= enough else { return nil }
        hasStopped = true
        let (kind, reason) = mostFrequent
        return Verdict(reason: reason, mismatches: mismatches, answers: window, topic: topics[kind])
    }

    /// One was not sent, because of the credentials.
    ///
    /// - Returns: Whether to stop, once.
    mutating func wasUnsent() -> Bool {
        unsent += 1
        guard !hasStopped, unsent >= Self.mostUnsent else { return false }
        hasStopped = true
        return true
    }

    private var mostFrequent: (kind: Answer, reason: RejectionReason) {
        let kinds: [(Answer, RejectionReason)] = [
            (.badDeviceToken, .badDeviceToken), (.notForTopic, .deviceTokenNotForTopic),
            (.topicDisallowed, .topicDisallowed),
        ]
        let counted = kinds.map { kind, reason in (kind: kind, reason: reason, count: last.count { $0 == kind }) }
        guard let most = counted.max(by: { $0.count < $1.count }) else { return (.badDeviceToken, .badDeviceToken) }
        return (most.kind, most.reason)
    }
}

extension MismatchWatch.Answer {
    /// `nil` for what says nothing of token and setup: no answer, a server that has no time, credentials, a bad request.
    init?(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: self = .fits
        case .rejected(let rejection):
            switch rejection.reason {
            case .badDeviceToken: self = .badDeviceToken
            case .deviceTokenNotForTopic: self = .notForTopic
            case .topicDisallowed: self = .topicDisallowed
            default:
                guard rejection.status == 410 else { return nil }
                self = .fits
            }
        case .notSent, .unknown: return nil
        }
    }
}
