import TestSupport
import Testing

@testable import PushProvider

/// The lives of thousands of notifications, drawn, against a checker that refuses what must never be sent again.
@Suite struct RetryPolicyModelTests {
    struct Life {
        let policy: PushConfiguration.RetryPolicy
        let limit: MonotonicTime
        var now = MonotonicTime.at(1_000)
        var history = RetryHistory()
        var connectionChanges = 0
        var complaints: [String] = []

        mutating func require(_ isFine: Bool, _ rule: String) {
            if !isFine { complaints.append(rule) }
        }

        /// What may never be sent again, by the rules alone.
        func isOver(_ outcome: PushOutcome) -> Bool {
            switch outcome {
            case .accepted, .invalid: true
            case .rejected(let rejection): rejection.isFinal
            case .notSent(let notSent): ![.refused, .connectionLost].contains(notSent.cause)
            case .unknown(let unknown):
                policy.guarantee == .atMostOnce || [.deadline, .cancelled].contains(unknown.cause)
            }
        }

        /// The longest that it may be waited after an outcome.
        func longestPause(after outcome: PushOutcome) -> Duration {
            if case .rejected(let rejection) = outcome, let value = rejection.retryAfter, let seconds = Int(value) {
                return max(.seconds(seconds) + policy.firstPause, policy.longestPause)
            }
            return policy.longestPause
        }

        mutating func decided(_ decision: RetryDecision, about outcome: PushOutcome, hasNewToken: Bool) {
            switch decision {
            case .final(let reported): require(isTheSame(reported, outcome), "what is reported is what came")
            case .again(let again): isSentAgain(again, after: outcome, hasNewToken)
            }
        }

        private func isTheSame(_ reported: PushOutcome, _ outcome: PushOutcome) -> Bool {
            guard case .rejected(var rejection) = reported else { return reported == outcome }
            rejection.againAfter = nil
            return .rejected(rejection) == outcome
        }

        private mutating func isSentAgain(
            _ again: RetryDecision.Retry, after outcome: PushOutcome, _ hasNewToken: Bool
        ) {
            require(!isOver(outcome), "nothing that is over, or that nobody knows of, is sent again")
            require(again.at < limit, "nothing is sent again past the limit")
            require(again.at >= now, "nothing is sent again in the past")
            require(history.attempts < policy.attempts, "no more attempts than are allowed")
            require(now.duration(to: again.at) <= longestPause(after: outcome), "no pause is longer than the longest")
            require(again.history.attempts == history.attempts, "an attempt counts when it is made")
            let grown =
                (again.history.pauses - history.pauses) + (again.history.returns - history.returns)
                + (again.history.hasChangedConnection != history.hasChangedConnection ? 1 : 0)
                + (again.history.hasChangedToken != history.hasChangedToken ? 1 : 0)
            require(grown == 1, "one thing is remembered of each attempt")
            if again.history.hasChangedToken, !history.hasChangedToken {
                require(hasNewToken, "no second try with the same token")
            }
            if case .rejected = outcome {
            } else {
                require(!again.onFreshConnection, "only an answer asks for another connection")
            }
            if again.onFreshConnection { connectionChanges += 1 }
            history = again.history
            now = again.at
        }
    }

    /// One test and not thousands: their names alone would fill the log.
    @Test func `no life has what must not be`() {
        for seed in 1...5_000 as ClosedRange<UInt64> where !Self.isFine(seed) { return }
    }

    /// - Returns: `false` when something was wrong: one seed is enough to look into.
    private static func isFine(_ seed: UInt64) -> Bool {
        var chance = SeededGenerator(seed: seed)
        let policy = Self.policy(&chance)
        let limit = MonotonicTime.at(1_000).advanced(by: .milliseconds(Int.random(in: 1...100_000, using: &chance)))
        var life = Life(policy: policy, limit: limit)
        for _ in 0..<200 {
            life.history.attempts += 1
            life.now = life.now.advanced(by: .milliseconds(Int.random(in: 0...20, using: &chance)))
            let outcome = Self.outcome(&chance)
            let situation = RetryDecision.Situation(
                history: life.history, now: life.now, secondsSince1970: 784_111_777, limit: limit,
                chance: Double.random(in: 0...1, using: &chance), hasNewToken: chance.oneIn(2))
            let decision = policy.decision(outcome, situation)
            life.decided(decision, about: outcome, hasNewToken: situation.hasNewToken)
            if case .final = decision { break }
        }
        life.require(life.history.attempts <= policy.attempts, "no more attempts than are allowed")
        #expect(life.complaints.isEmpty, "seed \(seed)")
        return life.complaints.isEmpty
    }

    private static func policy(_ chance: inout SeededGenerator) -> PushConfiguration.RetryPolicy {
        var policy = PushConfiguration.RetryPolicy.standard
        policy.guarantee = chance.oneIn(2) ? .atLeastOnce : .atMostOnce
        policy.attempts = [1, 2, 5, Int.max].randomElement(using: &chance) ?? 1
        policy.firstPause = .milliseconds(Int.random(in: 1...1_000, using: &chance))
        policy.longestPause = policy.firstPause * Int.random(in: 1...100, using: &chance)
        return policy
    }

    private static func outcome(_ chance: inout SeededGenerator) -> PushOutcome {
        switch Int.random(in: 0..<20, using: &chance) {
        case 0: return .accepted(PushOutcome.Acceptance(apnsID: "A1", uniqueID: nil, trace: .sample))
        case 1..<8:
            let causes: [PushOutcome.Cause] = [
                .refused, .refused, .refused, .connectionLost, .connectionLost, .deadline, .expired, .cancelled,
                .noConnection, .shutdown, .credentials,
            ]
            let cause = causes.randomElement(using: &chance) ?? .refused
            return .notSent(PushOutcome.NotSent(cause: cause, phase: .wait, description: "", trace: .sample))
        case 8..<14:
            let causes: [PushOutcome.Cause] = [
                .connectionLost, .streamReset, .malformedAnswer, .deadline, .cancelled,
            ]
            let cause = causes.randomElement(using: &chance) ?? .deadline
            return .unknown(
                PushOutcome.Unknown(cause: cause, phase: .wait, apnsID: "A1", description: "", trace: .sample))
        default:
            let reason = RejectionReason.known.randomElement(using: &chance)
            var rejection = PushOutcome.Rejection.sample(reason?.explanation?.status ?? 500, reason)
            if chance.oneIn(6) { rejection = .sample([429, 500, 503, 418].randomElement(using: &chance) ?? 500) }
            if chance.oneIn(4) { rejection.retryAfter = ["0", "1", "30", "900"].randomElement(using: &chance) }
            return .rejected(rejection)
        }
    }
}
