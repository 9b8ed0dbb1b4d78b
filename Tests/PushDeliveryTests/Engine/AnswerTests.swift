import APNSVocabulary
import MockAPNs
import PushPlatform
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// What the answers of Apple make of jobs.
@Suite(.timeLimit(.minutes(10))) struct AnswerTests {
    @Test func `a token that is gone is kept, and later jobs to it are not sent`() async throws {
        let scene = try await DeliveryScene()
        let since = Date(timeIntervalSince1970: 1_700_000_000)
        scene.mock.unregister(try DeviceToken(NewQueueJob.token(1)), since: since)
        let first = try await scene.log.outcome(of: scene.add(.sample(1)))
        #expect(first?.kind == .rejected)
        #expect(first?.reason == "Unregistered")
        #expect(first?.status == 410)
        let gone = try await scene.queue.gone(among: [NewQueueJob.token(1)], app: "shop")
        #expect(gone == [GoneToken(NewQueueJob.token(1), since: QueueTime(since))])
        let second = try await scene.log.outcome(of: scene.add(.sample(1)))
        #expect(second?.kind == .notSent)
        #expect(second?.reason == "gone")
        #expect(scene.mock.arrivalCount == 1)
        // The log has the words of the API.
        try await scene.lines.wait(for: "both outcomes") { lines in
            ["rejected", "not_sent"].allSatisfy { kind in
                lines.contains { $0.contains("a job has its outcome") && $0.contains("\"outcome\": \(kind)") }
            }
        }
        try await scene.end()
    }

    @Test func `a gone token that was registered again is sent to, and is not gone any more`() async throws {
        let scene = try await DeliveryScene()
        let since = QueueTime.now + .seconds(-3600)
        try await scene.queue.recordGone([GoneToken(NewQueueJob.token(1), since: since)], app: "shop")
        let id = try await scene.add(.detailed(1) { $0.registeredAt = Date(timeIntervalSinceNow: -60) })
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(try await scene.queue.gone(among: [NewQueueJob.token(1)], app: "shop").isEmpty)
        let earlier = since + .seconds(-60)
        try await scene.queue.recordGone([GoneToken(NewQueueJob.token(2), since: since)], app: "shop")
        let other = try await scene.add(.detailed(2) { $0.registeredAt = earlier.date })
        #expect(try await scene.log.outcome(of: other)?.reason == "gone")
        try await scene.end()
    }

    @Test(arguments: [(429, RejectionReason.tooManyRequests), (503, .serviceUnavailable)])
    func `a job waits for the time in retry-after`(status: Int, reason: RejectionReason) async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(
            MockFault(steps: [.answer(status: status, reason: reason, headers: ["retry-after": "600"])], times: 1))
        let id = try await scene.add(.sample { $0.expiry = .after(.seconds(3600)) })
        #expect(try await scene.log.waits(of: id) == [reason.rawValue])
        let record = try #require(try await scene.record(id))
        #expect(record.state == .waiting)
        #expect(record.due - record.queued >= .seconds(600))
        #expect(record.attempts == 1)
        scene.advance(by: .seconds(660))
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(Set(scene.mock.arrivals.map(\.request.id)) == [id.uuidString.lowercased()])
        #expect(scene.mock.arrivalCount == 2)
        try await scene.end()
    }

    @Test func `a job that would wait past its expiry ends as expired`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(
            MockFault(
                steps: [.answer(status: 503, reason: .serviceUnavailable, headers: ["retry-after": "600"])],
                times: 1))
        let id = try await scene.add(.sample { $0.expiry = .after(.seconds(300)) })
        _ = try await scene.log.waits(of: id)
        let outcome = try await scene.record(id)?.outcome
        #expect(outcome?.kind == .notSent)
        #expect(outcome?.reason == QueueJobOutcome.expired)
        try await scene.end()
    }

    @Test func `a job that expires while it waits is not sent`() async throws {
        let scene = try await DeliveryScene(options: { $0.upkeep.interval = .seconds(3600) })
        try await scene.log.state(.running)
        try await scene.engine.pause("shop")
        let id = try await scene.add(.sample { $0.expiry = .after(.seconds(60)) })
        scene.advance(by: .seconds(61))
        try await scene.engine.resume("shop")
        await scene.engine.endOverdue()
        #expect(try await scene.record(id)?.outcome?.reason == QueueJobOutcome.expired)
        #expect(scene.mock.arrivalCount == 0)
        try await scene.end()
    }

    @Test func `a job whose time is over by the machine's clock, and not by the queue's, is sent`() async throws {
        let scene = try await DeliveryScene(runs: false)
        scene.setClock(by: .seconds(-86_400))
        let job = NewQueueJob.sample { $0.expiry = .after(.seconds(300)) }
        let id = try await scene.add(job)
        scene.run()
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.end()
    }

    // MARK: Unknown

    /// The connection ends after the body has arrived.
    private static let cut = MockFault(steps: [.closeConnection(.tcpReset)], times: 1)

    @Test func `without an answer, an at-most-once job is unknown, and is not sent again`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(Self.cut)
        let id = try await scene.add(.sample())
        let outcome = try await scene.log.outcome(of: id)
        #expect(outcome?.kind == .unknown)
        #expect(outcome?.reason == "connection_lost")
        scene.advance(by: .seconds(3600))
        let next = try await scene.add(.sample(2))
        _ = try await scene.log.outcome(of: next)
        let sent = scene.mock.arrivals.filter { $0.request.id == id.uuidString.lowercased() }
        #expect(sent.count == 1)
        try await scene.end()
    }

    @Test func `without an answer, an at-least-once job is sent again with the same id`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(Self.cut)
        let id = try await scene.add(.sample { $0.policy = .atLeastOnce })
        #expect(try await scene.log.waits(of: id) == ["connection_lost"])
        scene.advance(by: .seconds(60))
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(scene.mock.arrivals.map(\.request.id) == [id, id].map { $0.uuidString.lowercased() })
        try await scene.end()
    }

    // MARK: Payloads and channels

    @Test func `a template is filled with the variables of each job`() async throws {
        let scene = try await DeliveryScene()
        let template = #"{"aps":{"alert":"Hello {{name|you}}","badge":"{{badge}}"}}"#
        let ids = try await scene.add([
            .sample(1, payload: template) { $0.variables = Array(#"{"name":"Ada \"A\"","badge":7}"#.utf8) },
            .sample(2, payload: template) { $0.variables = Array(#"{"badge":1}"#.utf8) },
            .sample(3, payload: template) { $0.variables = Array(#"{"name":"Bob"}"#.utf8) },
            .sample(4, payload: template) { $0.variables = Array(#"[1]"#.utf8) },
        ])
        let outcomes = try await scene.log.outcomes(of: ids)
        #expect(outcomes.map(\.kind) == [.accepted, .accepted, .notSent, .notSent])
        #expect(outcomes[2].reason == "invalid")
        #expect(outcomes[2].detail?.contains("badge") == true)
        #expect(outcomes[3].reason == "invalid")
        #expect(
            Set(scene.mock.arrivals.map(\.payload)) == [
                #"{"aps":{"alert":"Hello Ada \"A\"","badge":7}}"#, #"{"aps":{"alert":"Hello you","badge":1}}"#,
            ])
        try await scene.end()
    }

    @Test(arguments: [
        NewQueueJob.sample(payload: #"{"aps":1}"#), .sample(payload: #"{"aps":"#),
        .sample { $0.push = Array("[]".utf8) },
        .sample { $0.target = .device("xyz") }, .sample { $0.target = .channel("?") },
        .detailed { $0.collapseID = String(repeating: "x", count: 65) },
    ])
    func `a job that breaks a rule is invalid`(job: NewQueueJob) async throws {
        let scene = try await DeliveryScene()
        let outcome = try await scene.log.outcome(of: scene.add(job))
        #expect(outcome?.kind == .notSent)
        #expect(outcome?.reason == "invalid")
        #expect(outcome?.detail?.isEmpty == false)
        #expect(scene.mock.arrivalCount == 0)
        try await scene.end()
    }

    @Test func `a topic that the app does not send to is invalid`() async throws {
        let scene = try await DeliveryScene(apps: { app, _ in
            var app = app
            app.allowedTopics = ["com.example.shop.voip"]
            return [app]
        })
        let outcome = try await scene.log.outcome(of: scene.add(.detailed { $0.topic = "com.example.other" }))
        #expect(outcome?.reason == "invalid")
        #expect(try await scene.log.outcome(of: scene.add(.sample(2)))?.kind == .accepted)
        try await scene.end()
    }

    @Test func `a job to a channel is a broadcast`() async throws {
        let scene = try await DeliveryScene(mock: { $0.sandboxChannelsPort = 0 })
        let port = try #require(scene.mock.channelsPort(of: .sandbox))
        let channels = try PushChannels(
            environment: PushEnvironment(
                host: "localhost", port: port,
                trust: .authorities(pem: scene.mock.credentials.authority)),
            credentials: .token(try MockCredentials.ofThisProcess.providerKey), logger: .silent)
        let channel = try await channels.create(for: "com.example.shop", storage: .none)
        await channels.shutdown()
        let update = #"{"aps":{"timestamp":1,"event":"update","content-state":{"score":1}}}"#
        let id = try await scene.add(.sample(payload: update) { $0.target = .channel(channel.description) })
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        #expect(scene.mock.channels(of: "com.example.shop", in: .sandbox).map(\.broadcasts) == [1])
        try await scene.end()
    }
}
