import Foundation
import MockAPNs
import NIOPosix
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushJSON
@testable import PushLint
@testable import PushProvider

/// From when an expiration counts that is given as a duration.
@Suite(.timeLimit(.minutes(10))) struct ExpirationTests {
    @Test func `a duration becomes a time once, and a time stays as it is`() throws {
        var notification = try PushNotification.sample()
        notification.expiration = .after(seconds: 3600)
        let handedOn = notification.handedOn(secondsSince1970: 1_000_000)
        #expect(handedOn.expiration == .until(secondsSince1970: 1_003_600))
        #expect(handedOn.handedOn(secondsSince1970: 2_000_000).expiration == handedOn.expiration)
        #expect(PushExpiration.after(seconds: .max).counted(from: 5) == .until(secondsSince1970: .max))
        #expect(PushExpiration.once.counted(from: 5) == .once)
        #expect(PushExpiration.apnsDefault.counted(from: 5) == .apnsDefault)
    }

    @Test(arguments: [
        (PushExpiration.after(seconds: -1), "expiration-form"), (.after(seconds: .max), "expiration-form"),
        (.after(seconds: 40 * 86_400), "expiration-far"),
    ])
    func `the lint knows durations`(expiration: PushExpiration, rule: String) throws {
        var notification = try PushNotification.sample()
        notification.expiration = expiration
        let now = rule == "expiration-form" ? nil : 1_800_000_000
        let findings = PayloadLint.findings(of: notification, nil, secondsSince1970: now)
        #expect(findings.map(\.rule) == [rule])
        notification.expiration = .after(seconds: 2 * 3600)
        #expect(PayloadLint.findings(of: notification, nil, secondsSince1970: 1_800_000_000).isEmpty)
    }

    /// A client whose wall clock is set by the test.
    private static func client(
        _ mock: MockServer, _ wall: Watched<Int>, _ adjust: (inout PushConfiguration) -> Void = { _ in }
    ) throws -> PushClient {
        var configuration = PushConfiguration()
        configuration.retry = .never
        configuration.timeout = .seconds(300)
        adjust(&configuration)
        var timing = ClientTiming.real(configuration)
        timing.wallSeconds = { wall.value }
        return try PushClient(
            environment: .local(port: mock.port), credentials: .token(MockCredentials.ofThisProcess.providerKey),
            configuration: configuration, eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            resolver: SystemNames.shared, timing: timing, logger: .silent)
    }

    private static func with(
        _ faults: [MockFault] = [], _ body: (MockServer, Watched<Int>, Int) async throws -> Void
    ) async throws {
        try await MockServer.with(faults) { mock in
            // Near the true time, which the mock holds against the provider token.
            let begun = Int(Date().timeIntervalSince1970) - 300
            try await body(mock, Watched(begun), begun)
        }
    }

    private static func expirations(_ mock: MockServer) -> [Int] {
        mock.arrivals.compactMap { $0.request.expiration.flatMap { Int($0) } }
    }

    @Test func `a line of a file has a duration of its own, or that of all`() async throws {
        try await Self.with { mock, wall, begun in
            let folder = try TemporaryFolder()
            let lines = ["{\"token\":\"00\"}", "{\"token\":\"01\",\"expires\":\"1h\"}", "{\"token\":\"02\"}"]
            try folder.write(lines.joined(separator: "\n").utf8, to: "lines")
            var defaults = BatchDefaults(
                topic: "com.example.app", template: try PayloadTemplate(json: #"{"aps":{"alert":"a"}}"#.utf8))
            defaults.expiration = .after(seconds: 7200)
            // Much later than when the campaign was described.
            let batch = PushBatch(
                files: [folder.path("lines")], defaults, through: try Self.client(mock, wall),
                now: Date(timeIntervalSince1970: Double(begun)))
            wall.change { $0 = begun + 250 }
            #expect(try await batch.run().accepted == 3)
            #expect(Self.expirations(mock).map { $0 - begun - 250 }.sorted() == [3600, 7200, 7200])
        }
    }

    @Test func `a clock that goes on moves the expiration of what is handed on later`() async throws {
        try await Self.with { mock, wall, begun in
            let client = try Self.client(mock, wall)
            var notification = try PushNotification.sample()
            notification.expiration = .after(seconds: 3600)
            for step in 0..<3 {
                wall.change { $0 = begun + 60 * step }
                try await client.send(notification)
            }
            #expect(Self.expirations(mock) == [3600, 3660, 3720].map { begun + $0 })
        }
    }

    @Test func `entries that are read later expire later, and the result has the time`() async throws {
        try await Self.with { mock, wall, begun in
            let client = try Self.client(mock, wall)
            var sample = try PushNotification.sample()
            sample.expiration = .after(seconds: 3600)
            let notification = sample
            let count = Watched(0)
            let entries = AsyncStream<BatchEntry>(unfolding: {
                let number = count.value
                if number == 3 { return nil }
                count.change { $0 += 1 }
                // The line before has its outcome by now.
                wall.change { $0 = begun + 60 * number }
                return BatchEntry(notification, ref: .integer(number))
            })
            var options = BatchOptions()
            options.window = 1
            let summary = try await PushBatch(entries, through: client, options: options).run()
            #expect(summary.accepted == 3)
            #expect(Self.expirations(mock) == [3600, 3660, 3720].map { begun + $0 })
            let single = AsyncStream { stream in
                stream.yield(notification)
                stream.finish()
            }
            for try await result in client.outcomes(of: single) {
                #expect(result.notification.expiration == .until(secondsSince1970: begun + 120 + 3600))
            }
        }
    }

    @Test func `a retry keeps the time of the first attempt`() async throws {
        let busy = MockFault(steps: [.answer(status: 503, reason: .serviceUnavailable)], times: 1)
        try await Self.with([busy]) { mock, wall, begun in
            let client = try Self.client(mock, wall) { $0.retry = .standard }
            var sample = try PushNotification.sample()
            sample.expiration = .after(seconds: 3600)
            let notification = sample
            let sending = Task { try await client.send(notification) }
            _ = try await mock.arrival(1, within: .seconds(120))
            wall.change { $0 = begun + 200 }
            _ = try await sending.value
            #expect(Self.expirations(mock) == [begun + 3600, begun + 3600])
        }
    }
}
