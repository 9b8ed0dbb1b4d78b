import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct SavePayloadTests {
    @Test func `a template is saved, and the file is sent as the template would be`() async throws {
        try await RunningMock.with { mock in
            let saved = try await mock.workspace.pushsend(
                "send", "--template", "rich", "-m", "Look", "--save", "rich.json")
            #expect(saved.status == 0)
            #expect(saved.output == "")
            #expect(saved.errors.hasPrefix("Saved rich.json: "))
            let text = try mock.workspace.read("rich.json")
            #expect(text.hasPrefix("{\n    \"aps\": {\n        \"alert\": {\n            \"title\": \"Nora\""))
            #expect(JSON(parsing: text)["aps"]?["alert"]?["body"] == "Look")
            #expect(try await mock.send("--payload", "rich.json").status == 0)
            #expect(try await mock.request(1)["payload"]?.string == text)
        }
    }

    @Test func `- prints it`() async throws {
        let ended = try await Workspace().pushsend("send", "--template", "widget", "--save", "-")
        #expect(ended.status == 0)
        #expect(ended.output == "{\n    \"aps\": {\n        \"content-changed\": true\n    }\n}\n")
        #expect(ended.errors == "")
        let flags = try await Workspace().pushsend("send", "-m", "Hello", "--save", "-")
        #expect(JSON(parsing: flags.output) == ["aps": ["alert": ["body": "Hello"]]])
    }

    @Test func `what a file cannot say is said`() async throws {
        let workspace = try Workspace()
        let ended = try await workspace.pushsend("send", "--template", "location", "--save", "where.json")
        #expect(ended.errors.contains("--push-type location --topic BUNDLE-ID.location-query"))
        let activity = try await workspace.pushsend("send", "--template", "live-activity-update", "--save", "x.json")
        #expect(!activity.errors.contains("--push-type"))
    }

    @Test func `a file that is there stays, unless --force says otherwise`() async throws {
        let workspace = try Workspace()
        try workspace.write("precious", to: "payload.json")
        let ended = try await workspace.pushsend("send", "-m", "x", "--save", "payload.json")
        expectRefusal(ended, 73, "payload.json", "--force")
        #expect(try workspace.read("payload.json") == "precious")
        #expect(try await workspace.pushsend("send", "-m", "x", "--save", "payload.json", "--force").status == 0)
        #expect(JSON(parsing: try workspace.read("payload.json")) == ["aps": ["alert": ["body": "x"]]])
    }

    @Test func `a file is not made through a link to a missing file`() async throws {
        let workspace = try Workspace()
        try await workspace.prepare("ln -s elsewhere payload.json")
        for flags in [[], ["--force"]] {
            let ended = try await workspace.pushsend(["send", "-m", "x", "--save", "payload.json"] + flags)
            #expect(ended.status == 73, "\(ended.errors)")
        }
        #expect(!workspace.exists("elsewhere"))
    }

    @Test func `a place where no file can be, and a full disk, have exit codes of their own`() async throws {
        let workspace = try Workspace()
        expectRefusal(
            try await workspace.pushsend("send", "-m", "x", "--save", "none/payload.json"), 73, "none/payload.json")
        expectRefusal(try await workspace.pushsend("send", "-m", "x", "--save", "."), 73)
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        expectRefusal(
            try await workspace.pushsend("send", "-m", "x", "--save", "/dev/full", "--force"), 74, "/dev/full")
    }

    @Test func `a file for the simulator has the bundle id in it`() async throws {
        let workspace = try Workspace()
        let ended = try await workspace.pushsend(
            "send", "--template", "alert", "--topic", "com.example.sim", "--save", "push.apns")
        #expect(ended.status == 0)
        let text = try workspace.read("push.apns")
        let key = "\"Simulator Target Bundle\": \"com.example.sim\",\n    "
        #expect(text.hasPrefix("{\n    \(key)"))
        // The key is not sent.
        let size = text.utf8.count - key.utf8.count
        #expect(ended.errors.hasPrefix("Saved push.apns: \(size) of 4096 bytes"), "\(ended.errors)")
    }

    static let refused: [([String], Int32)] = [
        (["-m", "x", "--save", "a", "--dry-run"], 64), (["-m", "x", "--force"], 64),
        (["-m", "x", "--save", "a", "--json"], 64), (["--save", "a"], 64), (["--payload", "{", "--save", "a"], 65),
    ]

    @Test(arguments: refused)
    func `what cannot be saved is refused`(flags: [String], status: Int32) async throws {
        let workspace = try Workspace()
        expectRefusal(try await workspace.pushsend(["send"] + flags), status)
        #expect(throws: (any Error).self) { try workspace.read("a") }
    }
}
