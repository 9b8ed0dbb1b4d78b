import TestSupport
import Testing

@testable import PushLint
@testable import PushProvider

/// Places, words and order of findings, beyond what one rule says.
@Suite struct LintFindingTests {
    private func findings(_ json: String, _ context: LintContext = LintContext()) -> [PushFinding] {
        PayloadLint.findings(in: Array(json.utf8), context)
    }

    private func summary(_ json: String, _ context: LintContext = LintContext()) -> [String] {
        findings(json, context).map { finding in
            let position = finding.location.map { "\($0.line):\($0.column)+\($0.bytes.count)" } ?? "-"
            return "\(finding.severity) \(finding.rule) \(finding.subject) \(position)"
        }
    }

    @Test(arguments: [
        (
            #"{"aps":{"alert":{"loc-key":"A","loc-args":["a",2]}}}"#,
            ["error wrong-type payload.aps.alert.loc-args[1] 1:48+1"]
        ),
        ("{\n\t\"aps\": {\n\t\t\"badge\": -1\n\t}\n}", ["error badge-number payload.aps.badge 3:12+2"]),
        ("{\"é\":1,\"aps\":{\"badge\":1.5}}", ["error badge-number payload.aps.badge 1:24+3"]),
        (#"{"aps":{"alert":"x","a b":1}}"#, [#"warning custom-key-in-aps payload.aps["a b"] 1:21+5"#]),
        (#"{"ab":1,"\u0061b":2}"#, ["error duplicate-key payload.ab 1:9+9"]),
        (#"{"a":{"b":[{"c":1,"c":2}]}}"#, ["error duplicate-key payload.a.b[0].c 1:19+3"]),
    ])
    func `a finding has the path and the place of what it is about`(json: String, expected: [String]) {
        #expect(summary(json) == expected)
    }

    @Test func `findings come in the order of their places, those about headers last`() {
        let json = #"{"aps":{"sound":"x","badge":-1,"alert":{},"mutable-content":true}}"#
        let found = findings(json, LintContext(topic: "a b", priority: .init(rawValue: 3)))
        #expect(
            found.map(\.rule) == [
                "sound-file", "badge-number", "empty-alert", "mutable-without-alert", "flag-form", "topic-form",
                "priority-known",
            ])
    }

    @Test func `several mistakes of the text are reported together, and other findings too`() {
        let found = findings("{aps: {'alert': \"Hi\" \"badge\": +1,}, // all\n\"contentAvailable\": True}")
        #expect(
            found.map(\.rule) == [
                "unquoted-key", "single-quotes", "missing-comma", "number-form", "extra-comma", "comment", "wrong-word",
            ])
        #expect(findings("{'aps':{'badge':-1}}").map(\.rule) == ["single-quotes", "single-quotes", "badge-number"])
    }

    @Test func `nothing is concluded from what was not certain`() {
        #expect(findings(#"{"aps":{"badge":NaN}}"#).map(\.rule) == ["not-a-number"])
        #expect(findings(#"{"aps":{"sound":chime}}"#).map(\.rule) == ["unquoted-text"])
    }

    @Test func `a payload that is too large has a breakdown, the largest first`() throws {
        let text = String(repeating: "x", count: 4000)
        let found = findings(
            #"{"aps":{"alert":{"title":"T","body":"\#(text)"},"badge":1},"html":"\#(text.prefix(100))","n":1}"#)
        #expect(found.map(\.rule) == ["payload-too-large"])
        #expect(
            found[0].advice
                == "Shorten the largest part, or replace it with an id, so that the app or its service extension can fetch it. Largest parts in bytes: aps.alert.body 4009, html 109, aps.alert.title 11, aps.badge 9, n 5."
        )
        let words = "The payload is 5190 bytes, 70 more than the limit for a broadcast, 5120."
        for end in ["", ","] {
            let broadcast = findings("{\"x\":\"\(text)\(text.prefix(1182))\"\(end)}", LintContext(broadcast: .init()))
            #expect(
                broadcast.contains {
                    $0.problem
                        == words.replacing("5190 bytes, 70", with: "\(5190 + end.count) bytes, \(70 + end.count)")
                })
        }
        let call = LintContext(pushType: .voip)
        #expect(findings(#"{"x":"\#(text)\#(text.prefix(1000))"}"#, call) == [])
    }

    @Test func `the report of a sealed payload that is too large names the bytes for sealing`() throws {
        let key = try PushPayload.SealingKey(id: "k1", bytes: [UInt8](repeating: 7, count: 32))
        let secret = try PushPayload.alert(PushPayload.Alert(body: String(repeating: "x", count: 3100)))
        let sealed = try secret.sealed(with: key)
        let text = SealedEnvelope.byteCount(ofPlaintext: secret.bytes.count, key) + #""sealed":"""#.utf8.count
        let words =
            "sealed \(text) (\(secret.bytes.count) of plaintext, \(text - secret.bytes.count) added by encryption), aps.alert.body 22"
        let found = sealed.findings()
        #expect(found.map(\.rule) == ["payload-too-large"])
        #expect(found[0].advice.contains(words), "\(found)")
        // Of another version nobody can tell.
        let other = String(decoding: sealed.bytes, as: UTF8.self).replacing("\"1.k1.", with: "\"2.k1.")
        #expect(findings(other)[0].advice.contains("in bytes: sealed \(text), aps.alert.body 22"))
    }

