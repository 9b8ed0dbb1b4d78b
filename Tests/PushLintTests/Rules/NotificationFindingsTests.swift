import TestSupport
import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider

@Suite struct NotificationFindingsTests {
    /// A way to spoil a notification, with the findings that must follow, as `place: problem`.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var findings: [String]
        var spoil: @Sendable (inout PushNotification) -> Void
        var testDescription: String { name }

        init(_ name: String, _ findings: [String], _ spoil: @escaping @Sendable (inout PushNotification) -> Void) {
            self.name = name
            self.findings = findings
            self.spoil = spoil
        }
    }

    /// A payload of exactly this number of bytes.
    static func payload(bytes: Int) -> PushPayload {
        let frame = #"{"aps":{"alert":""}}"#.utf8.count
        return .init(json: #"{"aps":{"alert":"\#(String(repeating: "x", count: bytes - frame))"}}"#)
    }

    static let violations: [Case] = [
        Case("no JSON", ["payload: The payload is empty."]) {
            $0.payload = PushPayload(json: "")
        },
        Case("no object", ["payload.aps: \"aps\" is a number, not an object."]) {
            $0.payload = PushPayload(json: #"{"aps":1}"#)
        },
        Case(
            "not finite", ["payload: A number in the payload isn't finite; JSON has only finite numbers."]
        ) { $0.payload = .alert(body: "Hi", custom: ["x": .number(.infinity)]) },
        Case(
            "too large", ["payload: The payload is 4097 bytes, 1 more than the limit for push type alert, 4096."]
        ) { $0.payload = payload(bytes: 4097) },
        Case(
            "a call too large",
            ["payload: The payload is 5121 bytes, 1 more than the limit for push type voip, 5120."]
        ) {
            $0.topic = "com.example.app.voip"
            $0.payload = payload(bytes: 5121)
        },
        Case("no topic", ["apns-topic: The topic is missing."]) { $0.topic = "" },
        Case(
            "a space in the topic",
            ["apns-topic: The topic \"com.example app\" has a character that isn't allowed in a bundle id."]
        ) { $0.topic = "com.example app" },
        Case(
            "a line break in the topic",
            [
                "apns-topic: The topic \"com.example\u{FFFD}\u{FFFD}x: y\" has a character that isn't allowed in a bundle id."
            ]
        ) { $0.topic = "com.example\r\nx: y" },
        Case(
            "a letter outside ASCII",
            ["apns-topic: The topic \"com.éxample\" has a character that isn't allowed in a bundle id."]
        ) { $0.topic = "com.éxample" },
        Case(
            "a long topic, whose middle is left out",
            [
                "apns-topic: The topic \"com.example \(String(repeating: "x", count: 47))…\(String(repeating: "x", count: 17))end\" has a "
                    + "character that isn't allowed in a bundle id."
            ]
        ) { $0.topic = "com.example \(String(repeating: "x", count: 100))end" },
        Case(
            "a topic of another type",
            ["apns-topic: The topic \"com.example.app.voip\" is for push type voip, not for alert."]
        ) {
            $0.topic = "com.example.app.voip"
            $0.pushType = .alert
        },
        Case(
            "a type without its suffix",
            ["apns-topic: The topic \"com.example.app\" doesn't fit push type liveactivity."]
        ) { $0.pushType = .liveactivity },
        Case(
            "the suffix of another type",
            ["apns-topic: The topic \"com.example.app.voip\" doesn't fit push type pushtotalk."]
        ) {
            $0.topic = "com.example.app.voip"
            $0.pushType = .pushtotalk
        },
        Case("an empty type", ["apns-push-type: \"\" can't be a push type."]) { $0.pushType = "" },
        Case("a type with a line break", ["apns-push-type: \"alert\u{FFFD}x\" can't be a push type."]) {
            $0.pushType = "alert\nx"
        },
        Case("priority 9", ["apns-priority: 9 isn't a valid priority."]) { $0.priority = .init(rawValue: 9) },
        Case("priority 0", ["apns-priority: 0 isn't a valid priority."]) { $0.priority = .init(rawValue: 0) },
        Case(
            "background at 10",
            ["apns-priority: A background notification can't have priority 10."]
        ) {
            $0.payload = .background()
            $0.priority = .immediate
        },
        Case(
            "background with a sound",
            ["payload.aps.sound: A background notification can't have an alert, a badge or a sound."]
        ) {
            $0.pushType = .background
            $0.payload = .alert(sound: "default", contentAvailable: true)
        },
        Case("a collapse id of 65 bytes", ["apns-collapse-id: The collapse id is 65 bytes, more than 64."]) {
            $0.collapseID = String(repeating: "x", count: 65)
        },
        Case("33 letters of two bytes", ["apns-collapse-id: The collapse id is 66 bytes, more than 64."]) {
            $0.collapseID = String(repeating: "é", count: 33)
        },
        Case("an empty collapse id", [plain("")]) { $0.collapseID = "" },
        Case("a space before it", [plain(" x")]) { $0.collapseID = " x" },
        Case("a space after it", [plain("x ")]) { $0.collapseID = "x " },
        Case("a space under an accent", [plain(" \u{301}x")]) { $0.collapseID = " \u{301}x" },
        Case("a tab in it", [plain("x\u{FFFD}y")]) { $0.collapseID = "x\ty" },
        Case("a line break in it", [plain("x\u{FFFD}\u{FFFD}apns-id: y")]) { $0.collapseID = "x\r\napns-id: y" },
        Case("a NUL in it", [plain("\u{FFFD}")]) { $0.collapseID = "\u{0}" },
        Case("a DEL in it", [plain("\u{FFFD}")]) { $0.collapseID = "\u{7F}" },
        Case("a time before 1970", ["apns-expiration: -1 isn't an expiration in seconds since 1970."]) {
            $0.expiration = .until(secondsSince1970: -1)
        },
        Case(
            "milliseconds", ["apns-expiration: The expiration 100000000001 is too far in the future."]
        ) { $0.expiration = .until(secondsSince1970: 100_000_000_001) },
        Case(
            "several at once, in the order of the rules",
            [
                "payload: The payload is empty.", "apns-topic: The topic is missing.",
                "apns-priority: 7 isn't a valid priority.", plain(""),
            ]
        ) {
            $0.payload = PushPayload(json: "")
            $0.topic = ""
            $0.priority = .init(rawValue: 7)
            $0.collapseID = ""
        },
    ]

    private static func plain(_ id: String) -> String {
        "apns-collapse-id: The collapse id \"\(id)\" is empty, or has a control character, or begins or ends with a space."
    }

    @Test(arguments: violations) func `what breaks a rule has its finding`(violation: Case) throws {
        let notification = try PushNotification.sample(violation.spoil)
        let refused = Refusals.findings(notification, notification.inferred, certificate: nil)
        #expect(refused.map { "\($0.subject): \($0.problem)" } == violation.findings)
        #expect(refused.allSatisfy { $0.severity == .error && !$0.advice.isEmpty })
        #expect(refused.allSatisfy { $0.description.hasSuffix("\($0.problem) \($0.advice)") })
        let reported = notification.findings().filter { isRefusal($0) }
        // The lint also advises which key of a payload that is too large to shorten first.
        func isOfSize(_ finding: PushFinding) -> Bool { finding.rule == "payload-too-large" }
        #expect(
            reported.filter { !isOfSize($0) } == refused.filter { !isOfSize($0) },
            "the lint and the client say the same")
        #expect(reported.filter(isOfSize).map(\.problem) == refused.filter(isOfSize).map(\.problem))
    }

    static let allowed: [Case] = [
        Case("a plain alert", []) { _ in },
        Case("4096 bytes", []) { $0.payload = payload(bytes: 4096) },
        Case("a call of 5120 bytes", []) {
            $0.topic = "com.example.app.voip"
            $0.payload = payload(bytes: 5120)
        },
        Case("an empty object", []) { $0.payload = PushPayload(json: "{}") },
        Case("every kind of character in the topic", []) { $0.topic = "aZ09.-_" },
        Case("a topic that only contains a suffix", []) { $0.topic = "com.voip.app" },
        Case("a topic that ends in a suffix without its dot", []) { $0.topic = "com.example.myvoip" },
        Case("a type that Apple adds tomorrow", []) { $0.pushType = "hologram" },
        Case("a type without a rule, with any topic", []) {
            $0.pushType = .mdm
            $0.topic = "com.apple.mgmt.External.voip"
        },
        Case("priority 1", []) { $0.priority = .low },
        Case("priority 5", []) { $0.priority = .powerAware },
        Case("background at 5", []) {
            $0.payload = .background()
            $0.priority = .powerAware
        },
        Case("background at what follows", []) { $0.payload = .background() },
        Case("a visible one that also wakes the app", []) { $0.payload = .alert(body: "Hi", contentAvailable: true) },
        Case("a collapse id of 64 bytes", []) { $0.collapseID = String(repeating: "x", count: 64) },
        Case("32 letters of two bytes", []) { $0.collapseID = String(repeating: "é", count: 32) },
        Case("a space within it", []) { $0.collapseID = "a b" },
        Case("one byte of it", []) { $0.collapseID = "!" },
        Case("the last second that is taken", []) { $0.expiration = .until(secondsSince1970: 100_000_000_000) },
        Case("the first second", []) { $0.expiration = .until(secondsSince1970: 0) },
        Case("one attempt", []) { $0.expiration = .once },
    ]

    @Test(arguments: allowed) func `what just keeps the rules has none`(good: Case) throws {
        let notification = try PushNotification.sample(good.spoil)
        #expect(notification.findings().filter { isRefusal($0) } == [])
        #expect(Refusals.findings(notification, notification.inferred, certificate: nil) == [])
    }

    @Test(arguments: PushType.known)
    func `each type fits its own topic and no other's`(type: PushType) throws {
        for other in PushType.known {
            let topic = "com.example.app\(other.topicSuffix ?? "")"
            let findings = try PushNotification.sample {
                $0.topic = topic
                $0.pushType = type
                $0.payload = PushPayload(json: "{}")
            }.findings().filter { $0.subject == APNSHeader.topic }
            let fits = type.topicSuffix == nil || type.topicSuffix == other.topicSuffix ?? ""
            #expect(findings.isEmpty == fits, "\(type) to \(topic)")
        }
    }

    @Test func `the advice names the suffix that is missing and the type that would fit`() throws {
        let missing = try PushNotification.sample { $0.pushType = .voip }.findings()
        #expect(missing.map(\.advice) == ["Use the bundle id followed by .voip."])
        let foreign = try PushNotification.sample {
            $0.topic = "com.example.app.voip-ptt"
            $0.pushType = .background
            $0.payload = .background()
        }.findings()
        #expect(foreign.map(\.advice) == ["Use the bundle id alone, or push type pushtotalk."])
    }

    @Test func `an expiration in milliseconds is recognised`() throws {
        let late = try PushNotification.sample { $0.expiration = .until(secondsSince1970: 1_800_000_000_000) }
        #expect(late.findings().map(\.advice) == ["It looks like milliseconds: divide by 1000."])
        let early = try PushNotification.sample { $0.expiration = .until(secondsSince1970: -5) }
        #expect(early.findings().map(\.advice) == ["Use a time in the future, or \"once\"."])
    }

    @Test func `a finding about a long value is short, and none shows the device token`() throws {
        let notification = try PushNotification.sample {
            $0.topic = String(repeating: "x ", count: 5_000)
            $0.collapseID = String(repeating: "y", count: 5_000) + " "
            $0.pushType = PushType(rawValue: String(repeating: "z ", count: 5_000))
        }
        let findings = notification.findings()
        #expect(findings.count == 5)
        for finding in findings {
            #expect(finding.description.count < 300)
            #expect(!finding.description.contains(DeviceToken.sampleHex.dropFirst(8).prefix(12)))
        }
    }

    private func isRefusal(_ finding: PushFinding) -> Bool { Refusal.all.contains { $0.id == finding.rule } }
}
