import MockAPNs
import PushProvider
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The mock as a test uses it: in the same process, with a client of ours over a real socket.
@Suite struct MockServerTests {
    private static let token = String(repeating: "5f3ad1c07b9e4286", count: 4)

    /// A mock and a client that trust each other, stopped afterwards.
    private static func withMock(
        _ configuration: MockConfiguration = MockConfiguration(),
        _ body: (MockServer, PushClient) async throws -> Void
    ) async throws {
        let mock = try await MockServer.start(configuration)
        let client = try client(of: mock)
        do {
            try await body(mock, client)
        } catch {
            await client.shutdown(drainTime: .zero)
            await mock.stop()
            throw error
        }
        await client.shutdown(drainTime: .seconds(1))
        await mock.stop()
    }

    private static func client(of mock: MockServer, key: PushProviderKey? = nil) throws -> PushClient {
        let ownKey = try PushProviderKey(
            p8: mock.credentials.p8.utf8, keyID: mock.credentials.keyID, teamID: mock.credentials.teamID)
        let trust = PushEnvironment.Trust.authorities(pem: mock.credentials.authority)
        return try PushClient(
            environment: PushEnvironment(host: mock.host, port: mock.port, trust: trust),
            credentials: .token(key ?? ownKey),
            configuration: .withoutRetries
        )
    }

    private static func notification(_ text: String = "Hello", token: String = token) throws -> PushNotification {
        PushNotification(to: try DeviceToken(token), topic: "com.example.app", payload: .alert(body: text))
    }

    @Test func `a request that is no longer in the log is not mistaken for another one`() async throws {
        try await Self.withMock { mock, client in
            try await client.send(Self.notification("one"))
            mock.clearArrivals()
            try await client.send(Self.notification("two"))
            let error = await #expect(throws: MockWaitError.self) { try await mock.arrival(1) }
            #expect(error?.description == "Request 1 isn't in the log any more. The next one there is 2.")
            #expect(try await mock.arrival(2).payload.contains("two"))
        }
    }

    @Test func `what arrives is there as a list, by number and as a sequence`() async throws {
        try await Self.withMock { mock, client in
            for text in ["one", "two", "three"] { try await client.send(Self.notification(text)) }
            #expect(mock.arrivals.map(\.number) == [1, 2, 3])
            #expect(mock.arrivalCount == 3)
            let second = try await mock.arrival(2, within: .seconds(120))
            #expect(second.payload == #"{"aps":{"alert":{"body":"two"}}}"#)
            var seen: [String] = []
            for await arrival in mock.arrivalSequence {
                seen.append(arrival.deviceToken)
                if seen.count == 3 { break }
            }
            #expect(seen == [Self.token, Self.token, Self.token])
        }
    }

    @Test func `a wait ends with the request that it waits for, whichever comes first`() async throws {
        try await Self.withMock { mock, client in
            let second = Task { try await mock.arrival(2, within: .seconds(120)) }
            try await client.send(Self.notification("one"))
            try await client.send(Self.notification("two"))
            let number = try await second.value.number
            #expect(number == 2)
        }
    }

