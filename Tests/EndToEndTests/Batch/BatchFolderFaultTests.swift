import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// What can happen to the folder of a campaign, and to the room on its disk.
@Suite(.takingTurns) struct BatchFolderFaultTests {
    private static func writeTokens(_ count: Int, on ground: CampaignGround) throws {
        try ground.workspace.write((1...count).map(CampaignGround.token).joined(separator: "\n"), to: "tokens")
    }

    @Test func `lists that are taken away during a run and after a kill lose no line`() async throws {
        let dead = MockFault(
            steps: [.answer(status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000))])
        try await CampaignGround.with([dead]) { ground in
            let count = 1500
            let lines = (1...count).map { #"{"token":"\#(CampaignGround.token($0))","registered_at":1600000000}"# }
            try ground.workspace.write(lines.joined(separator: "\n"), to: "lines")
            let command = ["lines", "-m", "Hello", "--out", "out", "--window", "40"]
            let program = try ground.start(command + ["--rate", "500/s"])
            _ = try await ground.mock.arrival(200, within: .seconds(120))
            try await ground.workspace.prepare("mv out/gone gone.1")
            _ = try await ground.mock.arrival(500, within: .seconds(120))
            program.kill()
            _ = await program.end()
            // On a busy machine the program is killed before it has made a new list; the lines are in the moved one then.
            try await ground.workspace.prepare("touch gone.2; [ ! -e out/gone ] || mv out/gone gone.2")
            let last = try await ground.start(command).end()
            #expect([0, 76].contains(last.status), "\(last.errors)")
            var gone: [String] = []
            for file in ["gone.1", "gone.2", "out/gone"] {
                let text = try ground.workspace.read(file)
                // On a busy machine the campaign can be over before a list is taken away: then the next one stays empty.
                #expect(text.isEmpty || text.hasSuffix("\n") && !text.contains("\0"), "\(file)")
                gone += text.split(separator: "\n").map(String.init)
            }
            #expect(Set(gone).count == gone.count)
            let rejected = try ground.results("out").filter { $0["outcome"] == "rejected" }
            // What was killed between the list and the journal is in the list, and unknown.
            let rejectedTokens = Set(rejected.compactMap { $0["token"]?.string })
            #expect(rejectedTokens.isSubset(of: gone))
        }
    }

    @Test func `a journal that was cut to half after a kill sends nothing again`() async throws {
        try await CampaignGround.with { ground in
            let count = 3000
            try Self.writeTokens(count, on: ground)
            let command = ["tokens", "-m", "Hello", "--out", "out", "--window", "200"]
            // With one connection, which has come when its first request has.
            let program = try ground.start(command + ["--rate", "1000/s", "--connections", "1"])
            _ = try await ground.mock.arrival(1000, within: .seconds(120))
            program.kill()
            _ = await program.end()
            let results = try ground.workspace.read("out/results.jsonl")
            try await ground.workspace.prepare(
                "cp out/journal whole; truncate -s $(($(stat -c %s whole) / 2)) out/journal")
            let connections = ground.mock.connectionCount
            expectRefusal(try await ground.start(command).end(), 65, "journal", "older", "be sent twice")
            #expect(ground.mock.connectionCount == connections)
            #expect(try ground.workspace.read("out/results.jsonl") == results)
            try await ground.workspace.prepare("rm out/journal")
            expectRefusal(try await ground.start(command).end(), 65, "without a journal", "restore its journal")
            #expect(!ground.workspace.exists("out/journal"))
            #expect(try ground.workspace.read("out/results.jsonl") == results)
            try await ground.workspace.prepare("cp whole out/journal")
            let last = try await ground.start(command).end()
            #expect([0, 76].contains(last.status), "\(last.errors)")
            #expect(try ground.results("out").count == count)
            #expect(await ground.takenByToken().values.allSatisfy { $0 == 1 })
        }
    }

