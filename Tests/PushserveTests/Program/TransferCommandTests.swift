import Foundation
import MockAPNs
import PushQueue
import PushQueuePostgres
import TestSupport
import Testing

/// `pushserve queue export`, `import` and `unseal`, with a PostgreSQL of its own.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct TransferCommandTests {
    private let ground: Ground
    private let path: String
    private let export: String
    private let address: String

    init() throws {
        ground = try Ground()
        (path, export) = (ground.path("queue.sqlite"), ground.path("queue.ndjson"))
        let server = try #require(try PostgresServer.shared())
        address = Self.address(server)
    }

    /// The address of a new queue. A slow machine has all the time that it takes to connect.
    private static func address(_ server: PostgresServer) -> String {
        server.address(schema: server.newSchema()) + "&connect_timeout=600"
    }

    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Puts jobs into the file.
    private func enqueue(_ count: Int, app: String = "shop") async throws -> [UUID] {
        let queue = try SQLiteQueue(path)
        var ids: [UUID] = []
        for start in stride(from: 0, to: count, by: 1000) {
            let jobs = (start..<min(start + 1000, count)).map {
                NewQueueJob(to: .device(Self.token($0)), payload: Array("{\"aps\":{\"alert\":\"\($0)\"}}".utf8))
            }
            let answer = try await queue.enqueue(EnqueueRequest(jobs, app: app))
            guard case .done(let results) = answer else { continue }
            ids += results.compactMap(\.id)
        }
        await queue.close()
        return ids
    }

    private func export(_ more: String..., to file: String? = nil, from: String? = nil) async throws -> Ended {
        let words = ["queue", "export", file ?? export, "--database", from ?? path] + more
        return try await ground.start(words, seconds: 600).end()
    }

    private func importing(_ more: String..., from: String? = nil, to: String? = nil) async throws -> Ended {
        let words = ["queue", "import", export, "--database", to ?? address]
        let source = from.map { $0.isEmpty ? [] : ["--from", $0] } ?? ["--from", path]
        return try await ground.start(words + source + more, seconds: 600).end()
    }

    private func openTarget() async throws -> PostgresQueue {
        // The machine can be slow.
        var options = PostgresQueue.Options()
        (options.statementTime, options.stepTime) = (.seconds(300), .seconds(600))
        return try await PostgresQueue(PostgresAddress(address), options: options)
    }

    private func lines(_ file: String? = nil) throws -> [String] {
        try String(contentsOfFile: file ?? export, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    // MARK: The file

    @Test func `an export has one line for each thing, and only its owner may read it`() async throws {
        _ = try await enqueue(3)
        let ended = try await export("--json")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.objects.first?["event"] as? String == "exported")
        #expect(ended.objects.first?["jobs"] as? Int == 3)
        let mode = try FileManager.default.attributesOfItem(atPath: export)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let lines = try lines()
        #expect(lines.count == 5)
        #expect(lines[0].hasPrefix(#"{"type":"queue","format":1,"export":""#) && lines[0].hasSuffix(#","jobs":3}"#))
        #expect(lines[1].contains(#""token":"000"#) && lines[1].contains(#""app":"shop""#))
        #expect(lines[4].hasPrefix(#"{"type":"end","record":0,"#))
        // Exported again, the file is the same.
        let second = ground.path("second.ndjson")
        #expect(try await export(to: second).status == 0)
        #expect(try Data(contentsOf: URL(filePath: second)) == Data(contentsOf: URL(filePath: export)))
        let exists = try await export()
        #expect(exists.status == 73 && exists.errors.contains("it exists already"), "\(exists.errors)")
        #expect(!FileManager.default.fileExists(atPath: export + ".part"))
    }

    @Test func `a file that is cut off or changed is refused, and nothing is sealed or imported`() async throws {
        _ = try await enqueue(50)
        #expect(try await export().status == 0)
        let whole = try String(contentsOfFile: export, encoding: .utf8)
        let lines = whole.split(separator: "\n")
        let damaged = [
            String(whole.dropLast(1)), lines.dropLast().joined(separator: "\n") + "\n",
            String(whole.prefix(whole.count / 2)), whole.replacing(Self.token(7), with: Self.token(8)),
            (lines.dropLast(2) + lines.suffix(1)).joined(separator: "\n") + "\n",
            whole + "{}\n", whole + "{", whole + "\n",
        ]
        for text in damaged {
            try text.write(toFile: export, atomically: true, encoding: .utf8)
            let ended = try await importing()
            #expect(ended.status == 65, "\(ended.errors)")
            #expect(ended.errors.contains("is cut off or damaged"), "\(ended.errors)")
        }
        try "something else\n".write(toFile: export, atomically: true, encoding: .utf8)
        let other = try await importing()
        #expect(other.status == 65 && other.errors.contains("isn't the file of an export"), "\(other.errors)")
        // None of them has claimed the export.
        #expect(try await ground.pushserve("queue", "unseal", "--database", path).status == 0)
        #expect(try await enqueue(1).count == 1)
    }

    // MARK: Once

    @Test func `an import that is killed again and again brings each job once`() async throws {
        let ids = try await enqueue(40_000)
        #expect(try await export().status == 0)
        let server = try #require(try PostgresServer.shared())
        let proxy = try FreezingProxy(to: server.port)
        let through = address.replacing(":\(server.port)/", with: ":\(proxy.port)/")
        let target = try await openTarget()
        var counts: [Int] = []
        // The first one ends before a batch is there, each of the others after at least one more.
        for bytes in [100_000, 4_000_000, 4_000_000, 4_000_000] {
            proxy.passes(bytes)
            let program = try ground.start(
                ["queue", "import", export, "--from", path, "--database", through])
            while program.isRunning, !proxy.isFrozen { await Task.yield() }
            program.signal(SIGKILL)
            let ended = await program.end()
            #expect(ended.status == -SIGKILL, "\(ended.errors)")
            counts.append(try await target.counts()["shop"]?.waiting ?? 0)
        }
        #expect(counts[0] == 0)
        for (before, after) in zip(counts, counts.dropFirst()) { #expect(before < after, "\(counts)") }
        #expect(counts[3] < ids.count, "\(counts)")
        let sealed = await #expect(throws: QueueError.self) { try await target.checkWriting() }
        #expect(sealed?.code == .sealed)
        proxy.passes(nil)
        // The source is no longer needed.
        let ended = try await importing("--json", from: "", to: through)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.objects.last?["event"] as? String == "imported")
        #expect(ended.objects.last?["jobs"] as? Int == ids.count)
        #expect(try await target.counts()["shop"]?.waiting == ids.count)
        for start in stride(from: 0, to: ids.count, by: 1000) {
            let slice = Array(ids[start..<start + 1000])
            #expect(
                try await target.jobs(slice, app: "shop").map(\.id.uuidString).sorted()
                    == slice.map(\.uuidString).sorted())
        }
        try await target.checkWriting()
        await target.close()
        // Once more changes nothing.
        #expect(try await importing(from: "").status == 0)
    }

    @Test func `after an export that was killed, the next one is whole`() async throws {
        _ = try await enqueue(20_000)
        let program = try ground.start(["queue", "export", export, "--database", path])
        // The seal is there before the first line.
        let file = try SQLiteQueue(path)
        while program.isRunning, try await file.seal() == nil { await Task.yield() }
        program.signal(SIGKILL)
        _ = await program.end()
        await file.close()
        if FileManager.default.fileExists(atPath: export) { try FileManager.default.removeItem(atPath: export) }
        #expect(try await export().status == 0)
        #expect(try lines().count == 20_002)
        let imported = try await importing()
        #expect(imported.status == 0, "\(imported.errors)")
    }

    @Test func `Ctrl-C ends an import, and a second run finishes it`() async throws {
        _ = try await enqueue(20_000)
        #expect(try await export().status == 0)
        let program = try ground.start(["queue", "import", export, "--from", path, "--database", address])
        let target = try await openTarget()
        while program.isRunning, try await target.seal() == nil { await Task.yield() }
        program.signal(SIGINT)
        let ended = await program.end()
        if ended.status != 0 {
            #expect(ended.status == 130)
            #expect(ended.errors.contains("of 20000 lines were imported."), "\(ended.errors)")
        }
        let second = try await importing()
        #expect(second.status == 0, "\(second.errors)")
        #expect(try await target.counts()["shop"]?.waiting == 20_000)
        await target.close()
    }

    @Test func `the service sends what was imported, each push once`() async throws {
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        _ = try await enqueue(5)
        try ground.configure(for: mock)
        #expect(try await export().status == 0)
        let imported = try await importing()
        #expect(imported.status == 0, "\(imported.errors)")
        // The old service sends nothing.
        let old = try await ground.serve().program
        #expect(try await ground.pushserve("check").status == 73)
        try ground.configure(for: mock, database: address)
        let program = try await ground.serve().program
        var tokens: [String] = []
        while tokens.count < 5, let arrivals = await mock.arrivals(from: tokens.count + 1, atMost: 5) {
            tokens += arrivals.map { "\($0.deviceToken)" }
        }
        #expect(tokens.sorted() == (0..<5).map(Self.token))
        for service in [program, old] {
            service.signal(SIGTERM)
            let ended = await service.end()
            #expect(ended.status == 0, "\(ended.errors)")
        }
        let stats = try await ground.pushserve("queue", "stats", "--json")
        #expect(stats.objects.first?["accepted"] as? Int == 5, "\(stats.output)")
        await mock.stop()
    }

    // MARK: The seal

    @Test func `commands that change a sealed queue are refused, and the others work`() async throws {
        let ids = try await enqueue(3)
        try ground.configure()
        #expect(try await export().status == 0)
        let id = ids[0].uuidString
        for command in [
            ["queue", "cancel", id], ["queue", "bury", id], ["queue", "purge", "--token", Self.token(1)],
            ["key", "create", "--app", "shop", "--scope", "send"],
        ] {
            let ended = try await ground.start(command).end()
            #expect(ended.status == 73, "\(command) \(ended.errors)")
            #expect(ended.errors.contains("is sealed, because it was exported"), "\(command) \(ended.errors)")
        }
        let stats = try await ground.pushserve("queue", "stats", "--json")
        #expect(stats.objects.first?["waiting"] as? Int == 3)
        #expect(stats.errors.contains("is sealed, because it was exported"), "\(stats.errors)")
        #expect(try await ground.pushserve("queue", "list", "--json").objects.count == 3)
        #expect(try await ground.pushserve("queue", "show", id).status == 0)
        #expect(try await ground.pushserve("queue", "unseal").output.contains("can be used again"))
        #expect(try await ground.pushserve("queue", "cancel", id).status == 0)
        // The file is of a queue that has changed since.
        let late = try await importing()
        #expect(late.status == 64 && late.errors.contains("isn't sealed by the export"), "\(late.errors)")
    }

    @Test func `a second queue is refused, and so is unsealing, once an import has begun`() async throws {
        _ = try await enqueue(2)
        #expect(try await export().status == 0)
        let alone = try await importing(from: "")
        #expect(alone.status == 64 && alone.errors.contains("Give the exported queue with --from"), "\(alone.errors)")
        #expect(try await importing().status == 0)
        let server = try #require(try PostgresServer.shared())
        let other = Self.address(server)
        let second = try await importing(to: other)
        #expect(second.status == 73 && second.errors.contains("no other one may import it"), "\(second.errors)")
        let unsealed = try await ground.pushserve("queue", "unseal", "--database", path)
        #expect(unsealed.status == 73 && unsealed.errors.contains("sealed for good"), "\(unsealed.errors)")
        #expect(!(second.errors + unsealed.errors).contains(PostgresServer.password))
    }

    @Test func `an export for a queue is imported there without the source, and nowhere else`() async throws {
        _ = try await enqueue(2)
        #expect(try await export().status == 0)
        let asked = try await importing(from: "")
        let id = try #require(asked.errors.firstMatch(of: /--for ([0-9a-f-]{36})/)).1
        try FileManager.default.removeItem(atPath: export)
        #expect(try await export("--for", String(id)).status == 0)
        let server = try #require(try PostgresServer.shared())
        let other = try await importing(from: "", to: Self.address(server))
        #expect(other.status == 73 && other.errors.contains("was exported for the queue \(id)"), "\(other.errors)")
        #expect(try await importing(from: "").status == 0)
        let target = try await openTarget()
        #expect(try await target.counts()["shop"]?.waiting == 2)
        await target.close()
    }

    @Test func `a copy of a queue that was imported is refused before anything is sealed`() async throws {
        _ = try await enqueue(2)
        let copy = ground.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try await export().status == 0)
        #expect(try await importing().status == 0)
        try FileManager.default.removeItem(atPath: export)
        #expect(try await export(from: copy).status == 0)
        let copied = try await importing(from: copy)
        #expect(copied.status == 73 && copied.errors.contains("a copy of the same queue"), "\(copied.errors)")
        let target = try await openTarget()
        try await target.checkWriting()
        await target.close()
        #expect(try await ground.pushserve("queue", "unseal", "--database", copy).status == 0)
    }

    @Test func `an import that the target refuses leaves the exported queue as it was`() async throws {
        _ = try await enqueue(1)
        let target = try await openTarget()
        _ = try await target.enqueue(
            EnqueueRequest([NewQueueJob(to: .device(Self.token(9)), payload: Array("{}".utf8))], app: "shop"))
        let jobs = try await target.claim(
            QueueClaimRequest(owner: "worker", limit: 1, lease: .seconds(3600), apps: ["shop": 1]))
        #expect(jobs.count == 1)
        #expect(try await export().status == 0)
        let refused = try await importing()
        #expect(refused.status == 75 && refused.errors.contains("are still sending 1 job"), "\(refused.errors)")
        #expect(try await ground.pushserve("queue", "unseal", "--database", path).status == 0)
        await target.close()
    }

    @Test func `an import that the exported queue refuses leaves the target as it was`() async throws {
        _ = try await enqueue(1)
        #expect(try await export().status == 0)
        #expect(try await ground.pushserve("queue", "unseal", "--database", path).status == 0)
        let refused = try await importing()
        #expect(refused.status == 64 && refused.errors.contains("isn't sealed by the export"), "\(refused.errors)")
        let target = try await openTarget()
        #expect(try await target.seal() == nil)
        await target.close()
    }

    // MARK: Refusals

    @Test func `what cannot be exported or imported is refused with the way out, and nothing is created`() async throws
    {
        let missing = try await export(from: ground.path("no.sqlite"))
        #expect(missing.status == 66)
        #expect(!FileManager.default.fileExists(atPath: ground.path("no.sqlite")))
        _ = try await enqueue(1)
        let server = try await export(from: address)
        #expect(server.status == 64 && server.errors.contains("works on a queue in a file"), "\(server.errors)")
        #expect(try await export("--for", "me").status == 64)
        #expect(try await export(to: ground.path("no/queue.ndjson")).status == 73)
        let stream = try await export(to: "-")
        #expect(
            stream.status == 64 && stream.errors.contains("An export can't go to standard output"), "\(stream.errors)")
        let standard = try await ground.start(["queue", "import", "-", "--database", address]).end()
        #expect(standard.status == 64 && standard.errors.contains("several times"), "\(standard.errors)")
        let absent = try await importing()
        #expect(absent.status == 66, "\(absent.errors)")
        #expect(try await enqueue(1).count == 1)
        #expect(try await export().status == 0)
        let file = try await importing(to: path)
        #expect(file.status == 64 && file.errors.contains("only be imported into PostgreSQL"), "\(file.errors)")
        let held = try HeldPort()
        let unreachable = try await importing(to: "postgres://queue:secret@127.0.0.1:\(held.number)/postgres")
        #expect(unreachable.status == 69, "\(unreachable.errors)")
        held.letGo()
        #expect(try await ground.pushserve("queue", "unseal", "--database", path).status == 0)
    }

    @Test func `jobs that a process is sending stop an export, and the queue is not sealed`() async throws {
        _ = try await enqueue(1)
        let file = try SQLiteQueue(path)
        _ = try await file.claim(QueueClaimRequest(owner: "worker", limit: 1, lease: .seconds(3600), apps: ["shop": 1]))
        let sending = try await export()
        #expect(sending.status == 75)
        #expect(sending.errors.contains("A running process is still sending 1 job of"), "\(sending.errors)")
        #expect(try await file.seal() == nil)
        await file.close()
        for name in [export, export + ".part"] { #expect(!FileManager.default.fileExists(atPath: name)) }
    }

    @Test func `outcomes that a webhook has not delivered stop the export, unless they may stay`() async throws {
        let ids = try await enqueue(2)
        let file = try SQLiteQueue(path)
        _ = try await file.store(Array("0".utf8), kind: "webhook_cursor", key: "shop", ifVersion: nil)
        _ = try await file.cancel([ids[0]], app: "shop")
        await file.close()
        let refused = try await export()
        #expect(refused.status == 75)
        #expect(refused.errors.contains("Webhooks haven't delivered all outcomes: 1 of shop."), "\(refused.errors)")
        let exported = try await export("--leave-results", "--json")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.objects.first?["undelivered_left"] as? Int == 1)
        #expect(exported.objects.first?["finished_left"] as? Int == 1)
        #expect(exported.objects.first?["jobs"] as? Int == 1)
        #expect(exported.objects.first?["records"] as? Int == 0)
    }

    @Test func `gone tokens that an inbox or the app's own table has not got stop the export, unless they may stay`()
        async throws
    {
        _ = try await enqueue(3)
        let file = try SQLiteQueue(path)
        let jobs = try await file.claim(
            QueueClaimRequest(owner: "worker", limit: 2, lease: .seconds(3600), apps: ["shop": 2]))
        _ = try await file.start(jobs.map { QueueJobStart($0.lease) })
        var gone = QueueJobOutcome(.rejected, reason: "Unregistered")
        gone.goneSince = .now
        let accepted = QueueJobOutcome(.accepted)
        _ = try await file.complete([
            QueueJobCompletion(jobs[0].lease, gone), QueueJobCompletion(jobs[1].lease, accepted),
        ])
        let end = try await file.resultsEnd().number
        func store(_ kind: String, _ key: String, _ text: String) async throws {
            _ = try await file.store(Array(text.utf8), kind: kind, key: key, ifVersion: nil)
        }
        try await store("recipients_gone", "shop", "0")
        try await store("inbox", "queue", "q")
        try await store("inbox", "postgres://db/shop pushserve", "4f1c09ab outcomes 0")
        let refused = try await export()
        #expect(refused.status == 75)
        #expect(refused.errors.contains("1 gone token of shop"), "\(refused.errors)")
        #expect(refused.errors.contains("1 outcome for the inbox postgres://db/shop pushserve"), "\(refused.errors)")
        #expect(!refused.errors.contains("Webhooks"), "\(refused.errors)")
        try await store("recipients_gone", "shop", "\(end)")
        try await store("inbox", "postgres://db/shop pushserve", "4f1c09ab outcomes \(end)")
        await file.close()
        #expect(try await export().status == 0)
    }
}