    @Test func `a wait ends when its time is over, when its task is cancelled and when the mock stops`() async throws {
        let mock = try await MockServer.start()
        await #expect { try await mock.arrival(1, within: .milliseconds(20)) } throws: {
            ($0 as? MockWaitError)?.code == .timeout
        }
        let cancelled = Task { try await mock.arrival(1, within: .seconds(60)) }
        cancelled.cancel()
        await #expect { try await cancelled.value } throws: { ($0 as? MockWaitError)?.code == .cancelled }
        let stopped = Task { try await mock.arrival(1, within: .seconds(60)) }
        await mock.stop()
        await #expect { try await stopped.value } throws: { ($0 as? MockWaitError)?.code == .stopped }
    }

    @Test func `a loop over what arrives ends when the mock stops`() async throws {
        let mock = try await MockServer.start()
        let loop = Task { () -> Int in
            var count = 0
            for await _ in mock.arrivalSequence { count += 1 }
            return count
        }
        await mock.stop()
        let count = await loop.value
        #expect(count == 0)
    }

    @Test func `devices can be registered and unregistered while it runs`() async throws {
        var configuration = MockConfiguration()
        configuration.unknownTokens = .reject
        try await Self.withMock(configuration) { mock, client in
            let device = try DeviceToken(Self.token)
            await #expect { try await client.send(Self.notification()) } throws: {
                ($0 as? PushOutcome)?.rejection?.reason == .badDeviceToken
            }
            mock.register(MockDevice(token: device, topics: ["com.example.app"]))
            try await client.send(Self.notification())
            mock.unregister(device, since: Date(timeIntervalSince1970: 1_700_000_000.5))
            await #expect { try await client.send(Self.notification()) } throws: {
                let rejection = ($0 as? PushOutcome)?.rejection
                return rejection?.status == 410 && rejection?.reason == .unregistered
                    && rejection?.timestampMilliseconds == 1_700_000_000_500
            }
        }
    }

    @Test func `the next answers can be ordered, and the ones after them are judged again`() async throws {
        try await Self.withMock { mock, client in
            mock.answerNext(status: 503, reason: .serviceUnavailable, times: 2)
            for _ in 1...2 {
                await #expect { try await client.send(Self.notification()) } throws: {
                    ($0 as? PushOutcome)?.rejection?.reason == .serviceUnavailable
                }
            }
            try await client.send(Self.notification())
            #expect(mock.arrivals.map(\.wasForced) == [true, true, false])
        }
    }

    @Test func `another key is accepted once it is trusted`() async throws {
        try await Self.withMock { mock, _ in
            let other = try MockCredentials.inMemory()
            let key = try PushProviderKey(p8: other.p8.utf8, keyID: "OTHERKEY12", teamID: "OTHERTEAM1")
            let client = try Self.client(of: mock, key: key)
            await #expect { try await client.send(Self.notification()) } throws: {
                ($0 as? PushOutcome)?.rejection?.reason == .invalidProviderToken
            }
            #expect(
                mock.arrivals.first?.verdict.remedy == .trustKey(keyID: "OTHERKEY12", teamID: "OTHERTEAM1"))
            try mock.trust(pem: Array(other.p8.utf8), as: MockTrustedKey(keyID: "OTHERKEY12", teamID: "OTHERTEAM1"))
            try await client.send(Self.notification())
            await client.shutdown(drainTime: .seconds(1))
        }
    }

    @Test func `a token under the name of a trusted key, signed by another, is refused`() async throws {
        try await Self.withMock { mock, _ in
            let other = try MockCredentials.inMemory()
            let key = try PushProviderKey(
                p8: other.p8.utf8, keyID: mock.credentials.keyID, teamID: mock.credentials.teamID)
            let client = try Self.client(of: mock, key: key)
            await #expect { try await client.send(Self.notification()) } throws: {
                ($0 as? PushOutcome)?.rejection?.reason == .invalidProviderToken
            }
            await client.shutdown(drainTime: .seconds(1))
        }
    }

    @Test func `a wait without any time ends at once`() async throws {
        let mock = try await MockServer.start()
        for duration in [Duration.zero, .seconds(-1)] {
            await #expect { try await mock.arrival(1, within: duration) } throws: {
                ($0 as? MockWaitError)?.code == .timeout
            }
        }
        await mock.stop()
    }

    @Test func `a key that is none is not trusted`() async throws {
        let mock = try await MockServer.start()
        #expect {
            try mock.trust(pem: [1, 2, 3], as: MockTrustedKey(keyID: "OTHERKEY12", teamID: "OTHERTEAM1"))
        } throws: {
            ($0 as? MockStartError)?.code == .unusableKey
        }
        await mock.stop()
    }

    @Test func `a port that is in use is reported`() async throws {
        let mock = try await MockServer.start()
        var configuration = MockConfiguration()
        configuration.port = mock.port
        await #expect { try await MockServer.start(configuration) } throws: {
            ($0 as? MockStartError)?.code == .portInUse
        }
        await mock.stop()
    }

    @Test func `the production service gives no unique id, the sandbox does`() async throws {
        try await Self.withMock { _, client in
            let acceptance = try await client.send(Self.notification())
            #expect(acceptance.uniqueID?.isEmpty == false)
        }
        var configuration = MockConfiguration()
        configuration.environment = .production
        try await Self.withMock(configuration) { _, client in
            let acceptance = try await client.send(Self.notification())
            #expect(acceptance.uniqueID == nil)
        }
    }

    @Test func `a body over what is kept is cut, and judged by its true length`() async throws {
        var configuration = MockConfiguration()
        configuration.bodyBytes = 100
        try await Self.withMock(configuration) { mock, client in
            try await client.send(Self.notification(String(repeating: "x", count: 3000)))
            #expect(mock.arrivals[0].request.body.count == 100)
            #expect(mock.arrivals[0].request.bodyByteCount > 3000)
        }
    }

    @Test func `the rate of a device counts the requests of one read`() async throws {
        var configuration = MockConfiguration()
        configuration.variants.deviceRateLimit = MockDeviceRateLimit(count: 3, per: .seconds(3600))
        let mock = try await MockServer.start(configuration)
        let client = try await WireClient.connect(to: mock)
        try await client.wait { !$0.settings.isEmpty }
        try await client.open(token: "ab")
        try await client.wait { $0.ends.count == 1 && $0.settings.count == 2 }
        try await client.openTogether(5)
        try await client.wait { $0.ends.count == 6 }
        #expect(mock.arrivals.map(\.verdict.status) == [200, 200, 200, 200, 429, 429])
        await client.close()
        await mock.stop()
    }

    @Test func `a request whose client resets it in the same read was not answered`() async throws {
        let mock = try await MockServer.start()
        let client = try await WireClient.connect(to: mock)
        try await client.wait { !$0.settings.isEmpty }
        try await client.open()
        try await client.wait { $0.ends.count == 1 && $0.settings.count == 2 }
        try await client.openAndReset()
        let arrival = try await mock.arrival(2, within: .seconds(120))
        #expect(!arrival.wasAnswered)
        #expect(mock.arrivals.map(\.wasAnswered) == [true, false])
        await client.close()
        await mock.stop()
    }

    @Test func `an address of IPv6 works`() async throws {
        var configuration = MockConfiguration()
        configuration.listenAddress = "::1"
        try await Self.withMock(configuration) { _, client in try await client.send(Self.notification()) }
    }
}