    /// A block with a right checksum that says that line 2 to the power of 40 has its outcome.
    @Test func `a forged journal is refused, and does not end the program`() async throws {
        try await CampaignGround.with { ground in
            try Self.writeTokens(3, on: ground)
            let command = ["tokens", "-m", "Hello", "--out", "out"]
            #expect(try await ground.start(command).end().status == 0)
            try ground.workspace.write(
                """
                M = (1 << 64) - 1
                def digest(body):
                    value = 0x9E3779B97F4A7C15
                    def add(value, word):
                        full = (value ^ word) * 0xD6E8FEB86659FD93
                        return (full >> 64) ^ (full & M) ^ 0xA0761D6478BD642F
                    at = 0
                    while at + 8 <= len(body):
                        value = add(value, int.from_bytes(body[at:at + 8], "little"))
                        at += 8
                    return add(add(value, int.from_bytes(body[at:], "big")), len(body))
                def number(n):
                    out = b""
                    while n >= 128:
                        out += bytes([n & 127 | 128])
                        n >>= 7
                    return out + bytes([n])
                body = b"O" + number(0) * 4 + number(1) + number((1 << 41) << 3)
                with open("out/journal", "ab") as file:
                    file.write(len(body).to_bytes(4, "little") + (digest(body) & 0xFFFFFFFF).to_bytes(4, "little") + body)
                """, to: "forge.py")
            try await ground.workspace.prepare("python3 forge.py")
            expectRefusal(try await ground.start(command).end(), 65, "journal", "damaged")
        }
    }

    /// On Linux, what getrusage says begins with the memory of the parent.
    @Test func `the peak memory is that of the program, and not of its parent`() async throws {
        try await CampaignGround.with { ground in
            try Self.writeTokens(3, on: ground)
            let program = BuiltProgram.pushsend.path(percentEncoded: false)
            let words = ["batch", "tokens", "-m", "Hello", "--out", "out", "--json"] + ground.usual
            let script = """
                import subprocess, sys
                large = b"x" * (600 << 20)
                sys.exit(subprocess.run(sys.argv[1:]).returncode)
                """
            let ended = try await ground.workspace.run(["python3", "-c", script, program] + words)
            #expect(ended.status == 0, "\(ended.errors)")
            let peak = try #require(JSON(parsing: ended.output)["peak_memory"]?.integer)
            #expect(peak > 1 << 20 && peak < 500 << 20, "\(peak)")
        }
    }

    // Moved before it is deleted: in one step, whatever the program does meanwhile.
    @Test(arguments: ["mv out deleted && rm -r deleted", "mv out moved"])
    func `a folder that goes away during a run is noticed`(command: String) async throws {
        try await CampaignGround.with { ground in
            let (before, count) = (100, 200)
            let flags = ["-", "-m", "Hello", "--out", "out", "--window", "40"]
            let writer = SlowWriter()
            let program = try ground.start(flags + ["--rate", "200/s"], from: writer)
            try writer.write(1...before)
            _ = try await ground.mock.arrival(50, within: .seconds(120))
            try await ground.workspace.prepare(command)
            try writer.write((before + 1)...count)
            let ended = await program.end()
            #expect(!ended.wasTooSlow)
            try writer.close()
            #expect(ended.status == 74, "\(ended.errors)")
            #expect(ended.errors.contains("The folder out no longer exists"))
            #expect(!ended.errors.contains("Results: "))
            #expect(ground.mock.arrivalCount <= before, "Nothing goes out that the folder does not know.")
            #expect(!ground.workspace.exists("out"))
            guard ground.workspace.exists("moved") else { return }
            // Brought back, it goes on.
            try await ground.workspace.prepare("mv moved out")
            let lines = String(decoding: SlowWriter.lines(1...count), as: UTF8.self)
            let last = try await ground.start(flags, input: lines).end()
            #expect(last.status == 0, "\(last.errors)")
            #expect(await ground.takenByToken().values.allSatisfy { $0 == 1 })
            #expect(try ground.results("out").count == count)
        }
    }

    @Test func `a summary that cannot be written is reported, and is no success`() async throws {
        try await CampaignGround.with { ground in
            try Self.writeTokens(3, on: ground)
            try await ground.workspace.prepare("mkdir -p out/summary.json")
            let ended = try await ground.batch("tokens", "-m", "Hello", "--out", "out")
            #expect(ended.status == 74, "\(ended.errors)")
            #expect(ended.errors.contains("The summary can't be written to out/summary.json"))
            #expect(try ground.results("out").count == 3)
        }
    }

