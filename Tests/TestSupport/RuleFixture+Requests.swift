import Foundation
import PushLint
import PushProvider

// MARK: Kinds

extension RuleFixture {
    /// The inside of the `aps` of a Live Activity that is well, with `extra` behind it.
    private static func activity(_ event: String = "update", _ extra: String = "") -> String {
        #"{"aps":{"timestamp":1800000000,"event":"\#(event)","content-state":{"score":1}\#(extra)}}"#
    }

    private static func live(at seconds: Int) -> LintContext {
        LintContext(pushType: .liveactivity, now: Date(timeIntervalSince1970: Double(seconds)))
    }

    /// The inside of the `aps` of a push to an accessory.
    private static func accessory(_ index: String = #","messageIndex":"42""#, _ extra: String = "") -> String {
        #"{"aps":{"encryptedData":"ZA==","sessionIdentifier":"s","keyID":"aw=="\#(index)\#(extra)}}"#
    }

    private static let started =
        #","attributes-type":"Game","attributes":{"home":"A"},"alert":{"title":"Go","body":"On"}"#

    package static let kinds = [
        RuleFixture("live-activity-event", bad: activity("refresh"), good: activity(), live),
        RuleFixture(
            "live-activity-timestamp", bad: #"{"aps":{"event":"update","content-state":{}}}"#, good: activity(), live),
        RuleFixture(
            "live-activity-content-state", bad: #"{"aps":{"timestamp":1800000000,"event":"update"}}"#, good: activity(),
            live),
        RuleFixture("live-activity-start", bad: activity("start"), good: activity("start", started), live),
        RuleFixture(
            "live-activity-start-only", bad: activity("update", #","input-push-token":1"#),
            good: activity("start", started + #","input-push-token":1"#), live),
        RuleFixture(
            "live-activity-end-only", bad: activity("update", #","dismissal-date":1800000100"#),
            good: activity("end", #","dismissal-date":1800000100"#), live),
        RuleFixture(
            "live-activity-inputs",
            bad: activity("start", started + #","input-push-token":1,"input-push-channel":"dHN0LXNyY2gtY2hubA==""#),
            good: activity("start", started + #","input-push-channel":"dHN0LXNyY2gtY2hubA==""#), live),
        RuleFixture(
            "live-activity-times", bad: activity("update", #","stale-date":1800000100000"#),
            good: activity("update", #","stale-date":1800000100"#), live),
        RuleFixture("live-activity-clock", activity(), bad: live(at: now + 9 * 3600), good: live(at: now + 7 * 3600)),
        RuleFixture(
            "live-activity-stale-date", bad: activity("update", #","stale-date":1800000000"#),
            good: activity("update", #","stale-date":1800000001"#), live),
        RuleFixture(
            "translation-object", bad: activity("update", #","alert":{"title":{"loc-args":["x"]},"body":"B"}"#),
            good: activity("update", #","alert":{"title":{"loc-key":"K","loc-args":["x"]},"body":{"loc-key":"B"}}"#),
            live),
        RuleFixture("live-activity-type", activity(), bad: alert, good: live),
        RuleFixture(
            "content-changed", bad: #"{"aps":{}}"#, good: #"{"aps":{"content-changed":true}}"#,
            LintContext(pushType: .widgets)),
        RuleFixture("accessory-keys", bad: accessory(""), good: accessory(), LintContext(pushType: .accessory)),
        RuleFixture(
            "accessory-form", bad: accessory(#","messageIndex":"4.2""#), good: accessory(),
            LintContext(pushType: .accessory)),
        RuleFixture(
            "accessory-only", bad: accessory(#","messageIndex":"42""#, #","sound":"default""#),
            good: accessory(#","messageIndex":"42"},"own":{"a":1"#), LintContext(pushType: .accessory)),
        RuleFixture(
            "wallet-payload", bad: hello, good: "{}",
            LintContext(topic: "pass.com.example.card", pushType: .alert)),
        RuleFixture(
            "mdm-topic", bad: hello, good: #"{"mdm":"magic"}"#, LintContext(topic: "com.apple.mgmt.External.1")),
        RuleFixture("mdm-magic", bad: #"{"mdm":1}"#, good: #"{"mdm":"magic"}"#, LintContext(pushType: .mdm)),
        RuleFixture(
            "fileprovider-container", bad: #"{"domain":"d"}"#, good: #"{"container-identifier":"c","domain":"d"}"#,
            LintContext(pushType: .fileprovider)),
        RuleFixture(
            "broadcast-start", bad: activity("start", started), good: activity("end"),
            LintContext(broadcast: .init(storesMessages: true))),
    ]
}

// MARK: Headers

extension RuleFixture {
    private static func until(_ seconds: Int, _ type: PushType? = nil) -> LintContext {
        LintContext(
            pushType: type, expiration: .until(secondsSince1970: seconds),
            now: Date(timeIntervalSince1970: Double(now)))
    }

    private static func withID(_ id: String) -> LintContext {
        var context = LintContext()
        context.id = id
        return context
    }

    private static let silent = #"{"aps":{"content-available":1}}"#
    private static let broadcast = activity()

    package static let headers = [
        RuleFixture("topic-missing", bad: LintContext(topic: ""), good: LintContext(topic: "com.example.app")),
        RuleFixture(
            "topic-form", bad: LintContext(topic: "com.example app"), good: LintContext(topic: "com.ex-ample_1.app")),
        RuleFixture(
            "topic-length", bad: LintContext(topic: String(repeating: "x", count: 513)),
            good: LintContext(topic: "com." + String(repeating: "x", count: 508))),
        RuleFixture(
            "topic-push-type", "{}", bad: LintContext(topic: "com.example.app", pushType: .voip),
            good: LintContext(topic: "com.example.app.voip", pushType: .voip)),
        RuleFixture("push-type-form", bad: LintContext(pushType: "alert\n"), good: LintContext(pushType: "alert")),
        RuleFixture(
            "push-type-unknown", bad: LintContext(pushType: "liveActivity"), good: LintContext(pushType: "alert")),
        RuleFixture(
            "push-type-payload", bad: builtAs(.location, sent: .alert), good: builtAs(.background, sent: .alert)),
        RuleFixture(
            "topic-bundle-id", bad: LintContext(topic: "DEF123GHIJ.com.example.app"),
            good: LintContext(topic: "com.example.app")),
        RuleFixture(
            "priority-known", bad: LintContext(priority: .init(rawValue: 9)), good: LintContext(priority: .low)),
        RuleFixture(
            "background-priority", silent, bad: LintContext(priority: .immediate),
            good: LintContext(priority: .powerAware)),
        RuleFixture(
            "live-activity-priority", broadcast, bad: LintContext(pushType: .liveactivity, priority: .low),
            good: LintContext(pushType: .liveactivity, priority: .powerAware)),
        RuleFixture(
            "push-to-talk-expiration", "{}", bad: until(now + 60, .pushtotalk),
            good: LintContext(pushType: .pushtotalk, expiration: .once)),
        RuleFixture(
            "push-to-talk-priority", "{}", bad: LintContext(pushType: .pushtotalk, priority: .powerAware),
            good: LintContext(pushType: .pushtotalk, priority: .immediate)),
        RuleFixture(
            "apns-id-form", bad: withID("123e4567e89b12d3a4564266554400a0"),
            good: withID("123e4567-e89b-12d3-a456-4266554400a0")),
        RuleFixture(
            "collapse-id-length", bad: LintContext(collapseID: String(repeating: "é", count: 33)),
            good: LintContext(collapseID: String(repeating: "é", count: 32))),
        RuleFixture("collapse-id-form", bad: LintContext(collapseID: "a "), good: LintContext(collapseID: "a b")),
        RuleFixture("expiration-form", bad: until(now * 1000), good: until(now + 1000)),
        RuleFixture("expiration-far", bad: until(now + 31 * 86_400), good: until(now + 30 * 86_400)),
        RuleFixture("expiration-past", bad: until(now - 1), good: until(now + 1)),
        RuleFixture(
            "broadcast-topic", broadcast, bad: LintContext(topic: "com.example.app", broadcast: .init()),
            good: LintContext(broadcast: .init())),
        RuleFixture(
            "broadcast-id", broadcast, bad: LintContext(broadcast: .init(hasNotificationID: true)),
            good: LintContext(broadcast: .init())),
        RuleFixture(
            "broadcast-push-type", broadcast, bad: LintContext(pushType: .alert, broadcast: .init()),
            good: LintContext(pushType: .liveactivity, broadcast: .init())),
        RuleFixture(
            "broadcast-collapse-id", broadcast, bad: LintContext(collapseID: "match-7", broadcast: .init()),
            good: LintContext(broadcast: .init())),
        RuleFixture(
            "broadcast-expiration", broadcast,
            bad: LintContext(expiration: .until(secondsSince1970: now + 60), broadcast: .init(storesMessages: false)),
            good: LintContext(expiration: .until(secondsSince1970: now + 60), broadcast: .init(storesMessages: true))),
    ]
}
