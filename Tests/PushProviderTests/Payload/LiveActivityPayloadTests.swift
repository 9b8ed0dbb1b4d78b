import Foundation
import Testing

@testable import PushJSON
@testable import PushProvider

@Suite struct LiveActivityPayloadTests {
    struct State: Codable, Equatable {
        var stops: Int
        var arrival: Date
        var driver: String?
    }

    /// 2026-06-01 09:00 UTC.
    private let now = Date(timeIntervalSince1970: 1_780_304_400.75)
    private let state = State(stops: 3, arrival: Date(timeIntervalSinceReferenceDate: 802_000_000.25))

    private func text(_ payload: PushPayload) -> String {
        String(decoding: payload.bytes, as: UTF8.self)
    }

    @Test func `a start has all that Apple's table asks for`() throws {
        let payload = try PushPayload.startLiveActivity(
            "DeliveryAttributes", attributes: ["order": 42], contentState: state,
            alert: PushPayload.LiveActivity.Alert(
                title: .localized("T", arguments: ["42"]), body: "B", sound: "default"),
            timestamp: now, staleDate: now + 60, relevanceScore: 75, input: .channel("dHN0LXNyY2gtY2hubA=="))
        #expect(
            text(payload)
                == #"{"aps":{"alert":{"body":"B","sound":"default","title":{"loc-args":["42"],"loc-key":"T"}},"#
                + #""attributes":{"order":42},"attributes-type":"DeliveryAttributes","#
                + #""content-state":{"arrival":802000000.25,"stops":3},"event":"start","#
                + #""input-push-channel":"dHN0LXNyY2gtY2hubA==","relevance-score":75.0,"stale-date":1780304460,"#
                + #""timestamp":1780304400}}"#)
        let withToken = try PushPayload.startLiveActivity(
            "A", attributes: ["a": 1], contentState: ["b": 2],
            alert: PushPayload.LiveActivity.Alert(title: "T", body: "B"),
            timestamp: now, input: .token)
        #expect(text(withToken).contains(#""input-push-token":1"#))
        #expect(!text(withToken).contains("input-push-channel"))
    }

    @Test func `an update and an end have theirs, and nothing of a start`() throws {
        #expect(
            text(try .updateLiveActivity(contentState: state, timestamp: now))
                == #"{"aps":{"content-state":{"arrival":802000000.25,"stops":3},"event":"update","timestamp":1780304400}}"#
        )
        #expect(
            text(try .endLiveActivity(contentState: ["b": 2], timestamp: now, dismissal: .at(now + 3600)))
                == #"{"aps":{"content-state":{"b":2},"dismissal-date":1780308000,"event":"end","timestamp":1780304400}}"#
        )
        #expect(text(try .endLiveActivity(timestamp: now)) == #"{"aps":{"event":"end","timestamp":1780304400}}"#)
        #expect(
            text(try .endLiveActivity(timestamp: now, dismissal: .immediately))
                == #"{"aps":{"dismissal-date":1780304340,"event":"end","timestamp":1780304400}}"#)
    }

    @Test func `the state comes back from the device's decoder as it was`() throws {
        struct Body: Decodable {
            struct APS: Decodable {
                var state: State
                private enum CodingKeys: String, CodingKey { case state = "content-state" }
            }
            var aps: APS
        }
        let payload = try PushPayload.updateLiveActivity(contentState: state, timestamp: now)
        #expect(try JSONDecoder().decode(Body.self, from: Data(payload.bytes)).aps.state == state)
    }

    @Test func `without a time it is the time of building`() throws {
        let before = Int(Date().timeIntervalSince1970)
        let payload = try PushPayload.endLiveActivity()
        guard case .integer(let seconds)? = PushJSONValue(json: payload.bytes)?["aps"]?["timestamp"] else {
            Issue.record("no timestamp")
            return
        }
        #expect((before...Int(Date().timeIntervalSince1970)).contains(seconds))
    }

    @Test(arguments: [
        Date.distantPast, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: 1_780_304_400_000),
    ])
    func `what is no time of a device is refused`(date: Date) {
        #expect { try PushPayload.endLiveActivity(timestamp: date) } throws: {
            ($0 as? PushPayloadError)?.code == .outOfRange && ($0 as? PushPayloadError)?.path == "aps.timestamp"
        }
        #expect { try PushPayload.endLiveActivity(timestamp: now, dismissal: .at(date)) } throws: {
            ($0 as? PushPayloadError)?.path == "aps.dismissal-date"
        }
    }

    @Test func `what the app decodes has to be an object`() {
        #expect { try PushPayload.updateLiveActivity(contentState: 5) } throws: {
            ($0 as? PushPayloadError)?.code == .notAnObject && ($0 as? PushPayloadError)?.path == "aps.content-state"
        }
        #expect { try PushPayload.updateLiveActivity(contentState: ["x": Double.nan]) } throws: {
            ($0 as? PushPayloadError)?.code == .notFinite && ($0 as? PushPayloadError)?.path == "aps.content-state.x"
        }
    }
}
