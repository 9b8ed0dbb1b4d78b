import Foundation
import InMemoryTracing
import Metrics
import MetricsTestKit
import MockAPNs
import TestSupport
import Testing
import Tracing

@testable import PushProvider

/// Channels and broadcasts, over sockets, against the mock.
@Suite struct ChannelClientTests {
    private static let app = "com.example.app"

    /// A mock with both management ports, and what is needed to use it.
    private struct Scene {
        let mock: MockServer
        let channels: PushChannels
        let client: PushClient

        init(_ change: (inout MockConfiguration) -> Void = { _ in }) async throws {
            var configuration = MockConfiguration()
            configuration.sandboxChannelsPort = 0
            configuration.productionChannelsPort = 0
            change(&configuration)
            mock = try await MockServer.start(configuration, credentials: .ofThisProcess)
            client = try PushClient.sample(to: mock)
            channels = try Self.channels(of: mock, .sandbox, client.credentials)
        }

        static func channels(
            of mock: MockServer, _ environment: MockEnvironment, _ credentials: PushCredentials,
            _ configuration: PushConfiguration = PushConfiguration()
        ) throws -> PushChannels {
            let port = try #require(mock.channelsPort(of: environment))
            let management = PushEnvironment(
                host: "localhost", port: port, trust: .authorities(pem: mock.credentials.authority))
            return try PushChannels(
                environment: management, credentials: credentials, configuration: configuration, logger: .silent)
        }

        func end() async {
            await channels.shutdown()
            await client.shutdown()
            await mock.stop()
        }
    }

