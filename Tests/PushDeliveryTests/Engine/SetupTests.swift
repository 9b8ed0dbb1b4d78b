import APNSVocabulary
import MockAPNs
import NIOPosix
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// What a reload, a replaced file or a restart changes about where pushes go.
@Suite(.timeLimit(.minutes(10))) struct SetupTests {
    private static let changed =
        "The topic has changed from com.example.shop to com.example.new. Pushes without a topic that were accepted before "
        + "still go to com.example.shop."

    /// The app of a scene with another topic.
    private func shop(_ scene: DeliveryScene, topic: String?) throws -> AppSettings {
        var app = try scene.folder.app("shop", at: scene.mock)
        app.topic = topic
        return app
    }

    /// The setup that the queue has, as soon as it has the present one.
    private func stored(_ scene: DeliveryScene) async throws -> StoredAppSetup? {
        await scene.engine.storingSetups?.value
        return try await scene.queue.record(kind: StoredAppSetup.kind, key: "shop").flatMap(StoredAppSetup.init)
    }

    @Test func `a changed topic is a warning in the log, the status and the queue, until it is changed back`()
        async throws
    {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        #expect(await scene.engine.statuses.first?.warnings == [])
        await scene.engine.update([try shop(scene, topic: "com.example.new")])
        #expect(await scene.engine.statuses.first?.warnings == [Self.changed])
        #expect(scene.lines.lines.count { $0.hasPrefix("warning") && $0.contains(Self.changed) } == 1)
        #expect(try await stored(scene)?.base.topic == "com.example.shop")
        #expect(try await stored(scene)?.current.topic == "com.example.new")
        await scene.engine.update([try shop(scene, topic: "com.example.shop")])
        #expect(await scene.engine.statuses.first?.warnings == [])
        #expect(try await stored(scene)?.before == nil)
        try await scene.end()
    }

    @Test func `a reload takes effect while the queue stands still, and is stored when it works again`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        #expect(try await stored(scene)?.current.topic == "com.example.shop")
        let (gate, open) = AsyncStream<Void>.makeStream()
        scene.queue.hooks.clean = { for await _ in gate {} }
        for topic in ["com.example.other", "com.example.new"] {
            await scene.engine.update([try shop(scene, topic: topic)])
            await scene.engine.refreshCredentials()
        }
        #expect(await scene.engine.statuses.first?.warnings == [Self.changed])
        scene.queue.hooks.clean = {}
        open.finish()
        #expect(try await stored(scene)?.current.topic == "com.example.new")
        try await scene.end()
    }

    @Test func `environment and key are reported, too`() throws {
        var old = AppSettings(
            name: "shop", environment: .sandbox, credentials: .key(file: "a", keyID: "AAAAAAAAAA", teamID: "TEAM123456")
        )
        old.topic = "com.example.shop"
        var new = old
        new.credentials = .key(file: "renamed", keyID: "AAAAAAAAAA", teamID: "TEAM123456")
        #expect(AppSetup(new, nil).changes(from: AppSetup(old, nil)) == [])
        new.environment = .production
        new.credentials = .key(file: "a", keyID: "BBBBBBBBBB", teamID: "TEAM123456")
        new.topic = nil
        #expect(
            AppSetup(new, nil).changes(from: AppSetup(old, nil)) == [
                "The topic has changed from com.example.shop to none. Pushes without a topic that were accepted before still go to com.example.shop.",
                "The environment has changed from api.sandbox.push.apple.com:443 to api.push.apple.com:443. Waiting pushes go there, too.",
                "The credentials have changed from the key AAAAAAAAAA of team TEAM123456 to the key BBBBBBBBBB of team TEAM123456. Waiting pushes are sent with them, too.",
            ])
        #expect(
            AppSetup(old, nil).changes(from: AppSetup(new, nil)).first
                == "The topic has changed from none to com.example.shop.")
    }

    @Test func `a restart with another topic is reported once`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        try await scene.stop()
        for wanted in [[Self.changed], []] {
            let next = DeliveryEngine(
                queue: scene.queue, apps: [try shop(scene, topic: "com.example.new")],
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .silent)
            let running = Task { try await next.run() }
            while await next.statuses.isEmpty { await Task.yield() }
            #expect(await next.statuses.first?.warnings == wanted)
            next.stop()
            try await running.value
        }
        try await scene.end()
    }

    @Test func `an accepted push keeps its topic, and one of an older version goes to that of the app`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        await scene.engine.update([try shop(scene, topic: "com.example.new")])
        let kept = try await scene.add(.detailed(1) { $0.defaultTopic = "com.example.shop" })
        #expect(try await scene.log.outcome(of: kept)?.kind == .accepted)
        let old = try await scene.add(.sample(2))
        #expect(try await scene.log.outcome(of: old)?.kind == .accepted)
        #expect(scene.mock.arrivals.map(\.request.topic) == ["com.example.shop", "com.example.new"])
        try await scene.end()
    }

    @Test func `a refused earlier topic makes a dead letter, and the app goes on`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        await scene.engine.update([try shop(scene, topic: "com.example.new")])
        try scene.mock.inject(
            MockFault(
                when: MockFault.Matcher(topic: "com.example.shop"),
                steps: [.answer(status: 400, reason: .topicDisallowed)]))
        let earlier = try await scene.add(.detailed(1) { $0.defaultTopic = "com.example.shop" })
        let outcome = try #require(try await scene.log.outcome(of: earlier))
        #expect(outcome.kind == .notSent && outcome.reason == "buried")
        #expect(outcome.detail?.hasPrefix("The topic of the app has changed since the push was accepted") == true)
        #expect(await scene.engine.statuses.map(\.state) == [.running])
        let current = try await scene.add(.detailed(2) { $0.defaultTopic = "com.example.new" })
        #expect(try await scene.log.outcome(of: current)?.kind == .accepted)
        // It now goes to the present topic.
        guard case .queued(let again)? = try await scene.queue.redrive([earlier], app: "shop", expiry: .never).first
        else {
            Issue.record("The dead letter was not sent again.")
            return try await scene.end()
        }
        #expect(try await scene.log.outcome(of: again)?.kind == .accepted)
        #expect(scene.mock.arrivals.last?.request.topic == "com.example.new")
        try await scene.end()
    }

    @Test func `what waited for a wrong topic goes to the corrected one`() async throws {
        let scene = try await DeliveryScene()
        try await scene.log.state(.running)
        try scene.mock.inject(
            MockFault(
                when: MockFault.Matcher(topic: "com.example.shop"),
                steps: [.answer(status: 400, reason: .topicDisallowed)]))
        await scene.engine.update([try shop(scene, topic: "com.example.shop")])
        let jobs = [
            try await scene.add(.detailed(1) { $0.defaultTopic = "com.example.shop" }),
            try await scene.add(.detailed(2) { $0.defaultTopic = "com.example.shop" }),
        ]
        try await scene.log.state(.refused)
        await scene.engine.update([try shop(scene, topic: "com.example.new")])
        for job in jobs { #expect(try await scene.log.outcome(of: job)?.kind == .accepted) }
        try await scene.end()
    }

    @Test func `a certificate that lacks the earlier topic makes a dead letter`() async throws {
        let set = try CertificateSet.shared()
        let scene = try await DeliveryScene(apps: { app, folder in
            var app = app
            try folder.write(try set.read("voip.p12"), to: "push.p12")
            let passphrase = try folder.write(CertificateSet.passphrase, to: "passphrase")
            app.credentials = .identity(file: folder.path("push.p12"), passphraseFile: passphrase)
            app.topic = nil
            return [app]
        })
        try await scene.log.state(.running)
        let id = try await scene.add(.detailed { $0.defaultTopic = "com.example.app" })
        let outcome = try await scene.log.outcome(of: id)
        #expect(outcome?.reason == "buried", "\(String(describing: outcome))")
        try await scene.end()
    }

    @Test func `a certificate gives the default topic of requests, and a replaced one is reported`() async throws {
        let set = try CertificateSet.shared()
        let scene = try await DeliveryScene(
            runs: false,
            apps: { app, folder in
                var app = app
                try folder.write(try set.read("universal.p12"), to: "push.p12")
                let passphrase = try folder.write(CertificateSet.passphrase, to: "passphrase")
                app.credentials = .identity(file: folder.path("push.p12"), passphraseFile: passphrase)
                app.topic = nil
                return [app]
            })
        var app = try shop(scene, topic: nil)
        #expect(scene.engine.defaultTopic(of: app) { .alert } == nil)
        app.credentials = .identity(
            file: scene.folder.path("push.p12"), passphraseFile: scene.folder.path("passphrase"))
        // Also before the engine runs: requests may come first.
        #expect(scene.engine.defaultTopic(of: app) { .alert } == "com.example.app")
        #expect(scene.engine.defaultTopic(of: app) { .voip } == "com.example.app.voip")
        scene.run()
        try await scene.log.state(.running)
        try scene.folder.write(try set.read("voip.p12"), to: "push.p12")
        await scene.engine.refreshCredentials()
        #expect(scene.engine.defaultTopic(of: app) { .alert } == "com.example.app.voip")
        let warning = try #require(await scene.engine.statuses.first?.warnings.first)
        #expect(
            warning.hasPrefix(
                "The topic has changed from com.example.app, com.example.app.voip, com.example.app.complication to com.example.app.voip."
            ), "\(warning)")
        try await scene.end()
    }
}
