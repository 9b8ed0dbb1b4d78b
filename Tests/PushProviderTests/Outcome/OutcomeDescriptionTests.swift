import TestSupport
import Testing

@testable import PushProvider

@Suite struct OutcomeDescriptionTests {
    private static let trace = PushOutcome.Trace(
        queued: .microseconds(1250), inFlight: .milliseconds(42), attempts: 1, connection: 2)

    @Test func `an acceptance names its ids`() {
        let acceptance = PushOutcome.Acceptance(apnsID: "A1", uniqueID: "U1", trace: Self.trace)
        #expect("\(acceptance)" == "APNs accepted the notification: apns-id A1, apns-unique-id U1.")
        #expect(
            "\(PushOutcome.Acceptance(apnsID: "", uniqueID: nil, trace: Self.trace))"
                == "APNs accepted the notification.")
    }

    @Test func `a rejection is a sentence, and its body is not in it`() {
        var rejection = PushOutcome.Rejection.sample(413, .payloadTooLarge)
        rejection.body = Array(#"{"reason":"PayloadTooLarge"}"#.utf8)
        let sentence = "\(rejection)"
        #expect(
            sentence.hasPrefix(
                "APNs rejected the notification: 413 PayloadTooLarge. The payload is larger than the limit"))
        #expect(!sentence.contains("["))
        #expect("\(PushOutcome.rejected(rejection))" == sentence)
        // Also where it stands in something else.
        #expect("\([rejection])" == "[\(sentence)]")
    }

    @Test func `what the server sends cannot steer a terminal`() {
        let rejection = PushOutcome.Rejection.sample(400, RejectionReason(rawValue: "Bad\u{1B}[2J"))
        #expect(!"\(rejection)".contains("\u{1B}"))
        #expect(
            !"\(PushOutcome.Acceptance(apnsID: "A\u{1B}[2J", uniqueID: "\r", trace: Self.trace))".contains("\u{1B}"))
    }

    @Test func `an outcome says what happened`() throws {
        let notSent = PushOutcome.NotSent(
            cause: .deadline, phase: .queue, description: "its deadline passed.", trace: Self.trace)
        let unknown = PushOutcome.Unknown(
            cause: .deadline, phase: .wait, apnsID: "A1", description: "its deadline passed.", trace: Self.trace)
        #expect("\(PushOutcome.notSent(notSent))" == "The notification wasn't sent: its deadline passed.")
        #expect(
            "\(PushOutcome.unknown(unknown))" == "The outcome of the notification is unknown: its deadline passed.")
        #expect("\(PushOutcome.rejected(.sample(410)))" == PushOutcome.Rejection.sample(410).description)
    }

    @Test func `a trace is a line`() {
        #expect("\(Self.trace)" == "queued 1.3 ms, in flight 42 ms, 1 attempt, connection 2")
        let none = PushOutcome.Trace(queued: .seconds(3), inFlight: .zero, attempts: 0, connection: nil)
        #expect("\(none)" == "queued 3000 ms, in flight 0.0 ms, 0 attempts")
    }

    @Test func `a result of a sequence shows the ends of its device token only`() throws {
        let notification = PushNotification(
            to: try DeviceToken(String(repeating: "0f", count: 32)), topic: "com.example.app",
            payload: .alert(body: "Secret"))
        let result = PushResult(index: 3, notification: notification, outcome: .rejected(.sample(418)))
        #expect("\(result)" == "3, to 0f0f0f0f…0f0f: APNs rejected the notification: 418 no reason given.")
    }
}