    private static var update: PushPayload {
        PushPayload(json: Array(#"{"aps":{"timestamp":1,"event":"update","content-state":{"score":1}}}"#.utf8))
    }

    @Test func `a channel is created, read, listed, sent to and deleted`() async throws {
        let scene = try await Scene()
        let id = try await scene.channels.create(for: Self.app, storage: .newest)
        let other = try await scene.channels.create(for: Self.app, storage: .none)
        #expect(try await scene.channels.channel(id, of: Self.app) == PushChannel(id: id, storage: .newest))
        #expect(try await scene.channels.channel(other, of: Self.app).storage == .none)
        #expect(Set(try await scene.channels.ids(of: Self.app)) == [id, other])
        let accepted = try await scene.client.send(
            PushBroadcast(to: id, bundleID: Self.app, payload: Self.update, expiration: .after(.seconds(3600))))
        #expect(RequestID(canonical: accepted.apnsID) != nil)
        #expect(scene.mock.channels(of: Self.app, in: .sandbox).first { $0.id == id.description }?.broadcasts == 1)
        try await scene.channels.delete(id, of: Self.app)
        #expect(try await scene.channels.ids(of: Self.app) == [other])
        await scene.end()
    }

    @Test func `requests about channels have metrics and spans of their own`() async throws {
        let recorder = TestMetrics()
        let tracer = InMemoryTracer()
        let scene = try await withTracer(tracer) { try await withMetricsFactory(recorder) { try await Scene() } }
        let id = try await scene.channels.create(for: Self.app, storage: .newest)
        _ = try await scene.channels.channel(id, of: Self.app)
        try await scene.channels.delete(id, of: Self.app)
        let counter = try recorder.expectCounter(
            "push_outcomes_total", [("outcome", "accepted"), ("client", "channels")])
        #expect(counter.totalValue == 3)
        let pushes = try recorder.expectCounter("push_outcomes_total", [("outcome", "accepted")])
        #expect(pushes.totalValue == 0)
        let statuses = tracer.finishedSpans.map { span -> Int64? in
            if case .int64(let status)? = span.attributes.get("http.response.status_code") { status } else { nil }
        }
        #expect(statuses == [201, 200, 204])
        await scene.end()
    }

    @Test func `the list can have as many channels as an app`() async throws {
        let scene = try await Scene()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<APNSLimit.channels {
                group.addTask {
                    _ = try await scene.channels.create(for: Self.app, storage: .none, timeout: .seconds(120))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await scene.channels.ids(of: Self.app).count == APNSLimit.channels)
        await scene.end()
    }

    @Test func `a channel is created once, with every answer`() async throws {
        var configuration = PushConfiguration()
        configuration.retry.guarantee = .atLeastOnce
        let faults: [[MockFault.Step]] = [
            [.answer(MockFault.Answer(status: 500) { $0.reason = .internalServerError })],
            [.answer(MockFault.Answer(status: 502))],
            [.judge, .noAnswer, .resetStream(.internalError)], [.judge, .noAnswer, .closeConnection(.tcpReset)],
        ]
        for steps in faults {
            let scene = try await Scene()
            let channels = try Scene.channels(of: scene.mock, .sandbox, scene.client.credentials, configuration)
            try scene.mock.inject(MockFault(name: "once", steps: steps))
            let error = await #expect(throws: PushOutcome.self) {
                try await channels.create(for: Self.app, storage: .none)
            }
            #expect(scene.mock.arrivalCount == 1, "\(steps): \(String(describing: error))")
            await channels.shutdown()
            await scene.end()
        }
    }

    @Test func `a service that does not fit is refused`() throws {
        let key = PushCredentials.token(try MockCredentials.ofThisProcess.providerKey)
        #expect(throws: PushConfigurationError.self) { try PushChannels(environment: .production, credentials: key) }
        #expect(throws: PushConfigurationError.self) { try PushClient(environment: .sandboxChannels, credentials: key) }
    }

    @Test(arguments: ["a\nb", "", "--help", "x\r\ny: z", "a b", "é"])
    func `an id that cannot be one is a malformed answer`(
        id: String
    ) {
        #expect(PushChannel.ID(returned: id) == nil)
        let json = PushJSONValue.object(["channels": .array([.string("YQ=="), .string(id)])])
        #expect(ChannelAnswer.ids(json.encoded) == nil)
    }

    @Test func `the two environments have different channels`() async throws {
        let scene = try await Scene()
        let id = try await scene.channels.create(for: Self.app, storage: .none)
        let production = try Scene.channels(of: scene.mock, .production, scene.client.credentials)
        #expect(try await production.ids(of: Self.app).isEmpty)
        let error = await #expect(throws: PushOutcome.self) { try await production.delete(id, of: Self.app) }
        #expect(error?.rejection?.reason == .channelNotRegistered)
        await production.shutdown()
        await scene.end()
    }

    @Test func `a rejection has its reason and the id of the request`() async throws {
        let scene = try await Scene()
        let unknown = try PushChannel.ID("AAAA")
        let error = await #expect(throws: PushOutcome.self) { try await scene.channels.channel(unknown, of: Self.app) }
        #expect(error?.rejection?.status == 400 && error?.rejection?.reason == .channelNotRegistered)
        #expect(RequestID(canonical: error?.rejection?.apnsID ?? "") != nil)
        let none = try await scene.channels.create(for: Self.app, storage: .none)
        let outcome = await scene.client.outcome(
            of: PushBroadcast(
                to: none, bundleID: Self.app, payload: Self.update, expiration: .after(.seconds(60))))
        #expect(outcome.summary == "rejected 400 BadExpirationDate")
        await scene.end()
    }

    @Test func `the limit of channels is reached`() async throws {
        let scene = try await Scene { $0.variants.channelLimit = 1 }
        _ = try await scene.channels.create(for: Self.app, storage: .none)
        let error = await #expect(throws: PushOutcome.self) {
            _ = try await scene.channels.create(for: Self.app, storage: .none)
        }
        #expect(error?.rejection?.reason == .cannotCreateChannelConfig)
        await scene.end()
    }

    @Test func `a wrong bundle id does not stop requests for other apps`() async throws {
        let scene = try await Scene()
        let key = MockTrustedKey(
            keyID: scene.mock.credentials.keyID, teamID: scene.mock.credentials.teamID, topics: [Self.app])
        try scene.mock.trust(pem: Array(scene.mock.credentials.p8.utf8), as: key)
        for _ in 0..<5 {
            let error = await #expect(throws: PushOutcome.self) {
                try await scene.channels.ids(of: "com.example.other")
            }
            #expect(error?.rejection?.reason == .topicMismatch)
        }
        #expect(try await scene.channels.ids(of: Self.app).isEmpty)
        await scene.end()
    }

    @Test(arguments: [
        ("", "topic-missing"), ("com.example app", "topic-form"),
        ("com.example.app.push-type.liveactivity", "topic-push-type"),
    ])
    func `a wrong bundle id is refused before it is sent`(bundleID: String, rule: String) async throws {
        let scene = try await Scene()
        let error = await #expect(throws: PushOutcome.self) { try await scene.channels.ids(of: bundleID) }
        #expect(error?.name == "invalid" && error?.findings.map(\.rule) == [rule])
        #expect(scene.mock.connectionCount == 0)
        await scene.end()
    }

