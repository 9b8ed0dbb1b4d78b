#if PushService
    import Foundation
    import PushPlatform
    import PushQueue
    import QueueConformance
    import TestSupport
    import Testing

    @testable import PushQueuePostgres

    /// Transactions that lock the same rows lock them in the same order. Otherwise PostgreSQL ends one of them after a while, which is not
    /// seen from outside, as it is tried again.
    @Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
    struct LockOrderTests {
        private static let rounds = 30
        private static let jobs = 60

        @Test func `no transaction waits for another one that waits for it`() async throws {
            let server = try await Blocking.run { try PostgresServer(settings: ["deadlock_timeout=20ms"]) }
            let address = try PostgresAddress(server.address(schema: server.newSchema()))
            let clock = ManualClock()
            var options = QueueOptions()
            (options.clock, options.uptime, options.boot) = ({ clock.now }, { clock.uptime }, clock.boot)
            let postgres = PostgresQueueOptions.with(options)
            var queues: [PostgresQueue] = []
            for _ in 0..<4 { queues.append(try await PostgresQueue(address, options: postgres)) }
            for _ in 0..<Self.rounds {
                let new = (0..<Self.jobs).map { number in NewJob.sample(number).with { $0.dedupeKey = "\(number)" } }
                let ids = try await queues[0].add(new)
                for slice in [ids.prefix(20), ids.dropFirst(20).prefix(20)] {
                    _ = try await queues[0].bury(Array(slice), app: "shop", detail: "by hand")
                }
                clock.advance(by: .seconds(1))
                try await disturb(queues, ids)
                while try await queues[0].purge(app: "shop", limit: 1000) > 0 {}
            }
            for queue in queues { await queue.close() }
            let log = try await Blocking.run { try String(contentsOfFile: server.folder + "/log", encoding: .utf8) }
            let parts = log.components(separatedBy: "deadlock detected")
            #expect(parts.count == 1, "\(parts.last?.prefix(2000) ?? "")")
        }

        /// Changes the same jobs, keys and tokens from several queues at the same time, each in an order of its own.
        private func disturb(_ queues: [PostgresQueue], _ ids: [UUID]) async throws {
            let tokens = (0..<Self.jobs).map { NewJob.token($0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                func add(_ body: @escaping @Sendable () async throws -> Void) { group.addTask { try await body() } }
                let now = try await queues[0].now()
                add { _ = try await queues[0].redrive(ids.shuffled(), app: "shop", expiry: .never) }
                add { _ = try await queues[1].dropFinished(before: .zero, limit: 100) }
                add { _ = try await queues[2].erasePayloads(finishedBefore: .zero, limit: 100) }
                for token in tokens.shuffled().prefix(10) {
                    add { _ = try await queues[3].purge(token: token, app: "shop") }
                }
                for queue in queues.prefix(2) {
                    add { try await queue.recordGone(tokens.shuffled().map { GoneToken($0, since: now) }, app: "shop") }
                }
                add { try await queues[2].forgetGone(tokens.shuffled(), app: "shop") }
                add {
                    let again = tokens.indices.shuffled().map { number in
                        NewJob.sample(number).with { $0.dedupeKey = "\(number)" }
                    }
                    _ = try await queues[3].add(again)
                }
                try await group.waitForAll()
            }
        }
    }
#endif
