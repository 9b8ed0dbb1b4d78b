import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// What can be wrong with a campaign, one by one.
@Suite(.takingTurns) struct BadBatchTests {
    private static let token = CampaignGround.token(1)

    @Test func `lines that cannot be sent are reported with their numbers, and the rest is sent`() async throws {
        try await CampaignGround.with { ground in
            let lines = [
                #"{"token":"\#(Self.token)","vars":{"name":"Ann"}}"#, "no JSON", #"{"vars":{"name":"x"}}"#,
                #"{"token":"\#(Self.token)"}"#,
                #"{"token":"\#(Self.token)","vars":{"name":"\#(String(repeating: "x", count: 5000))"}}"#,
                #"{"token":"\#(Self.token)","ref":"\#(String(repeating: "x", count: 70_000))"}"#,
                #"{"token":"\#(Self.token)","vars":{"name":"Zoe"}}"#,
            ]
            try ground.workspace.write(lines.joined(separator: "\n"), to: "lines")
            let ended = try await ground.batch("lines", "-m", "Hello {{name}}")
            #expect(ended.status == 0, "\(ended.errors)")
            let results = try ground.results("lines.pushsend")
            let details = Dictionary(
                results.map { ($0["line"]?.integer ?? 0, $0["detail"]?.string ?? "") }, uniquingKeysWith: { $1 })
            #expect(details.count == 7)
            #expect(details[1] == "" && details[7] == "")
            #expect(details[2]?.contains("JSON object") == true)
            #expect(details[3]?.contains("no \"token\"") == true)
            #expect(details[4]?.contains("needs \"name\"") == true)
            #expect(details[5]?.contains("more than the limit") == true)
            #expect(details[6]?.contains("longer than 65536 bytes") == true)
            #expect(results.count { $0["outcome"] == "not_sent" && $0["reason"] == "invalid" } == 5)
            #expect(ground.mock.arrivalCount == 2)
        }
    }

    @Test func `too many errors end it early`() async throws {
        try await CampaignGround.with { ground in
            let lines = String(repeating: "no token\n", count: 5000)
            try ground.workspace.write("\(Self.token)\n" + lines, to: "tokens")
            let ended = try await ground.batch("tokens", "-m", "Hello", "--max-errors", "10")
            #expect(ended.status == 75)
            #expect(ended.errors.contains("the limit is 10"))
            #expect(try ground.results("tokens.pushsend").count < 5000)
        }
    }