    @Test func `a broadcast that APNs must refuse is not sent`() async throws {
        let scene = try await Scene()
        let channel = try PushChannel.ID("AAAA")
        let endless = await #expect(throws: PushOutcome.self) {
            try await scene.client.send(
                PushBroadcast(to: channel, bundleID: Self.app, payload: Self.update, expiration: .apnsDefault))
        }
        #expect(endless?.findings.map(\.rule) == ["expiration-form"])
        let large = PushPayload(
            json: Array(
                #"{"aps":{"event":"update","content-state":{"x":"\#(String(repeating: "x", count: 5200))"}}}"#.utf8))
        for (broadcast, rule) in [
            (PushBroadcast(to: channel, bundleID: Self.app, payload: large), "payload-too-large"),
            (
                PushBroadcast(
                    to: channel, bundleID: Self.app, payload: Self.update, priority: PushPriority(rawValue: 7)),
                "priority-known"
            ),
            (PushBroadcast(to: channel, bundleID: Self.app, payload: .background()), "push-type-payload"),
        ] {
            let error = await #expect(throws: PushOutcome.self) { try await scene.client.send(broadcast) }
            #expect(error?.findings.map(\.rule) == [rule])
        }
        #expect(scene.mock.connectionCount == 0)
        await scene.end()
    }

    @Test func `a client that could fill the memory of the mock with answers is shut out`() async throws {
        let scene = try await Scene { $0.limits.answerBytes = 5000 }
        for _ in 0..<200 { _ = try await scene.channels.create(for: Self.app, storage: .none) }
        let error = await #expect(throws: PushOutcome.self) {
            _ = try await scene.channels.ids(of: Self.app, timeout: .seconds(30))
        }
        #expect(error?.description.contains("answer-bytes") == true, "\(String(describing: error))")
        await scene.end()
    }

    @Test(arguments: ["com.example.voip", "com.example.app.complication"])
    func `a bundle id may end in a word that is also a suffix`(app: String) async throws {
        let scene = try await Scene()
        let channel = try await scene.channels.create(for: app, storage: .none)
        #expect(try await scene.channels.ids(of: app) == [channel])
        try await scene.client.send(PushBroadcast(to: channel, bundleID: app, payload: Self.update))
        await scene.end()
    }

    @Test func `each request has the id that is given`() async throws {
        let scene = try await Scene()
        let (first, second, third, fourth) = (UUID(), UUID(), UUID(), UUID())
        let id = try await scene.channels.create(for: Self.app, storage: .none, requestID: first)
        #expect(try await scene.channels.channel(id, of: Self.app, requestID: second).id == id)
        #expect(try await scene.channels.ids(of: Self.app, requestID: third) == [id])
        try await scene.channels.delete(id, of: Self.app, requestID: fourth)
        #expect(
            scene.mock.arrivals.map(\.verdict.messageID)
                == [first, second, third, fourth].map { $0.uuidString.lowercased() })
        await scene.end()
    }

    @Test func `an answer without its body or id is an unknown outcome`() async throws {
        let scene = try await Scene()
        try scene.mock.inject(MockFault(steps: [.answer(status: 201)], times: 1))
        let created = await #expect(throws: PushOutcome.self) {
            _ = try await scene.channels.create(for: Self.app, storage: .none)
        }
        #expect(created?.unknown?.cause == .malformedAnswer)
        try scene.mock.inject(MockFault(steps: [.answer(status: 200)], times: 1))
        let listed = await #expect(throws: PushOutcome.self) { _ = try await scene.channels.ids(of: Self.app) }
        #expect(listed?.unknown?.cause == .malformedAnswer)
        await scene.end()
    }

    @Test(arguments: ["", "!", "abc", String(repeating: "AAAA", count: 51)])
    func `a text that is not base64 is no channel id`(text: String) {
        #expect(throws: PushConfigurationError.self) { try PushChannel.ID(text) }
    }
}

extension RequestID {
    /// The id of a canonical UUID; `nil` for any other text.
    fileprivate init?(canonical text: String) {
        guard let id = UUID(uuidString: text), id.uuidString.lowercased() == text else { return nil }
        self.init(id)
    }
}
