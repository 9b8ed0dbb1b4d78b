import Testing

@testable import PushLint
@testable import PushProvider

@Suite struct ForeignRulesTests {
    private static let rules: Set = [
        "foreign-form", "outside-aps", "header-in-payload", "nested-aps", "nothing-visible",
    ]

    private func found(_ json: String, _ context: LintContext = LintContext()) -> [PushFinding] {
        PayloadLint.findings(in: Array(json.utf8), context).filter { Self.rules.contains($0.rule) }
    }

    @Test(arguments: [
        (#"{"to":"t","notification":{"title":"Hi"}}"#, "Firebase.", "Put title"),
        (#"{"message":{"token":"t","notification":{"title":"Hi"}}}"#, "Firebase Cloud Messaging", "Put title"),
        (#"{"message":{"topic":"t","data":{"a":"b"}}}"#, "Firebase Cloud Messaging", "Put title"),
        (
            #"{"message":{"token":"t","apns":{"headers":{},"payload":{"aps":{"alert":"Hi"}}}}}"#,
            "Firebase Cloud Messaging", #""message.apns.payload""#
        ),
        (
            #"{"message":{"notification":{"body":"Hi"},"apns":{"payload":{"aps":{"badge":1}}}}}"#,
            "Firebase Cloud Messaging", "with title and body in its"
        ),
        (#"{"to":"ExponentPushToken[x]","title":"Hi","body":"There"}"#, "Expo", "Put title"),
        (#"{"to":["ExponentPushToken[x]"],"body":"There"}"#, "Expo", "Put title"),
        (#"{"app_id":"a","contents":{"en":"Hi"},"include_aliases":{}}"#, "OneSignal", "Put title"),
        (#"{"app_id":"a","template_id":"t"}"#, "OneSignal", "Put title"),
        (#"{"notifications":[{"tokens":["ab"],"platform":1,"message":"Hi"}]}"#, "gorush", "Put title"),
        (#"{"tokens":["ab"],"platform":1,"message":"Hi"}"#, "gorush", "Put title"),
        (#"{"default":"Hi","APNS":"{\"aps\":{\"alert\":\"Hi\"}}"}"#, "Amazon SNS", "the JSON inside this string"),
    ])
    func `the form of another service is named, once, as a warning`(json: String, name: String, advice: String) {
        for context in [LintContext(), LintContext(pushType: .alert)] {
            let findings = found(json, context)
            #expect(findings.map(\.rule) == ["foreign-form"])
            #expect(findings.first?.severity == .warning)
            #expect(findings.first?.problem.contains(name) == true)
            #expect(findings.first?.advice.contains(advice) == true)
        }
    }

    /// Keys of an app may be called so.
    @Test(arguments: [
        (#"{"aps":{"alert":"Hi"},"message":{"token":"t","notification":{}}}"#, LintContext()),
        (#"{"aps":{"alert":"Hi"},"to":"ExponentPushToken[x]","title":"Hi"}"#, LintContext()),
        (#"{"aps":{"alert":"Hi"},"app_id":"a","contents":{}}"#, LintContext()),
        (#"{"message":"Hi"}"#, LintContext()),
        (#"{"message":{"text":"Hi","topic":"news"}}"#, LintContext()),
        (#"{"to":"alice","title":"A call"}"#, LintContext()),
        (#"{"to":"ExponentPushToken[x]","title":"Hi"}"#, LintContext(pushType: .voip)),
        (#"{"message":{"token":"t","notification":{}}}"#, LintContext(pushType: .voip)),
        (#"{"app_id":7,"contents":{}}"#, LintContext()),
        (#"{"alert":"Hi"}"#, LintContext(pushType: .voip)),
        (#"{"aps":{"alert":"Hi"},"alert":"x","badge":1}"#, LintContext(pushType: .alert)),
        (#"{"aps":{"sound":"default"},"alert":{"a":1}}"#, LintContext(pushType: .alert)),
        (#"{"aps":{"content-available":1},"alert":"Hi"}"#, LintContext(pushType: .background)),
        (#"{"aps":{"content-available":1},"alert":"Hi"}"#, LintContext()),
        (#"{"badge":1}"#, LintContext()),
        (#"{"aps":{"alert":"Hi"},"apns-id":"x","priority":10,"topic":"t"}"#, LintContext()),
        (#"{"aps":{"alert":"Hi"},"push":{"apns-priority":10}}"#, LintContext()),
    ])
    func `an app's own keys are its own`(json: String, context: LintContext) {
        #expect(found(json, context) == [])
    }

    @Test(arguments: [
        (#"{"alert":"Hello","badge":1}"#, LintContext(), "alert"),
        (#"{"alert":{"title":"Hello"}}"#, LintContext(), "alert"),
        (#"{"aps":{},"alert":"Hello"}"#, LintContext(), "alert"),
        (#"{"aps":{"thread-id":"t"},"alert":"Hello"}"#, LintContext(pushType: .alert), "alert"),
        (#"{"badge":1}"#, LintContext(pushType: .alert), "badge"),
        (#"{"aps":{},"sound":"default"}"#, LintContext(pushType: .alert), "sound"),
    ])
    func `an alert outside of aps has one finding`(json: String, context: LintContext, key: String) {
        let findings = found(json, context)
        #expect(findings.map(\.rule) == ["outside-aps"])
        #expect(findings.first?.severity == .warning)
        #expect(findings.first?.subject == "payload.\(key)")
    }

    @Test func `headers in the payload are reported, each with its place`() {
        let findings = PayloadLint.findings(
            in: Array(#"{"aps":{"alert":"Hi","apns-topic":"a"},"apns-priority":5,"apns-push-type":"alert"}"#.utf8))
        #expect(findings.map(\.rule) == ["header-in-payload", "header-in-payload", "header-in-payload"])
        #expect(
            findings.map(\.subject) == ["payload.aps.apns-topic", "payload.apns-priority", "payload.apns-push-type"])
        #expect(findings.allSatisfy { $0.advice == "Send it as a header of the request." })
    }

    // MARK: What is left of a template

    @Test(arguments: ["{{name}}", "{{ user.name }}", "{{name|there}}", "{{badge:number}}"])
    func `what is left of a template is found, with its place`(text: String) throws {
        let json = Array(#"{"aps":{"alert":"Hello \#(text), all"}}"#.utf8)
        let finding = try #require(PayloadLint.placeholderFindings(in: json).first)
        #expect(finding.severity == .warning)
        #expect(finding.rule == "placeholder-left")
        #expect(finding.location?.bytes == 23..<23 + text.utf8.count)
        #expect(finding.problem.contains(text))
    }

    @Test(arguments: [
        #"{"aps":{"alert":"{{}}"}}"#, #"{"a":{"b":{"c":{}}}}"#, #"{"aps":{"alert":"{ {name}}"}}"#,
        #"{"aps":{"alert":"{{name}"}}"#, #"{"aps":{"alert":"{{\"a\"}}"}}"#, "{{", "",
    ])
    func `braces that are no placeholder are none`(json: String) {
        #expect(PayloadLint.placeholderFindings(in: Array(json.utf8)).isEmpty)
    }
}
