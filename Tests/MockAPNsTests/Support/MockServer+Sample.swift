import MockAPNs
import PushProvider
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension MockServer {
    /// Starts a mock with faults in it, and stops it afterwards.
    static func withFaults(
        _ faults: MockFault..., adjust: (inout MockConfiguration) -> Void = { _ in },
        body: (MockServer) async throws -> Void
    ) async throws {
        try await with(faults, adjust: adjust, body)
    }

    /// A client of ours that trusts it, shut down afterwards.
    func withClient<Result>(
        _ adjust: (inout PushConfiguration) -> Void = { _ in }, _ body: (PushClient) async throws -> Result
    ) async throws -> Result {
        var configuration = PushConfiguration.withoutRetries
        adjust(&configuration)
        let key = try PushProviderKey(p8: credentials.p8.utf8, keyID: credentials.keyID, teamID: credentials.teamID)
        let client = try PushClient(
            environment: PushEnvironment(
                host: host, port: port, trust: .authorities(pem: credentials.authority)),
            credentials: .token(key), configuration: configuration)
        do {
            let result = try await body(client)
            await client.shutdown(drainTime: .zero)
            return result
        } catch {
            await client.shutdown(drainTime: .zero)
            throw error
        }
    }

    /// The outcome of one push.
    func outcome(timeout: Duration = .seconds(120)) async throws -> PushOutcome {
        try await withClient { try await $0.outcome(of: .sample(), timeout: timeout) }
    }
}

extension MockServer {
    /// Expects this outcome of one push.
    func expectOutcome(_ expected: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let summary = try await outcome().summary
        #expect(summary == expected, sourceLocation: sourceLocation)
    }

    /// Expects this outcome of a push to `abcd` with little time; its connection has been used before. If a
    /// slow machine has not sent it in that time, it is sent again with more time.
    func expectLateOutcome(_ expected: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let summary = try await withClient { client in
            try await client.send(.sample())
            for timeout in [2, 8, 32] {
                let summary = try await client.outcome(of: .sample("abcd"), timeout: .seconds(timeout)).summary
                if summary != "not sent: deadline" { return summary }
            }
            return try await client.outcome(of: .sample("abcd"), timeout: .seconds(120)).summary
        }
        #expect(summary == expected, sourceLocation: sourceLocation)
    }

    /// A client of ours gets through on the second connection, with one push or the next.
    func expectSuccessOnSecondConnection(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let (first, second) = try await withClient { client in
            (try await client.outcome(of: .sample()), try await client.outcome(of: .sample()))
        }
        switch first {
        case .accepted, .notSent: break
        case .rejected, .unknown, .invalid: Issue.record("\(first)", sourceLocation: sourceLocation)
        }
        #expect(second.summary == "accepted", sourceLocation: sourceLocation)
        #expect(Set(arrivals.map(\.connection)) == [2], sourceLocation: sourceLocation)
    }
}

extension PushClient {
    /// Expects this outcome of one push.
    func expectOutcome(_ expected: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let summary = try await outcome(of: .sample()).summary
        #expect(summary == expected, sourceLocation: sourceLocation)
    }
}

extension PushNotification {
    static func sample(_ token: String = "5f3ad1c07b9e4286", topic: String = "com.example.app") throws -> Self {
        PushNotification(to: try DeviceToken(token), topic: topic, payload: .alert(body: "Hello"))
    }
}

extension PushOutcome {
    /// The outcome and its words for machines, in one line to compare.
    var summary: String {
        switch self {
        case .accepted: "accepted"
        case .rejected(let rejection): "rejected \(rejection.status) \(rejection.reason?.rawValue ?? "-")"
        case .notSent(let notSent): "not sent: \(notSent.cause)"
        case .unknown(let unknown): "unknown: \(unknown.cause)"
        case .invalid: "invalid"
        }
    }
}

extension PushConfiguration {
    /// Reports what the mock does to a push. Each request is sent once, and the speed of the machine has no effect.
    static let withoutRetries: PushConfiguration = {
        var configuration = PushConfiguration()
        configuration.maximumConnections = 1
        configuration.retry = .never
        configuration.timeout = .seconds(300)
        for limit in [\PushConfiguration.resolveTimeout, \.connectTimeout, \.handshakeTimeout, \.settingsTimeout] {
            configuration[keyPath: limit] = .seconds(60)
        }
        return configuration
    }()
}
