import Testing

@testable import PushLint
@testable import PushProvider

/// Payloads on which readers of the lint have caught it.
@Suite struct ReviewedPayloadTests {
    private static func rules(_ json: String, _ type: PushType?) -> [String] {
        PayloadLint.findings(in: Array(json.utf8), LintContext(pushType: type)).filter { $0.severity != .note }.map(
            \.rule)
    }

    @Test(arguments: [
        // As Apple's own example of a Live Activity has it.
        (
            #"{"aps":{"timestamp":1168364460,"event":"update","content-state":{"level":1},"alert":{"title":"Attack","body":"It is hurt","sound":"HeroDown.mp4"}}}"#,
            PushType.liveactivity
        ),
        (#"{"aps":{"alert":{"loc-key":"%@ has %lld points","loc-args":["Ann","7"]}}}"#, .alert),
        (#"{"aps":{"alert":{"loc-key":"%1$@ of %2$ld, %.2f","loc-args":["a","7"]}}}"#, .alert),
        (#"{"aps":{"alert":{"loc-key":"Up 20%discount for %@","loc-args":["you"]}}}"#, .alert),
        (#"{"aps":{"alert":{"body":"Hello","title-loc-args":[]}}}"#, .alert),
    ])
    func `what people write is left alone`(json: String, type: PushType) {
        #expect(Self.rules(json, type) == [])
    }

    @Test(arguments: [
        // What is null is not there.
        (
            #"{"aps":{"timestamp":null,"event":null,"content-state":null}}"#, PushType.liveactivity,
            ["live-activity-event", "live-activity-timestamp", "live-activity-content-state"]
        ),
        (#"{"aps":{"content-available":null}}"#, .background, ["background-content-available"]),
        (#"{"aps":{"content-available":1,"alert":null}}"#, .background, []),
        (#"{"aps":{"content-available":1,"alert":null,"badge":null}}"#, .alert, ["content-available-as-alert"]),
        (#"{"aps":{"alert":null,"content-available":null}}"#, .alert, ["nothing-visible"]),
        (#"{"aps":{"badge":1,"mutable-content":null,"category":null}}"#, .alert, []),
        (#"{"aps":{"alert":{"title":"x","title-loc-key":null}}}"#, .alert, []),
        // One mistake is reported once.
        (#"{"aps":{"contentAvailable":1}}"#, .background, ["misspelt-key"]),
        (#"{"aps":{"alert":{"loc-key":"%@ and %@","loc-args":["a"]}}}"#, .alert, ["loc-args-count"]),
    ])
    func `each mistake is reported, and nothing else`(json: String, type: PushType, expected: [String]) {
        let found = Self.rules(json, type).filter { $0 != "null-value" }
        #expect(found.sorted() == expected.sorted())
    }

    @Test(arguments: [
        ("1695325525000", "1695325525"), ("1695325525000000", nil), ("638000000000000000", nil),
        ("16953255251234567", nil),
    ])
    func `only what is in milliseconds for certain is divided`(time: String, mended: String?) {
        let json = #"{"aps":{"timestamp":TIME,"event":"update","content-state":{}}}"#
        let result = PayloadLint.repaired(Array(json.replacing("TIME", with: time).utf8))
        #expect(String(decoding: result.json, as: UTF8.self) == json.replacing("TIME", with: mended ?? time))
        #expect(result.left.isEmpty == (mended != nil))
    }

    @Test(arguments: [("Default", "default"), ("default ", "default"), ("chime.", "chime.caf"), ("ping", "ping.caf")])
    func `the probable name of a sound is reported`(name: String, meant: String) throws {
        let json = #"{"aps":{"alert":"x","sound":"NAME"}}"#.replacing("NAME", with: name)
        let finding = try #require(PayloadLint.findings(in: Array(json.utf8)).first { $0.rule == "sound-file" })
        #expect(finding.advice.contains("\"\(meant)\""))
    }

    /// Found by bytes that were made up.
    @Test func `what ends within a character has its places in the text`() {
        for bytes: [UInt8] in [[0xE2, 0x80], [0x7B, 0xE2, 0x80], [0xE2], [0xC2], [0xEF, 0xBB]] {
            let findings = PayloadLint.findings(in: bytes)
            #expect(!findings.isEmpty)
            for finding in findings {
                #expect((finding.location?.bytes.upperBound ?? 0) <= bytes.count)
            }
        }
    }
}