    /// What was taken has its outcome, and nothing else was sent.
    private static func expectEachKnown(_ results: [JSON], of count: Int, on ground: CampaignGround) async {
        let taken = await ground.takenByToken()
        #expect(results.count > 100 && results.count < count)
        let known = Set(results.compactMap { $0["token"]?.string })
        #expect(known == Set(taken.keys))
        #expect(results.allSatisfy { $0["outcome"] == "accepted" })
    }

    @Test(.enabled(if: PrivateNetwork.isPossible)) func `a disk of three megabytes loses no outcome`() async throws {
        try await CampaignGround.with { ground in
            let count = 20_000
            try Self.writeTokens(count, on: ground)
            let (_, results) = try await ground.batch(["tokens", "-m", "Hello"], onDiskOf: 3)
            await Self.expectEachKnown(results, of: count, on: ground)
        }
    }

    @Test func `a limit of the file size is reported like a full disk, and loses no outcome`() async throws {
        try await CampaignGround.with { ground in
            let count = 8000
            try Self.writeTokens(count, on: ground)
            let flags = ["batch", "tokens", "-m", "Hello", "--out", "out"] + ground.usual
            func run(blocks: Int) async throws -> Ended {
                try await ground.workspace.run(
                    [
                        "sh", "-c", #"ulimit -f "$1" && shift && exec "$0" "$@""#, BuiltProgram.pushsend.path(),
                        "\(blocks)",
                    ]
                        + flags, limit: .seconds(300))
            }
            let small = try await run(blocks: 1)
            #expect(small.status == 74 || small.status == 73, "\(small.errors)")
            #expect(ground.mock.arrivalCount == 0)
            let ended = try await run(blocks: 1200)
            #expect(ended.status == 74, "\(ended.errors)")
            #expect(ended.errors.contains("File too large"))
            await Self.expectEachKnown(try ground.results("out"), of: count, on: ground)
            let last = try await ground.batch("tokens", "-m", "Hello", "--out", "out")
            #expect(last.status == 0, "\(last.errors)")
            #expect(await ground.takenByToken().values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `too few open files are reported with the way out, and the number in it is enough`() async throws {
        try await CampaignGround.with { ground in
            try Self.writeTokens(1, on: ground)
            func run(openFiles: Int) async throws -> Ended {
                let command = ["batch", "tokens", "-m", "Hello", "--out", "out"] + ground.usual
                return try await ground.workspace.startPushsend(command, openFiles: openFiles).end()
            }
            var needed = 0
            for limit in [8, 12, 20] {
                let ended = try await run(openFiles: limit)
                expectRefusal(ended, 70, "ulimit -n", "\(limit) files")
                let named = try #require(ended.errors.firstMatch(of: /at least (\d+)/))
                needed = try #require(Int(named.1))
            }
            expectRefusal(try await run(openFiles: needed - 1), 70, "ulimit -n", "\(needed - 1) files")
            let ended = try await run(openFiles: needed)
            #expect(ended.status == 0, "\(ended.errors)")
        }
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("strace")))
    func `with --durable the names of the files are on the disk`()
        async throws
    {
        try await CampaignGround.with { ground in
            try Self.writeTokens(3, on: ground)
            let command = ["batch", "tokens", "-m", "Hello", "--out", "out", "--durable"] + ground.usual
            let ended = try await ground.workspace.run(
                ["strace", "-f", "-y", "-o", "trace", "-e", "trace=fsync", BuiltProgram.pushsend.path()] + command)
            // A sandbox may forbid it.
            if ended.errors.contains("ptrace") { return }
            try #require(ended.status == 0, "\(ended.errors)")
            let synced = try ground.workspace.read("trace").split(separator: "\n").filter { $0.contains("fsync(") }
            let folder = ground.workspace.folder.path()
            #expect(synced.contains { $0.contains("<\(ground.workspace.path("out"))>") }, "\(synced)")
            #expect(synced.contains { $0.contains("<\(folder.hasSuffix("/") ? String(folder.dropLast()) : folder)>") })
        }
    }
}
