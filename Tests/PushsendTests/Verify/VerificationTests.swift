import Foundation
import MockAPNs
import PushProvider
import Testing

@testable import pushsend

/// What `pushsend verify` concludes from the answers of servers that judge in another order than the mock, or not at all.
@Suite struct VerificationTests {
    /// A server: it answers a request that has these fields and this body.
    private typealias Server = (_ fields: [String: String], _ body: [UInt8]) -> ProbedAnswer

    private static func refused(_ status: Int, _ reason: RejectionReason) -> ProbedAnswer {
        ProbedAnswer(status: status, reason: reason)
    }

    private static let (good, old) = (authorization(age: 600), authorization(age: 7200))

    private static func authorization(age: Int) -> String {
        let parts = [
            #"{"alg":"ES256","kid":"ABC123DEFG"}"#,
            #"{"iss":"DEF123GHIJ","iat":\#(Int(Date().timeIntervalSince1970) - age)}"#,
            String(repeating: "0", count: 64),
        ]
        return "bearer " + parts.map { Data($0.utf8).base64EncodedString().filter { $0 != "=" } }.joined(separator: ".")
    }

    private static func run(_ server: Server) -> Verification {
        let base = VerifyRequest(
            token: String(repeating: "0f", count: 32), topic: "com.example.app", authorization: good,
            oldAuthorization: old)
        var verification = Verification(base: base, topic: "com.example.app", environment: .sandbox, device: nil)
        for connection in VerifyQuestion.Connection.allCases {
            for number in verification.questions(on: connection) {
                let request = verification.request(number, authority: "localhost")
                let fields = Dictionary(request.fields.map { ($0.name, $0.value) }) { first, _ in first }
                guard verification.note(server(fields, request.body), to: number) else { return verification }
            }
        }
        return verification
    }

    private static func facts(_ verification: Verification, _ result: Verification.Result) -> Set<String> {
        Set(verification.findings.filter { $0.result == result && !$0.text.isEmpty }.map(\.fact.id))
    }

    @Test func `a server that accepts everything hides nothing behind a device token that doesn't exist`() {
        let found = Self.run { _, _ in ProbedAnswer(status: 200) }
        #expect(Self.facts(found, .notAsked).isEmpty)
        let differing = Self.facts(found, .differs)
        #expect(differing.isSuperset(of: ["method", "path", "payload-size", "provider-token-form"]), "\(differing)")
        // A malformed device token would have got the same reason as one that is unknown: to accept it is not to agree.
        #expect(differing.contains("device-token-form"))
        #expect(found.settings["unknown_tokens"] == .string("accept"))
    }

    @Test func `a server that looks for the device before payloads and provider tokens leaves these open`() {
        let found = Self.run { fields, _ in
            if fields["apns-id"] == "verify" { return Self.refused(400, .badMessageID) }
            if fields["apns-priority"] == "7" { return Self.refused(400, .badPriority) }
            return Self.refused(400, .deviceTokenNotForTopic)
        }
        let open = Self.facts(found, .notAsked)
        #expect(open.isSuperset(of: ["payload-present", "payload-size", "issue-time-not-old"]), "\(open)")
        // It reads headers before, so it doesn't judge those that it lets through.
        #expect(Self.facts(found, .differs).isSuperset(of: ["expiration-form", "collapse-id-length"]))
        #expect(Self.facts(found, .agrees).isSuperset(of: ["apns-id", "priority-known"]))
        #expect(found.findings.contains { $0.note?.contains("only --device can tell") == true })
    }

    @Test func `a server that looks for the device first leaves everything open`() {
        let found = Self.run { _, _ in Self.refused(400, .badDeviceToken) }
        #expect(Self.facts(found, .differs).isEmpty)
        #expect(Self.facts(found, .notAsked).isSuperset(of: ["path", "payload-size", "provider-token-form"]))
    }

    @Test func `an answer without a reason says so`() throws {
        let found = Self.run { fields, _ in
            fields["apns-push-type"] == "verify" ? ProbedAnswer(status: 400) : Self.refused(400, .badDeviceToken)
        }
        let finding = try #require(found.findings.first { $0.fact.id == "push-type-known" })
        #expect(finding.result == .differs && finding.answered == "400 without a reason")
        #expect(finding.note == "The mock can't give this answer.")
    }

    @Test(arguments: [1, 3, 26])
    func `a 429 to any request is the last answer`(number: Int) {
        var count = 0
        let found = Self.run { _, _ in
            count += 1
            return count == number ? Self.refused(429, .tooManyRequests) : Self.refused(400, .badDeviceToken)
        }
        #expect(count == number && found.stop?.contains("429 TooManyRequests") == true)
    }

    @Test func `a server with a problem says nothing about a fact, and no setting imitates it`() throws {
        let found = Self.run { fields, _ in
            fields["apns-priority"] == "7"
                ? Self.refused(503, .serviceUnavailable) : Self.refused(400, .badDeviceToken)
        }
        let finding = try #require(found.findings.first { $0.fact.id == "priority-known" })
        #expect(finding.result == .notAsked && finding.note == "The answer isn't about this: 503 ServiceUnavailable.")
        #expect(Self.facts(found, .differs).isEmpty && found.settings.isEmpty && found.stop == nil)
    }

    @Test func `a run that stops early says nothing about what the device token can hide, and a 429 about no fact`() {
        var count = 0
        let found = Self.run { _, _ in
            count += 1
            return count == 3 ? Self.refused(429, .tooManyRequests) : Self.refused(400, .badDeviceToken)
        }
        #expect(Self.facts(found, .differs).isEmpty && found.settings.isEmpty)
        #expect(Self.facts(found, .notAsked).isSuperset(of: ["method", "path", "apns-id"]))
    }

    @Test func `a correct request that the server resets ends the run`() {
        let found = Self.run { _, _ in ProbedAnswer(status: nil, resetCode: 2) }
        #expect(found.stop?.hasPrefix("A correct request got RST_STREAM with code 2.") == true)
        #expect(found.findings.count { !$0.answered.isEmpty } == 1)
    }

    @Test func `a run has the bounds that the documentation promises`() {
        var authorizations: [String?] = []
        _ = Self.run { fields, _ in
            authorizations.append(fields["authorization"])
            return Self.refused(400, .badDeviceToken)
        }
        #expect(authorizations.count <= 80 && VerifyQuestion.Connection.allCases.count <= 4)
        // One good token, and two bad ones: an expired and a malformed one.
        #expect(Set(authorizations.compactMap(\.self)) == [Self.good, Self.old, "bearer verify"])
        #expect(authorizations.count { $0 == Self.old } == 1 && authorizations.count { $0 == "bearer verify" } == 1)
    }
}
