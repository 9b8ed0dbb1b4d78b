/// Counts which of the last answers of a sequence said that token and setup do not fit. A pure value.
///
/// Answers that refuse the topic or the credentials are not among them: these stop what they name (see ``TopicRefusals``).
package struct MismatchWatch: Equatable {
    /// What one answer says of the setup.
    package enum Answer: UInt8 {
        /// It knows the token, be it to say that it has died.
        case fits
        case badDeviceToken
        case notForTopic
        /// Any other final rejection of the request.
        case badRequest
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

    private let window: Int
    private let enough: Int
    /// A ring, once it is full.
    private var last: [Answer] = []
    private var oldest = 0
    private var mismatches = 0
    /// What the last rejection of each kind was sent for, and its reason.
    private var examples: [Answer: Example] = [:]

    private struct Example: Equatable {
        var topic: String?
        var reason: RejectionReason?
    }

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

    /// An answer that says something, and what was sent for it; the topic is not asked for what fits.
    ///
    /// - Returns: The reason to stop, once.
    mutating func answered(
        _ answer: Answer, topic: @autoclosure () -> String? = nil, reason: RejectionReason? = nil
    ) -> Verdict? {
        if answer != .fits {
            mismatches += 1
            examples[answer] = Example(topic: topic(), reason: reason)
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
        return Verdict(reason: reason, mismatches: mismatches, answers: window, topic: examples[kind]?.topic)
    }

    private var mostFrequent: (kind: Answer, reason: RejectionReason) {
        let kinds: [(Answer, RejectionReason)] = [
            (.badDeviceToken, .badDeviceToken), (.notForTopic, .deviceTokenNotForTopic),
            (.badRequest, examples[.badRequest]?.reason ?? "rejected"),
        ]
        let counted = kinds.map { kind, reason in (kind: kind, reason: reason, count: last.count { $0 == kind }) }
        guard let most = counted.max(by: { $0.count < $1.count }) else { return (.badDeviceToken, .badDeviceToken) }
        return (most.kind, most.reason)
    }
}

extension MismatchWatch.Answer {
    /// `nil` for what says nothing of token and setup: no answer, a server that has no time, a sender that is refused.
    package init?(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: self = .fits
        case .rejected(let rejection):
            switch rejection.reason {
            case .badDeviceToken: self = .badDeviceToken
            case .deviceTokenNotForTopic: self = .notForTopic
            default:
                if rejection.status == 410 {
                    self = .fits
                } else if rejection.isFinal, !rejection.concernsSender {
                    self = .badRequest
                } else {
                    return nil
                }
            }
        case .notSent, .unknown: return nil
        }
    }
}
