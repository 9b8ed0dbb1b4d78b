import Foundation
import MockAPNs
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import PushProvider

/// A server has sent its time with a refusal: whose provider tokens follow it, and for how long.
@Suite(.timeLimit(.minutes(10))) struct LearnedClockTests {
    private static let ahead = 3 * 3600

    private func mock() async throws -> MockServer {
        var configuration = MockConfiguration()
        configuration.acceptsAnyKey = true
        configuration.variants.futureTolerance = .seconds(86_400)
        return try await MockServer.start(configuration, credentials: .ofThisProcess)
    }

    private func client(
        of mock: MockServer, _ key: PushProviderKey, wallClockOffset: NIOLockedValueBox<Int>? = nil
    ) throws -> PushClient {
        try PushClient.sample(.local(port: mock.port), key: key, wallClockOffset: wallClockOffset) {
            $0.retry = .standard
        }
    }

    /// Refuses the next provider token as too old, by a clock that is three hours ahead or as given.
    private func refuseNext(_ mock: MockServer, ahead: Int = ahead) throws {
        let date = DateFormatter.http.string(from: Date(timeIntervalSinceNow: Double(ahead)))
        let refusal = MockFault.Step.answer(status: 403, reason: .expiredProviderToken, headers: ["date": date])
        try mock.inject(MockFault(steps: [refusal], times: 1))
    }

    /// How far the last provider token that came is ahead of this machine's clock, in seconds: -2400 to -600 without a skew.
    private func lead(_ mock: MockServer) throws -> Int {
        let record = try #require(mock.connectionRecords.last)
        let issuedAt = try #require(record.providerTokens.last).issuedAt.timeIntervalSince1970
        return Int(issuedAt - Date().timeIntervalSince1970)
    }

    @Test func `the clock of one server changes no token for another`() async throws {
        let key = try MockCredentials.inMemory().providerKey
        let (skewed, other) = (try await mock(), try await mock())
        let (first, second) = (try client(of: skewed, key), try client(of: other, key))
        try refuseNext(skewed)
        #expect(try await first.outcome(of: .sample()).summary == "accepted")
        #expect(try lead(skewed) > Self.ahead - 2500)
        #expect(try await second.outcome(of: .sample()).summary == "accepted")
        #expect(try lead(other) < 0)
        // Another client of the first server knows its clock.
        #expect(try await client(of: skewed, key).outcome(of: .sample()).trace.attempts == 1)
        #expect(try lead(skewed) > Self.ahead - 2500)
        await skewed.stop()
        await other.stop()
    }

    @Test func `refused as invalid, a token by the server's clock gives way to one by our own`() async throws {
        let mock = try await mock()
        let client = try client(of: mock, try MockCredentials.inMemory().providerKey)
        try refuseNext(mock)
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        try mock.inject(MockFault(steps: [.answer(status: 403, reason: .invalidProviderToken)], times: 1))
        #expect(try await client.outcome(of: .sample()).summary == "rejected 403 InvalidProviderToken")
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        #expect(try lead(mock) < 0)
        await mock.stop()
    }

    @Test func `when this machine's clock is corrected, its tokens follow it again`() async throws {
        let mock = try await mock()
        let offset = NIOLockedValueBox(-Self.ahead)
        let client = try client(of: mock, try MockCredentials.inMemory().providerKey, wallClockOffset: offset)
        // The mock refuses this token because it really is too old.
        try refuseNext(mock, ahead: 0)
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "accepted")
        #expect(outcome.trace.attempts == 2)
        #expect((-2500..<0).contains(try lead(mock)))
        offset.withLockedValue { $0 = 0 }
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        #expect((-2500..<0).contains(try lead(mock)))
        await mock.stop()
    }
}
