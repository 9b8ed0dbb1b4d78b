import ArgumentParser
import Foundation
import PushCommandLine
import Testing

@testable import PushJSON
@testable import PushProvider
@testable import pushsend

@Suite struct TemplateChangesTests {
    private func composed(_ line: String...) throws -> ComposedPayload {
        try SendCommand.parse(line).payloadOptions.composed()
    }

    private func value(_ composed: ComposedPayload) -> PushJSONValue? { PushJSONValue(json: composed.payload.bytes) }

    @Test func `a template that nothing is said to is sent as it is`() throws {
        let composed = try composed("--template", "alert")
        #expect(composed.payload == (try ReadyPayload.named("alert").payload(.now)))
        #expect(composed.payload.pushType == .alert)
        #expect(!composed.isRaw)
    }

    @Test func `given flags replace the template's texts, and the rest stays`() throws {
        let changed = try composed(
            "--template", "rich", "-m", "Look", "-t", "Ada", "--subtitle", "Now", "-b", "2", "-s", "ping.caf", "-y",
            "PIC",
            "--thread-id", "p", "--content-available", "-d", "attachment-url=x", "--data-json", "n=[1]")
        #expect(
            value(changed)
                == [
                    "aps": [
                        "alert": ["title": "Ada", "subtitle": "Now", "body": "Look"], "badge": 2, "sound": "ping.caf",
                        "category": "PIC", "thread-id": "p", "mutable-content": 1, "content-available": 1,
                    ], "attachment-url": "x", "n": [1],
                ])
        #expect(changed.payload.pushType == .alert)
    }

    @Test func `a text replaces a key and its arguments`() throws {
        let alert = value(try composed("--template", "localized", "-m", "Goal"))?["aps"]?["alert"]
        #expect(
            alert == ["title-loc-key": "MATCH_TITLE", "title-loc-args": ["Rovers", "United"], "body": "Goal"])
        let both = value(try composed("--template", "localized", "-m", "Goal", "-t", "Rovers"))?["aps"]?["alert"]
        #expect(both == ["title": "Rovers", "body": "Goal"])
    }

    @Test func `a sound of a critical alert stays critical, and one of a Live Activity is in its alert`() throws {
        #expect(
            value(try composed("--template", "critical", "-s", "siren.caf"))?["aps"]?["sound"]
                == ["critical": 1, "name": "siren.caf", "volume": 0.8])
        let activity = try composed("--template", "live-activity-start", "-s", "ping.caf", "-m", "Soon")
        #expect(
            value(activity)?["aps"]?["alert"] == ["title": "Order 42", "body": "Soon", "sound": "ping.caf"])
        #expect(activity.payload.pushType == .liveactivity)
    }

    @Test func `keys of the app's own go into what takes them`() throws {
        let call = try composed("--template", "voip", "-d", "caller=Ada")
        #expect(value(call)?["caller"] == "Ada")
        #expect(value(call)?["handle"] == "+15550100")
        #expect(call.payload.pushType == .voip)
        #expect(value(try composed("--template", "background", "-d", "x=y"))?["x"] == "y")
    }

    @Test(arguments: [
        ["background", "-m", "x"], ["background", "-s", "x"], ["voip", "-t", "x"], ["voip", "-b", "1"],
        ["live-activity-update", "-m", "x"], ["live-activity-start", "--subtitle", "x"],
        ["live-activity-start", "-b", "1"], ["live-activity-start", "-d", "a=b"], ["widget", "-d", "a=b"],
        ["mdm", "-d", "a=b"], ["location", "--mutable-content"], ["wallet", "-m", "x"], ["safari", "-t", "x"],
    ])
    func `a flag that the template has no place for is refused by name`(line: [String]) {
        #expect { try SendCommand.parse(["--template"] + line).payloadOptions.composed() } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.status == .usage && failure.message.contains(line[0]) && failure.message.contains(line[1])
        }
    }

    @Test func `a template and a payload are one too many`() {
        #expect { try composed("--template", "alert", "--payload", "{}") } throws: {
            ($0 as? CommandFailure)?.message.contains("--template") == true
        }
    }
}
