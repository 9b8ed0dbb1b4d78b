import PushLint
import PushProvider
import Testing

@testable import pushsend

/// What the advice of a rule has in addition: flags and subcommands.
@Suite struct RuleFlagsTests {
    @Test func `each header in a payload has its flag`() {
        let payload = #"{"aps":{"alert":"Hi","apns-topic":"a"},"apns-priority":5,"apns-push-type":"alert"}"#
        let findings = PayloadLint.findings(in: Array(payload.utf8))
        #expect(
            findings.map(\.adviceWithFlags) == [
                "Send it as a header of the request. Use --topic.",
                "Send it as a header of the request. Use --priority.",
                "Send it as a header of the request. Use --push-type.",
            ])
        #expect(findings.first?.textWithFlags.hasSuffix("Send it as a header of the request. Use --topic.") == true)
    }

    @Test func `a header without apns- has its flag, too`() {
        let payload = #"{"aps":{"alert":"Hi","priority":5},"headers":{"collapse_id":"a","apns-expiration":"0"}}"#
        let findings = PayloadLint.findings(in: Array(payload.utf8))
        #expect(
            findings.map(\.adviceWithFlags) == [
                "Send it as a header of the request. Use --priority.",
                "Send it as a header of the request. Use --collapse-id.",
                "Send it as a header of the request. Use --expires.",
            ])
    }

    @Test func `a placeholder that is left has the subcommand that fills it in`() {
        let findings = PayloadLint.placeholderFindings(in: Array(#"{"aps":{"alert":"Hi {{name}}"}}"#.utf8))
        #expect(findings.map { $0.adviceWithFlags.contains("pushsend batch") } == [true])
    }

    @Test func `the advice of other rules stays as it is`() {
        let findings = PayloadLint.findings(in: Array(#"{"aps":{"alert":"Hi","badge":"1"}}"#.utf8))
        #expect(findings.count == 1)
        #expect(findings.map(\.adviceWithFlags) == findings.map(\.advice))
    }

    @Test func `an explanation of a rule has its flags`() {
        #expect(Explanation.find("header-in-payload")?.steps.last?.contains("--collapse-id") == true)
    }
}
