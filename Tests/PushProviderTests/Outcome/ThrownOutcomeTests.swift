import TestSupport
import Testing

@testable import PushProvider

@Suite struct ThrownOutcomeTests {
    @Test func `an acceptance is returned`() throws {
        let acceptance = PushOutcome.Acceptance(apnsID: "A1", uniqueID: nil, trace: .sample)
        #expect(try PushOutcome.accepted(acceptance).get() == acceptance)
    }

    @Test func `a rejection is thrown with all that came`() throws {
        let rejection = PushOutcome.Rejection.sample(410, .unregistered)
        let error = try #require(throws: PushOutcome.self) { try PushOutcome.rejected(rejection).get() }
        #expect(error.name == "rejected")
        #expect(error.rejection == rejection)
        #expect(error.notSent == nil)
        #expect(error.unknown == nil)
        #expect(error.findings.isEmpty)
    }

    @Test func `what was not sent is thrown with its cause`() throws {
        let notSent = PushOutcome.NotSent(cause: .deadline, phase: .queue, description: "too late.", trace: .sample)
        let error = try #require(throws: PushOutcome.self) { try PushOutcome.notSent(notSent).get() }
        #expect(error.name == "not_sent")
        #expect(error.notSent == notSent)
        #expect(error.rejection == nil)
        #expect(error.unknown == nil)
    }

    @Test func `what is unknown is thrown with its cause`() throws {
        let unknown = PushOutcome.Unknown(
            cause: .connectionLost, phase: .wait, apnsID: "A1", description: "it broke.", trace: .sample)
        let error = try #require(throws: PushOutcome.self) { try PushOutcome.unknown(unknown).get() }
        #expect(error.name == "unknown")
        #expect(error.unknown == unknown)
        #expect(error.rejection == nil)
        #expect(error.notSent == nil)
    }

    @Test func `the text says what happened and what to do`() {
        #expect(
            PushOutcome.rejected(.sample(413, .payloadTooLarge)).description == """
                APNs rejected the notification: 413 PayloadTooLarge. The payload is larger than the limit: 4096 bytes, \
                5120 for calls. Send less, and let the app fetch the rest.
                """)
        #expect(
            PushOutcome.rejected(.sample(418, "NewIn2030")).description
                == "APNs rejected the notification: 418 NewIn2030.")
        #expect(
            PushOutcome.rejected(.sample(502)).description
                == "APNs rejected the notification: 502 no reason given.")
        let notSent = PushOutcome.NotSent(
            cause: .deadline, phase: .queue, description: "its deadline passed.", trace: .sample)
        #expect(PushOutcome.notSent(notSent).description == "The notification wasn't sent: its deadline passed.")
        let unknown = PushOutcome.Unknown(
            cause: .deadline, phase: .wait, apnsID: "A1", description: "its deadline passed.", trace: .sample)
        #expect(
            PushOutcome.unknown(unknown).description
                == "The outcome of the notification is unknown: its deadline passed.")
        let findings = [
            PushFinding(severity: .error, rule: "r", subject: "a", problem: "One.", advice: "Do one."),
            PushFinding(severity: .error, rule: "r", subject: "b", problem: "Two.", advice: "Do two."),
        ]
        #expect(
            PushOutcome.invalid(findings).description == "The notification isn't valid: One. Do one. Two. Do two.")
        #expect(PushOutcome.invalid(findings).findings == findings)
        #expect(PushOutcome.invalid(findings).name == "invalid")
    }

    @Test func `every known reason has a text with meaning and advice`() throws {
        for reason in RejectionReason.known {
            let explanation = try #require(reason.explanation)
            let text = PushOutcome.rejected(.sample(explanation.status, reason)).description
            #expect(text.contains(explanation.meaning))
            #expect(text.hasSuffix(explanation.advice))
        }
    }
}
