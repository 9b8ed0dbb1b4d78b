import APNSVocabulary
import MockAPNs
import NIOConcurrencyHelpers
import PushPlatform
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// How many jobs are sent, and when.
@Suite(.timeLimit(.minutes(10))) struct FlowTests {
    private static let silence = MockFault(steps: [.noAnswer])

    @Test func `a slow app with many jobs does not delay another one`() async throws {
        let slow = try await MockServer.start(credentials: .ofThisProcess)
        try slow.inject(Self.silence)
        let scene = try await DeliveryScene(
            options: {
                $0.startWindow = 50
                $0.breaker = nil
            },
            apps: { app, folder in [app, try folder.app("bulk", at: slow)] })
        _ = try await scene.add((1...500).map { .sample($0) }, app: "bulk")
        // As many as may be in flight.
        _ = try await slow.connectionRecord(1, within: .seconds(120))
        let ids = try await scene.add((1...20).map { .sample($0) })
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        #expect(scene.log.events.value.allSatisfy { $0.app == "shop" })
        try await scene.cancel()
        await slow.stop()
        try await scene.end()
    }

    @Test func `no more jobs are started than the window allows`() async throws {
        let maximum = NIOLockedValueBox(0)
        let scene = try await DeliveryScene(runs: false, options: { $0.startWindow = 10 })
        let queue = scene.queue
        scene.queue.hooks.complete = { (_) throws(QueueError) in
            let started = try await queue.counts()["shop"]?.started ?? 0
            maximum.withLockedValue { $0 = max($0, started) }
        }
        scene.run()
        let ids = try await scene.add((1...200).map { .sample($0) })
        #expect(try await scene.log.outcomes(of: ids).count == 200)
        #expect((1...10).contains(maximum.withLockedValue { $0 }))
        try await scene.end()
    }

    @Test func `templates from before their size had a limit end as invalid, and the others are sent`() async throws {
        let scene = try await DeliveryScene()
        let places = String(repeating: "{{a}}", count: 12_000)
        let values = #"{"a":"\#(String(repeating: "y", count: 64_000))"}"#
        let bad = (1...60).map { number in
            NewQueueJob.sample(number, payload: #"{"aps":{"alert":"x"},"d":"\#(places)"}"#) {
                $0.variables = Array(values.utf8)
            }
        }
        let ids = try await scene.add(bad)
        let good = try await scene.add(.sample(99))
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .notSent && $0.reason == "invalid" })
        #expect(try await scene.log.outcome(of: good)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `jobs that two workers were lost with are claimed one by one, and all are sent`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let ids = try await scene.add((1...5).map { .sample($0) { $0.policy = .atLeastOnce } })
        for _ in 0..<2 {
            let request = QueueClaimRequest(owner: "lost", limit: 10, lease: .seconds(1), apps: ["shop": 10])
            #expect(try await scene.queue.claim(request).count == 5)
            scene.advance(by: .seconds(2))
            #expect(try await scene.queue.recoverLeases().waiting == 5)
        }
        let claims = NIOLockedValueBox<[[ClaimedQueueJob]]>([])
        scene.queue.hooks.claimed = { jobs in claims.withLockedValue { $0.append(jobs) } }
        let others = try await scene.add((6...20).map { .sample($0) })
        scene.run()
        #expect(try await scene.log.outcomes(of: ids + others).allSatisfy { $0.kind == .accepted })
        let suspects = claims.withLockedValue { $0 }.filter { $0.contains(where: \.isSuspect) }
        #expect(suspects.allSatisfy { $0.count == 1 })
        #expect(Set(suspects.flatMap(\.self).map(\.id)) == Set(ids))
        try await scene.end()
    }

    @Test func `between jobs that two workers were lost with, nobody waits for the next look at the queue`()
        async throws
    {
        let scene = try await DeliveryScene(runs: false, options: { $0.pollInterval = .seconds(3600) })
        let ids = try await scene.add((1...40).map { .sample($0) })
        for _ in 0..<2 {
            let request = QueueClaimRequest(owner: "lost", limit: 50, lease: .seconds(1), apps: ["shop": 50])
            #expect(try await scene.queue.claim(request).count == 40)
            scene.advance(by: .seconds(2))
            #expect(try await scene.queue.recoverLeases().waiting == 40)
        }
        scene.run()
        // With a pause after each that is twice as long as the one before, this would never end.
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        try await scene.end()
    }

    @Test func `a rate is kept`() async throws {
        let time = ManualTime()
        let scene = try await DeliveryScene(
            options: { $0.now = { time.now } },
            apps: { app, _ in
                var app = app
                app.ratePerSecond = 10
                return [app]
            })
        let ids = try await scene.add((1...3).map { .sample($0) })
        for count in 1...3 {
            try await scene.log.events.wait(for: "outcome \(count)") { $0.count == count }
            #expect(try await scene.queue.counts()["shop"]?.waiting == 3 - count)
            time.advance(by: .milliseconds(101))
            scene.engine.wake()
        }
        #expect(try await scene.log.outcomes(of: ids).count == 3)
        try await scene.end()
    }

    @Test func `two pushes to one device keep their distance, without an attempt`() async throws {
        let time = ManualTime()
        let scene = try await DeliveryScene(
            options: { $0.now = { time.now } },
            apps: { app, _ in
                var app = app
                app.deviceInterval = .seconds(60)
                return [app]
            })
        let first = try await scene.add(.sample(1))
        #expect(try await scene.log.outcome(of: first)?.kind == .accepted)
        let second = try await scene.add(.sample(1))
        #expect(try await scene.log.waits(of: second) == ["device_pace"])
        let record = try #require(try await scene.record(second))
        #expect(record.attempts == 0)
        #expect(record.due - record.queued >= .seconds(59))
        #expect(try await scene.log.outcome(of: scene.add(.sample(2)))?.kind == .accepted)
        time.advance(by: .seconds(61))
        scene.advance(by: .seconds(61))
        #expect(try await scene.log.outcome(of: second)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `a server that takes nothing makes the app rest, and one job tries`() async throws {
        let time = ManualTime()
        let scene = try await DeliveryScene(options: { $0.now = { time.now } })
        let fault = try scene.mock.inject(MockFault(steps: [.answer(status: 500, reason: .internalServerError)]))
        let ids = try await scene.add((1...30).map { .sample($0) })
        // A later failure would be counted from the time to which the clock is moved. Some jobs may have failed twice.
        try await scene.log.events.wait(for: "30 failures") { Set($0.map(\.job)).count == 30 }
        let resting = try #require(try await scene.log.state(.resting))
        #expect(resting.reason?.contains("InternalServerError") == true, "\(resting.reason ?? "")")
        while await scene.engine.hasJobs { await Task.yield() }
        scene.mock.remove(fault)
        scene.advance(by: .seconds(1000))
        time.advance(by: .seconds(120))
        scene.engine.wake()
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        try await scene.log.state(.running)
        try await scene.end()
    }

    @Test func `a job is sent when it becomes due, without a poll`() async throws {
        let scene = try await DeliveryScene(options: { $0.pollInterval = .seconds(3600) })
        _ = try await scene.log.outcome(of: scene.add(.sample(1)))
        let id = try await scene.add(.sample(2) { $0.due = .at(.now + .milliseconds(100)) })
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        let record = try #require(try await scene.record(id))
        #expect(try #require(record.started) >= record.due)
        try await scene.end()
    }

    @Test func `a job of another process is found by a poll`() async throws {
        let scene = try await DeliveryScene(options: { $0.pollInterval = .milliseconds(5) })
        _ = try await scene.log.outcome(of: scene.add(.sample(1)))
        let other = try SQLiteQueue(scene.folder.path("queue.sqlite"))
        guard case .done(let results) = try await other.enqueue(EnqueueRequest([.sample(2)], app: "shop")) else {
            throw DeliveryScene.Unexpected()
        }
        let id = try #require(results.first?.id)
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        await other.close()
        try await scene.end()
    }

    @Test func `a token that is refused as too old is renewed by the client, and the app goes on`() async throws {
        let scene = try await DeliveryScene(options: { $0.attemptsInClient = 2 })
        try scene.mock.inject(MockFault(steps: [.answer(status: 403, reason: .expiredProviderToken)], times: 1))
        let id = try await scene.add(.sample())
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try await scene.end()
    }

    @Test func `logs have no device tokens and no payloads`() async throws {
        let scene = try await DeliveryScene()
        let job = NewQueueJob.sample(7, payload: #"{"aps":{"alert":"Secret words"}}"#)
        _ = try await scene.log.outcome(of: scene.add(job))
        let bad = try await scene.add(.sample(8, payload: #"{"aps":"Secret words"}"#))
        _ = try await scene.log.outcome(of: bad)
        try await scene.end()
        let lines = scene.lines.lines
        #expect(lines.contains { $0.contains("shop") && $0.contains(bad.uuidString.lowercased()) })
        #expect(!lines.contains { $0.contains(NewQueueJob.token(7)) || $0.contains(NewQueueJob.token(8)) })
        #expect(!lines.contains { $0.contains("Secret") })
    }

    @Test func `an event has the times of its job`() async throws {
        let scene = try await DeliveryScene()
        let id = try await scene.add(.sample())
        _ = try await scene.log.outcome(of: id)
        let event = try #require(scene.log.events.value.first)
        #expect(event.app == "shop")
        #expect(event.attempts == 1)
        #expect(event.waiting.map { $0 >= .zero && $0 < .seconds(600) } == true)
        #expect(event.sending.map { $0 > .zero } == true)
        try await scene.end()
    }
}

extension DeliveryEngine {
    /// Whether it has jobs that have not ended.
    fileprivate var hasJobs: Bool { !leases.isEmpty }
}
