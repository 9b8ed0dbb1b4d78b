import Foundation
import TestSupport
import Testing

@testable import PushLint
@testable import PushProvider

/// Who follows the advice of one finding gets no finding that says the opposite.
@Suite struct ConsistentAdviceTests {
    private static func findings(_ json: String, _ context: LintContext) -> [PushFinding] {
        PayloadLint.findings(in: Array(json.utf8), context)
    }

    private static func start(_ alert: String) -> String {
        #"{"aps":{"timestamp":1800000000,"event":"start","content-state":{},"attributes-type":"A","attributes":{},\#(alert)}}"#
    }

    @Test(arguments: [
        #""alert":{}"#, #""alert":"""#, #""alert":{"title":"","body":""}"#, #""alert":{"title":null}"#,
        #""alert":{"sound":"default"}"#,
    ])
    func `a start without a text is an error that does not say to remove the alert`(alert: String) {
        let found = Self.findings(Self.start(alert), RuleFixture.live).filter { $0.rule != "null-value" }
        #expect(found.map(\.rule) == ["live-activity-start"])
        #expect(found.map(\.severity) == [.error])
        #expect(found.map(\.advice) == [#"Write "alert":{"title":"...","body":"..."}."#])
    }

    @Test(arguments: [#""alert":{"title":"T"}"#, #""alert":{"title":{"loc-key":"K"},"body":{"loc-key":"B"}}"#])
    func `a start with a text has no finding`(alert: String) {
        #expect(Self.findings(Self.start(alert), RuleFixture.live).filter { $0.severity == .error } == [])
    }

    @Test func `an update may do without its alert`() {
        let json = #"{"aps":{"timestamp":1800000000,"event":"update","content-state":{},"alert":{}}}"#
        #expect(Self.findings(json, RuleFixture.live).map(\.advice) == ["Add a \"body\", or remove the alert."])
    }

    @Test(arguments: [
        (#"{"aps":{"timestamp":null,"event":"update","content-state":{}}}"#, PushType.liveactivity),
        (#"{"aps":{"timestamp":1800000000,"event":null,"content-state":{}}}"#, .liveactivity),
        (#"{"aps":{"timestamp":1800000000,"event":"update","content-state":null}}"#, .liveactivity),
        (start(#""alert":null"#), .liveactivity), (#"{"aps":{"content-available":null}}"#, .background),
        (#"{"aps":{"content-available":0}}"#, .background), (#"{"aps":{"content-available":"0"}}"#, .background),
        (#"{"aps":{"content-available":"false"}}"#, .background), (#"{"aps":{"content-changed":null}}"#, .widgets),
        (#"{"aps":{"content-changed":null}}"#, .controls),
        (#"{"aps":{"encryptedData":null,"sessionIdentifier":"s","keyID":"aw==","messageIndex":"1"}}"#, .accessory),
    ])
    func `what a push needs is asked for, and never said to be removed`(json: String, type: PushType) {
        let found = Self.findings(json, LintContext(pushType: type))
        #expect(found.count == 1, "\(found)")
        #expect(!found.contains { $0.advice.contains("emove") }, "\(found)")
    }

    // MARK: Accessories

    @Test(arguments: [
        (#"{"aps":{}}"#, ["accessory-keys", "accessory-keys", "accessory-keys", "accessory-keys"]),
        (
            #"{"aps":{"encryptedData":"","sessionIdentifier":"s","keyID":"aw==","messageIndex":"1"}}"#,
            ["accessory-keys"]
        ),
        (#"{"aps":{"encryptedData":"ZA==","sessionIdentifier":"s","keyID":"aw==","messageIndex":1}}"#, ["wrong-type"]),
        (
            #"{"aps":{"encryptedData":"?","sessionIdentifier":"s","keyID":"aw==","messageIndex":"1"}}"#,
            ["accessory-form"]
        ),
        (
            #"{"aps":{"encryptedData":"ZA==","sessionIdentifier":"s","keyID":"aw==","messageIndex":"18446744073709551616"}}"#,
            ["accessory-form"]
        ),
        (
            #"{"aps":{"encryptedData":"ZA==","sessionIdentifier":"s","keyId":"aw==","messageIndex":"1"}}"#,
            ["misspelt-key"]
        ),
        (
            #"{"aps":{"encryptedData":"ZA==","sessionIdentifier":"s","keyID":"aw==","messageIndex":"1","alert":"Hi"}}"#,
            ["accessory-only"]
        ),
    ])
    func `the four keys of an accessory are strings of their own kind`(json: String, rules: [String]) {
        #expect(Self.findings(json, LintContext(pushType: .accessory)).map(\.rule) == rules)
    }

    @Test func `an accessory's payload is recognized without a push type, and needs its topic`() {
        let json = #"{"aps":{"encryptedData":"ZA==","sessionIdentifier":"s","keyID":"aw==","messageIndex":"1"}}"#
        #expect(Self.findings(json, LintContext()) == [])
        #expect(Self.findings(json, LintContext(topic: "com.example.app")).map(\.rule) == ["topic-push-type"])
        #expect(Self.findings(json, LintContext(topic: "com.example.app.push-type.accessory")) == [])
    }

    @Test func `in an alert the keys of an accessory are custom keys`() {
        for name in ["keyID", "keyId", "messageIndex"] {
            let found = Self.findings(#"{"aps":{"alert":"Hi","\#(name)":"1"}}"#, RuleFixture.alert)
            #expect(found.map(\.rule) == ["custom-key-in-aps"], "\(name)")
        }
    }

    // MARK: A push type of tomorrow

    @Test func `a push type that nobody here knows is a warning and nothing else`() {
        for json in [#"{"aps":{"scent":"rose"}}"#, #"{"aps":{"content-state":{},"event":"update"}}"#, "{}"] {
            let context = LintContext(topic: "com.example.app.push-type.scent", pushType: "scent")
            let errors = Self.findings(json, context).filter { $0.severity == .error }
            #expect(errors == [], "\(json)")
        }
        let found = Self.findings(
            #"{"aps":{"scent":"rose"}}"#, LintContext(topic: "com.example.app", pushType: "scent"))
        #expect(found.map(\.rule) == ["push-type-unknown"])
        #expect(found.first?.advice.hasPrefix("It is sent as it is.") == true)
        let near = Self.findings(RuleFixture.hello, LintContext(pushType: "Acessory"))
        #expect(near.map(\.advice) == ["Did you mean accessory?"])
    }

    @Test func `a topic of an unknown push type is noticed if no push type is given`() {
        let topic = "com.example.app.push-type.accesory"
        let found = Self.findings(RuleFixture.hello, LintContext(topic: topic))
        #expect(found.map(\.rule) == ["push-type-unknown"])
        #expect(found.map(\.subject) == ["apns-topic"])
        #expect(found.map(\.advice) == ["Did you mean .push-type.accessory?"])
        #expect(Self.findings(RuleFixture.hello, LintContext(topic: topic, pushType: .alert)) == [])
    }

    // MARK: Topics that are no bundle ids

    @Test(arguments: [
        ("DEF123GHIJ.com.example.app", "Leave out \"DEF123GHIJ.\""), ("com.example..app", "before and after each"),
        ("com.example.app.", "before and after each"), ("exampleapp", "whole bundle id"),
    ])
    func `a topic that can't be a whole bundle id is noticed`(topic: String, advice: String) {
        let found = Self.findings(RuleFixture.hello, LintContext(topic: topic))
        #expect(found.map(\.rule) == ["topic-bundle-id"])
        #expect(found.first?.advice.contains(advice) == true, "\(found)")
    }

    // MARK: Topics that are no apps

    @Test(arguments: ["pass.com.example.card", "order.com.example.shop"])
    func `Wallet gets an empty object with any plain push type`(topic: String) {
        for type in [PushType.alert, .background, nil] {
            for json in ["{}", #"{"aps":{}}"#] {
                #expect(Self.findings(json, LintContext(topic: topic, pushType: type)) == [], "\(json)")
            }
        }
        let found = Self.findings(RuleFixture.hello, LintContext(topic: topic))
        #expect(found.map(\.rule) == ["wallet-payload"])
        #expect(found.map(\.severity) == [.warning])
        #expect(Self.findings(#"{"serial":"1"}"#, LintContext(topic: topic)).map(\.rule) == ["wallet-payload"])
        #expect(Self.findings("{}", LintContext(topic: "com.example.app", pushType: .background)) != [])
    }

    @Test func `a topic of MDM gets a PushMagic`() {
        let topic = "com.apple.mgmt.External.1"
        #expect(Self.findings(#"{"mdm":""}"#, LintContext(topic: topic)).map(\.rule) == ["mdm-magic"])
        #expect(Self.findings(#"{"mdm":"m"}"#, LintContext(topic: topic)) == [])
        let silent = #"{"aps":{"content-available":1}}"#
        #expect(Self.findings(silent, LintContext(topic: topic)).map(\.rule) == ["mdm-topic"])
    }

    // MARK: Headers in the payload

    @Test(arguments: [
        (#"{"aps":{"alert":"Hi"},"headers":{"apns-priority":"5"}}"#, "apns-priority"),
        (#"{"aps":{"alert":"Hi"},"headers":{"collapse_id":"a","x":1}}"#, "apns-collapse-id"),
        (#"{"aps":{"alert":"Hi"},"apns":{"headers":{"apns-expiration":"0"}}}"#, "apns-expiration"),
        (#"{"aps":{"alert":"Hi"},"apns":{"apns-topic":"a"}}"#, "apns-topic"),
        (#"{"aps":{"alert":"Hi","priority":5}}"#, "apns-priority"),
        (#"{"aps":{"alert":"Hi","collapseId":"a"}}"#, "apns-collapse-id"),
        (#"{"aps":{"alert":"Hi","pushType":"alert"}}"#, "apns-push-type"),
    ])
    func `a header is found where other services take it, and in aps`(json: String, header: String) {
        let found = Self.findings(json, RuleFixture.alert)
        #expect(found.map(\.rule) == ["header-in-payload"])
        #expect(found.first?.problem.contains(header) == true, "\(found)")
        #expect(found.map(\.advice) == ["Send it as a header of the request."])
    }

    @Test(arguments: [
        #"{"aps":{"alert":"Hi"},"priority":5,"topic":"news"}"#, #"{"aps":{"alert":"Hi"},"data":{"priority":5}}"#,
        #"{"aps":{"alert":"Hi"},"headers":["apns-priority"],"apns":1}"#, #"{"aps":{"alert":"Hi"},"headers":{"x":1}}"#,
    ])
    func `an app's own keys are its own`(json: String) {
        #expect(Self.findings(json, RuleFixture.alert) == [])
    }

    @Test(arguments: ["9223372036854775808", "1e30", "1e19"])
    func `a badge that no device can read is an error`(badge: String) {
        #expect(Self.findings(#"{"aps":{"badge":\#(badge)}}"#, RuleFixture.alert).map(\.rule) == ["badge-number"])
        let count = #"{"aps":{"alert":{"body":"Hi","summary-arg-count":\#(badge)}}}"#
        #expect(Self.findings(count, RuleFixture.alert).map(\.rule) == ["summary-arg-count"])
    }

    // MARK: The clock

    private static let now = 1_800_000_000

    private static func activity(_ timestamp: String, _ event: String = "update", _ more: String = "") -> String {
        #"{"aps":{"timestamp":\#(timestamp),"event":"\#(event)","content-state":{}\#(more)}}"#
    }

    private static func atNow(_ json: String) -> [PushFinding] {
        findings(
            json, LintContext(pushType: .liveactivity, now: Date(timeIntervalSince1970: Double(now))))
    }

    @Test(arguments: [
        ("1742651625", "2025-03-22T13:53:45Z, more than 8 hours ago"), ("0", "1970-01-01T00:00:00Z, more than"),
        ("1799971199", "more than 8 hours ago"), ("4102444800", "2100-01-01T00:00:00Z, in the future"),
        ("1800000061", "in the future"),
    ])
    func `a timestamp that is not about now is a warning`(timestamp: String, words: String) {
        let found = Self.atNow(Self.activity(timestamp))
        #expect(found.map(\.rule) == ["live-activity-clock"])
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.problem.contains(words) == true, "\(found)")
        // Without a clock, nothing is said.
        #expect(Self.findings(Self.activity(timestamp), RuleFixture.live) == [])
    }

    @Test(arguments: ["1800000000", "1800000060", "1799971200"])
    func `a timestamp of now, of a clock that is ahead, or of some hours ago is right`(timestamp: String) {
        #expect(Self.atNow(Self.activity(timestamp)) == [])
    }

    @Test func `times in milliseconds are errors, fractions a warning`() {
        #expect(Self.atNow(Self.activity("1800000000000")).map(\.rule) == ["live-activity-times"])
        for key in ["stale-date", "dismissal-date"] {
            let json = Self.activity("1800000000", "end", #","\#(key)":1800000000000"#)
            #expect(Self.atNow(json).map(\.rule) == ["live-activity-times"], "\(key)")
        }
        let found = Self.atNow(Self.activity("1799999999.5"))
        #expect(found.map(\.rule) == ["live-activity-clock"])
        #expect(found.map(\.advice) == ["Write 1799999999."])
    }

    @Test func `other times in the past are a warning, or a note where that is documented`() {
        let stale = Self.atNow(Self.activity("1799999000", "update", #","stale-date":1799999999"#))
        #expect(stale.map(\.rule) == ["live-activity-clock"])
        #expect(stale.map(\.severity) == [.warning])
        for date in [1_700_000_000, 1_800_014_461] {
            let gone = Self.atNow(Self.activity("1800000000", "end", #","dismissal-date":\#(date)"#))
            #expect(gone.map(\.rule) == ["live-activity-clock"])
            #expect(gone.map(\.severity) == [.note])
        }
        for date in [1_799_999_940, 1_800_014_460] {
            #expect(Self.atNow(Self.activity("1800000000", "end", #","dismissal-date":\#(date)"#)) == [])
        }
    }
}
