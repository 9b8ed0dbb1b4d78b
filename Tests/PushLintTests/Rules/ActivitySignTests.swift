import TestSupport
import Testing

@testable import PushLint
@testable import PushProvider

/// A Live Activity of which something was forgotten is known by the rest of it, where nobody gives the push type.
@Suite struct ActivitySignTests {
    private func type(_ aps: String) -> PushType? {
        PayloadFacts(of: Array(#"{"aps":{\#(aps)}}"#.utf8)).plainPushType
    }

    private func findings(_ aps: String, _ context: LintContext = LintContext()) -> [String] {
        PayloadLint.findings(in: Array(#"{"aps":{\#(aps)}}"#.utf8), context).map { "\($0.severity) \($0.rule)" }
    }

    @Test(arguments: [
        #""timestamp":1,"event":"update""#, #""timestamp":1,"event":"end","dismissal-date":2"#,
        #""timestamp":1,"event":"start","alert":{"title":"T","body":"B"}"#, #""timestamp":1,"content-state":{}"#,
        #""content-state":{},"alert":{"title":"T","body":"B"}"#,
        #""attributes-type":"A","attributes":{},"alert":{"body":"B"}"#,
        #""input-push-token":1,"alert":{"body":"B"}"#, #""input-push-channel":"YQ==""#, #""stale-date":2"#,
        #""stale-date":2,"timestamp":1,"alert":"x","sound":"default""#,
        #""dismissal-date":2,"event":"end","alert":"x""#,
        #""timestamp":1,"event":"update","stale-date":2,"content-available":1"#,
    ])
    func `what everything else says is a Live Activity is one`(aps: String) {
        #expect(type(aps) == .liveactivity)
        let found = findings(aps)
        let isWhole = ["timestamp", "event", "content-state"].allSatisfy { aps.contains("\"\($0)\"") }
        #expect(found.contains { $0.contains(" live-activity-") } != isWhole, "\(found)")
    }

    @Test(arguments: [
        (#""alert":"x","event":"start""#, PushType.alert), (#""alert":"x","timestamp":1"#, .alert),
        (#""alert":"x","event":"login","timestamp":1"#, .alert), (#""alert":"x","attributes":{}"#, .alert),
        (#""content-available":1,"event":"update","timestamp":1"#, .background),
        (#""content-available":1,"timestamp":1"#, .background), (#""alert":"x","stale-date":2"#, .alert),
    ])
    func `a word that an app may use by itself does not make one`(aps: String, meant: PushType) {
        #expect(type(aps) == meant)
        #expect(!findings(aps).contains { $0.hasPrefix("error") })
    }

    @Test func `a missing key is reported`() {
        #expect(findings(#""timestamp":1,"event":"update""#) == ["error live-activity-content-state"])
        #expect(
            findings(#""timestamp":1,"content-state":{},"alert":{"title":"T","body":"B"}"#) == [
                "error live-activity-event"
            ])
        #expect(
            findings(#""timestamp":1,"event":"start","input-push-token":1,"alert":{"body":"B"}"#)
                == ["error live-activity-content-state", "error live-activity-start", "error live-activity-start"])
        let topic = LintContext(topic: "com.example.app.push-type.liveactivity")
        #expect(
            findings(#""alert":"x""#, topic) == [
                "error live-activity-event", "error live-activity-timestamp", "error live-activity-content-state",
            ])
        #expect(findings(#""timestamp":1,"event":"update","content-state":{}"#, topic) == [])
    }

    @Test func `an activity with another push type is reported as an activity`() {
        let alert = RuleFixture.alert
        #expect(findings(#""timestamp":1,"content-state":{},"alert":"x""#, alert) == ["error live-activity-type"])
        #expect(findings(#""timestamp":1,"event":"update","alert":"x""#, alert) == ["warning live-activity-type"])
        #expect(findings(#""stale-date":1,"alert":"x""#, alert) == ["warning live-activity-type"])
        #expect(findings(#""stale-date":1,"alert":"x""#) == ["warning live-activity-type"])
        #expect(findings(#""timestamp":1,"event":"update""#, LintContext(pushType: .voip)) == [])
    }
}
