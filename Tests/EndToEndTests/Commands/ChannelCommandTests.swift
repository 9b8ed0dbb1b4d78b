import Foundation
import TestSupport
import Testing

/// `pushsend channel` and curl, side by side against a mock.
@Suite(.takingTurns) struct ChannelCommandTests {
    private static let json = ["content-type: application/json"]

    private func channel(_ mock: RunningMock, _ words: String..., input: String = "") async throws -> Ended {
        // A later time limit takes the place of this one.
        try await mock.workspace.pushsend(
            ["channel", words[0], "--timeout", "4m"] + words.dropFirst()
                + ["--mock", "--state", "mock", "--topic", RunningMock.topic], input: input)
    }

    @Test func `a channel from create to delete, by pushsend and by curl`() async throws {
        try await RunningMock.with { mock in
            let created = try await channel(mock, "create", "--store", "newest")
            #expect(created.status == 0)
            let id = created.output.trimmingCharacters(in: .newlines)
            let port = try #require(mock.ready["sandbox_channels_port"]?.integer)
            let base = "https://localhost:\(port)/1/apps/\(RunningMock.topic)"
            let byCurl = try await mock.curl(
                "\(base)/channels", headers: [], payload: #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
            #expect(byCurl.status == 201 && byCurl.body == "" && byCurl.apnsID == nil)
            #expect(byCurl.headers["apns-request-id"]?.count == 36)
            let other = try #require(byCurl.headers["apns-channel-id"])

            let listed = try await channel(mock, "list")
            #expect(Set(listed.output.split(separator: "\n").map(String.init)) == [id, other])
            let all = try await mock.curl("\(base)/all-channels", headers: [], payload: nil)
            #expect(all.status == 200 && all.body.contains(id) && all.body.contains(other))

            let shown = try await channel(mock, "show", id)
            #expect(shown.output == "\(id)  stores the newest broadcast, for up to 8 hours\n")
            let read = try await mock.curl("\(base)/channels", headers: ["apns-channel-id: \(other)"], payload: nil)
            #expect(read.body == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)

            let sent = try await channel(mock, "send", id, "--template", "live-activity-update", "--expires", "1h")
            #expect(sent.status == 0 && sent.output.hasPrefix("accepted  apns-request-id "))
            let broadcast = try await mock.curl(
                "https://localhost:\(mock.port)/4/broadcasts/apps/\(RunningMock.topic)",
                headers: [
                    "apns-channel-id: \(other)", "apns-push-type: liveactivity", "apns-expiration: 0",
                    "apns-priority: 10",
                ],
                payload: #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#)
            #expect(broadcast.status == 200 && broadcast.apnsID == nil)

            let deleted = try await channel(mock, "delete", id, "--yes")
            #expect(deleted.status == 0 && deleted.output == "deleted \(id)\n")
            let gone = try await mock.curl(
                "\(base)/channels", ["-X", "DELETE"], headers: ["apns-channel-id: \(other)"], payload: nil)
            #expect(gone.status == 204 && gone.body == "")
            let none = try await channel(mock, "list")
            #expect(none.status == 0 && none.output == "" && none.errors.contains("has no channels"))
        }
    }

    @Test func `--json is one object for each command`() async throws {
        try await RunningMock.with { mock in
            let created = JSON(parsing: try await channel(mock, "create", "--json").output)
            let id = try #require(created["channel"]?.string)
            #expect(created["store"]?.string == "none")
            let shown = JSON(parsing: try await channel(mock, "show", id, "--json").output)
            #expect(shown["push_type"]?.string == "LiveActivity")
            let sent = JSON(
                parsing: try await channel(
                    mock, "send", id, "--json", "--payload",
                    #"{"aps":{"timestamp":1,"event":"end","content-state":{}}}"#
                ).output)
            #expect(sent["outcome"]?.string == "accepted" && sent["apns_request_id"]?.string?.count == 36)
            let deleted = JSON(parsing: try await channel(mock, "delete", id, "--json", "--yes").output)
            #expect(deleted["deleted"] == .bool(true))
            let again = try await channel(mock, "delete", id, "--json", "--yes")
            #expect(again.status == 1)
            #expect(JSON(parsing: again.output)["reason"]?.string == "ChannelNotRegistered")
        }
    }

    @Test func `wrong input is named, with the way out`() async throws {
        try await RunningMock.with { mock in
            for (words, status, words2) in [
                (["show", "not base64!"], 65, "isn't base64"),
                (["show", "AAAA"], 1, "ChannelNotRegistered"),
                (["delete", "AAAA"], 64, "--yes"),
                (["send", "AAAA", "--template", "live-activity-start"], 65, "can't start a Live Activity"),
                (["send", "AAAA"], 64, "There is no message"),
                (["list", "--port", "2197"], 64, "2195"),
            ] {
                let ended = try await mock.workspace.pushsend(
                    ["channel"] + words + ["--mock", "--state", "mock", "--topic", RunningMock.topic])
                #expect(ended.status == status, "\(words): \(ended.errors)")
                #expect(ended.errors.contains(words2), "\(words): \(ended.errors)")
            }
            let suffixed = try await mock.workspace.pushsend([
                "channel", "list", "--mock", "--state", "mock", "--topic", "com.example.app.push-type.liveactivity",
            ])
            #expect(suffixed.status == 65 && suffixed.errors.contains("\"com.example.app\""))
            let noTopic = try await mock.workspace.pushsend(["channel", "list", "--mock", "--state", "mock"])
            #expect(noTopic.status == 64 && noTopic.errors.contains("--topic"))
            let policy = try await channel(mock, "create")
            let id = policy.output.trimmingCharacters(in: .newlines)
            let expiring = try await channel(mock, "send", id, "--template", "live-activity-update", "--expires", "1h")
            #expect(expiring.status == 1)
            #expect(expiring.errors.contains("BadExpirationDate"), "\(expiring.output)")
            #expect(expiring.errors.contains("A channel that stores nothing accepts only the expiration 0."))
            let byCurl = try await mock.curl(
                "https://localhost:\(mock.port)/4/broadcasts/apps/\(RunningMock.topic)",
                headers: [
                    "apns-channel-id: \(id)", "apns-push-type: liveactivity", "apns-expiration: 1800000000",
                    "apns-priority: 10",
                ],
                payload: #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#)
            #expect(byCurl.status == 400 && byCurl.reason == "BadExpirationDate")
        }
    }

    @Test func `deleting asks on a terminal, and only yes deletes`() async throws {
        try await RunningMock.with { mock in
            let id = try await channel(mock, "create").output.trimmingCharacters(in: .newlines)
            let words = ["channel", "delete", id, "--mock", "--state", "mock", "--topic", RunningMock.topic]
            for answer in ["no\n", "\n", "\u{4}", "what\nno\n"] {
                let kept = try await mock.workspace.terminal(words, [("Delete it? (yes/no): ", answer)])
                #expect(kept.status == 130 && kept.output.contains("Nothing was deleted."), "\(kept.output)")
            }
            let deleted = try await mock.workspace.terminal(words, [("Delete it? (yes/no): ", "yes\n")])
            #expect(deleted.status == 0 && deleted.output.contains("deleted \(id)"))
        }
    }

    @Test func `Ctrl-C says what is known of the request`() async throws {
        let fault = #"{"steps":["judge","no_answer"]}"#
        try await RunningMock.with("--fault", fault) { mock in
            let program = try mock.workspace.startPushsend([
                "channel", "create", "--json", "--mock", "--state", "mock", "--topic", RunningMock.topic,
            ])
            _ = try await mock.request(1)
            program.interrupt()
            let ended = await program.end()
            #expect(ended.status == 130)
            let line = JSON(parsing: ended.output)
            #expect(line["outcome"] == "unknown" && line["apns_request_id"]?.string?.count == 36, "\(ended.output)")
        }
    }

    @Test func `NO_PROXY is about the host that manages the channels`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let words = [
            "channel", "list", "--topic", "a.b", "--key", key, "--team-id", Workspace.teamID, "--timeout", "5s",
            "--json",
        ]
        let proxy = ["HTTPS_PROXY": "http://127.0.0.1:1"]
        let through = try await workspace.pushsend(words, environment: proxy)
        #expect(JSON(parsing: through.output)["detail"]?.string?.contains("127.0.0.1:1") == true, "\(through.output)")
        let direct = try await workspace.pushsend(
            words, environment: proxy.merging(["NO_PROXY": "api-manage-broadcast.sandbox.push.apple.com"]) { $1 })
        #expect(JSON(parsing: direct.output)["detail"]?.string?.contains("127.0.0.1:1") == false, "\(direct.output)")
    }

    @Test func `a fault acts on requests about channels, too`() async throws {
        let fault =
            #"{"when":{"topic":"com.example.app"},"steps":[{"answer":{"status":429,"reason":"TooManyRequests"}}]}"#
        try await RunningMock.with("--fault", fault) { mock in
            let listed = try await channel(mock, "list", "--timeout", "60s")
            #expect(listed.status == 1, "\(listed.errors)")
            #expect(listed.errors.contains("429 TooManyRequests"))
        }
    }
}
