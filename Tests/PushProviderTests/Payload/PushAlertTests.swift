import TestSupport
import Testing

@testable import PushJSON
@testable import PushProvider

@Suite struct PushAlertTests {
    private func text(_ payload: PushPayload) -> String {
        String(decoding: payload.bytes, as: UTF8.self)
    }

    @Test func `an alert with everything has each key of Apple's tables`() throws {
        var alert = PushPayload.Alert(
            title: .localized("T", arguments: ["1", "2"]), subtitle: .localized("S"),
            body: .localized("B", arguments: ["x"]),
            badge: 0, sound: .critical("alarm.caf", volume: 0.5))
        alert.launchImage = "launch"
        alert.summaryArgument = "Nora"
        alert.summaryCount = 3
        alert.threadID = "chat"
        alert.category = "CHAT"
        alert.contentAvailable = true
        alert.mutableContent = true
        alert.targetContentID = "window"
        alert.interruptionLevel = .timeSensitive
        alert.relevanceScore = 1
        alert.filterCriteria = "work"
        alert.otherKeys = ["from-tomorrow": ["x": 1], "badge": 99]
        #expect(
            text(try .alert(alert, custom: ["order": 42]))
                == #"{"aps":{"alert":{"launch-image":"launch","loc-args":["x"],"loc-key":"B","subtitle-loc-key":"S","#
                + #""summary-arg":"Nora","summary-arg-count":3,"title-loc-args":["1","2"],"title-loc-key":"T"},"badge":0,"#
                + #""category":"CHAT","content-available":1,"filter-criteria":"work","from-tomorrow":{"x":1},"#
                + #""interruption-level":"time-sensitive","mutable-content":1,"relevance-score":1.0,"#
                + #""sound":{"critical":1,"name":"alarm.caf","volume":0.5},"target-content-id":"window","thread-id":"chat"},"#
                + #""order":42}"#)
    }

    @Test func `texts and keys can be mixed, and nothing else is said`() throws {
        #expect(
            text(try .alert(PushPayload.Alert(title: .plain("T"), body: .localized("B"))))
                == #"{"aps":{"alert":{"loc-key":"B","title":"T"}}}"#)
        #expect(
            text(try .alert(PushPayload.Alert(title: "T", body: "B"))) == #"{"aps":{"alert":{"body":"B","title":"T"}}}"#
        )
        #expect(text(try .alert(PushPayload.Alert())) == #"{"aps":{}}"#)
        #expect(text(try .alert(PushPayload.Alert(body: .localized("B")))) == #"{"aps":{"alert":{"loc-key":"B"}}}"#)
        #expect(text(try .alert(PushPayload.Alert(sound: "ping.caf"))) == #"{"aps":{"sound":"ping.caf"}}"#)
        #expect(text(try .alert(PushPayload.Alert(sound: .default))) == #"{"aps":{"sound":"default"}}"#)
        #expect(
            text(try .alert(PushPayload.Alert(sound: .critical())))
                == #"{"aps":{"sound":{"critical":1,"name":"default"}}}"#)
    }

    private struct Order: Encodable {
        var number = 42
        var lines: [String?] = ["bread", nil]
        var note: String?
    }

    @Test func `the app's own keys come from any type, beside aps`() throws {
        #expect(
            text(try .alert(PushPayload.Alert(body: "B"), encoding: Order()))
                == #"{"aps":{"alert":{"body":"B"}},"lines":["bread",null],"number":42}"#)
        #expect(
            text(try .background(encoding: ["n": UInt64.max]))
                == #"{"aps":{"content-available":1},"n":18446744073709551615}"#)
    }

    // MARK: What Apple would not take

    static let wrong: [(PushPayloadError.Code, String, @Sendable () throws(PushPayloadError) -> PushPayload)] = [
        (
            .outOfRange, "aps.sound.volume",
            { () throws(PushPayloadError) in try .alert(PushPayload.Alert(sound: .critical(volume: 1.1))) }
        ),
        (
            .outOfRange, "aps.sound.volume",
            { () throws(PushPayloadError) in try .alert(PushPayload.Alert(sound: .critical(volume: .nan))) }
        ),
        (.outOfRange, "aps.badge", { () throws(PushPayloadError) in try .alert(PushPayload.Alert(badge: -1)) }),
        (
            .outOfRange, "aps.relevance-score",
            { () throws(PushPayloadError) in
                var alert = PushPayload.Alert(body: "B")
                alert.relevanceScore = 1.5
                return try .alert(alert)
            }
        ),
        (
            .notFinite, "aps.mine",
            { () throws(PushPayloadError) in
                var alert = PushPayload.Alert(body: "B")
                alert.otherKeys = ["mine": [.number(.nan)]]
                return try .alert(alert)
            }
        ),
        (
            .notFinite, "custom.ratio",
            { () throws(PushPayloadError) in
                try .alert(PushPayload.Alert(body: "B"), custom: ["ratio": .number(.infinity)])
            }
        ),
        (
            .reservedKey, "custom.aps",
            { () throws(PushPayloadError) in try .alert(PushPayload.Alert(body: "B"), custom: ["aps": 1]) }
        ),
        (
            .reservedKey, "custom.aps",
            { () throws(PushPayloadError) in try .alert(PushPayload.Alert(body: "B"), encoding: ["aps": 1]) }
        ),
        (
            .notAnObject, "custom",
            { () throws(PushPayloadError) in try .alert(PushPayload.Alert(body: "B"), encoding: [1, 2]) }
        ),
        (.notAnObject, "custom", { () throws(PushPayloadError) in try .voip(encoding: "text") }),
        (.reservedKey, "custom.aps", { () throws(PushPayloadError) in try .location(custom: ["aps": [:]]) }),
    ]

    @Test(arguments: wrong.indices)
    func `what Apple would not take is refused with its place and a way out`(index: Int) {
        let (code, path, build) = Self.wrong[index]
        do {
            _ = try build()
            Issue.record("it was built")
        } catch {
            #expect(error.code == code)
            #expect(error.path == path)
            #expect(error.description.hasPrefix(path))
            #expect(error.description.contains(":"))
        }
    }
}
