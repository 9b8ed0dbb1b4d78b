import APNSVocabulary
import MockAPNs
import PushPlatform
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// Several engines on one queue, which send to one mock.
@Suite(.timeLimit(.minutes(10))) struct WorkerTests {
    private static func shared(_ options: inout DeliveryOptions, _ name: String, _ time: ManualTime? = nil) {
        options.isShared = true
        options.owner = name
        options.pollInterval = .milliseconds(10)
        options.heartbeat.interval = .milliseconds(10)
        guard let time else { return }
        options.now = { time.now }
        // The test lets it look when the time has passed.
        options.heartbeat.interval = .seconds(3600)
    }

    /// A scene with two workers, "a" and "b", of the app "shop".
    private func withTwo(
        on store: WorkerStore = .file, _ time: ManualTime? = nil,
        _ change: @escaping @Sendable (inout AppSettings) -> Void = { _ in },
        _ body: (DeliveryScene, SecondWorker) async throws -> Void
    ) async throws {
        let store = try store.make()
        let scene = try await DeliveryScene(
            queue: try await store?.open(), options: { Self.shared(&$0, "a", time) },
            apps: { app, _ in
                var app = app
                app.client.maximumConnections = 4
                change(&app)
                return [app]
            })
        try await workers(scene.engine, 1)
        let other = try await SecondWorker(scene, queue: try await store?.open(), change) {
            Self.shared(&$0, "b", time)
        }
        try await workers(scene.engine, 2)
        try await workers(other.engine, 2)
        try await body(scene, other)
        try await other.stop()
        try await scene.end()
    }

    /// Waits until a worker knows of this number of workers.
    private func workers(_ engine: DeliveryEngine, _ count: Int) async throws {
        try await until {
            await engine.sendHeartbeat()
            return await engine.workers.count == count
        }
    }

    private func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { await Task.yield() }
    }

    @Test(arguments: WorkerStore.available)
    func `two workers share the jobs, and each job is sent once`(store: WorkerStore) async throws {
        try await withTwo(on: store) { scene, other in
            let logs = [scene.log, other.log]
            var ids: [UUID] = []
            // Until the one that has joined sends, too.
            repeat {
                ids += try await scene.add((ids.count + 1...ids.count + 400).map { .sample($0) })
                let count = ids.count
                try await until { try await scene.queue.counts()["shop"]?.accepted == count }
                try await until { logs.reduce(0) { $0 + $1.events.value.count } >= count }
            } while logs.contains { $0.events.value.isEmpty }
            #expect(scene.mock.arrivalCount == ids.count)
            let events = logs.flatMap(\.events.value)
            #expect(Set(events.map(\.job)) == Set(ids) && events.count == ids.count)
        }
    }

    /// A worker that has reached the database, and a job that another worker has leased. The clock of the queue also goes on by
    /// itself, so all durations are much longer than a test.
    private func sceneWithLease(_ time: ManualTime) async throws -> (DeliveryScene, UUID) {
        let scene = try await DeliveryScene(options: {
            Self.shared(&$0, "a", time)
            $0.upkeep.interval = .seconds(3600)
            $0.lease = .seconds(6000)
        })
        _ = try await scene.queue.enqueue(EnqueueRequest([.sample()], app: "bank"))
        let request = QueueClaimRequest(owner: "b", limit: 1, lease: .seconds(3000), apps: ["bank": 1])
        let id = try #require(try await scene.queue.claim(request).first?.id)
        await scene.engine.endOverdue()
        return (scene, id)
    }

    @Test func `after an outage of the database, a worker leaves the leases of the others alone for a while`()
        async throws
    {
        let time = ManualTime()
        let (scene, id) = try await sceneWithLease(time)
        scene.advance(by: .seconds(10_000))
        await scene.engine.endOverdue()
        #expect(try await scene.queue.jobs([id], app: "bank").map(\.state) == [.leased])
        time.advance(by: .seconds(4000))
        await scene.engine.endOverdue()
        #expect(try await scene.queue.jobs([id], app: "bank").map(\.state) == [.waiting])
        try await scene.end()
    }

    /// Four slices of cleaning take 800 s each, or one of them takes 6000 s.
    @Test(arguments: [false, true])
    func `cleaning that takes long is no outage of the database, and a long gap in it is`(isGap: Bool) async throws {
        let time = ManualTime()
        let (scene, id) = try await sceneWithLease(time)
        let queue = scene.queue
        scene.queue.hooks.clean = { [scene] in
            scene.advance(by: .seconds(isGap ? 6000 : 800))
            if isGap { queue.hooks.clean = {} }
        }
        await scene.engine.clean()
        scene.queue.hooks.clean = {}
        await scene.engine.endOverdue()
        #expect(try await scene.queue.jobs([id], app: "bank").map(\.state) == [isGap ? .leased : .waiting])
        try await scene.end()
    }

    @Test func `an old transaction of another program is warned of, and not at each round`() async throws {
        let time = ManualTime()
        let scene = try await DeliveryScene(options: {
            Self.shared(&$0, "a", time)
            $0.upkeep.interval = .seconds(3600)
        })
        let warnings = { scene.lines.lines.count { $0.contains("role backup") } }
        var load = QueueStorageLoad()
        load.oldest = .init(age: .seconds(299), owner: "role backup")
        scene.queue.hooks.storageLoad = load
        await scene.engine.warnOfOldTransaction()
        #expect(warnings() == 0)
        load.oldest?.age = .seconds(301)
        scene.queue.hooks.storageLoad = load
        for _ in 0..<2 { await scene.engine.warnOfOldTransaction() }
        #expect(warnings() == 1)
        time.advance(by: .seconds(600))
        await scene.engine.warnOfOldTransaction()
        #expect(warnings() == 2)
        try await scene.end()
    }

    private static func recipients(password: String, ofUser: String = "SELECT") -> Recipients {
        let audiences = Dictionary(uniqueKeysWithValues: (1...20).map { ("audience \($0)", "SELECT \($0)") })
        return Recipients(
            DeviceTable(), address: "postgres://shop:\(password)@db/shop", place: "postgres://shop@db/shop",
            RecipientQueries(ofUser: ofUser, audiences: audiences))
    }

    @Test func `workers with different settings of an app warn of each other, once, and name the settings`()
        async throws
    {
        let time = ManualTime()
        let scene = try await DeliveryScene(
            options: { Self.shared(&$0, "a", time) },
            apps: { app, _ in
                var app = app
                app.client.maximumConnections = 4
                app.recipients = Self.recipients(password: "one")
                return [app]
            })
        let other = try await SecondWorker(
            scene,
            { app in
                app.recipients = Self.recipients(password: "two", ofUser: "SELECT 2")
                (app.topic, app.policy) = ("com.example.other", .atLeastOnce)
                (app.allowedTopics, app.gone, app.expiry) = (["com.example.other"], .refuse, .seconds(60))
                // The file may be elsewhere on another machine.
                if case .key(let file, let keyID, let teamID) = app.credentials {
                    let copy = file.replacing("shop.p8", with: "./shop.p8")
                    app.credentials = .key(file: copy, keyID: keyID, teamID: teamID)
                }
            }, { Self.shared(&$0, "b", time) })
        func warnings(_ worker: String) -> Int {
            scene.lines.lines.count {
                $0.contains("another worker has different settings") && $0.contains("\"worker\": \(worker)")
                    && $0.contains("delivery, gone, recipients, topic, topics, ttl")
            }
        }
        for _ in 0..<4 { for engine in [scene.engine, other.engine] { await engine.sendHeartbeat() } }
        #expect(warnings("a") == 1 && warnings("b") == 1)
        // Neither the password nor the order of the audiences is a difference.
        #expect(Self.recipients(password: "one").shared == Self.recipients(password: "two").shared)
        try await other.stop()
        try await scene.end()
    }

    @Test(arguments: WorkerStore.available)
    func `two workers together keep the rate of an app`(store: WorkerStore) async throws {
        let time = ManualTime()
        try await withTwo(on: store, time, { $0.ratePerSecond = 40 }) { scene, other in
            _ = try await scene.add((1...200).map { .sample($0) })
            let begun = time.now
            while scene.mock.arrivalCount < 200 {
                try await pass(.milliseconds(50), time, scene.engine, other.engine)
                // The server needs real time. With less of it, the check below only has fewer arrivals to judge.
                try await Task.sleep(for: .milliseconds(2))
                let arrived = scene.mock.arrivalCount
                let seconds = Double(begun.duration(to: time.now).clampedNanoseconds) / 1e9
                #expect(Double(arrived) <= 40 * seconds + 4 + 1e-6)
            }
            // Both had a part.
            try await until { !scene.log.events.value.isEmpty && !other.log.events.value.isEmpty }
        }
    }

    @Test(arguments: WorkerStore.available)
    func `an app with a device pace has one sender; the other takes over an interval later`(
        store: WorkerStore
    ) async throws {
        let time = ManualTime()
        try await withTwo(on: store, time, { $0.deviceInterval = .seconds(60) }) { scene, other in
            // It has just taken the app over.
            let first = try await scene.add((1...20).map { .sample($0) })
            #expect(scene.mock.arrivalCount == 0)
            try await pass(.seconds(61), time, scene.engine, other.engine)
            try await pass(until: 20, scene.log, time, scene.engine, other.engine)
            #expect(try await scene.log.outcomes(of: first).count == 20)
            #expect(other.log.events.value.isEmpty)
            try await scene.stop()
            let second = try await scene.add((21...40).map { .sample($0) })
            try await workers(other.engine, 1)
            try await pass(.seconds(30), time, other.engine)
            #expect(other.log.events.value.isEmpty)
            try await pass(.seconds(40), time, other.engine)
            try await pass(until: 20, other.log, time, other.engine)
            #expect(try await other.log.outcomes(of: second).count == 20)
        }
    }

    /// Lets more time pass while a busy machine has not followed yet.
    private func pass(
        until count: Int, _ log: EventLog, _ time: ManualTime, _ engines: DeliveryEngine...
    ) async throws {
        for _ in 0..<600 where log.events.value.count < count {
            time.advance(by: .milliseconds(500))
            for engine in engines { await engine.sendHeartbeat() }
            // The mock needs real time. More rounds only let more of the clock pass.
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Lets time pass in steps that are short enough for both workers to hear of each other.
    private func pass(
        _ duration: Duration, _ time: ManualTime, _ engines: DeliveryEngine...
    ) async throws {
        let step = min(duration, .milliseconds(500))
        for _ in 0..<Int(duration / step) {
            time.advance(by: step)
            for engine in engines { await engine.sendHeartbeat() }
        }
    }

    @Test func `a push that is started when the share has ended waits again`() async throws {
        let time = ManualTime()
        let scene = try await DeliveryScene(
            runs: false,
            options: {
                Self.shared(&$0, "a", time)
                ($0.heartbeat.trust, $0.heartbeat.loss) = (.seconds(1_000_000), .seconds(2_000_000))
            },
            apps: { app, _ in
                var app = app
                app.ratePerSecond = 10
                return [app]
            })
        let id = try await scene.add(.sample())
        let engine = scene.engine
        scene.queue.hooks.start = { (_) throws(QueueError) in await engine.loseShares() }
        scene.run()
        try await until {
            time.advance(by: .milliseconds(20))
            engine.wake()
            return !scene.log.events.value.isEmpty
        }
        #expect(try await scene.log.waits(of: id) == ["worker_share"])
        #expect(scene.mock.arrivalCount == 0)
        scene.queue.hooks.start = { (_) throws(QueueError) in }
        await engine.sendHeartbeat()
        try await until {
            time.advance(by: .milliseconds(20))
            engine.wake()
            return scene.log.events.value.contains { $0.isFinished }
        }
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `a pause and its end hold for all workers`() async throws {
        try await withTwo { scene, other in
            try await other.engine.pause("shop")
            try await until { await scene.engine.statuses.map(\.state) == [.paused] }
            let ids = try await scene.add((1...20).map { .sample($0) })
            try await scene.engine.resume("shop")
            try await until { try await scene.queue.counts()["shop"]?.accepted == ids.count }
            try await until { await other.engine.statuses.map(\.state) == [.running] }
        }
    }

    @Test func `the end of a pause lets a refused app try again at each worker`() async throws {
        let scene = try await DeliveryScene(options: { Self.shared(&$0, "a") })
        let other = try await SecondWorker(
            scene,
            { app in
                let missing = scene.folder.path("other.p8")
                guard case .key(_, let id, let team) = app.credentials else { return }
                app.credentials = .key(file: missing, keyID: id, teamID: team)
            },
            {
                Self.shared(&$0, "b")
                $0.refreshInterval = .seconds(3600)
            })
        try await other.log.state(.down)
        try await until {
            await scene.engine.statuses.first?.reason?.contains("On worker b, the app is down") == true
        }
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try scene.folder.writeAtomically(scene.mock.credentials.p8, to: "other.p8")
        try await scene.engine.resume("shop")
        try await other.log.state(.running)
        try await other.stop()
        try await scene.end()
    }

    @Test func `a stopped worker leaves no record, and one worker alone writes none`() async throws {
        try await withTwo { scene, other in
            try await other.stop()
            let records = try await scene.queue.records(kind: WorkerHeartbeat.kind, after: nil, limit: 10)
            #expect(records.map(\.key) == ["a"])
        }
        let alone = try await DeliveryScene()
        _ = try await alone.log.outcome(of: alone.add(.sample()))
        #expect(try await alone.queue.records(kind: WorkerHeartbeat.kind, after: nil, limit: 10).isEmpty)
        #expect(await alone.engine.workers.isEmpty)
        try await alone.end()
    }

    @Test(arguments: WorkerStore.available)
    func `the connections of an app are divided, and come back when a worker ends`(
        store: WorkerStore
    ) async throws {
        // The clock stands still, so no worker counts as dead because the machine is slow.
        try await withTwo(on: store, ManualTime(), { $0.client.connections = 4 }) { scene, other in
            let engines = [scene.engine, other.engine]
            try await until {
                var limits: [Int?] = []
                for engine in engines {
                    await engine.sendHeartbeat()
                    limits.append(await engine.connections(of: "shop"))
                }
                return limits == [2, 2]
            }
            // The connections that the first worker had too many have ended. From now on, there are never more.
            try await until { try await open(scene, 1) <= 4 }
            while other.log.events.value.isEmpty { #expect(try await open(scene, 20) <= 4) }
            for _ in 0..<5 { #expect(try await open(scene, 20) <= 4) }
            try await other.stop()
            try await until {
                await scene.engine.sendHeartbeat()
                return await scene.engine.connections(of: "shop") == 4
            }
            for _ in 0..<5 { #expect(try await open(scene, 20) <= 4) }
        }
    }

    /// Lets jobs be sent. Returns how many connections the mock has open then.
    private func open(_ scene: DeliveryScene, _ jobs: Int) async throws -> Int {
        let ids = try await scene.add((1...jobs).map { .sample($0) })
        try await until {
            try await scene.queue.jobs(ids, app: "shop").allSatisfy { $0.state == .finished }
        }
        return scene.mock.connectionRecords.count { $0.end == nil }
    }
}

extension DeliveryEngine {
    /// The maximum number of connections that the client of an app got.
    fileprivate func connections(of app: String) -> Int? { apps[app]?.connections }

    /// Lets the engine take part in no app any more.
    fileprivate func loseShares() {
        _ = shares.renewing([], at: .now)
        followShares()
    }
}
