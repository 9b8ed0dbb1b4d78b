import MockAPNs
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// Pushes to people: what waits for one person is never shown to another.
@Suite(.timeLimit(.minutes(10))) struct RecipientTests {
    private let table = DeviceTable()

    private func scene(runs: Bool = true, in store: WorkerStore = .file) async throws -> DeliveryScene {
        try await DeliveryScene(
            runs: runs, queue: try await store.make()?.open(), apps: { [table] app, _ in [table.app(app)] })
    }

    private func job(_ number: Int = 1, to user: String, _ change: (inout PushDetails) -> Void = { _ in })
        -> NewQueueJob
    {
        .detailed(number) {
            $0.user = user
            change(&$0)
        }
    }

    private func device(_ number: Int = 1, registered: QueueTime? = nil) -> RecipientDevice {
        // The table may have capitals.
        RecipientDevice(NewQueueJob.token(number).uppercased(), registered: registered)
    }

    @Test(arguments: WorkerStore.available)
    func `a push goes to the person's device, and ends if the device has become somebody else's`(
        store: WorkerStore
    ) async throws {
        let scene = try await scene(runs: false, in: store)
        table.give("ann", device(1), device(2))
        table.give("ben", device(3))
        let ids = try await scene.add([job(1, to: "ann"), job(3, to: "ann"), job(3, to: "ben"), job(2, to: "nobody")])
        scene.run()
        let outcomes = try await scene.log.outcomes(of: ids)
        #expect(outcomes.map(\.kind) == [.accepted, .notSent, .accepted, .notSent])
        #expect(outcomes[1].reason == "reassigned" && outcomes[3].reason == "reassigned")
        #expect(table.questions.value.reduce([]) { $0.union($1) } == ["ann", "ben", "nobody"])
        try await scene.end()
    }

    @Test func `users whose ids only look the same have their own devices`() async throws {
        let scene = try await scene(runs: false)
        table.give("\u{E9}", device(1))
        table.give("e\u{301}", device(2))
        let ids = try await scene.add([job(1, to: "\u{E9}"), job(2, to: "e\u{301}"), job(2, to: "\u{E9}")])
        scene.run()
        #expect(try await scene.log.outcomes(of: ids).map(\.kind) == [.accepted, .accepted, .notSent])
        try await scene.end()
    }

    @Test func `pushes to users of an app that has lost its table wait, and the status says so until it has one`()
        async throws
    {
        let scene = try await scene()
        table.give("ann", device())
        let id = try await scene.add(job(to: "ann").with { $0.due = .at(scene.now + .seconds(3600)) })
        await scene.engine.update([try scene.folder.app("shop", at: scene.mock)])
        scene.advance(by: .seconds(3700))
        _ = try await scene.log.waits(of: id)
        #expect(await scene.engine.statuses.first?.recipientsFailure?.contains("no \"recipients\"") == true)
        await scene.engine.update([table.app(try scene.folder.app("shop", at: scene.mock))])
        #expect(await scene.engine.statuses.first?.recipientsFailure == nil)
        scene.advance(by: .seconds(3600))
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `a push that waits for Ann is not sent after Ben signs in on her phone`() async throws {
        let scene = try await scene()
        table.give("ann", device())
        let id = try await scene.add(job(to: "ann").with { $0.due = .at(scene.now + .seconds(3600)) })
        table.give("ann")
        table.give("ben", device())
        scene.advance(by: .seconds(3700))
        #expect(try await scene.log.outcome(of: id)?.reason == QueueJobOutcome.reassigned)
        #expect(try await scene.record(id)?.attempts == 0)
        try await scene.end()
    }

    @Test(arguments: WorkerStore.available)
    func `a dead letter to a person is checked again when it is sent again`(store: WorkerStore) async throws {
        let scene = try await scene(runs: false, in: store)
        table.give("ann", device(1))
        table.give("ben", device(2))
        let ids = try await scene.add([job(1, to: "ann"), job(2, to: "ann")])
        _ = try await scene.queue.bury(ids, app: "shop", detail: "test")
        let again = try await scene.queue.redrive(ids, app: "shop", expiry: .never).compactMap { result -> UUID? in
            if case .queued(let id) = result { id } else { nil }
        }
        scene.run()
        let outcomes = try await scene.log.outcomes(of: again)
        #expect(outcomes.map(\.kind) == [.accepted, .notSent] && outcomes[1].reason == QueueJobOutcome.reassigned)
        try await scene.end()
    }

    @Test func `while the table cannot be asked, pushes to people wait, and others are sent`() async throws {
        let scene = try await scene()
        table.give("ann", device())
        table.fail(DeviceTable.down)
        let id = try await scene.add(job(to: "ann"))
        #expect(try await scene.log.waits(of: id) == ["recipients"])
        let other = try await scene.add(.sample(7))
        #expect(try await scene.log.outcome(of: other)?.kind == .accepted)
        #expect(try await scene.record(id)?.attempts == 0)
        let failing = try await scene.log.statuses.wait(for: "a failing table") { $0.last?.recipientsFailure != nil }
        #expect(failing.last?.recipientsFailure == DeviceTable.down.description)
        table.fail(nil)
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.log.statuses.wait(for: "a working table") {
            $0.last.map { $0.recipientsFailure == nil } ?? false
        }
        try await scene.end()
    }

    @Test func `a table that fails when a request asks is in the log and in the status, and so is that it works again`()
        async throws
    {
        let recipients = Recipients(table, address: "test", RecipientQueries(ofUser: "SELECT"))
        let scene = try await DeliveryScene(apps: { app, _ in
            var app = app
            app.recipients = recipients
            return [app]
        })
        table.give("ann", device())
        // The app has begun, so its table is watched.
        let first = try await scene.add(job(to: "ann"))
        #expect(try await scene.log.outcome(of: first)?.kind == .accepted)
        table.fail(DeviceTable.down)
        await #expect(throws: QueueError.self) { _ = try await recipients.devices(of: ["ann"]) }
        try await scene.log.statuses.wait(for: "a failing table") {
            $0.last?.recipientsFailure == DeviceTable.down.description
        }
        table.fail(nil)
        // A push waits for the pause, then asks it again.
        let second = try await scene.add(job(to: "ann"))
        #expect(try await scene.log.outcome(of: second)?.kind == .accepted)
        try await scene.log.statuses.wait(for: "a working table") {
            $0.last.map { $0.recipientsFailure == nil } ?? false
        }
        let logged = scene.lines.lines.filter { $0.contains("the table of devices") }
        #expect(logged.count == 2, "\(logged)")
        #expect(logged.first?.hasPrefix("error the table of devices can't be queried, or a statement") == true)
        #expect(logged.last?.hasPrefix("notice the table of devices can be queried again") == true)
        try await scene.end()
    }

    @Test func `a push expires while the table cannot be asked`() async throws {
        let scene = try await scene()
        table.fail(DeviceTable.down)
        let id = try await scene.add(job(to: "ann").with { $0.expiry = .after(.seconds(3600)) })
        #expect(try await scene.log.waits(of: id).first == "recipients")
        scene.advance(by: .seconds(4000))
        await scene.engine.endOverdue()
        #expect(try await scene.record(id)?.outcome?.reason == QueueJobOutcome.expired)
        try await scene.end()
    }

    @Test func `a slow table does not hold up other pushes`() async throws {
        let scene = try await scene()
        table.give("ann", device())
        table.answer(false)
        let id = try await scene.add(job(to: "ann"))
        try await table.questions.wait(for: "a question") { !$0.isEmpty }
        let others = try await scene.add((2...50).map { .sample($0) })
        #expect(try await scene.log.outcomes(of: others).allSatisfy { $0.kind == .accepted })
        #expect(try await scene.record(id)?.state == .leased)
        table.answer(true)
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `while a table is asked, no more jobs are taken than the rate of the app allows`() async throws {
        let others = try await MockServer.start(credentials: .ofThisProcess)
        let scene = try await DeliveryScene(
            runs: false,
            apps: { [table] app, folder in
                var shop = table.app(app)
                shop.ratePerSecond = 5
                return [shop, try folder.app("news", at: others)]
            })
        for number in 1...50 { table.give("user \(number)", device(number)) }
        table.answer(false)
        _ = try await scene.add((1...50).map { job($0, to: "user \($0)") })
        scene.run()
        try await table.questions.wait(for: "a question") { !$0.isEmpty }
        // In the meantime, jobs are claimed again and again.
        for number in 1...20 {
            let other = try await scene.add(.sample(number), app: "news")
            #expect(try await scene.log.outcome(of: other)?.kind == .accepted)
        }
        let counts = try await scene.queue.counts()["shop"]
        #expect((counts?.leased ?? 0) + (counts?.started ?? 0) <= 5, "\(counts as Any)")
        table.answer(true)
        try await scene.end()
        await others.stop()
    }

    @Test func `an engine that stops while a table is asked gives the jobs back`() async throws {
        let scene = try await scene()
        table.give("ann", device())
        table.answer(false)
        let id = try await scene.add(job(to: "ann"))
        try await table.questions.wait(for: "a question") { !$0.isEmpty }
        scene.engine.stop()
        table.answer(true)
        try await scene.stop()
        let state = try await scene.record(id)?.state
        #expect(state == .waiting || state == .finished)
        try await scene.end()
    }

    @Test func `without a table, a push to a person is not sent`() async throws {
        let scene = try await DeliveryScene()
        let id = try await scene.add(job(to: "ann"))
        #expect(try await scene.log.waits(of: id) == ["recipients"])
        #expect(try await scene.record(id)?.attempts == 0)
        try await scene.end()
    }

    @Test func `one user whom the table does not take holds up nobody else`() async throws {
        let scene = try await scene(runs: false)
        for number in 1...9 { table.give("user \(number)", device(number)) }
        let ids = try await scene.add((1...9).map { job($0, to: "user \($0)") } + [job(to: "wrong")])
        scene.run()
        let outcomes = try await scene.log.outcomes(of: ids.dropLast())
        #expect(outcomes.map(\.kind) == Array(repeating: .accepted, count: 9))
        // The table has accepted the user before, and does not say that the device is another's.
        #expect(try await scene.log.waits(of: ids[9]) == ["recipients"])
        try await scene.end()
    }

    @Test func `while the table refuses every user, pushes wait, and the status says so`() async throws {
        let scene = try await scene()
        for number in 1...2 { table.give("user \(number)", device(number)) }
        let first = try await scene.add(job(to: "user 1"))
        #expect(try await scene.log.outcome(of: first)?.kind == .accepted)
        let refusal = QueueError(.invalid, "A function of the test has failed.")
        table.fail(refusal)
        let ids = try await scene.add((1...2).map { job($0, to: "user \($0)") })
        try await scene.log.statuses.wait(for: "a failing table") {
            $0.last?.recipientsFailure == refusal.description
        }
        table.fail(nil)
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        try await scene.end()
    }

    @Test func `a gone token that was registered again is sent to, by the time of the table`() async throws {
        let scene = try await scene(runs: false)
        let gone = try await scene.queue.now() + .seconds(-120)
        try await scene.queue.recordGone([GoneToken(NewQueueJob.token(1), since: gone)], app: "shop")
        table.give("ann", device(registered: gone + .seconds(-60)))
        let early = try await scene.add(job(to: "ann"))
        scene.run()
        #expect(try await scene.log.outcome(of: early)?.reason == QueueJobOutcome.gone)
        table.give("ann", device(registered: gone + .seconds(60)))
        let late = try await scene.add(job(to: "ann"))
        #expect(try await scene.log.outcome(of: late)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `pushes to a person with the same collapse id are checked again after they waited for each other`()
        async throws
    {
        let scene = try await scene(runs: false)
        table.give("ann", device())
        let ids = try await scene.add((1...3).map { _ in job(to: "ann") { $0.collapseID = "score" } })
        scene.run()
        #expect(try await scene.log.outcomes(of: ids).count == 3)
        try await scene.end()
    }
}
