import Foundation
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Transactions that lock the same rows lock them in the same order. Otherwise PostgreSQL ends one of them after a while, which is not
/// seen from outside, as it is tried again.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct LockOrderTests {
    private static let rounds = 30
    private static let jobs = 60

    /// Several workers on one queue of a server that finds deadlocks soon.
    private struct Workers {
        let server: PostgresServer
        let queues: [PostgresQueue]
        let clock = ManualClock()

        init() async throws {
            server = try await Blocking.run { try PostgresServer(settings: ["deadlock_timeout=20ms"]) }
            let address = try PostgresAddress(server.address(schema: server.newSchema()))
            var options = QueueOptions()
            (options.clock, options.uptime, options.boot) = (
                { [clock] in clock.now }, { [clock] in clock.uptime }, clock.boot
            )
            let postgres = PostgresQueue.Options.with(options)
            var queues: [PostgresQueue] = []
            for _ in 0..<4 { queues.append(try await PostgresQueue(address, options: postgres)) }
            self.queues = queues
        }

        /// Closes the queues, and looks for deadlocks in the log of the server.
        func end() async throws {
            for queue in queues { await queue.close() }
            let log = try await Blocking.run { [server] in
                try String(contentsOfFile: server.folder + "/log", encoding: .utf8)
            }
            let parts = log.components(separatedBy: "deadlock detected")
            #expect(parts.count == 1, "\(parts.count - 1) deadlocks. \(parts.last?.prefix(2000) ?? "")")
        }
    }

    @Test func `no transaction waits for another one that waits for it`() async throws {
        let workers = try await Workers()
        let queues = workers.queues
        for _ in 0..<Self.rounds {
            let new = (0..<Self.jobs).map { number in NewQueueJob.sample(number).with { $0.dedupeKey = "\(number)" }
            }
            let ids = try await queues[0].add(new)
            for slice in [ids.prefix(20), ids.dropFirst(20).prefix(20)] {
                _ = try await queues[0].bury(Array(slice), app: "shop", detail: "by hand")
            }
            workers.clock.advance(by: .seconds(1))
            try await disturb(queues, ids)
            while try await queues[0].purge(app: "shop", limit: 1000) > 0 {}
        }
        try await workers.end()
    }

    @Test func `steps of workers and of operators lock jobs in the same order`() async throws {
        let workers = try await Workers()
        let queues = workers.queues
        for round in 0..<Self.rounds {
            let new = (0..<Self.jobs).map { number in
                NewQueueJob.sample(number).with {
                    $0.expiry = .after(.seconds(number.isMultiple(of: 3) ? 1 : 1000))
                }
            }
            let ids = try await queues[0].add(new)
            let claimed = try await queues[0].claim(40, lease: .seconds(1))
            _ = try await queues[0].start(claimed.prefix(20).map(\.lease))
            // The leases end, and their workers go on nevertheless.
            if round.isMultiple(of: 2) { workers.clock.advance(by: .seconds(2)) }
            try await work(queues, ids, claimed)
            while try await queues[0].purge(app: "shop", limit: 1000) > 0 {}
        }
        try await workers.end()
    }

    private func work(_ queues: [PostgresQueue], _ ids: [UUID], _ claimed: [ClaimedQueueJob]) async throws {
        let (started, leased) = (claimed.prefix(20).map(\.lease), claimed.dropFirst(20).map(\.lease))
        try await withThrowingTaskGroup(of: Void.self) { group in
            func add(_ body: @escaping @Sendable () async throws -> Void) { group.addTask { try await body() } }
            for queue in queues.prefix(3) {
                // Some together, so that they are in a group with others, and some one by one.
                add { _ = try await queue.complete(started.shuffled().map { QueueJobCompletion($0, .accepted) }) }
                for lease in started.shuffled().prefix(5) {
                    add { _ = try await queue.complete([QueueJobCompletion(lease, .accepted)]) }
                }
                // Some of them replace each other.
                add { _ = try await queue.start(leased.shuffled().map { .sample($0, Int.random(in: 0..<8)) }) }
                for lease in leased.shuffled().prefix(5) {
                    add { _ = try await queue.start([.sample(lease, Int.random(in: 0..<8))]) }
                    add { _ = try await queue.start([lease]) }
                }
                add { _ = try await queue.dropKeys(limit: 100) }
                add { _ = try await queue.extend((started + leased).shuffled(), by: .seconds(1)) }
                for id in ids.shuffled().prefix(10) { add { _ = try await queue.cancel([id], app: "shop") } }
                add { _ = try await queue.cancel(Array(ids.shuffled().prefix(20)), app: "shop") }
            }
            for queue in queues.suffix(2) {
                add { _ = try await queue.giveBack(Array(leased.shuffled().prefix(10))) }
                add {
                    let retries = (started + leased).shuffled().prefix(20).map {
                        QueueJobRetry($0, due: .after(.seconds(1)), reason: "busy")
                    }
                    _ = try await queue.retry(retries)
                }
                add { _ = try await queue.bury(Array(ids.shuffled().prefix(10)), app: "shop", detail: "by hand") }
                add { _ = try await queue.expireOverdue(limit: 100) }
                add { _ = try await queue.recoverLeases() }
                add { _ = try await queue.cancelAll(app: "shop", limit: 100) }
                add { _ = try await queue.claim(10) }
            }
            try await group.waitForAll()
        }
    }

    @Test func `campaigns are locked before their jobs`() async throws {
        let workers = try await Workers()
        let queues = workers.queues
        for round in 0..<Self.rounds {
            var campaigns: [UUID] = []
            for number in 0..<2 {
                let new = NewQueueCampaign("Sale \(number)", app: "shop")
                guard case .created(let campaign) = try await queues[0].createCampaign(new) else {
                    throw Unexpected()
                }
                let lines = (1...40).map { QueueCampaignLine($0, .job(.sample($0))) }
                _ = try await queues[0].addLines(lines, to: campaign.id, app: "shop")
                _ = try await queues[0].changeCampaign(campaign.id, app: "shop", .start(closes: true))
                _ = try await queues[0].advanceCampaign(campaign.id, app: "shop", ahead: 30, limit: 30)
                campaigns.append(campaign.id)
            }
            let claimed = try await queues[1].claim(40, lease: .seconds(1))
            _ = try await queues[1].start(claimed.prefix(10).map(\.lease))
            workers.clock.advance(by: .seconds(round.isMultiple(of: 2) ? 2 : 0))
            try await move(queues, campaigns, claimed)
            while try await queues[0].purge(app: "shop", limit: 1000) > 0 {}
        }
        try await workers.end()
    }

    private func move(_ queues: [PostgresQueue], _ campaigns: [UUID], _ claimed: [ClaimedQueueJob]) async throws {
        let waiting = try await queues[0].list(.state(.waiting), limit: 100)
        let leases = claimed.map(\.lease)
        try await withThrowingTaskGroup(of: Void.self) { group in
            func add(_ body: @escaping @Sendable () async throws -> Void) { group.addTask { try await body() } }
            for queue in queues {
                for campaign in campaigns.shuffled() {
                    for change in [QueueCampaignChange.pause, .resume] {
                        add { _ = try await queue.changeCampaign(campaign, app: "shop", change) }
                    }
                    add { _ = try await queue.advanceCampaign(campaign, app: "shop", ahead: 40, limit: 40) }
                }
                add { _ = try await queue.cancel(Array(waiting.shuffled().prefix(10)), app: "shop") }
                add { _ = try await queue.giveBack(leases.shuffled()) }
                add {
                    let retries = leases.shuffled().map {
                        QueueJobRetry($0, due: .after(.seconds(1)), reason: "busy")
                    }
                    _ = try await queue.retry(retries)
                }
                add { _ = try await queue.complete(leases.shuffled().map { QueueJobCompletion($0, .accepted) }) }
            }
            add { _ = try await queues[1].recoverLeases() }
            add { _ = try await queues[2].changeCampaign(campaigns[0], app: "shop", .cancel) }
            add { _ = try await queues[3].cancelAll(app: "shop", limit: 100) }
            add { _ = try await queues[2].expireOverdue(limit: 100) }
            add { _ = try await queues[0].purge(app: "shop", limit: 20) }
            try await group.waitForAll()
        }
    }

    @Test func `keys, records and new apps are locked in the same order`() async throws {
        let workers = try await Workers()
        let queues = workers.queues
        for round in 0..<Self.rounds {
            workers.clock.advance(by: .seconds(40 * 86400))
            try await withThrowingTaskGroup(of: Void.self) { group in
                func add(_ body: @escaping @Sendable () async throws -> Void) { group.addTask { try await body() } }
                for queue in queues {
                    let numbers = Array(0..<20)
                    for number in numbers.shuffled() {
                        let key = QueueIdempotencyKey("\(number)", digest: [1])
                        add {
                            let job = NewQueueJob.sample(number).with { $0.dedupeKey = "\(number)" }
                            _ = try await queue.enqueue(EnqueueRequest([job], app: "shop", idempotency: key))
                        }
                        add { _ = try await queue.reserve(key, app: "shop", lasting: .seconds(10)) }
                        add { _ = try await queue.store([1], kind: "kind", key: "\(number)", ifVersion: nil) }
                    }
                    add {
                        let jobs = numbers.shuffled().map { number in
                            NewQueueJob.sample(number).with { $0.dedupeKey = "\(number)" }
                        }
                        _ = try await queue.add(jobs)
                    }
                    for number in (0..<4).shuffled() {
                        add { _ = try await queue.add([.sample()], app: "app \(round) \(number)") }
                    }
                    add { _ = try await queue.checkWriting() }
                    add { _ = try await queue.dropKeys(limit: 10) }
                }
                add { _ = try await queues[1].purge(app: "shop", limit: 10) }
                add { _ = try await queues[2].purge(token: NewQueueJob.token(1), app: nil) }
                try await group.waitForAll()
            }
        }
        try await workers.end()
    }

    /// Changes the same jobs, keys and tokens from several queues at the same time, each in an order of its own.
    private func disturb(_ queues: [PostgresQueue], _ ids: [UUID]) async throws {
        let tokens = (0..<Self.jobs).map { NewQueueJob.token($0) }
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
                    NewQueueJob.sample(number).with { $0.dedupeKey = "\(number)" }
                }
                _ = try await queues[3].add(again)
            }
            try await group.waitForAll()
        }
    }
}
