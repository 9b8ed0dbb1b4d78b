/// What a notification has been through.
struct RetryHistory: Hashable {
    /// How often it was given to a connection.
    var attempts = 0
    /// How often it has waited before it was sent again: the next pause may be twice as long.
    var pauses = 0
    /// How often it has come back unprocessed.
    var returns = 0
    /// An answer asked for another connection, and it got one.
    var hasChangedConnection = false
    /// It was sent again with a provider token made for it.
    var hasChangedToken = false
}

/// What becomes of a notification after an attempt.
enum RetryDecision: Equatable {
    /// This is what the caller is told.
    case final(PushOutcome)
    /// It is sent again.
    case again(Retry)

    struct Retry: Equatable {
        /// Not before; at once when that is not later than now.
        var at: MonotonicTime
        /// The connection that it was on is not good for it any more.
        var onFreshConnection = false
        var history: RetryHistory
    }

    /// What the decision depends on, but for the policy and the outcome of the attempt.
    struct Situation: Equatable {
        var history: RetryHistory
        var now: MonotonicTime
        /// For dates of the server.
        var secondsSince1970: Int
        /// The deadline of the send, or the expiration of the notification when that comes first.
        var limit: MonotonicTime
        /// From 0 to 1: how much of a pause is waited.
        var chance: Double
        /// The provider token was refused as too old, and there is another one now.
        var hasNewToken = false
        /// Whether the client may wait before the next attempt. A campaign does not let it: it has one pause for all its lines.
        var mayPause = true

        /// The same, where the client itself waits: a campaign never sends an unknown line again by itself.
        var pausing: Situation {
            var situation = self
            situation.mayPause = true
            return situation
        }
    }
}

extension RetryPolicy {
    /// Decides about the outcome of one attempt. Pure: time and chance are in the situation.
    func decision(_ outcome: PushOutcome, _ situation: RetryDecision.Situation) -> RetryDecision {
        switch outcome {
        case .accepted: .final(outcome)
        case .rejected(let rejection): decision(rejection, situation)
        case .notSent(let notSent): Self.isPassing(notSent.cause) ? returned(outcome, situation) : .final(outcome)
        case .unknown(let unknown):
            guarantee == .atLeastOnce && Self.isPassing(unknown.cause)
                ? paused(situation.pausing, elseTell: { _ in outcome }) : .final(outcome)
        }
    }

    // MARK: Rejected

    private func decision(_ rejection: Rejection, _ situation: RetryDecision.Situation) -> RetryDecision {
        guard !rejection.isFinal else { return .final(.rejected(rejection)) }
        let asked = RetryAfter.pause(rejection.retryAfter, secondsSince1970: situation.secondsSince1970)
        func told(_ pause: Duration) -> PushOutcome {
            var rejection = rejection
            rejection.againAfter = pause
            return .rejected(rejection)
        }
        switch rejection.explanation?.again {
        case .onNewConnection:
            guard !situation.history.hasChangedConnection else { return .final(told(asked ?? .zero)) }
            return again(after: asked ?? .zero, onFreshConnection: true, situation, elseTell: told) {
                $0.hasChangedConnection = true
            }
        case .withNewProviderToken:
            guard situation.hasNewToken, !situation.history.hasChangedToken else { return .final(told(asked ?? .zero)) }
            return again(after: asked ?? .zero, onFreshConnection: true, situation, elseTell: told) {
                $0.hasChangedToken = true
            }
        // A server that stops says so on its connection too; what comes later must not meet it again.
        case .later, .never, .afterCorrection, nil:
            let isStopping = rejection.reason == .shutdown
            return paused(situation, asked: asked, onFreshConnection: isStopping, elseTell: told)
        }
    }

    // MARK: Not sent

    private static func isPassing(_ cause: NotSent.Cause) -> Bool {
        cause == .refused || cause == .connectionLost
    }

    /// The first time at once; from then on it waits, or a server that refuses everything would be kept busy with it.
    private func returned(_ outcome: PushOutcome, _ situation: RetryDecision.Situation) -> RetryDecision {
        guard situation.history.returns == 0 else { return paused(situation, elseTell: { _ in outcome }) }
        return again(after: .zero, situation, elseTell: { _ in outcome }) { $0.returns += 1 }
    }

    // MARK: Unknown

    private static func isPassing(_ cause: UnknownOutcome.Cause) -> Bool {
        cause == .connectionLost || cause == .streamReset || cause == .malformedAnswer
    }

    // MARK: Pauses

    /// Waits longer each time; what the server asks for comes before.
    private func paused(
        _ situation: RetryDecision.Situation, asked: Duration? = nil, onFreshConnection: Bool = false,
        elseTell told: (Duration) -> PushOutcome
    ) -> RetryDecision {
        // All that were asked to wait so long do not come at once then; and who asks for no pause at all gets the usual one.
        let own = longest(situation.history) * situation.chance
        let pause = asked.map { max($0 + firstPause * situation.chance, own) } ?? own
        return again(after: pause, onFreshConnection: onFreshConnection, situation, elseTell: told) {
            $0.pauses += 1
        }
    }

    private func longest(_ history: RetryHistory) -> Duration { longestPause(after: history.pauses) }

    /// The longest pause after a number of pauses before it: each may be twice as long as the one before.
    package func longestPause(after pauses: Int) -> Duration {
        var pause = min(firstPause, longestPause)
        for _ in 0..<pauses {
            guard pause < longestPause else { break }
            pause = min(pause * 2, longestPause)
        }
        return pause
    }

    private func again(
        after pause: Duration, onFreshConnection: Bool = false, _ situation: RetryDecision.Situation,
        elseTell told: (Duration) -> PushOutcome, _ remember: (inout RetryHistory) -> Void
    ) -> RetryDecision {
        let time = situation.now.advanced(by: pause)
        guard situation.history.attempts < attempts, time < situation.limit, situation.mayPause || pause <= .zero else {
            return .final(told(pause))
        }
        var history = situation.history
        remember(&history)
        return .again(.init(at: time, onFreshConnection: onFreshConnection, history: history))
    }
}
