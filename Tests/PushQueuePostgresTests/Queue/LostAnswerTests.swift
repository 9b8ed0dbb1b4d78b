import NIOConcurrencyHelpers
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The connection breaks at the commit.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct LostAnswerTests {
    @Test(arguments: [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer])
    func `jobs are stored once, and the caller gets this result, whenever the answer to the commit is lost`(
        moment: CuttingProxy.Moment
    ) async throws {
        let server = try #require(try PostgresServer.shared())
        let direct = try PostgresAddress(server.address(schema: server.newSchema()))
        let queue = try await PostgresQueue(direct, options: .patient)
        let proxy = try CuttingProxy(to: server.port, word: "COMMIT", cuts: moment)
        let through = server.address(schema: direct.schema).replacing(
            ":\(server.port)", with: ":\(proxy.port),127.0.0.1:\(server.port)")
        let writer = PostgresWriter(name: "cut", try PostgresAddress(through), .patient) { _ in }
        let request = PostgresEnqueue(EnqueueRequest((0..<5).map { .sample($0) }, app: "shop"))
        let answer: EnqueueAnswer = try await writer.step { .enqueue(request, $0) }
        guard case .done(let results) = answer else { throw Unexpected() }
        #expect(try await queue.counts()["shop"]?.waiting == 5)
        #expect(try await queue.claim().map(\.id) == results.compactMap(\.id))
        _ = await writer.close()
        await queue.close()
    }

    /// How many commits wait for a standby.
    private static func commitsThatWait(_ admin: PostgresConnection) throws -> Int {
        let text = "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        return try admin.run(PostgresStatement(PostgresText(text), [])).first?.number(0) ?? 0
    }

    private static func setStandby(_ setting: String, _ admin: PostgresConnection) throws {
        try admin.execute("ALTER SYSTEM \(setting)")
        try admin.execute("SELECT pg_reload_conf()")
    }

    @Test func `a commit that becomes visible late is found, and no step of its group is done twice`() async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let direct = try PostgresAddress(server.address(schema: server.newSchema()))
        let clock = ManualClock()
        var queueOptions = QueueOptions()
        (queueOptions.clock, queueOptions.uptime, queueOptions.boot) = ({ clock.now }, { clock.uptime }, clock.boot)
        // The clock stands still. Otherwise the first commit would note the time, and the second one would wait for its row.
        let options = PostgresQueue.Options.with(queueOptions)
        let queue = try await PostgresQueue(direct, options: options)
        _ = try await queue.add([.sample(9)])
        let proxy = try CuttingProxy(to: server.port, word: "COMMIT", cuts: .beforeTheAnswer)
        let through = server.address(schema: direct.schema).replacing(
            ":\(server.port)", with: ":\(proxy.port),127.0.0.1:\(server.port)")
        let writer = PostgresWriter(name: "cut", try PostgresAddress(through), options) { _ in }
        let request = EnqueueRequest([.sample()], app: "shop", idempotency: QueueIdempotencyKey("key", digest: [1]))
        let enqueue = PostgresEnqueue(request)
        let admin = try PostgresConnection(direct, .patient)
        let probe = PostgresThread(name: "probe", address: direct, settings: .patient)
        let adding: @Sendable () async throws -> Bool = {
            let answer: EnqueueAnswer = try await writer.step { .enqueue(enqueue, $0) }
            if case .done = answer { return true }
            return false
        }
        let creating: @Sendable () async throws -> Bool = {
            try await writer.write { (transaction) throws(QueueError) in
                if case .created = try transaction.createCampaign(NewQueueCampaign("Sale", app: "shop")) {
                    true
                } else {
                    false
                }
            }
        }
        // Nobody confirms commits until three wait: one of another program, the one whose answer is lost, and the one that looks for it.
        let probing = NIOLockedValueBox(true)
        let probes = Task {
            var number = 0
            while probing.withLockedValue({ $0 }) {
                try await probe.run { [number] (connection) throws(QueueError) in
                    try connection.execute("CREATE TABLE probe_\(number) ()")
                }
                number += 1
            }
        }
        let looking = Task {
            while try Self.commitsThatWait(admin) < 3 {
                try Task.checkCancellation()
                try await Task.sleep(for: .milliseconds(5))
            }
            probing.withLockedValue { $0 = false }
            try Self.setStandby("RESET synchronous_standby_names", admin)
        }
        let results = try await PostgresWriterGate().together(writer, [adding, creating]) {
            let other = try PostgresConnection(direct, .patient)
            try Self.setStandby("SET synchronous_standby_names = 'nobody'", other)
            while try Self.commitsThatWait(other) < 1 { try await Task.sleep(for: .milliseconds(5)) }
        }
        #expect(try results.map { try $0.get() } == [true, true])
        try await looking.value
        _ = await probes.result
        await probe.stop()
        #expect(try await queue.campaigns(app: "shop", after: nil, limit: 10).items.count == 1)
        #expect(try await queue.counts()["shop"]?.waiting == 2)
        _ = await writer.close()
        await queue.close()
    }

    @Test func `a step that can be repeated learns that it was not confirmed`() async throws {
        let server = try #require(try PostgresServer.shared())
        let direct = try PostgresAddress(server.address(schema: server.newSchema()))
        let queue = try await PostgresQueue(direct, options: .patient)
        let id = try await queue.add([.sample()])[0]
        let job = try await queue.startAll()[0]
        let proxy = try CuttingProxy(to: server.port, word: "COMMIT", cuts: .afterTheAnswer)
        let through = server.address(schema: direct.schema).replacing(
            ":\(server.port)", with: ":\(proxy.port),127.0.0.1:\(server.port)")
        let writer = PostgresWriter(name: "cut", try PostgresAddress(through), .patient) { _ in }
        let completion = QueueJobCompletion(job.lease, .accepted)
        await #expect {
            let _: [QueueLeaseResult] = try await writer.step { .complete([completion], $0) }
        } throws: {
            ($0 as? QueueError)?.code == .unreachable
        }
        let again: [QueueLeaseResult] = try await writer.step { .complete([completion], $0) }
        #expect(again == [.done])
        #expect(try await queue.job(id)?.outcome == .accepted)
        _ = await writer.close()
        await queue.close()
    }
}
