import TestSupport
import Testing

@Suite(.takingTurns) struct SendOutcomeTests {
    @Test func `an acceptance is one line, with nothing on standard error`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "Hello")
            #expect(ended.status == 0)
            #expect(
                ended.output.wholeMatch(
                    of: /accepted  apns-id [0-9a-f-]{36}  apns-unique-id [0-9a-f-]{36}  \(\d+ ms\)\n/) != nil)
            #expect(ended.errors == "")
        }
    }

    @Test func `a rejection is exit code 1, with what it means and what to do`() async throws {
        try await RunningMock.with("--unregistered", RunningMock.token) { mock in
            let ended = try await mock.send("-m", "Hello")
            #expect(ended.status == 1)
            #expect(ended.output.hasPrefix("rejected  410 Unregistered  apns-id "))
            #expect(ended.errorLines.count == 1)
        }
    }

    @Test func `another key than the team's is refused with exit code 77`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try await RunningMock.with(in: workspace) { mock in
            let ended = try await mock.send(signedWith: key)
            #expect(ended.status == 77)
            #expect(ended.output.hasPrefix("rejected  403 InvalidProviderToken"))
            #expect(ended.errors.contains("doesn't know the key, or key id and team id don't match it"))
        }
    }

    @Test func `several devices have a line each, and the worst outcome is the exit code`() async throws {
        let gone = CurlTests.gone
        try await RunningMock.with("--unregistered", gone) { mock in
            let ended = try await mock.send("-m", "Hello", to: [RunningMock.token, gone])
            #expect(ended.status == 1)
            let lines = ended.output.split(separator: "\n").sorted()
            #expect(lines.count == 2)
            #expect(lines.first?.hasPrefix("0badc0de…c0de  rejected  410 Unregistered") == true)
            #expect(lines.last?.hasPrefix("5f3ad1c0…4286  accepted  apns-id ") == true)
            #expect(try await mock.request(1)["connection"] == mock.request(2)["connection"])
        }
    }

    @Test func `--json is an object for each device, its keys stable`() async throws {
        let gone = CurlTests.gone
        try await RunningMock.with("--unregistered", gone) { mock in
            let accepted = try await mock.send("-m", "Hello", "--json")
            #expect(accepted.status == 0)
            #expect(accepted.errors == "")
            #expect(
                accepted.json.keys == [
                    "token", "outcome", "status", "apns_id", "apns_unique_id", "attempts", "ms",
                ])
            #expect(accepted.json["outcome"] == "accepted")
            #expect(accepted.json["status"] == 200)
            #expect(accepted.json["token"]?.string == RunningMock.token)
            #expect(accepted.json["attempts"] == 1)
            #expect(accepted.json["apns_id"] == (try await mock.request(1))["apns_id"])

            let rejected = try await mock.send("-m", "Hello", "--json", to: [gone])
            #expect(rejected.status == 1)
            #expect(rejected.errors == "")
            #expect(
                rejected.json.keys == [
                    "token", "outcome", "status", "reason", "timestamp", "apns_id", "final", "advice", "attempts", "ms",
                ])
            #expect(rejected.json["outcome"] == "rejected")
            #expect(rejected.json["reason"] == "Unregistered")
            #expect(rejected.json["final"] == true)

            let both = try await mock.send("-m", "Hello", "--json", to: [RunningMock.token, gone])
            #expect(both.output.split(separator: "\n").count == 2)
        }
    }

    @Test func `--json of what was not sent says why and how far it came`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            "send", RunningMock.token, "--key", key, "--team-id", Workspace.teamID, "--topic", "com.example.app",
            "-m", "x", "--endpoint", "nowhere.invalid", "--json")
        #expect(ended.status == 69)
        #expect(ended.errors == "")
        #expect(ended.json.keys == ["token", "outcome", "cause", "phase", "detail", "attempts", "ms"])
        #expect(ended.json["outcome"] == "not_sent")
        #expect(ended.json["cause"] == "no_connection")
        #expect(ended.json["phase"] == "dns")
        #expect(ended.json["attempts"] == 0)
    }

    @Test func `--dry-run shows the whole request and sends nothing`() async throws {
        let requests = try await RunningMock.with { mock in
            let shown = try await mock.send(
                "--content-available", "--expires", "@1900000000", "--collapse-id", "score", "--dry-run")
            #expect(shown.status == 0)
            for line in [
                "POST https://localhost:\(mock.port)/3/device/\(RunningMock.token)\n", "apns-topic: com.example.app\n",
                "apns-push-type: background\n", "apns-priority: 5\n", "apns-expiration: 1900000000\n",
                "apns-collapse-id: score\n", "\n{\"aps\":{\"content-available\":1}}\n", "Nothing was sent.\n",
            ] {
                #expect(shown.output.contains(line))
            }
            let json = try await mock.send("-m", "x", "--dry-run", "--json").json
            #expect(json.keys == ["outcome", "token", "endpoint", "headers", "payload", "payload_bytes"])
            #expect(json["outcome"] == "dry_run")
            #expect(json["headers"]?["apns-push-type"] == "alert")
            #expect(json["headers"]?["apns-priority"] == "10")
        }
        #expect(requests.isEmpty)
    }

    @Test func `-v says on standard error what happens on the way`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "Hello", "-v")
            #expect(ended.status == 0)
            #expect(ended.output.split(separator: "\n").count == 1)
            #expect(ended.errors.contains("localhost:\(mock.port)"))
            #expect(ended.errors.contains("TLSv1.3"))
        }
    }

    @Test func `-v says what a push waits for, once for each thing`() async throws {
        let wait = "The client waits for the first answer."
        var errors = ""
        // On a busy machine the first wait may be over before it is looked at.
        for roundTrip in ["3s", "6s"] where !errors.contains(wait) {
            try await RunningMock.with("--round-trip", roundTrip) { mock in
                let ended = try await mock.send("-m", "Hello", "-v", "--timeout", "5m")
                #expect(ended.status == 0, "\(ended.errors)")
                let limits = ended.errors.split(separator: "\n").filter { $0.contains("What limits it: ") }
                #expect(Set(limits).count == limits.count, "\(limits)")
                errors = limits.joined(separator: "\n")
            }
        }
        #expect(errors.contains(wait), "\(errors)")
    }

    @Test(arguments: [[], ["--json"], ["--dry-run"]])
    func `a reader that goes away ends it quietly`(flags: [String]) async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.startPushsend(
                ["send", RunningMock.token, "--mock", "--state", "mock", "--topic", "com.example.app", "-m", "x"]
                    + flags,
                linesRead: 0
            ).end()
            #expect(ended.status == 0)
            #expect(ended.errors == "")
        }
    }
}
