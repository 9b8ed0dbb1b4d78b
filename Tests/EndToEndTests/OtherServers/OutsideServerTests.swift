import Foundation
import PushProvider
import TestSupport
import Testing

/// Our client and a server that shares no line with it: what the client says of each push, the server says too.
@Suite(.takingTurns) struct OutsideServerTests {
    @Test(arguments: OutsideScenario.all) func `outcomes agree with what the server has seen`(
        scenario: OutsideScenario
    ) async throws {
        var outcomes: [String: PushOutcome] = [:]
        let log = try await OutsideServer.with(scenario.plan) { server in
            let client = try server.client(scenario.guarantee)
            outcomes = try await client.outcomes(scenario)
            await client.shutdown()
        }
        #expect(Dictionary(outcomes.values.map { ($0.words, 1) }, uniquingKeysWith: +) == scenario.expected)
        #expect(log.violations.isEmpty)
        #expect(log.connectionCount == scenario.connections)
        try scenario.also(log)
        let served = Dictionary(grouping: log.requests, by: \.id)
        #expect(Set(served.keys).isSubset(of: outcomes.keys))
        for (id, outcome) in outcomes {
            let requests = served[id] ?? []
            #expect(Self.agrees(outcome, requests), "\(outcome.words): \(requests)")
            let processed = requests.count { $0.status == 200 || $0.wasProcessed }
            if scenario.guarantee == .atMostOnce { #expect(processed <= 1) }
        }
    }

    private static func agrees(_ outcome: PushOutcome, _ requests: [OutsideLog.Request]) -> Bool {
        switch outcome {
        case .accepted: requests.count { $0.status == 200 } == 1
        case .rejected(let rejection): requests.contains { $0.status == rejection.status }
        case .notSent, .invalid: !requests.contains { $0.status != nil || $0.wasProcessed }
        case .unknown: requests.contains { $0.wasProcessed } && !requests.contains { $0.status != nil }
        }
    }
}

extension PushClient {
    /// Sends all pushes of a scenario at once; the outcomes by `apns-id`.
    fileprivate func outcomes(_ scenario: OutsideScenario) async throws -> [String: PushOutcome] {
        try await withThrowingTaskGroup(of: (String, PushOutcome).self) { group in
            for _ in 0..<scenario.pushes {
                let id = UUID()
                let notification = PushNotification(
                    to: try DeviceToken(RunningMock.token), topic: RunningMock.topic,
                    payload: .alert(body: scenario.text), id: id)
                group.addTask {
                    (id.uuidString.lowercased(), await self.outcome(of: notification))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}

extension PushOutcome {
    /// The outcome in one line to compare.
    fileprivate var words: String {
        switch self {
        case .accepted: "accepted"
        case .rejected(let rejection): "rejected \(rejection.status) \(rejection.reason?.rawValue ?? "-")"
        case .notSent(let notSent): "not sent: \(notSent.cause)"
        case .unknown(let unknown): "unknown: \(unknown.cause)"
        case .invalid: "invalid"
        }
    }
}
