import APNSVocabulary
import MockAPNs
import NIOConcurrencyHelpers
import PushPlatform
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// Nothing is lost when the engine stops, loses its leases, or cannot store.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
    @Test func `a shutdown gives back what is claimed and not started`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let (claimed, goesOn) = (Watched(0), Watched(false))
        scene.queue.hooks.claimed = { jobs in
            guard !jobs.isEmpty else { return }
            claimed.change { $0 += jobs.count }
            _ = try? await goesOn.wait(for: "the stop") { $0 }
        }
        scene.run()
        let ids = try await scene.add((1...5).map { .sample($0) })
        try await claimed.wait(for: "a claim") { $0 > 0 }
        let stopping = Task { try await scene.stop() }
        await scene.engine.isStopped()
        goesOn.change { $0 = true }
        try await stopping.value
        for id in ids {
            let record = try await scene.record(id)
            #expect(record?.state == .waiting)
            #expect(record?.attempts == 0)
        }
        #expect(scene.mock.arrivalCount == 0)
        try await scene.end()
    }

    @Test func `a shutdown waits for the answers to what is in flight`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(MockFault(steps: [.wait(.milliseconds(300))]))
        let ids = try await scene.add((1...5).map { .sample($0) })
        _ = try await scene.mock.connectionRecord(1, within: .seconds(120)) { !$0.streams.isEmpty }
        try await scene.stop()
        for id in ids {
            // Those that were not claimed in time wait.
            let record = try await scene.record(id)
            #expect(record?.outcome?.kind == .accepted || record?.state == .waiting)
        }
        #expect(try await scene.queue.counts()["shop"]?.accepted ?? 0 > 0)
        #expect(try await scene.queue.counts()["shop"]?.started == 0)
        try await scene.end()
    }

    @Test func `a cancelled engine stores every outcome`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(MockFault(steps: [.noAnswer]))
        let once = try await scene.add(.sample(1))
        _ = try await scene.mock.connectionRecord(1, within: .seconds(120)) { !$0.streams.isEmpty }
        try await scene.cancel()
        #expect(try await scene.record(once)?.outcome?.kind == .unknown)
        let counts = try #require(try await scene.queue.counts()["shop"])
        #expect(counts.started == 0 && counts.leased == 0)
        try await scene.end()
    }

    // MARK: Leases

    @Test func `a job whose lease is lost before its start is not sent`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let taken = NIOLockedValueBox(false)
        let queue = scene.queue
        scene.queue.hooks.start = { (_) throws(QueueError) in
            guard !taken.withLockedValue({ $0 }) else { return }
            taken.withLockedValue { $0 = true }
            scene.advance(by: .seconds(3600))
            _ = try await queue.recoverLeases()
            try await scene.engine.pause("shop")
        }
        scene.run()
        let id = try await scene.add(.sample())
        try await scene.log.state(.paused)
        await scene.engine.settle()
        #expect(try await scene.record(id)?.attempts == 1)
        #expect(try await scene.record(id)?.state == .waiting)
        #expect(scene.mock.arrivalCount == 0)
        #expect(await scene.engine.leases.isEmpty)
        try await scene.engine.resume("shop")
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `a lease is extended while the answer is awaited, and dropped when it is lost`() async throws {
        let scene = try await DeliveryScene(options: { $0.upkeep.interval = .seconds(3600) })
        try scene.mock.inject(MockFault(steps: [.noAnswer]))
        let id = try await scene.add(.sample())
        _ = try await scene.mock.connectionRecord(1, within: .seconds(120)) { !$0.streams.isEmpty }
        let before = try #require(try await scene.record(id)?.leaseEnds)
        scene.advance(by: .seconds(30))
        await scene.engine.extendLeases()
        let after = try #require(try await scene.record(id)?.leaseEnds)
        #expect(after - before >= .seconds(29))
        scene.advance(by: .seconds(3600))
        #expect(try await scene.queue.recoverLeases().unknown == 1)
        await scene.engine.extendLeases()
        #expect(await scene.engine.leases.isEmpty)
        #expect(try await scene.record(id)?.outcome?.reason == QueueJobOutcome.workerLost)
        try await scene.cancel()
        #expect(try await scene.record(id)?.outcome?.reason == QueueJobOutcome.workerLost)
        try await scene.end()
    }

    @Test func `a clock that is set forward does not take jobs from their worker`() async throws {
        let scene = try await DeliveryScene(options: { $0.upkeep.interval = .seconds(3600) })
        try scene.mock.inject(MockFault(steps: [.noAnswer]))
        let id = try await scene.add(.sample())
        _ = try await scene.mock.connectionRecord(1, within: .seconds(120)) { $0.streamCount > 0 }
        await scene.engine.endOverdue()
        scene.setClock(by: .seconds(7200))
        await scene.engine.endOverdue()
        #expect(try await scene.record(id)?.state == .started)
        try await scene.cancel()
        #expect(try await scene.record(id)?.outcome?.reason == "connection_lost")
        try await scene.end()
    }

    @Test func `a stop gives back jobs that cannot be started`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let failures = Watched(0)
        scene.queue.hooks.start = { (_) throws(QueueError) in
            failures.change { $0 += 1 }
            throw QueueError(.busy, "Locked.")
        }
        scene.run()
        let id = try await scene.add(.sample())
        try await failures.wait(for: "a failure") { $0 > 0 }
        try await scene.stop()
        #expect(try await scene.record(id)?.state == .waiting)
        #expect(try await scene.record(id)?.attempts == 0)
        #expect(scene.mock.arrivalCount == 0)
        try await scene.end()
    }

    // MARK: Storing

    @Test func `an outcome that the disk does not take is kept until it does`() async throws {
        let scene = try await DeliveryScene(runs: false, options: { $0.upkeep.interval = .milliseconds(1) })
        let (failures, recoveries) = (Watched(0), NIOLockedValueBox(0))
        scene.queue.hooks.complete = { (_) throws(QueueError) in
            guard failures.value < 3 else { return }
            failures.change { $0 += 1 }
            throw QueueError(.diskFull, "The disk is full.")
        }
        scene.queue.hooks.recover = {
            // The leases end meanwhile, and the outcomes must win.
            if (1...2).contains(failures.value) { recoveries.withLockedValue { $0 += 1 } }
        }
        scene.run()
        let ids = try await scene.add((1...5).map { .sample($0) })
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        #expect(failures.value == 3)
        #expect(scene.mock.arrivalCount == 5)
        #expect(scene.lines.lines.contains { $0.contains("the queue fails") && $0.contains("storing") })
        #expect(!scene.lines.lines.contains { $0.contains("was lost") })
        try await scene.end()
    }

    @Test func `a start that fails is repeated before anything is sent`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let failures = Watched(0)
        scene.queue.hooks.start = { (_) throws(QueueError) in
            guard failures.value < 1 else { return }
            failures.change { $0 += 1 }
            throw QueueError(.busy, "Locked.")
        }
        scene.run()
        let id = try await scene.add(.sample())
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(scene.mock.arrivalCount == 1)
        try await scene.end()
    }

    @Test func `an outcome that the queue refuses holds up no other one, and is stored without its texts`() async throws
    {
        let scene = try await DeliveryScene(runs: false)
        var jobs = (1...40).map { NewQueueJob.sample($0) }
        // Its details cannot be read.
        jobs[20].push = [0xFF]
        let ids = try await scene.add(jobs)
        let refused = ids[20]
        scene.queue.hooks.complete = { (completions) throws(QueueError) in
            if completions.contains(where: { $0.lease.id == refused && $0.outcome.detail != nil }) {
                throw QueueError(.defect, "The text is refused.")
            }
        }
        scene.run()
        #expect(try await scene.log.outcomes(of: ids).count == 40)
        let outcome = try await scene.record(refused)?.outcome
        #expect(outcome == QueueJobOutcome(.notSent))
        #expect(try await scene.queue.counts()["shop"]?.accepted == 39)
        #expect(scene.lines.lines.contains { $0.contains("the queue refused the outcome of a job") })
        #expect(await scene.engine.lastingFailure == nil)
        try await scene.end()
    }

    @Test func `outcomes that the queue refuses for good stop no worker, and each is logged once`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let ids = try await scene.add((1...40).map { .sample($0) })
        let (refused, refuses) = (Set(ids[..<8]), Watched(true))
        scene.queue.hooks.complete = { (completions) throws(QueueError) in
            guard refuses.value, completions.contains(where: { refused.contains($0.lease.id) }) else { return }
            throw QueueError(.damaged, "A page is damaged.")
        }
        scene.run()
        #expect(try await scene.log.outcomes(of: Array(ids[8...])).count == 32)
        while await scene.engine.keptCount < 8 { await Task.yield() }
        // The same happens when they are tried again.
        await scene.engine.readmitAll()
        while await scene.engine.keptCount < 8 { await Task.yield() }
        let later = try await scene.add(.sample(41))
        #expect(try await scene.log.outcome(of: later)?.kind == .accepted)
        #expect(await scene.engine.fails(.storing) == false)
        let refusals = scene.lines.lines.filter { $0.contains("the queue refused the outcome of a job") }
        #expect(refusals.count == 8)
        refuses.change { $0 = false }
        try await scene.stop()
        #expect(try await scene.queue.counts()["shop"]?.accepted == 41)
        try await scene.end()
    }

    @Test func `a push does not wait for one with its collapse id whose outcome the queue refuses`() async throws {
        let scene = try await DeliveryScene(
            runs: false,
            apps: { app, _ in
                var app = app
                app.client.timeout = .seconds(30)
                return [app]
            })
        func push() -> NewQueueJob { .detailed { $0.collapseID = "score" } }
        let refuses = Watched(true)
        let first = try await scene.add(push())
        scene.queue.hooks.complete = { (completions) throws(QueueError) in
            guard refuses.value, completions.contains(where: { $0.lease.id == first }) else { return }
            throw QueueError(.defect, "Refused.")
        }
        scene.run()
        while await scene.engine.keptCount == 0 { await Task.yield() }
        let second = try await scene.add(push())
        // So long, the queue itself takes the first one for one that is on the way.
        scene.advance(by: .seconds(40))
        #expect(try await scene.log.outcome(of: second)?.kind == .accepted)
        refuses.change { $0 = false }
        try await scene.stop()
        #expect(try await scene.queue.counts()["shop"]?.accepted == 2)
        try await scene.end()
    }

    @Test func `an outage blames no job`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let failures = Watched(0)
        scene.queue.hooks.complete = { (_) throws(QueueError) in
            guard failures.value < 3 else { return }
            failures.change { $0 += 1 }
            throw QueueError(.unreachable, "The server is gone.")
        }
        let id = try await scene.add(.sample())
        scene.run()
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(!scene.lines.lines.contains { $0.contains("the queue refused the outcome of a job") })
        try await scene.end()
    }

    @Test func `an earlier failure does not last when nothing is left to extend or to claim`() async throws {
        let scene = try await DeliveryScene(runs: false, apps: { _, _ in [] })
        let engine = scene.engine
        for step in [QueueFailures.Step.extending, .claiming] {
            await engine.failed(step, QueueError(.unreachable, "The server is gone."))
        }
        await engine.extendLeases()
        #expect(await engine.fails(.extending) == false)
        #expect(await engine.fails(.claiming))
        scene.run()
        while await engine.fails(.claiming) { await Task.yield() }
        try await scene.end()
    }

    @Test func `what is no longer kept is erased and dropped`() async throws {
        let scene = try await DeliveryScene(options: { $0.upkeep.interval = .seconds(3600) })
        let id = try await scene.add(.sample())
        _ = try await scene.log.outcome(of: id)
        await scene.engine.clean()
        #expect(try await scene.record(id)?.isErased == false)
        scene.advance(by: .seconds(25 * 3600))
        await scene.engine.clean()
        #expect(try await scene.record(id)?.isErased == true)
        scene.advance(by: .seconds(7 * 24 * 3600))
        await scene.engine.clean()
        #expect(try await scene.record(id) == nil)
        try await scene.end()
    }
}

extension DeliveryEngine {
    /// Whether a step of the queue has failed since it last worked.
    func fails(_ step: QueueFailures.Step) -> Bool { queueFailures.isFailing(step) }

    /// How many outcomes wait for a later try, because the queue has refused them.
    fileprivate var keptCount: Int { pending.completions.kept.count }

    /// Returns when the engine has begun to stop.
    fileprivate func isStopped() async {
        while !isStopping { await Task.yield() }
    }

    /// Tries again what the queue has refused.
    fileprivate func readmitAll() {
        pending.readmit(at: options.now(), all: true)
        endWakeUp.send()
    }

    /// Returns when the engine holds no job.
    fileprivate func settle() async {
        while !leases.isEmpty { await Task.yield() }
    }
}