    @Test(arguments: [
        ("contentAvailable", "content-available"), ("content_available", "content-available"),
        ("Content-Available", "content-available"), ("threadID", "thread-id"), ("mutableContent", "mutable-content"),
        ("interruptionLevel", "interruption-level"), ("Badge", "badge"),
    ])
    func `a key in other letters is known for certain`(written: String, meant: String) throws {
        let found = findings(#"{"aps":{"alert":"x","\#(written)":1}}"#)
        #expect(found.map(\.rule) == ["misspelt-key"])
        #expect(found[0].advice == "Did you mean \"\(meant)\"?")
        #expect(found[0].isRepairable)
    }

    @Test(arguments: [
        ("alrt", "alert"), ("bagde", "badge"), ("catagory", "category"), ("mutable-contents", "mutable-content"),
    ])
    func `a slip has the nearest key, and is not mended`(written: String, meant: String) throws {
        let found = findings(#"{"aps":{"\#(written)":1}}"#)
        #expect(found.map(\.rule) == ["misspelt-key"])
        #expect(found[0].advice == "Did you mean \"\(meant)\"?")
        #expect(!found[0].isRepairable)
    }

    @Test(arguments: [
        (#"{"aps":{"alert":{"titel":"T"}}}"#, LintContext()), (#"{"aps":{"alert":{"loc_key":"K"}}}"#, LintContext()),
        (#"{"aps":{"alert":"x","sound":{"critcal":1,"name":"default"}}}"#, LintContext()),
        (#"{"aps":{"aler":"x"}}"#, RuleFixture.alert),
        (#"{"aps":{"timestamp":1,"event":"update","contentState":{}}}"#, RuleFixture.live),
        (#"{"aps":{"timeStamp":1,"event":"end","content-state":{}}}"#, RuleFixture.live),
        (#"{"aps":{"timestamp":1,"evnt":"end","content-state":{}}}"#, RuleFixture.live),
    ])
    func `a misspelt key is not also reported as missing`(json: String, context: LintContext) {
        #expect(findings(json, context).map(\.rule) == ["misspelt-key"])
    }

    @Test func `an aps inside any other object is found`() {
        #expect(
            summary(#"{"send":{"token":"t","apns":{"payload":{"aps":{"alert":"x"}}}}}"#)
                == ["warning nested-aps payload.send.apns.payload.aps 1:41+5"])
        // If the form that wraps it has a name, the finding names it.
        #expect(
            summary(#"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":"x"}}}}}"#)
                == ["warning foreign-form payload.message 1:2+9"])
        #expect(
            summary(#"{"all":[{"aps":{"alert":"x"}}]}"#) == ["warning nested-aps payload.all[0].aps 1:10+5"])
    }

    @Test func `a key in the wrong one of aps and alert is reported with its right place`() {
        let found = findings(#"{"aps":{"body":"x","alert":{"title":"T","badge":1}}}"#)
        #expect(found.map(\.rule) == ["misplaced-key", "misplaced-key"])
        #expect(
            found.map(\.advice) == [
                "Move it into \"aps\":{\"alert\":{...}}.", "Move it into \"aps\", next to \"alert\".",
            ])
    }

    @Test(arguments: [
        #"{"aps":{"alert":{"title":"T","sound":"default"}}}"#,
        #"{"aps":{"alert":{"title":"T","sound":{"critical":1}}}}"#,
        #"{"aps":{"alert":{"title":"T","sound":"chime"},"sound":"default"}}"#,
    ])
    func `a sound in an ordinary alert belongs into aps`(json: String) {
        for context in [LintContext(), RuleFixture.alert] {
            let found = findings(json, context)
            #expect(found.map(\.rule) == ["misplaced-key"])
            #expect(found.map(\.advice) == ["Move it into \"aps\", next to \"alert\"."])
        }
    }

    @Test func `the sound of a Live Activity is in its alert`() {
        func update(_ alert: String, _ aps: String) -> String {
            #"{"aps":{"timestamp":1,"event":"update","content-state":{},"alert":{"title":"T","body":"B"\#(alert)}\#(aps)}}"#
        }
        let sound = #","sound":"default""#
        #expect(summary(update(sound, ""), RuleFixture.live) == [])
        #expect(findings(update("", sound), RuleFixture.live).map(\.rule) == ["misplaced-key"])
        #expect(findings(update("", sound), RuleFixture.live).map(\.severity) == [.note])
    }

    /// Each of the two, with every key that is the other's alone.
    @Test func `every key of aps in alert, and of alert in aps, is reported`() {
        // The keys of an accessory are an app's own ones beside an alert.
        for key in KnownKey.all
        where (key.home == .aps || key.home == .alert) && !KnownKey.ofAccessory.contains(key) {
            let isElsewhere = key.home == .aps
            guard !KnownKey.all.contains(where: { $0.name == key.name && $0.home != key.home }) else { continue }
            let json =
                isElsewhere
                ? #"{"aps":{"alert":{"title":"T","\#(key.name)":1}}}"#
                : #"{"aps":{"alert":{"title":"T"},"\#(key.name)":1}}"#
            let found = findings(json)
            #expect(found.map(\.rule) == ["misplaced-key"], "\(json)")
            #expect(found.first?.subject.hasSuffix(key.name) == true, "\(json)")
        }
    }

    @Test func `an app's own keys are its own, whatever they are called`() {
        for key in ["alert", "badge", "sound", "category", "event", "title-loc-key", "contentAvailable", "data", ""] {
            #expect(findings(#"{"aps":{"alert":{"title":"T","body":"B"}},"\#(key)":{"x":[null]}}"#) == [], "\(key)")
        }
    }

    @Test func `a title beside aps is a note where the alert has none, and nothing else is`() {
        let own = #""title":"T","body":"B","subtitle":"S","alert":"A""#
        #expect(
            summary(#"{"aps":{"alert":{"subtitle":"x"}},\#(own)}"#) == ["note title-beside-aps payload.title 1:35+7"])
        #expect(summary(#"{"aps":{"badge":1},\#(own)}"#) == ["note title-beside-aps payload.title 1:20+7"])
        #expect(summary(#"{"aps":{"alert":{"title":"x"}},\#(own)}"#) == [])
        #expect(summary(#"{"aps":{"alert":{"title":"x"}},"body":"B"}"#) == [])
        #expect(summary(#"{"aps":{"badge":1},"body":"B"}"#) == [])
    }

    @Test(arguments: ["0", "-1", "1.5", "0.0", "-0"]) func `a summary counts whole things, one at least`(count: String)
    {
        let json = #"{"aps":{"alert":{"body":"x","summary-arg":"y","summary-arg-count":\#(count)}}}"#
        #expect(summary(json) == ["error summary-arg-count payload.aps.alert.summary-arg-count 1:67+\(count.count)"])
    }

    @Test func `an end without a content-state is only odd`() {
        let end = #"{"aps":{"timestamp":1,"event":"end"}}"#
        #expect(summary(end, RuleFixture.live) == ["warning live-activity-content-state payload.aps 1:8+29"])
    }

    @Test(arguments: [
        #""event":"start","attributes-type":"A""#, #""event":"update","attributes-type":"A""#,
        #""event":"update","attributes":{}"#, #""event":"end","input-push-token":1"#,
    ])
    func `what starts a Live Activity is an error in a broadcast`(keys: String) {
        let json = #"{"aps":{"timestamp":1,"content-state":{},"alert":{"body":"B"},\#(keys)}}"#
        let found = findings(json, LintContext(broadcast: .init())).filter { $0.rule == "broadcast-start" }
        #expect(found.map(\.severity) == [.error])
        #expect(!findings(json, LintContext(broadcast: .init())).contains { $0.rule == "live-activity-start-only" })
    }

    @Test(arguments: [
        ("123E4567-e89b-12d3-a456-4266554400a0", PushFinding.Severity.warning), ("", .error),
        ("{123e4567-e89b-12d3-a456-4266554400a0}", .error), ("123e4567-e89b-12d3-a456-4266554400a", .error),
        ("123e4567-e89b-12d3-a456-4266554400ag", .error), ("１23e4567-e89b-12d3-a456-42665544", .error),
    ])
    func `an id that is not a canonical UUID is reported`(id: String, severity: PushFinding.Severity) {
        var context = LintContext()
        context.id = id
        let found = findings(RuleFixture.hello, context)
        #expect(found.map(\.rule) == ["apns-id-form"])
        #expect(found.map(\.severity) == [severity])
    }

    @Test func `the findings of a notification are those of its payload and its headers`() throws {
        var notification = try PushNotification.sample {
            $0.payload = PushPayload(json: #"{"aps":{"badge":-1}}"#)
            $0.collapseID = ""
        }
        #expect(notification.findings().map(\.rule) == ["badge-number", "collapse-id-form"])
        notification.collapseID = "order-{{order}}"
        #expect(notification.findings().map(\.rule) == ["badge-number", "collapse-id-form"])
        #expect(notification.payload.findings().map(\.rule) == ["badge-number"])
    }

    @Test func `what is longer than any payload is not read`() {
        let huge = [UInt8](repeating: UInt8(ascii: "["), count: 2 << 20)
        #expect(PayloadLint.findings(in: huge).map(\.rule) == ["payload-too-large"])
        #expect(
            PayloadLint.findings(in: huge).map(\.problem) == [
                "The payload is longer than 1048576 bytes; the limit for push type alert is 4096."
            ])
        #expect(PayloadLint.repaired(huge).json == huge)
    }

    @Test func `many mistakes are reported up to a number`() {
        let text = "[" + String(repeating: "1,,", count: 10_000) + "1]"
        #expect(findings(text).count < 60)
        let commas = "{" + String(repeating: "\"a\":1,,", count: 10_000) + "\"a\":1}"
        #expect(findings(commas).count < 60)
    }
}
