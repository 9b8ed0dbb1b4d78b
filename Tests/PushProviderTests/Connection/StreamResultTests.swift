import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite struct StreamResultTests {
    @Test func `what a server leaves out because of the certificate concerns the credentials`() {
        var facts = StreamResult.Facts.sample(.unprocessed)
        facts.goAway = "GOAWAY NO_ERROR, BadCertificate"
        facts.connectionError = "peer:1 refused the certificate: BadCertificate."
        #expect(StreamResult.outcome(of: facts).summary == "not sent: refused, wait")
        facts.isCertificateRefused = true
        let outcome = StreamResult.outcome(of: facts)
        #expect(outcome.summary == "not sent: credentials, wait")
        #expect(outcome.sentence == "peer:1 refused the certificate: BadCertificate.")
    }

    /// Every way in which a stream can end, and what it means, as one word for each part.
    struct Row: Sendable, CustomTestStringConvertible {
        var cause: HTTP2StreamEnd.Cause
        var written: Bool
        var status: Int?
        var summary: String

        init(_ cause: HTTP2StreamEnd.Cause, written: Bool, _ status: Int?, _ summary: String) {
            self.cause = cause
            self.written = written
            self.status = status
            self.summary = summary
        }

        var testDescription: String {
            "\(cause), \(written ? "written" : "not written"), \(status.map(String.init) ?? "no status")"
        }
    }

    static let rows: [Row] = [
        Row(.answered, written: true, 200, "accepted"),
        Row(.answered, written: true, 400, "rejected 400"),
        Row(.answered, written: true, 503, "rejected 503"),
        Row(.answered, written: true, 204, "rejected 204"),
        Row(.answered, written: true, 302, "rejected 302"),
        Row(.answered, written: true, nil, "unknown malformed_answer parse"),
        // The peer has answered: it does not matter whether our side has heard from the kernel yet.
        Row(.answered, written: false, 200, "accepted"),
        Row(.answered, written: false, 400, "rejected 400"),
        Row(.answered, written: false, nil, "unknown malformed_answer parse"),

        Row(.unprocessed, written: true, nil, "not sent refused wait"),
        Row(.unprocessed, written: false, nil, "not sent refused wait"),
        Row(.unprocessed, written: true, 200, "not sent refused wait"),
        Row(.unprocessed, written: false, 503, "not sent refused wait"),

        Row(.connectionLost, written: true, nil, "unknown connection_lost wait"),
        Row(.connectionLost, written: false, nil, "not sent connection_lost write"),
        Row(.connectionLost, written: true, 200, "accepted"),
        Row(.connectionLost, written: true, 410, "rejected 410"),
        Row(.connectionLost, written: false, 200, "accepted"),

        Row(.resetByPeer(2), written: true, nil, "unknown stream_reset wait"),
        Row(.resetByPeer(2), written: false, nil, "unknown stream_reset wait"),
        // RFC 9113 section 8.1: NO_ERROR after a complete answer that did not wait for the body.
        Row(.resetByPeer(0), written: true, 413, "rejected 413"),
        Row(.resetByPeer(8), written: true, 200, "accepted"),

        Row(.resetHere(1), written: true, nil, "unknown malformed_answer parse"),
        Row(.resetHere(1), written: false, nil, "unknown malformed_answer parse"),
        Row(.resetHere(1), written: true, 200, "unknown malformed_answer parse"),
        Row(.resetHere(8), written: true, 400, "unknown malformed_answer parse"),
    ]

    @Test(arguments: rows) func `each end of a stream has one outcome`(row: Row) {
        let outcome = StreamResult.outcome(of: .sample(row.cause, written: row.written, status: row.status))
        #expect(summary(outcome) == row.summary)
    }

    @Test func `an answer means the same before its end`() {
        for row in Self.rows where row.cause == .answered {
            let response = HTTP2Response.sample(status: row.status)
            let outcome = StreamResult.outcome(of: response, .push, registered: nil, .sample)
            #expect(outcome.map(summary) == (row.status == nil ? nil : row.summary))
        }
        let response = HTTP2Response.sample(
            status: 410, headers: [("apns-id", "A1")], body: Array(#"{"reason":"Unregistered","timestamp":7}"#.utf8))
        guard case .rejected(let rejection)? = StreamResult.outcome(of: response, .push, registered: 5, .sample) else {
            Issue.record("not rejected")
            return
        }
        #expect(rejection.apnsID == "A1")
        #expect(rejection.tokenStatus == .gone)
    }

    @Test func `an acceptance carries Apple's ids and the trace`() {
        let outcome = StreamResult.outcome(
            of: .sample(status: 200, headers: [("apns-id", "A1"), ("apns-unique-id", "U1")]))
        guard case .accepted(let acceptance) = outcome else { return record(outcome) }
        #expect(acceptance == PushOutcome.Acceptance(apnsID: "A1", uniqueID: "U1", trace: .sample))
    }

    @Test func `a rejection carries all that came`() {
        let body = Array(#"{"reason":"Unregistered","timestamp":1454948015990}"#.utf8)
        let outcome = StreamResult.outcome(
            of: .sample(
                status: 410, headers: [("apns-id", "A1"), ("apns-unique-id", "U1"), ("retry-after", "7")], body: body))
        guard case .rejected(let rejection) = outcome else { return record(outcome) }
        #expect(
            rejection
                == PushOutcome.Rejection(
                    status: 410, reason: .unregistered, timestampMilliseconds: 1_454_948_015_990, apnsID: "A1",
                    uniqueID: "U1", retryAfter: "7", body: body, trace: .sample))
    }

    @Test func `only a 410 has a timestamp`() {
        let body = Array(#"{"reason":"BadDeviceToken","timestamp":1454948015990}"#.utf8)
        let outcome = StreamResult.outcome(of: .sample(status: 400, body: body))
        guard case .rejected(let rejection) = outcome else { return record(outcome) }
        #expect(rejection.timestampMilliseconds == nil)
        #expect(rejection.reason == .badDeviceToken)
        #expect(rejection.body == body)
    }

    @Test func `an unknown outcome names the id that was sent`() {
        let outcome = StreamResult.outcome(of: .sample(.connectionLost, written: true))
        guard case .unknown(let unknown) = outcome else { return record(outcome) }
        #expect(unknown.apnsID == "sent-id")
        #expect(unknown.trace == .sample)
    }

    @Test(arguments: [
        (HTTP2StreamEnd.Cause.connectionLost, true, "the connection ended before the answer arrived (it broke)."),
        (.connectionLost, false, "the connection ended before the request was written (it broke)."),
        (.resetByPeer(8), true, "the server reset the stream (CANCEL)."),
        (.resetByPeer(4711), true, "the server reset the stream (error code 4711)."),
        (.resetHere(1), true, "the answer was malformed (PROTOCOL_ERROR)."),
        (.answered, true, "the answer has no status."),
        (.unprocessed, true, "the server didn't process the request (REFUSED_STREAM or GOAWAY)."),
    ])
    func `the sentence says what happened`(cause: HTTP2StreamEnd.Cause, written: Bool, sentence: String) {
        var facts = StreamResult.Facts.sample(cause, written: written)
        // A failure is a sentence of its own; inside another one it has no full stop.
        facts.connectionError = "it broke."
        #expect(words(StreamResult.outcome(of: facts)) == sentence)
    }

    @Test func `a connection that ended without a word is not given one`() {
        let outcome = StreamResult.outcome(of: .sample(.connectionLost, written: true))
        #expect(words(outcome) == "the connection ended before the answer arrived.")
    }

    private func summary(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .rejected(let rejection): "rejected \(rejection.status)"
        case .notSent(let notSent): "not sent \(notSent.cause) \(notSent.phase)"
        case .unknown(let unknown): "unknown \(unknown.cause) \(unknown.phase)"
        case .invalid: "invalid"
        }
    }

    private func words(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .accepted, .rejected, .invalid: ""
        case .notSent(let notSent): notSent.description
        case .unknown(let unknown): unknown.description
        }
    }

    private func record(_ outcome: PushOutcome) {
        Issue.record("unexpected: \(outcome)")
    }
}
