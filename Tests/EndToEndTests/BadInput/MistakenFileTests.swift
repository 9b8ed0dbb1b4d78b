import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// Files and texts that a person gives for something else: each is named as what it is, and nothing of it is sent or overwritten.
@Suite(.takingTurns) struct MistakenFileTests {
    private static let token = CampaignGround.token(1)

    @Test func `a key is never sent as a payload, nor written into results`() async throws {
        try await CampaignGround.with { ground in
            let key = try await ground.workspace.makeKey()
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            for flag in ["--no-lint", "--durable"] {
                expectRefusal(
                    try await ground.batch("tokens", "--payload", key, flag), 65, "a key or a certificate", "--key")
            }
            expectRefusal(try await ground.batch(key, "-m", "x"), 65, "not a list of device tokens")
            let results = try? ground.workspace.read("\(key).pushsend/results.jsonl")
            #expect(results?.isEmpty ?? true)
            #expect(ground.mock.arrivalCount == 0)
        }
        let requests = try await RunningMock.with { mock in
            let key = try await mock.workspace.makeKey()
            expectRefusal(try await mock.send("--payload", key, "--no-lint"), 65, "a key or a certificate")
        }
        #expect(requests.isEmpty)
    }

    @Test func `a journal that is none is not overwritten`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            let diary = (1...40).map { "diary \($0)\n" }.joined()
            try FileManager.default.createDirectory(
                atPath: ground.workspace.path("notes"), withIntermediateDirectories: true)
            try ground.workspace.write(diary, to: "notes/journal")
            let ended = try await ground.batch("tokens", "-m", "x", "--out", "notes")
            expectRefusal(ended, 65, "notes/journal isn't the journal of a campaign", "--out")
            #expect(try ground.workspace.read("notes/journal") == diary)
            #expect(ground.mock.arrivalCount == 0)
        }
    }

    @Test func `device tokens, lists and payloads that were swapped`() async throws {
        try await CampaignGround.with { ground in
            let workspace = ground.workspace
            try workspace.write("\(Self.token)\n", to: "tokens")
            try workspace.write("token,name\n\(Self.token),Ann\n", to: "people.csv")
            try workspace.write("\(Self.token),Ann\n", to: "bare.csv")
            try workspace.write("token,token\n\(Self.token),\(Self.token)\n", to: "twice.csv")
            try workspace.write("token,name\r\(Self.token),Ann\r", to: "macintosh.csv")
            expectRefusal(try await ground.batch("macintosh.csv", "-m", "x"), 65, "CR alone", "tr '\\r' '\\n'")
            expectRefusal(try await ground.batch(".", "-m", "x"), 66, "folder, not a file")
            try workspace.write("{\n\"token\":\"\(Self.token)\"\n}\n", to: "pretty.json")
            expectRefusal(try await ground.batch("tokens", "--payload", "people.csv"), 65, "list of device tokens")
            expectRefusal(try await ground.batch("bare.csv", "-m", "x"), 65, "no header", "token,name")
            expectRefusal(try await ground.batch("twice.csv", "-m", "x"), 65, "names the column \"token\" twice")
            expectRefusal(try await ground.batch("pretty.json", "-m", "x"), 65, "on one line", "jq -c")
            expectRefusal(try await ground.batch(Self.token, "-m", "x"), 64, "is a device token", "pushsend send")
            #expect(ground.mock.arrivalCount == 0)
        }
    }

    @Test func `other words instead of device tokens`() async throws {
        let requests = try await RunningMock.with { mock in
            try mock.workspace.write("\(RunningMock.token)\n", to: "tokens")
            expectRefusal(try await mock.send("-m", "x", to: ["tokens"]), 64, "is a file", "pushsend batch tokens")
            let two = "\(RunningMock.token) \(RunningMock.token)"
            expectRefusal(try await mock.send("-m", "x", to: [two]), 64, "2 device tokens")
            expectRefusal(
                try await mock.send("-m", "good", to: [RunningMock.token, "cafe", "babe"]), 64, "\"cafe\"",
                "quotation marks")
            expectRefusal(try await mock.send("-m", "x", "--badge", "-1"), 64, "--badge", "\"-1\"", "negative")
        }
        #expect(requests.isEmpty)
    }

    @Test func `short tokens of a test are no pieces of one, and a mistyped one is refused as a token`() async throws {
        let requests = try await RunningMock.with { mock in
            let short = ["5f3ad1c07b9e4286", "5f3ad1c07b9e4287", "5f3ad1c07b9e4288", "5f3ad1c07b9e4289"]
            #expect(try await mock.send("-m", "x", to: short).status == 0)
            let pieces = stride(from: 0, to: 8, by: 1).map { _ in "5f3ad1c0" }
            expectRefusal(try await mock.send("-m", "x", to: pieces), 64, "8 words", "quotation marks")
            let mistyped = String(RunningMock.token.dropLast(2)) + "XY"
            expectRefusal(try await mock.send("-m", "x", to: [RunningMock.token, mistyped]), 65, "hex digit")
            expectRefusal(try await mock.send("-m", "Hello", to: [RunningMock.token, "World"]), 64, "\"World\"")
            expectRefusal(try await mock.send("-m", "x", to: ["AuthKey_ABC123DEFG.p8"]), 64, "--key FILE")
        }
        #expect(requests.count == 4)
    }

    @Test func `words that were meant for something else`() async throws {
        let workspace = try Workspace()
        expectRefusal(try await workspace.pushsend("-v"), 64, "--version")
        expectRefusal(try await workspace.pushsend("help", "sned"), 64, "Did you mean send?")
        #expect(try await workspace.pushsend("help", "help").status == 0)
        let key = try await workspace.makeKey()
        let usual = [
            "send", Self.token, "-m", "x", "--key", key, "--endpoint", "localhost:1", "--key-id", "ABC123DEFG",
            "--topic", "a.b",
        ]
        expectRefusal(
            try await workspace.pushsend(usual + ["--team-id", "com.example.app"]), 64, "bundle id", "--topic")
        expectRefusal(try await workspace.pushsend("lint", key), 65, "key")
        expectRefusal(try await workspace.pushsend("mock", "--port", "x"), 64, "0 for any free port")
    }

    @Test func `a dry run reads the key that is given`() async throws {
        let workspace = try Workspace()
        try workspace.write("\(Self.token)\n", to: "tokens")
        let command = ["batch", "tokens", "-m", "x", "-e", "sandbox", "--topic", "com.example.app", "--dry-run"]
        #expect(try await workspace.pushsend(command).status == 0)
        expectRefusal(
            try await workspace.pushsend(
                command + ["--key", "no.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]), 66,
            "no.p8")
    }

    @Test func `authorities that are none, and a missing subcommand`() async throws {
        let workspace = try Workspace()
        try workspace.write("{}", to: "ok.json")
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            "send", Self.token, "--key", key, "--team-id", Workspace.teamID, "--topic", "a.b", "-m", "x", "--endpoint",
            "localhost:1", "--cacert", "ok.json")
        expectRefusal(ended, 77, "\"ok.json\" has no PEM certificate", "--cacert")
        expectRefusal(try await workspace.pushsend(Self.token, "-m", "x"), 64, "A subcommand is missing", "send TOKEN")
    }
}
