import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct ExplainCommandTests {
    @Test func `a reason is explained on standard output`() async throws {
        let ended = try await Workspace().pushsend("explain", "BadDeviceToken")
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.output.hasPrefix("BadDeviceToken: "))
        for word in ["Whose fault?", "Send again?", "What to do:", "-e production", "/device-tokens.html"] {
            #expect(ended.output.contains(word))
        }
    }

    @Test func `the line that send has printed can be pasted in words of its own`() async throws {
        let ended = try await Workspace().pushsend("explain", "rejected", "410", "Unregistered", "apns-id")
        #expect(ended.status == 0)
        #expect(ended.output.hasPrefix("Unregistered: "))
    }

    @Test func `--json is one object, its keys stable`() async throws {
        let reason = try await Workspace().pushsend("explain", "TopicDisallowed", "--json").json
        #expect(reason.keys == ["word", "kind", "title", "meaning", "fault", "again", "steps", "status", "page"])
        #expect(reason["kind"] == "reason")
        #expect(reason["status"] == 400)
        #expect(reason["page"]?.string?.hasSuffix("/credentials.html") == true, "\(reason)")
        let code = try await Workspace().pushsend("explain", "75", "--json").json
        #expect(code["kind"] == "exit_code")
        #expect(code["word"] == "75")
    }

    @Test func `without a word it lists what can be explained, with --json each of them`() async throws {
        let workspace = try Workspace()
        let list = try await workspace.pushsend("explain")
        #expect(list.status == 0)
        for word in ["BadDeviceToken", "429", "77", "not-sent", "nothing-arrived"] {
            #expect(list.output.contains(word))
        }
        let lines = try await workspace.pushsend("explain", "--json").output.split(separator: "\n")
        let kinds = lines.compactMap { JSON(parsing: String($0))["kind"]?.string }
        #expect(kinds.count == lines.count)
        #expect(Set(kinds) == ["reason", "status", "exit_code", "outcome", "topic", "rule"])
    }

    @Test func `an unknown word is exit code 64, with the nearest one`() async throws {
        expectRefusal(try await Workspace().pushsend("explain", "BadDeviceTokn"), 64, "BadDeviceToken?", "lists")
        expectRefusal(try await Workspace().pushsend("explain", "xyzzy", "--json"), 64, "xyzzy")
    }
}
