import APNSVocabulary
import Foundation
import MockAPNs
import PushQueue
import PushQueuePostgres
import TestSupport
import Testing

/// `pushserve queue move`, with a PostgreSQL of its own.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct MoveCommandTests {
    private let ground: Ground
    private let path: String
    private let address: String

    init() throws {
        ground = try Ground()
        path = ground.path("queue.sqlite")
        let server = try #require(try PostgresServer.shared())
        address = server.address(schema: server.newSchema())
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

    private func move(_ more: String..., from: String? = nil, to: String? = nil) async throws -> Ended {
        try await move(more, from: from, to: to)
    }

    private func move(_ more: [String], from: String? = nil, to: String? = nil) async throws -> Ended {
        let words = ["queue", "move", "--from", from ?? "sqlite:\(path)", "--to", to ?? address]
        return try await ground.start(words + more, seconds: 600).end()
    }

    private func openTarget() async throws -> PostgresQueue { try await PostgresQueue(PostgresAddress(address)) }

    // MARK: Once

    @Test func `a move that is killed again and again brings each job once`() async throws {
        let ids = try await enqueue(40_000)
        let server = try #require(try PostgresServer.shared())
        let proxy = try FreezingProxy(to: server.port)
        let through = address.replacing(":\(server.port)/", with: ":\(proxy.port)/")
        let target = try await openTarget()
        var counts: [Int] = []
        // The first one ends before a batch is there, each of the others after at least one more.
        for bytes in [100_000, 1_200_000, 1_300_000, 1_400_000] {
            proxy.passes(bytes)
            let program = try ground.start(["queue", "move", "--from", path, "--to", through])
            while program.isRunning, !proxy.isFrozen { await Task.yield() }
            program.signal(SIGKILL)
            let ended = await program.end()
            #expect(ended.status == -SIGKILL, "\(ended.errors)")
            counts.append(try await target.counts()["shop"]?.waiting ?? 0)
        }
        #expect(counts[0] == 0)
        for (before, after) in zip(counts, counts.dropFirst()) { #expect(before < after, "\(counts)") }
        #expect(counts[3] < ids.count, "\(counts)")
        proxy.passes(nil)
        let ended = try await move("--json", to: through)
        #expect(ended.status == 0, "\(ended.errors)")
        let event = ended.objects.last?["event"] as? String
        #expect(event == "moved" || event == "moved_before")
        #expect(try await target.counts()["shop"]?.waiting == ids.count)
        for start in stride(from: 0, to: ids.count, by: 1000) {
            let slice = Array(ids[start..<start + 1000])
            #expect(
                try await target.jobs(slice, app: "shop").map(\.id.uuidString).sorted()
                    == slice.map(\.uuidString).sorted())
        }
        await target.close()
    }

    @Test func `Ctrl-C ends a move, and a second run finishes it`() async throws {
        _ = try await enqueue(20_000)
        let program = try ground.start(["queue", "move", "--from", path, "--to", address])
        // It cannot have ended well before the mark is there.
        let file = try SQLiteQueue(path)
        while program.isRunning, try await file.record(kind: "queue_move", key: "source") == nil { await Task.yield() }
        await file.close()
        program.signal(SIGINT)
        let ended = await program.end()
        if ended.status != 0 {
            #expect(ended.status == 130)
            #expect(ended.errors.contains("of 20000 jobs were moved. Run the command again"), "\(ended.errors)")
        }
        let second = try await move()
        #expect(second.status == 0, "\(second.errors)")
        if ended.status != 0 {
            #expect(second.output.contains("shop: 20000 of 20000 jobs found"), "\(second.output)")
        }
        for more in [[], ["--dry-run"]] {
            let third = try await move(["--json"] + more)
            #expect(third.objects.map { $0["event"] as? String } == ["moved_before"])
        }
    }

    @Test func `the service sends what was moved, each push once`() async throws {
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        _ = try await enqueue(5)
        let credentials = mock.credentials
        try ground.write(Array(credentials.p8.utf8), to: "key.p8")
        try ground.write(Array(credentials.authority.utf8), to: "ca.pem")
        func configure(_ database: String) throws {
            try ground.write(
                """
                listen: 127.0.0.1:0
                database: \(database)
                apps:
                  shop:
                    environment: {host: localhost, port: \(mock.port), ca: ca.pem}
                    key: {file: key.p8, id: \(credentials.keyID), team: \(credentials.teamID)}
                    topic: com.example.shop
                """, to: "pushserve.yaml")
        }
        try configure("queue.sqlite")
        #expect(try await move().status == 0)
        // The old service does not start again.
        let old = try await ground.pushserve("run")
        #expect(old.status == 73)
        #expect(old.errors.contains("was moved to postgres://"), "\(old.errors)")
        try configure(address)
        let program = try ground.start(["run", "--json"])
        _ = try #require(await program.output.line(with: #""event":"ready""#))
        var tokens: [String] = []
        while tokens.count < 5, let arrivals = await mock.arrivals(from: tokens.count + 1, atMost: 5) {
            tokens += arrivals.map { "\($0.deviceToken)" }
        }
        #expect(tokens.sorted() == (0..<5).map(Self.token))
        program.signal(SIGTERM)
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.errors)")
        let stats = try await ground.pushserve("queue", "stats", "--json")
        #expect(stats.objects.first?["accepted"] as? Int == 5, "\(stats.output)")
        await mock.stop()
    }

    // MARK: Refusals

    @Test func `after a move, commands that change the file are refused, and the others work`() async throws {
        let ids = try await enqueue(3)
        try ground.configure()
        let moved = try await move()
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.output.contains("shop: 3 of 3 jobs found in the target, each once."), "\(moved.output)")
        #expect(!(moved.output + moved.errors).contains(PostgresServer.password))
        let id = ids[0].uuidString
        for command in [
            ["run"], ["queue", "cancel", id], ["queue", "bury", id], ["queue", "purge", "--token", Self.token(1)],
            ["key", "create", "--app", "shop", "--scope", "send"],
        ] {
            let ended = try await ground.start(command).end()
            #expect(ended.status == 73, "\(command) \(ended.errors)")
            #expect(ended.errors.contains("was moved to postgres://"), "\(command) \(ended.errors)")
            #expect(ended.errors.contains("pushserve queue move --help"), "\(command) \(ended.errors)")
            #expect(!ended.errors.contains(PostgresServer.password))
        }
        #expect(try await ground.pushserve("queue", "stats", "--json").objects.first?["waiting"] as? Int == 3)
        #expect(try await ground.pushserve("queue", "list", "--json").objects.count == 3)
        #expect(try await ground.pushserve("queue", "show", id).status == 0)
    }

    @Test func `what cannot be moved is refused with the way out, and nothing is created`() async throws {
        let missing = try await move(from: "sqlite:\(ground.path("no.sqlite"))")
        #expect(missing.status == 66)
        #expect(!FileManager.default.fileExists(atPath: ground.path("no.sqlite")))
        _ = try await enqueue(1)
        for (from, to) in [(address, address), (path, path), (address, path)] {
            let ended = try await move(from: from, to: to)
            #expect(ended.status == 64, "\(ended.errors)")
            #expect(ended.errors.contains("A queue can only be moved from a file to PostgreSQL."), "\(ended.errors)")
        }
        try ground.write("something else", to: "text.txt")
        #expect(try await move(from: ground.path("text.txt")).status == 65)
        let held = try HeldPort()
        let unreachable = try await move(to: "postgres://queue:secret@127.0.0.1:\(held.number)/postgres")
        #expect(unreachable.status == 69, "\(unreachable.errors)")
        held.letGo()
        let server = try #require(try PostgresServer.shared())
        let wrong = try await move(to: "postgres://queue:wrong@127.0.0.1:\(server.port)/postgres")
        #expect(wrong.status == 69, "\(wrong.errors)")

        var options = SQLiteQueueOptions()
        options.isService = true
        let service = try SQLiteQueue(path, options: options)
        let running = try await move()
        #expect(running.status == 75, "\(running.errors)")
        #expect(running.errors.contains("Another service uses the queue"), "\(running.errors)")
        await service.close()
        // None of them has closed the file.
        #expect(try await enqueue(1).count == 1)
    }

    @Test func `a dry run says what would be moved, and changes nothing`() async throws {
        _ = try await enqueue(4)
        let plan = try await move("--dry-run", "--json")
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.objects.first?["event"] as? String == "plan")
        #expect(plan.objects.first?["jobs"] as? Int == 4)
        #expect(try await enqueue(1).count == 1)
        await #expect { try await PostgresQueue(PostgresAddress(address), options: .onlyExisting) } throws: {
            ($0 as? QueueError)?.code == .missing
        }
    }

    @Test func `a dry run refuses what a move refuses`() async throws {
        let file = try SQLiteQueue(path)
        _ = try await file.enqueue(
            EnqueueRequest([NewQueueJob(to: .device(Self.token(1)), payload: Array(#"{"aps":{}}"#.utf8))], app: "shop"))
        let copy = ground.path("copy.sqlite")
        for end in ["", "-wal"] {
            try Data(contentsOf: URL(filePath: path + end)).write(to: URL(filePath: copy + end))
        }
        _ = try await file.claim(QueueClaimRequest(owner: "worker", limit: 1, lease: .seconds(3600), apps: ["shop": 1]))
        let sending = try await move("--dry-run")
        #expect(sending.status == 75)
        #expect(sending.errors.contains("A running process is still sending 1 job of"), "\(sending.errors)")
        await file.close()
        #expect(try await move().status == 0)
        let copied = try await move("--dry-run", from: copy)
        #expect(copied.status == 64)
        #expect(copied.errors.contains("an earlier copy of the file was moved there"), "\(copied.errors)")
    }

    @Test func `a moved queue that the target does not know any more is no success`() async throws {
        _ = try await enqueue(2)
        let moved = try await move()
        #expect(moved.status == 0, "\(moved.errors)")
        let schema = try PostgresAddress(address).schema
        #expect(moved.output.contains("/postgres?schema=\(schema). Set \"database\""), "\(moved.output)")
        let server = try #require(try PostgresServer.shared())
        let other = server.address(schema: server.newSchema())
        for isMade in [false, true] {
            if isMade { await (try PostgresQueue(PostgresAddress(other))).close() }
            let lost = try await move(to: other)
            #expect(lost.status == 1, "\(lost.errors)")
            #expect(lost.errors.contains(isMade ? "does not know this move" : "has no queue"), "\(lost.errors)")
            #expect(lost.errors.contains("queue list --database \(path)"), "\(lost.errors)")
        }
    }

    @Test func `what was erased in the target meanwhile is named, and the move can end without it`() async throws {
        _ = try await enqueue(3)
        _ = try await enqueue(1, app: "news")
        var options = SQLiteQueueOptions()
        (options.isService, options.isMove) = (true, true)
        let file = try SQLiteQueue(path, options: options)
        let target = try await openTarget()
        let begun = QueueMove(from: file, to: target, staying: [])
        var state = try await begun.begin()
        while !state.isComplete { state = try await begun.step(state) }
        await file.close()
        #expect(try await target.purge(app: "shop", limit: 100) == 3)
        await target.close()
        // The address has a schema, without which another queue would be made.
        let wrong = try await move(to: address.replacing("schema=", with: "schema=not_"))
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("does not know this move"), "\(wrong.errors)")

        let incomplete = try await move()
        #expect(incomplete.status == 1)
        #expect(incomplete.output.contains("shop: 0 of 3 jobs found in the target, each once. 3 are missing."))
        #expect(incomplete.errors.contains("are missing in the target: 3 of shop."), "\(incomplete.errors)")
        let report = try await move("--json").objects.first
        #expect(report?["event"] as? String == "incomplete")
        #expect(report?["missing"] as? [String: Int] == ["shop": 3])
        #expect(report?["wrong_parts"] as? [String] == [])
        let accepted = try await move("--accept-missing")
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(try await move().output.contains("was moved"))
    }

    @Test func `outcomes that a webhook has not delivered stop the move, unless they may stay`() async throws {
        let ids = try await enqueue(2)
        let file = try SQLiteQueue(path)
        _ = try await file.store(Array("0".utf8), kind: "webhook_cursor", key: "shop", ifVersion: nil)
        _ = try await file.cancel([ids[0]], app: "shop")
        await file.close()
        for more in [["--dry-run"], []] {
            let refused = try await move(more)
            #expect(refused.status == 75)
            #expect(
                refused.errors.contains("Webhooks have not delivered all outcomes: 1 of shop."), "\(refused.errors)")
        }
        let plan = try await move("--dry-run", "--leave-results", "--json")
        #expect(plan.objects.first?["undelivered_left"] as? Int == 1, "\(plan.errors)")
        let moved = try await move("--leave-results", "--json")
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.objects.first?["undelivered_left"] as? Int == 1)
        #expect(moved.objects.first?["finished_left"] as? Int == 1)
        #expect((moved.objects.first?["jobs"] as? [String: Any])?["moved"] as? Int == 1)
    }
}

extension PostgresQueueOptions {
    fileprivate static var onlyExisting: PostgresQueueOptions {
        var options = PostgresQueueOptions()
        options.createsTables = false
        return options
    }
}
