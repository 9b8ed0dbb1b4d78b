import APNSVocabulary
import MockAPNs
import NIOPosix
import PushPlatform
import PushProvider
import PushQueue
import PushWire
import TestSupport
import Testing

@testable import PushDelivery

/// What the operator can correct, and how.
@Suite(.timeLimit(.minutes(10))) struct AppTests {
    private static func untrustedKey() throws -> String {
        String(decoding: try SigningKey.generate().pem(), as: UTF8.self)
    }

    @Test func `refused credentials pause the app, and a renewed key goes on with all jobs`() async throws {
        let scene = try await DeliveryScene(apps: { app, folder in
            try folder.writeAtomically(Self.untrustedKey(), to: "shop.p8")
            return [app]
        })
        let ids = try await scene.add((1...50).map { .sample($0) })
        let status = try #require(try await scene.log.state(.refused))
        #expect(status.correction == .credentials)
        #expect(status.credentials == .refused)
        #expect(status.reason?.contains("InvalidProviderToken") == true)
        try scene.folder.writeAtomically(scene.mock.credentials.p8, to: "shop.p8")
        await scene.engine.refreshCredentials()
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        #expect(await scene.engine.statuses.map(\.credentials) == [.accepted])
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try await scene.end()
    }

    @Test func `the status of an app says what keeps its pushes from getting through`() async throws {
        let scene = try await DeliveryScene(options: { $0.drainTime = .zero })
        let proxy = try RefusingProxy(
            to: scene.mock.port, refuses: "CONNECT", answering: "HTTP/1.1 503 Service Unavailable\r\n\r\n")
        var app = try scene.folder.app("shop", at: scene.mock)
        app.client.proxy = try PushProxy(url: "http://127.0.0.1:\(proxy.port)")
        await scene.engine.update([app])
        _ = try await scene.add(.sample())
        func reason() async -> String? { await scene.engine.statuses.first?.reason }
        while await reason()?.contains("(503") != true { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await scene.engine.statuses.map(\.correction) == [nil])
        try await scene.end()
    }

    @Test func `a reload with other credentials goes on with all jobs`() async throws {
        let scene = try await DeliveryScene(apps: { app, folder in
            var app = app
            let file = try folder.writeAtomically(Self.untrustedKey(), to: "other.p8")
            app.credentials = .key(
                file: file, keyID: PushProviderKey.sampleKeyID, teamID: PushProviderKey.sampleTeamID)
            return [app]
        })
        let ids = try await scene.add((1...50).map { .sample($0) })
        try await scene.log.state(.refused)
        await scene.engine.update([try scene.folder.app("shop", at: scene.mock)])
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        try await scene.end()
    }

    @Test func `tokens of another environment pause the app, and every job is kept`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: {
                $0.breaker = PushConfiguration.MismatchBreaker(window: 20)
                $0.suspicionTime = .seconds(3600)
            })
        let ids = try await scene.add((1...200).map { .sample($0) })
        let status = try #require(try await scene.log.state(.refused))
        #expect(status.correction == .mismatch)
        #expect(status.reason?.contains("BadDeviceToken") == true)
        // A wrong setup costs a few windows of requests, not all of them.
        #expect(scene.mock.arrivalCount <= 40)
        scene.mock.settings.unknownTokens = .accept
        #expect(try await scene.engine.resume("shop"))
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        try await scene.end()
    }

    @Test func `a resume sends what waited for good, and does not stop the app again`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: { $0.breaker = PushConfiguration.MismatchBreaker(window: 20) })
        let ids = try await scene.add((1...300).map { .sample($0) })
        #expect(try await scene.log.state(.refused)?.correction == .mismatch)
        while try await scene.queue.counts()["shop"]?.waiting != ids.count { await Task.yield() }
        scene.advance(by: .seconds(1))
        try await scene.engine.resume("shop")
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.reason == "BadDeviceToken" })
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try await scene.end()
    }

    @Test func `a resume also sends the lines of a campaign that are released later, and does not stop the app again`()
        async throws
    {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: { ($0.breaker, $0.releaseAhead) = (PushConfiguration.MismatchBreaker(window: 20), 50) })
        guard case .created(let campaign) = try await scene.queue.createCampaign(NewQueueCampaign("sale", app: "shop"))
        else { throw DeliveryScene.Unexpected() }
        let lines = (1...300).map { QueueCampaignLine($0, .job(.sample($0))) }
        _ = try await scene.queue.addLines(lines, to: campaign.id, app: "shop")
        _ = try await scene.queue.changeCampaign(campaign.id, app: "shop", .start(closes: true))
        #expect(try await scene.log.state(.refused)?.correction == .mismatch)
        // These are due only after the resume.
        #expect(try await scene.queue.counts()["shop"]?.held ?? 0 > 100)
        scene.advance(by: .seconds(1))
        try await scene.engine.resume("shop")
        try await scene.log.events.wait(for: "all outcomes") { $0.count { $0.isFinished } == 300 }
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try await scene.end()
    }

    @Test func `a resume after another cause still stops at device tokens that do not fit`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: {
                $0.breaker = PushConfiguration.MismatchBreaker(window: 20)
                $0.suspicionTime = .seconds(3600)
            })
        try scene.mock.inject(
            MockFault(
                when: MockFault.Matcher(topic: "com.example.shop"),
                steps: [.answer(status: 400, reason: .topicDisallowed)]))
        let ids = try await scene.add((1...200).map { .sample($0) })
        #expect(try await scene.log.state(.refused)?.correction == .topic)
        while try await scene.queue.counts()["shop"]?.waiting != ids.count { await Task.yield() }
        scene.advance(by: .seconds(1))
        scene.mock.removeAllFaults()
        try await scene.engine.resume("shop")
        #expect(try await scene.log.state(.refused)?.correction == .mismatch)
        // Every job is kept, and those that were rejected, too.
        scene.mock.settings.unknownTokens = .accept
        try await scene.engine.resume("shop")
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        try await scene.end()
    }

    @Test func `the wrong tokens of one key do not stop the app for another key`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: { $0.breaker = PushConfiguration.MismatchBreaker(window: 20) })
        scene.mock.register(MockDevice(token: try DeviceToken(NewQueueJob.token(1000))))
        func job(_ number: Int, by sender: Int) -> NewQueueJob { .detailed(number) { $0.sender = sender } }
        #expect(try await scene.log.outcome(of: scene.add(job(1000, by: 1)))?.kind == .accepted)
        let wrong = try await scene.add((1...300).map { job($0, by: 2) })
        #expect(try await scene.log.outcomes(of: wrong).allSatisfy { $0.reason == "BadDeviceToken" })
        #expect(try await scene.log.outcome(of: scene.add(job(1000, by: 1)))?.kind == .accepted)
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try await scene.end()
    }

    @Test func `the jobs that are suspected can be cancelled, and no other one is`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: {
                $0.breaker = PushConfiguration.MismatchBreaker(window: 20)
                $0.suspicionTime = .seconds(3600)
            })
        let wrong = try await scene.add((1...20).map { .sample($0) })
        #expect(try await scene.log.state(.refused)?.correction == .mismatch)
        for id in wrong { _ = try await scene.log.waits(of: id) }
        let later = try await scene.add(.sample(21))
        let audit = QueueAudit { QueueAuditEntry(app: "shop", content: [UInt8($0 ?? 0)]) }
        #expect(try await SuspectedJobs.cancel(of: "shop", in: scene.queue, audit: audit).total == 20)
        #expect(try await scene.queue.audit(of: ["shop"], before: nil, limit: 9).map(\.entry.content) == [[20], [0]])
        #expect(try await scene.record(wrong[0])?.outcome?.reason == "cancelled")
        #expect(try await scene.record(later)?.state == .waiting)
        try await scene.end()
    }

    @Test func `an app can be told not to stop`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: { $0.breaker = PushConfiguration.MismatchBreaker(window: 20) },
            apps: { app, _ in
                var app = app
                app.stopsAtMismatch = false
                return [app]
            })
        let ids = try await scene.add((1...100).map { .sample($0) })
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.reason == "BadDeviceToken" })
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try await scene.end()
    }

    @Test func `one wrong token among good ones is rejected`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject },
            options: {
                $0.breaker = PushConfiguration.MismatchBreaker(window: 10)
                $0.suspicionTime = .seconds(3600)
            })
        for number in 2...20 { scene.mock.register(MockDevice(token: try DeviceToken(NewQueueJob.token(number)))) }
        let good = try await scene.add((2...20).map { .sample($0) })
        _ = try await scene.log.outcomes(of: good)
        let outcome = try await scene.log.outcome(of: scene.add(.sample(1)))
        #expect(outcome?.kind == .rejected)
        #expect(outcome?.reason == "BadDeviceToken")
        try await scene.end()
    }

    @Test func `a wrong token alone is rejected after a while`() async throws {
        let scene = try await DeliveryScene(
            mock: { $0.unknownTokens = .reject }, options: { $0.suspicionTime = .milliseconds(1) })
        #expect(try await scene.log.outcome(of: scene.add(.sample()))?.reason == "BadDeviceToken")
        try await scene.end()
    }

    @Test func `a refused topic of the app pauses it, and one that a push names does not`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(
            MockFault(
                when: MockFault.Matcher(topic: "com.example.other"),
                steps: [.answer(status: 400, reason: .topicDisallowed)]))
        let other = try await scene.add(.detailed { $0.topic = "com.example.other" })
        #expect(try await scene.log.outcome(of: other)?.reason == "TopicDisallowed")
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        try scene.mock.inject(
            MockFault(
                when: MockFault.Matcher(topic: "com.example.shop"),
                steps: [.answer(status: 400, reason: .topicDisallowed)]))
        let id = try await scene.add(.sample(2))
        #expect(try await scene.log.state(.refused)?.correction == .topic)
        #expect(try await scene.log.waits(of: id) == ["TopicDisallowed"])
        scene.mock.removeAllFaults()
        try await scene.engine.resume("shop")
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `an app without its key is down, and the others run`() async throws {
        let scene = try await DeliveryScene(apps: { app, folder in
            var missing = app
            missing.name = "news"
            missing.credentials = .key(
                file: folder.path("news.p8"), keyID: MockCredentials.keyID, teamID: MockCredentials.teamID)
            return [app, missing]
        })
        let status = try #require(try await scene.log.state(.down, of: "news"))
        #expect(status.credentials == .unreadable)
        #expect(status.reason?.contains("news.p8") == true)
        let waiting = try await scene.add(.sample(), app: "news")
        #expect(try await scene.log.outcome(of: scene.add(.sample()))?.kind == .accepted)
        #expect(try await scene.record(waiting, app: "news")?.state == .waiting)
        try scene.folder.writeAtomically(scene.mock.credentials.p8, to: "news.p8")
        await scene.engine.refreshCredentials()
        #expect(try await scene.log.outcome(of: waiting)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `a renewed key that cannot be read leaves the old one in use`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        try scene.folder.writeAtomically("half", to: "shop.p8")
        await scene.engine.refreshCredentials()
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        #expect(try await scene.log.outcome(of: scene.add(.sample()))?.kind == .accepted)
        try await scene.end()
    }

    @Test func `jobs of a removed app wait for it`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        await scene.engine.update([])
        let id = try await scene.add(.sample())
        #expect(await scene.engine.statuses.isEmpty)
        // A claim that was on its way may still get it, and gives it back.
        while try await scene.record(id)?.state == .leased { await Task.yield() }
        #expect(try await scene.record(id)?.state == .waiting)
        await scene.engine.update([try scene.folder.app("shop", at: scene.mock)])
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        try await scene.end()
    }

    @Test func `a client that is replaced finishes what it has`() async throws {
        let scene = try await DeliveryScene()
        try scene.mock.inject(MockFault(steps: [.wait(.milliseconds(200))], times: 5))
        let ids = try await scene.add((1...5).map { .sample($0) })
        _ = try await scene.mock.arrivalsInFlight(scene)
        try scene.folder.writeAtomically(scene.mock.credentials.p8, to: "shop.p8")
        await scene.engine.refreshCredentials()
        #expect(try await scene.log.outcomes(of: ids).allSatisfy { $0.kind == .accepted })
        #expect(try await scene.log.outcome(of: scene.add(.sample(6)))?.kind == .accepted)
        #expect(scene.mock.arrivalCount == 6)
        try await scene.end()
    }

    // MARK: Pauses

    @Test func `a paused app keeps its jobs, also in the next process`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        #expect(try await scene.engine.pause("shop", reason: "wrong prices"))
        #expect(try await !scene.engine.pause("unknown"))
        let id = try await scene.add(.sample())
        try await scene.stop()
        let next = DeliveryEngine(
            queue: scene.queue, apps: [try scene.folder.app("shop", at: scene.mock)],
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .silent, observer: scene.log)
        let running = Task { try await next.run() }
        try await scene.log.statuses.wait(for: "the pause") {
            $0.count { $0.state == .paused && $0.reason == "wrong prices" } >= 2
        }
        #expect(try await scene.record(id)?.state == .waiting)
        #expect(try await next.resume("shop"))
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        next.stop()
        try await running.value
        try await scene.end()
    }

    @Test func `an app that is added again is still paused`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        try await scene.engine.pause("shop")
        await scene.engine.update([])
        await scene.engine.update([try scene.folder.app("shop", at: scene.mock)])
        #expect(await scene.engine.statuses.map(\.state) == [.paused])
        try await scene.end()
    }

    // MARK: Looking

    @Test func `the status has what an operator needs`() async throws {
        let scene = try await DeliveryScene(apps: { app, _ in
            var app = app
            app.client.measuringInterval = .milliseconds(1)
            return [app]
        })
        _ = try await scene.log.outcome(of: scene.add(.sample()))
        while await scene.engine.statuses.first?.isConnected == false { await Task.yield() }
        try await scene.engine.pause("shop")
        _ = try await scene.add(.sample(2))
        scene.advance(by: .seconds(120))
        let status = try #require(await scene.engine.statuses.first)
        #expect(status.name == "shop")
        #expect(status.state == .paused)
        #expect(status.credentials == .accepted)
        #expect(status.isConnected)
        #expect(status.certificateDaysLeft == nil)
        #expect(status.inFlight == 0)
        #expect(status.oldestDueAge.map { $0 >= .seconds(120) } == true)
        try await scene.end()
    }

    @Test func `a certificate with its passphrase is read`() async throws {
        let folder = try TemporaryFolder()
        let set = try CertificateSet.shared()
        let names = try FileManager.default.contentsOfDirectory(atPath: set.folder.path())
        let file = try #require(names.sorted().first { $0.hasSuffix(".p12") })
        let passphrase = try folder.writeAtomically("\(CertificateSet.passphrase)\n", to: "pass")
        var app = AppSettings(
            name: "shop", environment: try .local(port: 1),
            credentials: .identity(file: set.path(file), passphraseFile: passphrase))
        do { #expect(try app.readCredentials().certificate != nil) } catch {
            #expect(error.description.contains("expired"), "\(file): \(error)")
        }
        app.credentials = .identity(file: set.path(file), passphraseFile: folder.path("none"))
        #expect(throws: AppSettingsError.self) { try app.readCredentials() }
    }
}

extension MockServer {
    /// Waits until a connection has a request.
    fileprivate func arrivalsInFlight(_ scene: DeliveryScene) async throws -> MockConnectionRecord {
        try await connectionRecord(1, within: .seconds(120)) { !$0.streams.isEmpty }
    }
}
