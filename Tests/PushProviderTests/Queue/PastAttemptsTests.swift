import TestSupport
import Testing

@testable import PushProvider

/// The outcome of a send that was sent before, when it leaves the queue.
@Suite struct PastAttemptsTests {
    private static let unknown = PushOutcome.unknown(
        PushOutcome.Unknown(cause: .streamReset, phase: .wait, apnsID: "A1", description: "", trace: .sample))
    private static let refused = PushOutcome.notSent(
        PushOutcome.NotSent(cause: .refused, phase: .wait, description: "", trace: .sample))
    private static let rejected = PushOutcome.rejected(.sample(503, .serviceUnavailable))

    private static let rejectedForGood = PushOutcome.rejected(.sample(410, .unregistered))

    private static func send(after outcomes: PushOutcome...) -> PendingSend {
        let send = PendingSend.sample()
        for (number, outcome) in outcomes.enumerated() {
            send.past = PastAttempts(history: RetryHistory(attempts: number + 1), outcome: outcome, before: send.past)
        }
        return send
    }

    @Test func `never sent it was not sent`() {
        #expect(Self.send().unsent(.deadline, "late", now: .at(1)).summary == "not sent: deadline, queue")
    }

    @Test func `refused before, it was not sent, and the attempts are counted`() {
        guard case .notSent(let notSent) = Self.send(after: Self.refused).unsent(.cancelled, "", now: .at(1)) else {
            Issue.record("that is known")
            return
        }
        #expect(notSent.cause == .cancelled)
        #expect(notSent.trace.attempts == 1)
    }

    @Test func `an unknown outcome stays unknown, whatever prevents another attempt`() {
        let send = Self.send(after: Self.unknown, Self.refused, Self.rejected)
        for cause: PushOutcome.Cause in [.deadline, .expired, .cancelled, .shutdown, .noConnection, .refused] {
            #expect(send.unsent(cause, "", now: .at(1)).summary == "unknown: stream_reset, wait")
        }
        #expect(send.final(Self.refused).summary == "unknown: stream_reset, wait")
    }

    @Test func `after an earlier rejection, Apple's answer is reported`() {
        let send = Self.send(after: Self.rejected)
        #expect(send.unsent(.deadline, "", now: .at(1)).summary == "rejected 503 ServiceUnavailable")
        #expect(send.final(Self.refused).summary == "not sent: refused, wait")
    }

    @Test func `after an unknown attempt, only a final answer is the last word`() {
        let send = Self.send(after: Self.unknown)
        #expect(send.final(Self.rejected).summary == "unknown: stream_reset, wait")
        #expect(send.final(Self.rejectedForGood).summary == "rejected 410 Unregistered")
    }
}
