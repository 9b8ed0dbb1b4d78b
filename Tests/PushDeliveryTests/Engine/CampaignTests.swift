import MockAPNs
import NIOConcurrencyHelpers
import PushPlatform
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// The lines of campaigns are released, sent and ended.
@Suite(.timeLimit(.minutes(10))) struct CampaignTests {
    private func campaign(
        _ scene: DeliveryScene, lines: ClosedRange<Int>, starts: Bool = true, rate: Double? = nil
    ) async throws -> UUID {
        var new = NewQueueCampaign("sale", app: "shop")
        new.rate = rate.flatMap { QueueCampaignRate(perSecond: $0) }
        guard case .created(let campaign) = try await scene.queue.createCampaign(new) else {
            throw DeliveryScene.Unexpected()
        }
        let jobs = lines.map { number in
            QueueCampaignLine(number, .job(.sample(number) { $0.priority = .low }))
        }
        _ = try await scene.queue.addLines(jobs, to: campaign.id, app: "shop")
        if starts { _ = try await scene.queue.changeCampaign(campaign.id, app: "shop", .start(closes: true)) }
        return campaign.id
    }

    @Test func `a campaign is sent to its last line`() async throws {
        let scene = try await DeliveryScene(options: { $0.releaseAhead = 50 })
        let id = try await campaign(scene, lines: 1...300)
        try await scene.log.events.wait(for: "all outcomes") { $0.count == 300 }
        try await scene.stop()
        let ended = try await scene.queue.campaign(id, app: "shop")
        #expect(ended?.state == .finished && ended?.counts.accepted == 300)
        let sent = scene.mock.arrivals.flatMap { $0.request.fields.filter { $0.name == "apns-id" }.map(\.value) }
        #expect(sent.count == 300 && Set(sent).count == 300)
        try await scene.end()
    }

    @Test func `a campaign that fails does not hold up the others`() async throws {
        let scene = try await DeliveryScene(runs: false, options: { $0.pollInterval = .milliseconds(20) })
        for lines in [1...5, 11...15] { _ = try await campaign(scene, lines: lines) }
        let listed = try await scene.queue.activeCampaigns().map(\.id)
        let failing = try #require(listed.first)
        scene.queue.hooks.advance = { (id) throws(QueueError) in
            if id == failing { throw QueueError(.damaged, "A page is damaged.") }
        }
        _ = await scene.engine.advanceCampaigns()
        let other = try #require(listed.last)
        #expect(try await scene.queue.campaign(failing, app: "shop")?.counts.waiting == 0)
        #expect(try await scene.queue.campaign(other, app: "shop")?.counts.waiting == 5)
        // The queue works, so the worker stays ready.
        #expect(await !scene.engine.fails(.releasing))
        _ = await scene.engine.advanceCampaigns()
        #expect(scene.lines.lines.count { $0.contains("a campaign can't proceed") } == 1)
        scene.queue.hooks.advance = { (_) throws(QueueError) in }
        scene.run()
        try await scene.log.events.wait(for: "all outcomes") { $0.count == 10 }
        try await scene.end()
    }

    @Test func `a single push overtakes a campaign, of which only a part is released`() async throws {
        let scene = try await DeliveryScene(
            runs: false,
            options: {
                ($0.releaseAhead, $0.startWindow, $0.claimLimit) = (20, 5, 5)
                $0.pollInterval = .milliseconds(20)
            })
        let id = try await campaign(scene, lines: 1...200)
        let waiting = NIOLockedValueBox(0)
        // The single push, and how many lines had their outcome before it.
        let single = NIOLockedValueBox<UUID?>(nil)
        let finishedBefore = NIOLockedValueBox<Int?>(nil)
        let queue = scene.queue
        // It is added and judged between two steps of the engine, so it does not matter how fast this task is.
        scene.queue.hooks.complete = { (completions) throws(QueueError) in
            let counts = try await queue.campaign(id, app: "shop")?.counts
            waiting.withLockedValue { $0 = max($0, (counts?.waiting ?? 0) + (counts?.inFlight ?? 0)) }
            let finished = counts?.finished ?? 0
            if let push = single.withLockedValue({ $0 }) {
                guard completions.contains(where: { $0.lease.id == push }) else { return }
                finishedBefore.withLockedValue { $0 = $0 ?? finished }
            } else if finished >= 10 {
                let answer = try await queue.enqueue(EnqueueRequest([.sample(1000)], app: "shop"))
                guard case .done(let results) = answer else { return }
                single.withLockedValue { $0 = results.first?.id }
            }
        }
        scene.run()
        try await scene.log.events.wait(for: "all outcomes") { $0.count { $0.isFinished } == 201 }
        let before = try #require(finishedBefore.withLockedValue { $0 })
        #expect(before < 200, "the push did not wait for the end of the campaign")
        #expect((1...20).contains(waiting.withLockedValue { $0 }))
        try await scene.end()
    }

    @Test func `a cancelled campaign ends by itself, also if its caller is gone`() async throws {
        let scene = try await DeliveryScene(options: { $0.upkeep.slice = 40 })
        let id = try await campaign(scene, lines: 1...300, starts: false)
        _ = try await scene.queue.changeCampaign(id, app: "shop", .cancel)
        while try await scene.queue.campaign(id, app: "shop")?.state != .cancelled { await Task.yield() }
        #expect(try await scene.queue.campaign(id, app: "shop")?.counts.notSent == 300)
        #expect(scene.mock.arrivals.isEmpty)
        try await scene.end()
    }

    @Test func `two workers keep the rate of a campaign together`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let id = try await campaign(scene, lines: 1...100, rate: 10)
        let other = DeliveryEngine(
            queue: scene.queue, apps: [], options: await scene.engine.options,
            eventLoopGroup: await scene.engine.group,
            logger: scene.lines.logger)
        var released = 0
        for _ in 0..<20 {
            scene.advance(by: .milliseconds(100))
            async let first = scene.engine.advanceCampaigns()
            async let second = other.advanceCampaigns()
            _ = await (first, second)
            released = try await scene.queue.campaign(id, app: "shop")?.counts.waiting ?? 0
        }
        // The clock of the scene goes on by itself, too.
        let maximum = Double(
            (scene.now - (try await scene.queue.campaign(id, app: "shop")?.started ?? scene.now))
                / .milliseconds(100))
        #expect(released >= 19 && Double(released) <= maximum + 1)
        try await scene.end()
    }
}