    @Test func `an input without lines, one that is not there, and a folder`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\n\n", to: "empty")
            let empty = try await ground.batch("empty", "-m", "Hello")
            #expect(empty.status == 65)
            #expect(empty.errors.contains("no lines"))
            expectRefusal(try await ground.batch("absent", "-m", "Hello"), 66, "absent", "No such file")
            expectRefusal(try await ground.batch("home", "-m", "Hello"), 66, "home", "folder")
        }
    }

    @Test func `a folder of another campaign is refused, and says what is another`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            #expect(try await ground.batch("tokens", "-m", "Hello").status == 0)
            expectRefusal(try await ground.batch("tokens", "-m", "Good bye"), 65, "the payload", "--out", "--restart")
            expectRefusal(
                try await ground.batch("tokens", "-m", "Hello", "--priority", "5"), 65, "the priority", "--restart")
            try ground.workspace.write("\(Self.token)\n\(Self.token)\n", to: "tokens")
            expectRefusal(try await ground.batch("tokens", "-m", "Hello"), 65, "the input tokens")
            try ground.workspace.write("something", to: "results.jsonl")
            expectRefusal(
                try await ground.batch("tokens", "-m", "Hello", "--out", "."), 65, "results.jsonl", "--restart")
            #expect(try ground.workspace.read("results.jsonl") == "something")
            #expect(ground.mock.arrivalCount == 1)
        }
    }

    @Test func `standard input that is another one is found out before anything is sent`() async throws {
        try await CampaignGround.with { ground in
            let tokens = (1...400).map(CampaignGround.token)
            // With one connection, which has come when its first request has.
            let program = try ground.start(
                ["-", "-m", "Hello", "--out", "out", "--rate", "200/s", "--window", "40", "--connections", "1"],
                input: tokens.joined(separator: "\n"))
            _ = try await ground.mock.arrival(50, within: .seconds(120))
            program.kill()
            _ = await program.end()
            // What the kernel has of the killed one may still arrive: it is by connections that nothing new is seen to come.
            let connections = ground.mock.connectionCount
            let other = (2...400).map(CampaignGround.token)
            let refused = try await ground.batch(
                "-", "-m", "Hello", "--out", "out", input: other.joined(separator: "\n"))
            #expect(refused.status == 65)
            #expect(refused.errors.contains("The input has changed"), "\(refused.errors)")
            #expect(refused.errors.contains("would send accepted lines a second time"))
            #expect(ground.mock.connectionCount == connections)
            let same = try await ground.batch(
                "-", "-m", "Hello", "--out", "out", input: tokens.joined(separator: "\n"))
            #expect(same.status == 0 || same.status == 76, "\(same.errors)")
            #expect(try ground.results("out").count == 400)
            #expect(await ground.takenByToken().values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `two at a time on one folder`() async throws {
        try await CampaignGround.with { ground in
            // It lasts as long as nobody ends its lines.
            let writer = SlowWriter()
            let first = try ground.start(["-", "-m", "Hello", "--out", "out"], from: writer)
            try writer.write(1...3)
            _ = try await ground.mock.arrival(3, within: .seconds(120))
            let lines = String(decoding: SlowWriter.lines(1...3), as: UTF8.self)
            expectRefusal(
                try await ground.batch("-", "-m", "Hello", "--out", "out", input: lines), 75, "Another process",
                "--out")
            first.interrupt()
            #expect(await first.end().status == 130)
            try writer.close()
            #expect(ground.mock.arrivalCount == 3)
        }
    }

    @Test func `a damaged journal is not passed over`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write((1...50).map(CampaignGround.token).joined(separator: "\n"), to: "tokens")
            #expect(try await ground.batch("tokens", "-m", "Hello").status == 0)
            let journal = URL(filePath: ground.workspace.path("tokens.pushsend/journal"))
            var bytes = try Data(contentsOf: journal)
            bytes[20] ^= 0xFF
            try bytes.write(to: journal)
            expectRefusal(try await ground.batch("tokens", "-m", "Hello"), 65, "journal", "damaged", "--out")
            #expect(ground.mock.arrivalCount == 50)
        }
    }

    @Test func `the reader of the results has gone`() async throws {
        try await CampaignGround.with { ground in
            // The end of the lines never comes: only what is found out ends it.
            let writer = SlowWriter()
            let program = try ground.start(
                ["-", "-m", "Hello", "--out", "out", "--results", "-", "--rate", "1000/s"], from: writer, linesRead: 1)
            try writer.write(1...1)
            _ = try #require(await program.output.line(0))
            try writer.write(2...900)
            let ended = await program.end()
            #expect(!ended.wasTooSlow)
            #expect(ended.status == 75, "\(ended.errors)")
            #expect(ended.errors.contains("The reader of the results has closed the pipe."), "\(ended.errors)")
            #expect(JSON(parsing: try ground.workspace.read("out/summary.json"))["finished"] == false)
            try writer.close()
            // How many more lines are sent before it notices this depends on the machine.
            let results = try ground.results("out").count
            #expect((2...900).contains(results))
            #expect(ground.mock.arrivalCount == results)
        }
    }

    @Test func `production is asked for once more, and no is no`() async throws {
        let workspace = try Workspace()
        try workspace.write("\(Self.token)\n\(CampaignGround.token(2))\n", to: "tokens")
        let key = try await workspace.makeKey()
        let ended = try await workspace.terminal(
            [
                "batch", "tokens", "-m", "Hello", "--topic", "com.example.app", "-e", "production", "--key", key,
                "--team-id", Workspace.teamID,
            ], [("Send 2 notifications to com.example.app, production?", ""), ("Type yes to send them: ", "no\n")])
        #expect(ended.status == 130)
        #expect(ended.output.contains("Nothing was sent."))
        #expect(!workspace.exists("tokens.pushsend"))
    }

    @Test func `flags that make no sense`() async throws {
        let workspace = try Workspace()
        try workspace.write("\(Self.token)\n", to: "tokens")
        func refused(_ flags: String..., status: Int32 = 64, words: String...) async throws {
            let ended = try await workspace.pushsend(["batch"] + flags)
            #expect(ended.status == status, "\(flags): \(ended.errors)")
            for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        try await refused(words: "no input")
        try await refused("tokens", "-m", "Hello", "--topic", "a", words: "-e production", "--mock")
        try await refused(
            "tokens", "-e", "sandbox", "--topic", "a", "-m", "Hello {{", "--dry-run", status: 65, words: "}}")
        try await refused("tokens", "--rate", "fast", words: "--rate")
        try await refused("tokens", "--window", "0", words: "--window")
        try await refused("tokens", "--apns-id", "x", words: "apns_id")
        try await refused("-", "--payload", "-", words: "Standard input")
        try await refused("tokens", "--results", "x", words: "--out")
        let key = try await workspace.makeKey()
        try await refused(
            "tokens", "-m", "Hello", "--topic", "a", "-e", "production", "--key", key, "--team-id", Workspace.teamID,
            words: "--yes")
        #expect(!workspace.exists("tokens.pushsend"))
    }

    @Test(.enabled(if: PrivateNetwork.isPossible)) func `a full disk ends it, and what had gone out is not lost`()
        async throws
    {
        try await CampaignGround.with { ground in
            let count = 60_000
            try ground.workspace.write((1...count).map(CampaignGround.token).joined(separator: "\n"), to: "tokens")
            let (ended, results) = try await ground.batch(
                ["tokens", "-m", "Hello", "--window", "2000"], onDiskOf: 7)
            #expect(results.count > 1000 && results.count < count)
            let taken = await ground.takenByToken().count
            #expect(taken == results.count, "\(ended.errors)")
        }
    }
}
