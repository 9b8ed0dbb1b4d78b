import APNSVocabulary
import MockAPNs
import PushPlatform
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// Pushes with one collapse id to one device.
@Suite(.timeLimit(.minutes(10))) struct OrderTests {
    private static func push(_ text: String, device: Int = 1, _ change: (inout NewQueueJob) -> Void = { _ in })
        -> NewQueueJob
    {
        .detailed(device) { $0.collapseID = "score" }.with {
            $0.payload = Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)
            change(&$0)
        }
    }

    private func texts(_ scene: DeliveryScene, accepted: Bool = true) -> [String] {
        scene.mock.arrivals.filter { !accepted || $0.verdict.status == 200 }.map { arrival in
            let text = String(decoding: arrival.request.body, as: UTF8.self)
            return String(text.split(separator: "\"").dropLast().last ?? "")
        }
    }

    @Test(arguments: [nil, Duration.milliseconds(200)])
    func `an older push is not tried again after a newer one was accepted`(perDevice: Duration?) async throws {
        let scene = try await DeliveryScene(apps: { app, _ in
            var app = app
            app.deviceInterval = perDevice
            return [app]
        })
        try scene.mock.inject(
            MockFault(
                steps: [.answer(status: 429, reason: .tooManyRequests, headers: ["retry-after": "600"])], times: 1))
        let old = try await scene.add(Self.push("1:0"))
        _ = try await scene.log.waits(of: old)
        let new = try await scene.add(Self.push("2:0"))
        #expect(try await scene.log.outcome(of: new)?.kind == .accepted)
        scene.advance(by: .seconds(660))
        let outcome = try await scene.log.outcome(of: old)
        #expect(outcome?.kind == .notSent && outcome?.reason == "superseded")
        #expect(outcome?.detail?.contains("A newer push with the same collapse id") == true)
        #expect(texts(scene) == ["2:0"])
        try await scene.end()
    }

    @Test
    func `a throttled push waits in the queue, where it is superseded, however short the time is that Apple asks for`()
        async throws
    {
        let scene = try await DeliveryScene(options: { $0.attemptsInClient = 2 })
        try scene.mock.inject(
            MockFault(steps: [.answer(status: 429, reason: .tooManyRequests, headers: ["retry-after": "10"])], times: 1)
        )
        let old = try await scene.add(Self.push("1:0"))
        _ = try await scene.log.waits(of: old)
        let new = try await scene.add(Self.push("2:0"))
        #expect(try await scene.log.outcome(of: new)?.kind == .accepted)
        scene.advance(by: .seconds(60))
        #expect(try await scene.log.outcome(of: old)?.reason == "superseded")
        #expect(texts(scene) == ["2:0"])
        try await scene.end()
    }

    @Test func `an older push that may have arrived is unknown when it is superseded, also for the metrics`()
        async throws
    {
        let scene = try await DeliveryScene()
        try scene.mock.inject(MockFault(steps: [.closeConnection(.tcpReset)], times: 1))
        let old = try await scene.add(Self.push("1:0").with { $0.policy = .atLeastOnce })
        _ = try await scene.log.waits(of: old)
        let new = try await scene.add(Self.push("2:0"))
        #expect(try await scene.log.outcome(of: new)?.kind == .accepted)
        scene.advance(by: .seconds(660))
        let outcome = try await scene.log.outcome(of: old)
        #expect(outcome?.kind == .unknown && outcome?.reason == "superseded", "\(String(describing: outcome))")
        try await scene.end()
    }

    @Test func `pushes with one collapse id are sent one after the other in their order, and others pass them`()
        async throws
    {
        let scene = try await DeliveryScene()
        var ids: [UUID] = []
        // Some come alone and some together, while earlier ones are on the way.
        for number in 1...60 {
            let jobs = [Self.push("\(number)"), NewQueueJob.sample(100 + number)]
            ids += try await scene.add(number.isMultiple(of: 3) ? jobs : Array(jobs[..<1]))
        }
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        #expect(texts(scene).filter { $0 != "Hello" } == (1...60).map(String.init))
        // None of them went back to the queue to wait.
        #expect(scene.log.events.value.allSatisfy { $0.isFinished })
        try await scene.end()
    }

    @Test func `a push that expired while it waited for an older one replaces nothing`() async throws {
        let scene = try await DeliveryScene(
            options: { $0.lease = .seconds(3600) },
            apps: { app, _ in
                var app = app
                app.client.timeout = .seconds(600)
                return [app]
            })
        let headers = ["retry-after": "600"]
        // The body of the first push waits until the mock opens the window.
        let closed = MockFault.Step.settings(MockFault.Settings(initialWindowSize: 0))
        try scene.mock.inject(MockFault(name: "closed window", at: .connectionEstablished, steps: [closed]))
        try scene.mock.inject(
            MockFault(
                steps: [.answer(status: 429, reason: .tooManyRequests, headers: headers)], times: 1))
        let old = try await scene.add(Self.push("1:0"))
        _ = try await scene.mock.connectionRecord(1, within: .seconds(120)) { !$0.streams.isEmpty }
        let claimed = Watched(0)
        scene.queue.hooks.claimed = { jobs in claimed.change { $0 += jobs.count } }
        let new = try await scene.add(Self.push("2:0") { $0.expiry = .after(.seconds(300)) })
        _ = try await claimed.wait(for: "the second push is claimed") { $0 > 0 }
        scene.advance(by: .seconds(320))
        let opened = MockFault.Step.settings(MockFault.Settings(initialWindowSize: 65_535))
        #expect(try scene.mock.perform([opened], onConnection: 1))
        _ = try await scene.log.waits(of: old)
        #expect(try await scene.log.outcome(of: new)?.reason == QueueJobOutcome.expired)
        scene.advance(by: .seconds(660))
        let outcome = try await scene.log.outcome(of: old)
        #expect(outcome?.kind == .accepted, "\(outcome as Any)")
        try await scene.end()
    }

    @Test func `a start that is confirmed too late is not used, because another worker may have the key since`()
        async throws
    {
        let late = Watched(Duration.zero)
        let begun = MonotonicTime(nanoseconds: 1_000_000_000)
        let clock = ContinuousClock.now
        let scene = try await DeliveryScene(options: {
            $0.now = { begun.advanced(by: clock.duration(to: .now) + late.value) }
        })
        scene.queue.hooks.start = { (_) throws(QueueError) in late.change { if $0 == .zero { $0 = .seconds(3600) } } }
        let id = try await scene.add(Self.push("1:0"))
        #expect(try await scene.log.waits(of: id).first == "late_start")
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(texts(scene, accepted: false) == ["1:0"])
        try await scene.end()
    }

    @Test func `a stop gives back the pushes that wait for another one`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(MockFault(steps: [.wait(.milliseconds(300))]))
        let ids = try await scene.add((1...3).map { Self.push("\($0)") })
        _ = try await scene.mock.connectionRecord(1, within: .seconds(120)) { !$0.streams.isEmpty }
        try await scene.stop()
        let states = try await scene.queue.jobs(ids, app: "shop").map(\.state)
        #expect(states.sorted { $0.rawValue < $1.rawValue } == [.waiting, .waiting, .finished])
        await scene.queue.close()
        await scene.mock.stop()
    }

    @Test(arguments: WorkerStore.available)
    func `two workers never start an older push after a newer one`(store: WorkerStore) async throws {
        let store = try store.make()
        func options(_ options: inout DeliveryOptions, _ name: String) {
            (options.owner, options.pollInterval) = (name, .milliseconds(10))
            options.firstRetryPause = .milliseconds(40)
        }
        let scene = try await DeliveryScene(queue: try await store?.open(), options: { options(&$0, "a") })
        let other = try await SecondWorker(scene, queue: try await store?.open(), { _ in }) { options(&$0, "b") }
        var ids: [UUID] = []
        for number in 1...60 {
            if number.isMultiple(of: 6) {
                try scene.mock.inject(MockFault(steps: [.answer(status: 429, reason: .tooManyRequests)], times: 1))
            }
            ids.append(try await scene.add(Self.push("\(number)", device: number % 2)))
        }
        while try await scene.queue.counts()["shop"]?.kept != ids.count { await Task.yield() }
        let numbers = texts(scene).compactMap { Int($0) }
        for device in 0...1 {
            let mine = numbers.filter { $0 % 2 == device }
            #expect(mine == mine.sorted(), "\(mine)")
        }
        for record in try await scene.queue.jobs(ids, app: "shop") {
            #expect(record.outcome?.kind == .accepted || record.outcome?.reason == "superseded", "\(record)")
        }
        try await other.stop()
        try await scene.end()
    }

    @Test func `the key of a push has its app, topic, token, type and collapse id`() throws {
        func key(_ app: String = "shop", token: Int = 1, _ change: (inout PushDetails) -> Void = { _ in }) throws
            -> UUID?
        {
            var details = PushDetails()
            (details.topic, details.collapseID) = ("com.example.shop", "score")
            change(&details)
            var claimed = ClaimedQueueJob(
                lease: QueueJobLease(id: UUID(1, 1), app: app, fence: 1), target: .device(NewQueueJob.token(token)),
                queued: .now, due: .now)
            claimed.payload = Array(#"{"aps":{"alert":"x"}}"#.utf8)
            var payloads = ReadPayloads()
            let settings = AppSettings(
                name: app, environment: .production, credentials: .key(file: "", keyID: "", teamID: ""))
            let push = try BuiltPush(claimed, details, app: settings, &payloads)
            let replacement = push.replacement(claimed, details, timeout: .seconds(30))
            #expect(replacement == nil || replacement?.longest == .seconds(35))
            return replacement?.key
        }
        let first = try key()
        #expect(first != nil)
        #expect(try key() == first)
        #expect(try key { $0.priority = .low } == first)
        let others = try [
            key("bank"), key(token: 2), key { $0.topic = "com.example.other" }, key { $0.collapseID = "other" },
            key { $0.pushType = .background },
        ]
        #expect(Set(others + [first]).count == 6 && !others.contains(nil))
        #expect(try key { $0.collapseID = nil } == nil)
    }
}
