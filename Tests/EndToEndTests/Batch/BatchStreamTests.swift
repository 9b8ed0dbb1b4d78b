import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// Campaigns whose lines come from a pipe that somebody is still writing, and whose results go into one.
@Suite(.takingTurns) struct BatchStreamTests {
    @Test func `lines of a pipe with a name go out as they come, however slowly it is written`() async throws {
        try await CampaignGround.with { ground in
            try await ground.workspace.prepare("mkfifo lines")
            let program = try ground.start(["lines", "-m", "Hello", "--out", "out"])
            // For reading too: nobody has to be there at the other end yet.
            let writer = try FileHandle(forUpdating: URL(filePath: ground.workspace.path("lines")))
            try writer.write(contentsOf: SlowWriter.lines(1...3))
            // What was written goes out before more is waited for.
            _ = try await ground.mock.arrival(3, within: .seconds(120))
            try writer.write(contentsOf: SlowWriter.lines(4...5))
            _ = try await ground.mock.arrival(5, within: .seconds(120))
            try writer.close()
            let ended = await program.end()
            #expect(ended.status == 0, "\(ended.errors)")
            let lines = try ground.results("out").compactMap { $0["line"]?.integer }
            #expect(Set(lines) == [1, 2, 3, 4, 5])
            #expect(ground.mock.arrivalCount == 5)
        }
    }

    @Test func `Ctrl-C ends a campaign whose standard input keeps silent, and what came is not lost`() async throws {
        try await CampaignGround.with { ground in
            let writer = SlowWriter()
            let program = try ground.start(["-", "-m", "Hello", "--out", "out"], from: writer)
            try writer.write(1...3)
            _ = try await ground.mock.arrival(3, within: .seconds(120))
            program.interrupt()
            let ended = await program.end()
            #expect(!ended.wasTooSlow)
            #expect(ended.status == 130, "\(ended.errors)")
            #expect(ended.errors.contains("Run the same command to continue"))
            #expect(try ground.results("out").count { $0["outcome"] == "accepted" } == 3)
            try writer.close()
            let input = String(decoding: SlowWriter.lines(1...5), as: UTF8.self)
            let last = try await ground.batch("-", "-m", "Hello", "--out", "out", "--json", input: input)
            #expect(last.status == 0, "\(last.errors)")
            #expect(last.json["before"] == 3 && last.json["accepted"] == 2)
            #expect(ground.mock.arrivalCount == 5)
        }
    }

    @Test(arguments: [
        (#"{"token":"00","vars":{"name":"Ann"}}"#, "None of the first lines has a value for {{nmae|there}}"),
        ("token,name\n00,Ann", "No line has a value for {{nmae|there}}"),
    ])
    func `a misspelt placeholder is found before the first line of standard input is sent`(
        lines: String, problem: String
    ) async throws {
        try await CampaignGround.with { ground in
            let flags = ["-", "-m", "Hi {{nmae|there}}", "--out", "out"]
            let ended = try await ground.start(flags, input: lines + "\n").end()
            #expect(ended.status == 65 && ended.errors.contains(problem), "\(ended.errors)")
            #expect(ended.errors.contains("Did you mean {{name|there}}?"), "\(ended.errors)")
            #expect(ground.mock.arrivalCount == 0)
            let meant = try await ground.start(flags + ["--no-lint"], input: lines + "\n").end()
            #expect(meant.status == 0 && ground.mock.arrivalCount == 1, "\(meant.errors)")
        }
    }

    @Test(arguments: ["token,city\n00,Oslo\n", "00\n", #"{"token":"00","vars":{"city":"Oslo"}}"# + "\n"])
    func `a placeholder without a value in standard input is noted`(lines: String) async throws {
        try await CampaignGround.with { ground in
            let ended = try await ground.start(["-", "-m", "Hi {{nickname|there}}", "--out", "out"], input: lines).end()
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(
                ended.errors.contains("None of the first lines has a value for {{nickname|there}}"), "\(ended.errors)")
        }
    }

    @Test func `tokens that do not fit end a campaign whose standard input keeps silent`() async throws {
        let fault = MockFault(steps: [.answer(status: 400, reason: .badDeviceToken)])
        try await CampaignGround.with([fault]) { ground in
            let writer = SlowWriter()
            let program = try ground.start(["-", "-m", "Hello", "--out", "out"], from: writer)
            // As many as it takes to know, and the pipe stays open.
            try writer.write(1...PushConfiguration.MismatchBreaker.standard.window)
            let ended = await program.end()
            #expect(!ended.wasTooSlow)
            #expect(ended.status == 75, "\(ended.errors)")
            #expect(ended.errors.contains("BadDeviceToken"))
            try writer.close()
        }
    }

    @Test func `results that a full disk does not take: it drains, says so, and goes on with nothing sent twice`()
        async throws
    {
        try await CampaignGround.with { ground in
            let count = 3000
            try ground.workspace.write((1...count).map(CampaignGround.token).joined(separator: "\n"), to: "tokens")
            let command = ["batch", "tokens", "-m", "Hello", "--window", "400"] + ground.usual
            let ended = try await ground.workspace.run(
                ["sh", "-c", #"exec "$0" "$@" --results - > /dev/full"#, BuiltProgram.pushsend.path()] + command,
                limit: .seconds(300))
            #expect(ended.status == 74, "\(ended.errors)")
            #expect(ended.errors.contains("The results can't be printed: No space left on device."))
            let results = try ground.results("tokens.pushsend")
            #expect(!results.isEmpty && results.count < count)
            #expect(results.allSatisfy { $0["outcome"] == "accepted" })
            #expect(ground.mock.arrivalCount == results.count, "What is under way is waited for.")
            let last = try await ground.batch("tokens", "-m", "Hello", "--window", "400", "--json")
            #expect(last.status == 0, "\(last.errors)")
            #expect(last.json["unknown"] == 0)
            #expect(try ground.results("tokens.pushsend").count == count)
            #expect(await ground.takenByToken().values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `no more are under way than --concurrency says`() async throws {
        // Without the bound all of them would be, long before the first is answered.
        let fault = MockFault(steps: [.wait(.milliseconds(50))])
        try await CampaignGround.with([fault]) { ground in
            try ground.workspace.write((1...200).map(CampaignGround.token).joined(separator: "\n"), to: "tokens")
            let ended = try await ground.batch("tokens", "-m", "Hello", "--concurrency", "7", "--connections", "1")
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ground.mock.arrivalCount == 200)
            let maximum = ground.mock.connectionRecords.map(\.maximumOpenStreams)
            #expect(maximum.allSatisfy { $0 <= 7 } && !maximum.isEmpty, "\(maximum)")
        }
    }
}
