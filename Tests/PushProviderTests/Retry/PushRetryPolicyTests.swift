import TestSupport
import Testing

@testable import PushProvider

@Suite struct PushRetryPolicyTests {
    private static func situation(
        _ history: RetryHistory = RetryHistory(attempts: 1), limit: MonotonicTime = .at(1000), chance: Double = 1
    ) -> RetryDecision.Situation {
        .init(history: history, now: .at(100), secondsSince1970: 784_111_777, limit: limit, chance: chance)
    }

    private static func again(
        after pause: Duration, fresh: Bool = false, _ change: (inout RetryHistory) -> Void
    ) -> RetryDecision {
        var history = RetryHistory(attempts: 1)
        change(&history)
        let time = MonotonicTime.at(100).advanced(by: pause)
        return .again(.init(at: time, onFreshConnection: fresh, history: history))
    }

    private static func notSent(_ cause: PushOutcome.Cause) -> PushOutcome {
        .notSent(PushOutcome.NotSent(cause: cause, phase: .wait, description: "", trace: .sample))
    }

    private static func unknown(_ cause: PushOutcome.Cause) -> PushOutcome {
        .unknown(PushOutcome.Unknown(cause: cause, phase: .wait, apnsID: "A1", description: "", trace: .sample))
    }

    private static func rejected(
        _ status: Int, _ reason: RejectionReason? = nil, retryAfter: String? = nil, againAfter: Duration? = nil
    ) -> PushOutcome {
        var rejection = PushOutcome.Rejection.sample(status, reason)
        rejection.retryAfter = retryAfter
        rejection.againAfter = againAfter
        return .rejected(rejection)
    }

    private static let atLeastOnce: PushConfiguration.RetryPolicy = {
        var policy = PushConfiguration.RetryPolicy.standard
        policy.guarantee = .atLeastOnce
        return policy
    }()

    // MARK: What is final

    @Test(arguments: [PushConfiguration.RetryPolicy.standard, atLeastOnce, .never])
    func `an acceptance is final`(policy: PushConfiguration.RetryPolicy) {
        let accepted = PushOutcome.accepted(PushOutcome.Acceptance(apnsID: "A1", uniqueID: nil, trace: .sample))
        #expect(policy.decision(accepted, Self.situation()) == .final(accepted))
    }

    @Test func `a request that must not happen twice is repeated only if it was certainly not processed`() {
        var once = Self.situation()
        once.mayRepeatProcessed = false
        for outcome in [
            Self.unknown(.connectionLost), Self.unknown(.streamReset), Self.rejected(500, .internalServerError),
        ] {
            #expect(Self.atLeastOnce.decision(outcome, once) == .final(outcome))
            #expect(Self.atLeastOnce.decision(outcome, Self.situation()) != .final(outcome))
        }
        // An error of a gateway says nothing about the server behind it.
        guard case .final(.unknown) = Self.atLeastOnce.decision(Self.rejected(502), once) else {
            Issue.record("a 502 of a gateway is not unknown")
            return
        }
        for outcome in [
            Self.rejected(503, .serviceUnavailable), Self.rejected(503, .shutdown),
            Self.rejected(429, .tooManyRequests),
            Self.notSent(.refused),
        ] {
            guard case .again = Self.atLeastOnce.decision(outcome, once) else {
                Issue.record("\(outcome) is final")
                continue
            }
        }
    }

    @Test(arguments: RejectionReason.known) func `a final rejection is never sent again`(reason: RejectionReason) {
        let rejection = PushOutcome.Rejection.sample(reason.explanation?.status ?? 0, reason)
        guard rejection.isFinal else { return }
        #expect(Self.atLeastOnce.decision(.rejected(rejection), Self.situation()) == .final(.rejected(rejection)))
    }

    @Test(arguments: [
        notSent(.deadline), notSent(.expired), notSent(.cancelled), notSent(.shutdown), notSent(.credentials),
        notSent(.noConnection), unknown(.deadline), unknown(.cancelled),
    ])
    func `what the caller's own limits ended is final`(outcome: PushOutcome) {
        #expect(Self.atLeastOnce.decision(outcome, Self.situation()) == .final(outcome))
    }

    @Test(arguments: [
        notSent(.refused), notSent(.connectionLost), unknown(.connectionLost), unknown(.streamReset),
    ])
    func `by the policy never, everything is final`(outcome: PushOutcome) {
        #expect(PushConfiguration.RetryPolicy.never.decision(outcome, Self.situation()) == .final(outcome))
    }

    @Test func `by the policy never, a rejection still says when to try again`() {
        let decision = PushConfiguration.RetryPolicy.never.decision(
            Self.rejected(503, retryAfter: "20"), Self.situation(chance: 0))
        #expect(decision == .final(Self.rejected(503, retryAfter: "20", againAfter: .seconds(20))))
    }

    // MARK: Not sent

