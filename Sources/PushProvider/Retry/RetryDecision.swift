package import PushTime

/// The attempts of a notification so far.
struct RetryHistory: Hashable {
    /// The number of times it was given to a connection.
    var attempts = 0
    /// The number of pauses before a retry. The next pause may be twice as long.
    var pauses = 0
    /// The number of times it has come back unprocessed.
    var returns = 0
    /// Whether an answer asked for another connection and the notification got one.
    var hasChangedConnection = false
    /// Whether it was sent again with a new provider token.
    var hasChangedToken = false
}

enum RetryDecision: Equatable {
    /// The attempt is the last one, and the caller gets this outcome.
    case final(PushOutcome)
    case again(Retry)

    struct Retry: Equatable {
        /// The earliest time; at once if it is not later than now.
        var at: MonotonicTime
        /// Whether it needs another connection than the one it was on.
        var onFreshConnection = false
        var history: RetryHistory
    }

    /// The input of the decision, except the policy and the outcome of the attempt.
    struct Situation: Equatable {
        var history: RetryHistory
        var now: MonotonicTime
        /// The wall-clock time, for dates from the server.
        var secondsSince1970: Int
        /// The deadline of the send or the expiration of the notification, whichever is first.
        var limit: MonotonicTime
        /// A random number from 0 to 1: the share of the maximum pause to wait.
        var chance: Double
        /// Whether the provider token was refused as too old and a newer one exists now.
        var hasNewToken = false
        /// Whether a repetition of a request that the server has processed changes nothing, or is what the policy allows
        /// for notifications. Otherwise the request is only repeated after an outcome that excludes this.
        var mayRepeatProcessed = true
        /// Whether the client may wait before the next attempt. In a campaign, that is not allowed: a campaign has one pause for all
        /// its lines.
        var mayPause = true

        /// A copy in which the client itself may wait. It is for unknown outcomes: a campaign never resends an unknown
        /// line itself.
        var pausing: Situation {
            var situation = self
            situation.mayPause = true
            return situation
        }
    }
}

extension PushConfiguration.RetryPolicy {
    /// Decides about the outcome of one attempt. A pure function: time and randomness are in the situation.
    func decision(_ outcome: PushOutcome, _ situation: RetryDecision.Situation) -> RetryDecision {
        switch outcome {
        case .accepted, .invalid: .final(outcome)
        case .rejected(let rejection): decision(rejection, situation)
        case .notSent(let notSent): Self.isPassing(notSent.cause) ? returned(outcome, situation) : .final(outcome)
        case .unknown(let unknown):
            guarantee == .atLeastOnce && situation.mayRepeatProcessed && Self.isPassing(unknown.cause)
                ? paused(situation.pausing, otherwise: { _ in outcome }) : .final(outcome)
        }
    }

    // MARK: Rejected

    private func decision(_ rejection: PushOutcome.Rejection, _ situation: RetryDecision.Situation) -> RetryDecision {
        guard !rejection.isFinal else { return .final(.rejected(rejection)) }
        guard situation.mayRepeatProcessed || rejection.excludesProcessing else { return .final(rejection.uncertain) }
        let asked = RetryAfter.pause(rejection.retryAfter, secondsSince1970: situation.secondsSince1970)
        func rejected(_ pause: Duration) -> PushOutcome {
            var rejection = rejection
            rejection.againAfter = pause
            return .rejected(rejection)
        }
        func onceOnFreshConnection(_ hasChanged: WritableKeyPath<RetryHistory, Bool>) -> RetryDecision {
            guard !situation.history[keyPath: hasChanged] else { return .final(rejected(asked ?? .zero)) }
            return again(
                after: pauses ? asked ?? .zero : .zero, onFreshConnection: true, situation, otherwise: rejected
            ) {
                $0[keyPath: hasChanged] = true
            }
        }
        switch rejection.explanation?.again {
        case .onNewConnection: return onceOnFreshConnection(\.hasChangedConnection)
        case .withNewProviderToken:
            return situation.hasNewToken
                ? onceOnFreshConnection(\.hasChangedToken) : .final(rejected(asked ?? .zero))
        // A server that shuts down also reports it on its connection. A later attempt must not use that connection
        // again.
        case .later, .never, .afterCorrection, nil:
            let isStopping = rejection.reason == .shutdown
            return paused(situation, asked: asked, onFreshConnection: isStopping, otherwise: rejected)
        }
    }

    // MARK: Not sent, and unknown

    private static func isPassing(_ cause: PushOutcome.Cause) -> Bool {
        cause == .refused || cause == .connectionLost || cause == .streamReset || cause == .malformedAnswer
    }

    /// Retries at once the first time, and after a pause from then on, so that a server that refuses everything is not
    /// flooded.
    private func returned(_ outcome: PushOutcome, _ situation: RetryDecision.Situation) -> RetryDecision {
        guard situation.history.returns == 0 else { return paused(situation, otherwise: { _ in outcome }) }
        return again(after: .zero, situation, otherwise: { _ in outcome }) { $0.returns += 1 }
    }

    // MARK: Pauses

    /// Retries after a pause. The pause grows each time; a longer pause that the server asks for has priority.
    private func paused(
        _ situation: RetryDecision.Situation, asked: Duration? = nil, onFreshConnection: Bool = false,
        otherwise outcome: (Duration) -> PushOutcome
    ) -> RetryDecision {
        // Randomness keeps notifications with the same `retry-after` from being sent at the same time. Without
        // `retry-after`, the usual pause applies.
        let own = backoff.pause(after: situation.history.pauses) * situation.chance
        let pause = asked.map { max($0 + firstPause * situation.chance, own) } ?? own
        return again(after: pause, onFreshConnection: onFreshConnection, situation, otherwise: outcome) {
            $0.pauses += 1
        }
    }

    package var backoff: ExponentialBackoff { ExponentialBackoff(first: firstPause, longest: longestPause) }

    private func again(
        after pause: Duration, onFreshConnection: Bool = false, _ situation: RetryDecision.Situation,
        otherwise outcome: (Duration) -> PushOutcome, _ remember: (inout RetryHistory) -> Void
    ) -> RetryDecision {
        let time = situation.now.advanced(by: pause)
        guard situation.history.attempts < attempts, time < situation.limit,
            pause <= .zero || pauses && situation.mayPause
        else { return .final(outcome(pause)) }
        var history = situation.history
        remember(&history)
        return .again(.init(at: time, onFreshConnection: onFreshConnection, history: history))
    }
}

extension PushOutcome.Rejection {
    /// Whether the answer proves that the server has changed nothing. An error of the server, or of a gateway before it,
    /// does not.
    fileprivate var excludesProcessing: Bool {
        status < 500 || reason == .serviceUnavailable || reason == .shutdown
    }

    /// The outcome of a request that may have been processed: an error with a reason of APNs stays a rejection; any other
    /// error, such as that of a gateway, says nothing.
    fileprivate var uncertain: PushOutcome {
        guard reason?.explanation == nil else { return .rejected(self) }
        return .unknown(
            PushOutcome.Unknown(
                cause: .malformedAnswer, phase: .parse, apnsID: apnsID,
                description: "the answer had status \(status), which doesn't say whether the request was processed.",
                trace: trace))
    }
}
