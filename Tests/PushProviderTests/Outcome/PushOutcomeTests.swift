import APNSVocabulary
import PushProvider
import TestSupport
import Testing

@Suite struct PushOutcomeTests {
    @Test(arguments: RejectionReason.known)
    func `a known reason is final when nothing changes by waiting`(reason: RejectionReason) {
        let passing: Set<RejectionReason> = [
            .expiredProviderToken, .idleTimeout, .internalServerError, .serviceUnavailable, .shutdown,
            .tooManyProviderTokenUpdates, .tooManyRequests, .unrelatedKeyIDInToken,
        ]
        let rejection = PushOutcome.Rejection.sample(reason.explanation?.status ?? 0, reason)
        #expect(rejection.isFinal == !passing.contains(reason))
        #expect(rejection.explanation?.reason == reason)
    }

    @Test(arguments: [
        (400, true), (403, true), (404, true), (410, true), (413, true), (302, true), (204, true),
        (429, false), (500, false), (502, false), (503, false), (599, false),
    ])
    func `without a known reason the status decides`(status: Int, isFinal: Bool) {
        #expect(PushOutcome.Rejection.sample(status).isFinal == isFinal)
        #expect(PushOutcome.Rejection.sample(status, "NewIn2030").isFinal == isFinal)
        #expect(PushOutcome.Rejection.sample(status, "NewIn2030").explanation == nil)
    }

    @Test func `the word goes before the status`() {
        #expect(PushOutcome.Rejection.sample(503, .badDeviceToken).isFinal)
        #expect(!PushOutcome.Rejection.sample(400, .idleTimeout).isFinal)
    }

    /// They are in logs, metrics and what `--json` prints: a change breaks those who read them.
    @Test func `the words for machines are fixed`() {
        let notSent: [PushOutcome.Cause] = [
            .deadline, .expired, .cancelled, .noConnection, .connectionLost, .refused, .shutdown, .credentials,
        ]
        #expect(
            notSent.map(\.description) == [
                "deadline", "expired", "cancelled", "no_connection", "connection_lost", "refused", "shutdown",
                "credentials",
            ])
        let unknown: [PushOutcome.Cause] = [
            .deadline, .cancelled, .connectionLost, .streamReset, .malformedAnswer,
        ]
        #expect(
            unknown.map(\.description) == [
                "deadline", "cancelled", "connection_lost", "stream_reset", "malformed_answer",
            ])
        let phases: [PushOutcome.Phase] = [.queue, .dns, .tcp, .tls, .settings, .write, .wait, .parse]
        #expect(phases.map(\.description) == ["queue", "dns", "tcp", "tls", "settings", "write", "wait", "parse"])
        let outcomes: [PushOutcome] = [
            .accepted(PushOutcome.Acceptance(apnsID: "")), .rejected(.sample(410)),
            .notSent(PushOutcome.NotSent(cause: .deadline)),
            .unknown(PushOutcome.Unknown(cause: .deadline)), .invalid([]),
        ]
        #expect(outcomes.map(\.name) == ["accepted", "rejected", "not_sent", "unknown", "invalid"])
        #expect(outcomes.map(\.isAccepted) == [true, false, false, false, false])
    }
}