    @Test(arguments: [PushOutcome.Cause.refused, .connectionLost])
    func `what was not sent goes again at once, and the second time after a pause`(cause: PushOutcome.Cause) {
        let outcome = Self.notSent(cause)
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(outcome, Self.situation())
                == Self.again(after: .zero) { $0.returns = 1 })
        let second = Self.situation(RetryHistory(attempts: 1, returns: 1))
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(outcome, second)
                == Self.again(after: .milliseconds(500)) { ($0.returns, $0.pauses) = (1, 1) })
    }

    @Test func `what was not sent ends as it is when its time is over`() {
        let outcome = Self.notSent(.refused)
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(outcome, Self.situation(limit: .at(100))) == .final(outcome)
        )
        let second = Self.situation(RetryHistory(attempts: 2, pauses: 3, returns: 1), limit: .at(104))
        #expect(PushConfiguration.RetryPolicy.standard.decision(outcome, second) == .final(outcome))
    }

    // MARK: Unknown

    @Test(arguments: [PushOutcome.Cause.connectionLost, .streamReset, .malformedAnswer])
    func `what is unknown goes again only when at least once is asked for`(cause: PushOutcome.Cause) {
        let outcome = Self.unknown(cause)
        #expect(PushConfiguration.RetryPolicy.standard.decision(outcome, Self.situation()) == .final(outcome))
        #expect(
            Self.atLeastOnce.decision(outcome, Self.situation())
                == Self.again(after: .milliseconds(500)) { $0.pauses = 1 })
    }

    // MARK: Rejected, not final

    @Test(arguments: [
        rejected(429, .tooManyRequests), rejected(429, .tooManyProviderTokenUpdates),
        rejected(500, .internalServerError), rejected(503, .serviceUnavailable), rejected(502), rejected(429),
    ])
    func `what Apple cannot take now waits`(outcome: PushOutcome) {
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(outcome, Self.situation())
                == Self.again(after: .milliseconds(500)) { $0.pauses = 1 })
    }

    @Test func `what a stopping server refuses waits for another connection`() {
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(Self.rejected(503, .shutdown), Self.situation())
                == Self.again(after: .milliseconds(500), fresh: true) { $0.pauses = 1 })
    }

    @Test(arguments: [RejectionReason.idleTimeout, .unrelatedKeyIDInToken])
    func `what needs another connection gets one, once`(reason: RejectionReason) {
        let outcome = Self.rejected(reason.explanation?.status ?? 0, reason)
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(outcome, Self.situation())
                == Self.again(after: .zero, fresh: true) { $0.hasChangedConnection = true })
        let second = Self.situation(RetryHistory(attempts: 2, hasChangedConnection: true))
        let reported = Self.rejected(reason.explanation?.status ?? 0, reason, againAfter: .zero)
        #expect(PushConfiguration.RetryPolicy.standard.decision(outcome, second) == .final(reported))
    }

    @Test func `a provider token that is too old is changed once, on another connection`() {
        let outcome = Self.rejected(403, .expiredProviderToken)
        let reported = Self.rejected(403, .expiredProviderToken, againAfter: .zero)
        var situation = Self.situation()
        #expect(PushConfiguration.RetryPolicy.standard.decision(outcome, situation) == .final(reported))
        situation.hasNewToken = true
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(outcome, situation)
                == Self.again(after: .zero, fresh: true) { $0.hasChangedToken = true })
        situation.history.hasChangedToken = true
        #expect(PushConfiguration.RetryPolicy.standard.decision(outcome, situation) == .final(reported))
    }

    @Test func `retry-after is honoured, with a little chance after it`() {
        for (text, seconds) in [("20", 20), ("Sun, 06 Nov 1994 08:49:57 GMT", 20), ("0", 0)] {
            let outcome = Self.rejected(429, retryAfter: text)
            #expect(
                PushConfiguration.RetryPolicy.standard.decision(outcome, Self.situation(chance: 0.5))
                    == Self.again(after: .seconds(seconds) + .milliseconds(250)) { $0.pauses = 1 })
        }
        #expect(
            PushConfiguration.RetryPolicy.standard.decision(Self.rejected(429, retryAfter: "soon"), Self.situation())
                == Self.again(after: .milliseconds(500)) { $0.pauses = 1 })
    }

    @Test func `when the next time lies past the limit, the rejection is reported at once with that time`() {
        let outcome = Self.rejected(503, retryAfter: "900")
        let reported = Self.rejected(503, retryAfter: "900", againAfter: .seconds(900))
        #expect(PushConfiguration.RetryPolicy.standard.decision(outcome, Self.situation(chance: 0)) == .final(reported))
        guard
            case .again = PushConfiguration.RetryPolicy.standard.decision(
                outcome, Self.situation(limit: .at(1001), chance: 0))
        else {
            Issue.record("a limit after that time does not matter")
            return
        }
    }

    // MARK: Pauses

    @Test func `pauses double up to the longest, and chance takes any part of them`() {
        func pause(_ pauses: Int, chance: Double) -> Duration? {
            let situation = Self.situation(RetryHistory(attempts: 1, pauses: pauses), limit: .never, chance: chance)
            guard
                case .again(let retry) = PushConfiguration.RetryPolicy.standard.decision(Self.rejected(500), situation)
            else {
                return nil
            }
            return MonotonicTime.at(100).duration(to: retry.at)
        }
        #expect((0..<4).map { pause($0, chance: 1) } == [0.5, 1, 2, 4].map { .seconds($0) })
        #expect(pause(1000, chance: 1) == .seconds(900))
        #expect(pause(3, chance: 0) == .zero)
        #expect(pause(3, chance: 0.25) == .seconds(1))
    }

    @Test func `attempts are counted`() {
        var policy = PushConfiguration.RetryPolicy.standard
        policy.attempts = 3
        let outcome = Self.notSent(.refused)
        guard case .again = policy.decision(outcome, Self.situation(RetryHistory(attempts: 2))) else {
            Issue.record("two of three are not all")
            return
        }
        #expect(policy.decision(outcome, Self.situation(RetryHistory(attempts: 3))) == .final(outcome))
    }
}
