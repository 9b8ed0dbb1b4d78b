/// Counts how many of the last answers of a sequence say that the device token does not match the setup. A pure value.
///
/// Answers that refuse the topic or the credentials do not count. They stop only that topic or these credentials, see
/// ``TopicRefusals``.
package struct MismatchWatch: Equatable {
    /// What one answer says about the setup.
    package enum Answer: UInt8 {
        /// APNs knows the device token, even if it says that the token is inactive.
        case fits
        case badDeviceToken
        case notForTopic
        /// Any other final rejection of the request.
        case badRequest
    }

    struct Result: Equatable {
        var reason: RejectionReason
        var mismatches: Int
        var answers: Int
        /// The topic of the last notification that was rejected for this reason.
        var topic: String?
    }

    private let window: Int
    private let enough: Int
    /// The last answers; a ring buffer once it is full.
    private var last: [Answer] = []
    private var oldest = 0
    private var mismatches = 0
    /// The topic and the reason of the last rejection of each kind.
    private var examples: [Answer: Example] = [:]

    private struct Example: Equatable {
        var topic: String?
        var reason: RejectionReason?
    }

    private var hasStopped = false

    /// - Parameter breaker: A breaker with valid values.
    init(_ breaker: PushConfiguration.MismatchBreaker) {
        window = breaker.window
        enough = breaker.enough
    }

    /// The maximum number of notifications in flight: one window while a stop within the first window is still
    /// possible, then without limit.
    var mayBeUnderWay: Int {
        let fitting = last.count - mismatches
        return last.count == window || window - fitting < enough ? .max : window
    }

    /// Records an answer that counts.
    ///
    /// - Parameters:
    ///   - answer: What the answer says about the setup.
    ///   - topic: The topic of the notification. It is not evaluated for an answer that fits.
    ///   - reason: The reason of the rejection.
    /// - Returns: The reason to stop, only once; otherwise `nil`.
    mutating func answered(
        _ answer: Answer, topic: @autoclosure () -> String? = nil, reason: RejectionReason? = nil
    ) -> Result? {
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
        return Result(reason: reason, mismatches: mismatches, answers: window, topic: examples[kind]?.topic)
    }

    private var mostFrequent: (kind: Answer, reason: RejectionReason) {
        let kinds: [(Answer, RejectionReason)] = [
            (.badDeviceToken, .badDeviceToken), (.notForTopic, .deviceTokenNotForTopic),
            (.badRequest, examples[.badRequest]?.reason ?? "rejected"),
        ]
        let counted = kinds.map { kind, reason in (kind: kind, reason: reason, count: last.count { $0 == kind }) }
        guard let maximum = counted.max(by: { $0.count < $1.count }) else { return (.badDeviceToken, .badDeviceToken) }
        return (maximum.kind, maximum.reason)
    }
}

extension MismatchWatch.Answer {
    /// Returns `nil` for an outcome that says nothing about token and setup: no answer, a busy server, or a sender that
    /// is refused.
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
        case .notSent, .unknown, .invalid: return nil
        }
    }
}
