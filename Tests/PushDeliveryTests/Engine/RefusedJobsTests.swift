import MockAPNs
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// A job that the queue refuses before it's sent holds up no other one.
@Suite(.timeLimit(.minutes(10))) struct RefusedJobsTests {
    private static func second(_ app: AppSettings) -> AppSettings {
        var app = app
        app.name = "second"
        return app
    }

    @Test func `a job whose start the queue refuses waits alone, however often`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let ids = try await scene.add((1...40).map { .sample($0) })
        let (refused, refuses, mock) = (ids[20], Watched(true), scene.mock)
        scene.queue.hooks.start = { (jobs) throws(QueueError) in
            guard refuses.value, jobs.contains(where: { $0.lease.id == refused }) else { return }
            // What was started is sent before the last one is found.
            while jobs.count == 1, mock.arrivalCount < 20 { await Task.yield() }
            throw QueueError(.damaged, "A page is damaged.")
        }
        scene.run()
        #expect(try await scene.log.outcomes(of: ids.filter { $0 != refused }).count == 39)
        for count in 1...22 {
            #expect(try await scene.log.waits(of: refused, count: count).last == "refused_start")
            scene.advance(by: .seconds(31))
        }
        #expect(await scene.engine.lastingFailure == nil)
        #expect(scene.lines.lines.contains { $0.contains("the queue refused the start of a job") })
        #expect(try await scene.log.outcome(of: scene.add(.sample(41)))?.kind == .accepted)
        refuses.change { $0 = false }
        scene.advance(by: .seconds(31))
        #expect(try await scene.log.outcome(of: refused)?.kind == .accepted)
        #expect(scene.mock.arrivalCount == 41)
        try await scene.end()
    }

    @Test func `an error that passes sets no job aside`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let failures = Watched(0)
        scene.queue.hooks.start = { (_) throws(QueueError) in
            guard failures.value < 1 else { return }
            failures.change { $0 += 1 }
            throw QueueError(.inputOutput, "The disk has a fault.")
        }
        let id = try await scene.add(.sample())
        scene.run()
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(try await scene.log.waits(of: id, count: 0) == [])
        try await scene.end()
    }

    @Test func `when every start is refused, the step fails, until one is done or nothing is due`() async throws {
        let scene = try await DeliveryScene(runs: false)
        let refuses = Watched(true)
        scene.queue.hooks.start = { (_) throws(QueueError) in
            if refuses.value { throw QueueError(.damaged, "A page is damaged.") }
        }
        let ids = try await scene.add((1...22).map { .sample($0) })
        scene.run()
        while !scene.lines.lines.contains(where: { $0.contains("the queue works again") }) { await Task.yield() }
        #expect(scene.lines.lines.contains { $0.contains("the queue fails") && $0.contains("starting") })
        #expect(await !scene.engine.fails(.starting) && scene.mock.arrivalCount == 0)
        for id in ids { _ = try await scene.log.waits(of: id) }
        refuses.change { $0 = false }
        scene.advance(by: .seconds(31))
        #expect(try await scene.log.outcomes(of: ids).count == 22)
        try await scene.end()
    }

    @Test func `an app whose jobs the queue does not hand out holds up no other app`() async throws {
        let time = ManualTime()
        let scene = try await DeliveryScene(
            runs: false, options: { $0.now = { time.now } }, apps: { app, _ in [app, Self.second(app)] })
        let refuses = Watched(true)
        scene.queue.hooks.claim = { (request) throws(QueueError) in
            guard refuses.value, request.apps["shop"] != nil else { return }
            throw QueueError(.damaged, "A page is damaged.")
        }
        let held = try await scene.add(.sample())
        let ids = try await scene.add((1...3).map { .sample($0) }, app: "second")
        scene.run()
        #expect(try await scene.log.outcomes(of: ids).count == 3)
        let reason = await scene.engine.reason(of: "shop")
        #expect(reason == "The queue refuses to hand out the app's pushes; the service retries. A page is damaged.")
        #expect(await scene.engine.lastingFailure == nil)
        #expect(try await scene.record(held)?.outcome == nil)
        // The others still run.
        #expect(try await scene.log.outcome(of: scene.add(.sample(4), app: "second"))?.kind == .accepted)
        refuses.change { $0 = false }
        time.advance(by: .seconds(31))
        scene.engine.wake()
        #expect(try await scene.log.outcome(of: held)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `an app that is refused makes the worker unready, if no other app has anything to send`() async throws {
        let time = ManualTime()
        let scene = try await DeliveryScene(
            runs: false, options: { $0.now = { time.now } }, apps: { app, _ in [app, Self.second(app)] })
        scene.queue.hooks.claim = { (request) throws(QueueError) in
            guard request.apps["shop"] == nil else { throw QueueError(.damaged, "A page is damaged.") }
        }
        _ = try await scene.add(.sample())
        scene.run()
        while await scene.engine.lastingFailure == nil {
            time.advance(by: .seconds(31))
            scene.engine.wake()
            await Task.yield()
        }
        let id = try await scene.add(.sample(2), app: "second")
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(await scene.engine.lastingFailure == nil)
        try await scene.end()
    }

    @Test func `when no app gets jobs, the step fails`() async throws {
        let scene = try await DeliveryScene(runs: false, apps: { app, _ in [app, Self.second(app)] })
        scene.queue.hooks.claim = { (_) throws(QueueError) in throw QueueError(.damaged, "A page is damaged.") }
        scene.run()
        while await !scene.engine.fails(.claiming) { await Task.yield() }
        try await scene.end()
    }
}

extension DeliveryEngine {
    /// The reason that an app's status gives, as soon as it has one.
    fileprivate func reason(of app: String) async -> String {
        while true {
            if let reason = sharedStatuses.first(where: { $0.name == app })?.reason { return reason }
            await Task.yield()
        }
    }
}
