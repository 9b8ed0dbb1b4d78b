import Foundation
import NIOConcurrencyHelpers
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct PostgresWriterTests {
    private typealias Call<Value> = @Sendable () async throws -> Value

    private let address: PostgresAddress
    private let queue: PostgresQueue
    private var writer: PostgresWriter { queue.intakeWriter }

    init() async throws {
        let server = try #require(try PostgresServer.shared())
        address = try PostgresAddress(server.address(schema: server.newSchema()))
        queue = try await PostgresQueue(address, options: .patient)
    }

    private func together<Value: Sendable>(
        _ calls: [Call<Value>], arrived: () async throws -> Void = {}
    ) async throws -> [Result<Value, any Error>] {
        try await PostgresWriterGate().together(writer, calls, arrived: arrived)
    }

    @Test func `callers of one group get their own errors, and the others are stored`() async throws {
        // The second request fails after another one has stored a job.
        let wrong = EnqueueRequest([.sample(2)], app: "shop", idempotency: QueueIdempotencyKey("k", digest: []))
        let requests = [
            EnqueueRequest([.sample(1)], app: "shop"), wrong, EnqueueRequest([.sample(3)], app: ""),
            EnqueueRequest([.sample(4)], app: "shop"),
        ]
        let calls: [Call<EnqueueAnswer>] = requests.map { request in { [queue] in try await queue.enqueue(request) }
        }
        let results = try await together(calls)
        #expect(results.map { $0.queueError?.code } == [nil, .invalid, .invalid, nil])
        #expect(try await queue.counts()["shop"]?.waiting == 2)
        #expect(try await queue.claim().count == 2)
        await queue.close()
    }

    @Test func `a step that fails undoes what it has changed, in a group and alone`() async throws {
        _ = try await queue.add([.sample()])
        for others in [0, 2] {
            let failing: Call<Void> = { [writer] in
                try await writer.write { (transaction) throws(QueueError) in
                    _ = try transaction.enqueue([PostgresEnqueue(EnqueueRequest([.sample(9)], app: "shop"))])
                    throw QueueError(.invalid, "It fails.")
                }
            }
            let recording: Call<Void> = { [queue] in
                try await queue.recordGone([GoneToken(NewQueueJob.token(1), since: .earliest)], app: "shop")
            }
            let results = try await together([failing] + Array(repeating: recording, count: others))
            #expect(results.compactMap { $0.queueError?.description } == ["It fails."])
            #expect(results.count == others + 1)
            #expect(try await queue.counts()["shop"]?.waiting == 1)
            #expect(try await queue.list(.all).count == 1)
        }
        await queue.close()
    }

    @Test func `a group that another transaction is in the way of is done again, and then by its single steps`()
        async throws
    {
        let tries = NIOLockedValueBox([0, 0])
        let calls: [Call<Int>] = [2, 7].enumerated().map { index, conflicts in
            { [writer] in
                try await writer.write { (transaction) throws(QueueError) in
                    _ = try transaction.enqueue([PostgresEnqueue(EnqueueRequest([.sample(index)], app: "shop"))])
                    let count = tries.withLockedValue { tries in
                        tries[index] += 1
                        return tries[index]
                    }
                    if count <= conflicts { throw QueueError(.conflict, "In the way.") }
                    return count
                }
            }
        }
        let results = try await together(calls)
        // The group five times: the first step fails twice. Then one after the other: the second fails four more times.
        #expect(results.compactMap { try? $0.get() } == [6, 8])
        #expect(try await queue.counts()["shop"]?.waiting == 2)
        let hopeless = await #expect(throws: QueueError.self) {
            try await writer.write { (_) throws(QueueError) in
                tries.withLockedValue { $0[0] += 1 }
                throw QueueError(.conflict, "In the way.")
            }
        }
        #expect(hopeless?.code == .conflict)
        #expect(tries.withLockedValue { $0[0] } == 6 + 5)
        await queue.close()
    }

    @Test func `a step that is alone has a transaction of its own, and steps with one row share another`()
        async throws
    {
        let row = StepGrouping.row(.record(kind: "z", key: ""))
        let groupings: [StepGrouping] = [.alone, .shared(), row, .alone, .shared(), row]
        let calls: [Call<Int64>] = groupings.map { grouping in
            { [writer] in
                try await writer.write(grouping) { (transaction) throws(QueueError) in
                    let text = PostgresText("SELECT pg_current_xact_id()::text::int8")
                    return try transaction.query(text, []).first?.integer(0) ?? 0
                }
            }
        }
        let ids = try await together(calls).map { try $0.get() }
        #expect(ids[1] == ids[4] && ids[2] == ids[5])
        #expect(Set(ids).count == 4)
        await queue.close()
    }

    @Test func `steps with one row each are done in the order of their rows`() async throws {
        func key(_ name: String) -> QueueIdempotencyKey { QueueIdempotencyKey(name, digest: [1]) }
        let rows: [(String, StepRow)] = [
            ("record b", .record(kind: "k", key: "b")),
            ("request z/a", .request(app: "z", key("a"))), ("record a", .record(kind: "k", key: "a")),
            ("request a/b", .request(app: "a", key("b"))), ("request a/a", .request(app: "a", key("a"))),
        ]
        let order = NIOLockedValueBox<[String]>([])
        let calls: [Call<Void>] = rows.map { name, row in
            { [writer] in
                try await writer.write(.row(row)) { (_) throws(QueueError) in
                    order.withLockedValue { $0.append(name) }
                }
            }
        }
        _ = try await together(calls)
        #expect(
            order.withLockedValue { $0 } == ["request a/a", "request a/b", "request z/a", "record a", "record b"])
        await queue.close()
    }

    @Test func `a connection that breaks fails only the group that it was used for`() async throws {
        let calls: [Call<Void>] = (0..<3).map { number in
            { [writer] in
                try await writer.write(.alone) { (transaction) throws(QueueError) in
                    let stop = PostgresText("SELECT pg_terminate_backend(pg_backend_pid())")
                    if number == 0 { _ = try transaction.query(stop, []) }
                    _ = try transaction.enqueue([PostgresEnqueue(EnqueueRequest([.sample(number)], app: "shop"))])
                }
            }
        }
        let results = try await together(calls)
        #expect(results.map { $0.queueError?.code } == [.unreachable, nil, nil])
        #expect(try await queue.counts()["shop"]?.waiting == 2)
        await queue.close()
    }

    @Test func `in an outage, all steps that wait fail with one try to connect`() async throws {
        let server = try #require(try PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port, word: "the last", cuts: .beforeTheServer)
        let writer = try Self.writer(through: proxy.port, to: address, server)
        let results = try await fiveSteps("SELECT 'the last'", writer)
        #expect(proxy.refused == 1)
        // No commit was sent.
        let texts = results.compactMap(\.queueError?.description)
        #expect(texts.count { $0.contains("may not be stored") } == 0)
        _ = await writer.close()
        await queue.close()
    }

    @Test func `if a server does not answer, the steps behind fail without waiting for it`() async throws {
        let server = try #require(try PostgresServer.shared())
        let writer = PostgresWriter(name: "silent", address, .patient) { _ in }
        let results = try await fiveSteps("SELECT pg_sleep(600) AS silent", writer, limit: .seconds(1))
        let texts = results.compactMap(\.queueError?.description)
        #expect(texts.map { $0.contains("didn't answer an earlier step") } == [false, true, true, true, true])
        // The socket is closed at once, so that the server ends the transaction.
        let admin = try PostgresConnection(
            PostgresAddress(server.address(schema: address.schema)), .patient)
        while try admin.run(PostgresStatement(.sleepers, [])).first?.integer(0) != 0 {
            try await Task.sleep(for: .milliseconds(20))
        }
        // Later steps try again.
        try await writer.write { (_) throws(QueueError) in }
        _ = await writer.close()
        await queue.close()
    }

    /// Five steps, each alone. The first one fails because of its statement, and the others are not tried.
    private func fiveSteps(
        _ sql: String, _ writer: PostgresWriter, limit: Duration = .seconds(300)
    ) async throws -> [Result<Void, any Error>] {
        let tries = NIOLockedValueBox(0)
        let call: Call<Void> = {
            try await writer.write(.alone) { (transaction) throws(QueueError) in
                tries.withLockedValue { $0 += 1 }
                try transaction.connection.waiting(limit) { () throws(QueueError) in
                    _ = try transaction.query(PostgresText(sql), [])
                }
            }
        }
        let results = try await PostgresWriterGate().together(writer, Array(repeating: call, count: 5))
        #expect(results.map { $0.queueError?.code } == Array(repeating: .unreachable, count: 5))
        #expect(tries.withLockedValue { $0 } == 1)
        return results
    }

    private static func writer(
        through port: Int, to address: PostgresAddress, _ server: PostgresServer
    ) throws -> PostgresWriter {
        let text = server.address(schema: address.schema).replacing(":\(server.port)", with: ":\(port)")
        let through = try PostgresAddress(text + "&sslmode=disable&gssencmode=disable")
        return PostgresWriter(name: "cut", through, .patient) { _ in }
    }

    @Test func `what was taken before the end is done, and later steps are refused`() async throws {
        let closing = NIOLockedValueBox<Task<Bool, Never>?>(nil)
        let calls: [Call<EnqueueAnswer>] = (0..<20).map { number in
            { [queue] in try await queue.enqueue(EnqueueRequest([.sample(number)], app: "shop")) }
        }
        let alone: Call<EnqueueAnswer> = { [writer] in
            try await writer.write(.alone) { (transaction) throws(QueueError) in
                try transaction.enqueue([PostgresEnqueue(EnqueueRequest([.sample(20)], app: "shop"))])[0]
            }
        }
        let results = try await together(calls + [alone]) { [writer] in
            let task = Task { await writer.close() }
            closing.withLockedValue { $0 = task }
            // While it is busy, it only notes that no more steps are taken.
            while writer.isOpen { await Task.yield() }
        }
        #expect(results.compactMap(\.queueError).isEmpty)
        #expect(await closing.withLockedValue { $0 }?.value == true)
        #expect(await writer.close() == false)
        let error = await #expect(throws: QueueError.self) {
            try await writer.write { (_) throws(QueueError) in }
        }
        #expect(error?.code == .closed)
        let other = try await PostgresQueue(address, options: .patient)
        #expect(try await other.counts()["shop"]?.waiting == 21)
        await other.close()
        await queue.close()
    }

    @Test func `a writer that is closed while steps come answers each of them, and does those that it took`()
        async throws
    {
        for _ in 0..<30 {
            let writer = PostgresWriter(name: "closed", address, .patient) { _ in }
            let runs = NIOLockedValueBox(0)
            let done = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let isDone: ()? = try? await writer.write { (_) throws(QueueError) in
                            runs.withLockedValue { $0 += 1 }
                        }
                        return isDone == nil ? 0 : 1
                    }
                }
                group.addTask {
                    _ = await writer.close()
                    return 0
                }
                return await group.reduce(0, +)
            }
            #expect(done == runs.withLockedValue { $0 })
        }
        await queue.close()
    }
}

extension PostgresText {
    fileprivate static let sleepers = PostgresText(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%AS silent' AND pid <> pg_backend_pid() AND state = 'active'"
    )
}
