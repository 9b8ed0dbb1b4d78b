import Foundation
import MockAPNs
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import PushProvider

/// One run of a row: a faulty server, a client of it, and what was pushed.
final class FaultTrial: Sendable {
    let row: FaultRow
    let stage: FaultStage
    let client: PushClient
    let log = CapturedLog()
    /// The clocks of the client.
    let time = StoppableTime()
    /// Nothing is sent twice in this run.
    let isAtMostOnce: Bool

    /// So long that only a client that has lost a push sees its end.
    private static let patience: Duration = .seconds(180)

    private let pushed = NIOLockedValueBox<[Pushed]>([])
    /// Opened when the first pushes are queued: how many find a connection does not depend on the machine.
    private let gate = ResolverGate()

    private struct Pushed {
        var id: String
        var deviceToken: String
        var sending: Sending
    }

    init(_ run: FaultRun, stage: FaultStage) throws {
        row = run.row
        isAtMostOnce = run.guarantee == .atMostOnce
        self.stage = stage
        client = try Self.makeClient(run, stage, log, gate, time)
    }

    private static func makeClient(
        _ run: FaultRun, _ stage: FaultStage, _ log: CapturedLog, _ gate: ResolverGate, _ time: StoppableTime,
        _ credentials: PushCredentials? = nil
    ) throws -> PushClient {
        let resolver: any NameResolver =
            run.row.resolve.map { RowResolver(stage: stage, answer: $0) } ?? SystemNames.shared
        return try PushClient.sample(
            stage.environment, credentials: try credentials ?? run.row.credentials(stage), logger: log.logger,
            resolver: GatedResolver(gate, before: resolver), time: time
        ) { configuration in
            configuration.retry = .quick
            configuration.timeout = patience
            configuration.proxy = try stage.proxy.map { try $0.named(for: run.row.proxyUser) }
            run.row.configure(&configuration)
            configuration.retry.guarantee = run.guarantee
        }
    }

    /// The device token of the push with a number, from 1.
    static func deviceToken(_ number: Int) -> String {
        String(repeating: "a", count: 56) + String(10_000_000 + number)
    }

    /// Starts pushes to one device each; when this returns, all are queued or over.
    @discardableResult
    func start(
        _ count: Int, timeout: Duration? = nil, payload: PushPayload? = nil, topic: (Int) -> String? = { _ in nil }
    ) async throws
        -> [Sending]
    {
        let before = pushed.withLockedValue { $0.count }
        let notifications = try (1...count).map { number in
            let deviceToken = try DeviceToken(Self.deviceToken(before + number))
            return try PushNotification.sample {
                $0.deviceToken = deviceToken
                $0.id = UUID()
                if let topic = topic(number) { $0.topic = topic }
                if let payload = payload ?? row.payload { $0.payload = payload }
            }
        }
        let sendings = await client.start(notifications, timeout: timeout)
        gate.open()
        pushed.withLockedValue { pushed in
            for (notification, sending) in zip(notifications, sendings) {
                let id = notification.id?.uuidString.lowercased() ?? ""
                pushed.append(Pushed(id: id, deviceToken: notification.deviceToken.hex, sending: sending))
            }
        }
        return sendings
    }

    /// Starts one and waits for its acceptance.
    func authenticate() async throws {
        #expect(try await start(1)[0].summary == "accepted")
    }

    // MARK: The run

    /// - Returns: How often each outcome occurred, and on how many connections.
    @discardableResult
    static func perform(_ run: FaultRun) async throws -> FaultRecord {
        let stage = try await FaultStage.start(run.row.arrangement, proxy: run.row.proxy)
        do {
            let trial = try FaultTrial(run, stage: stage)
            let record = try await trial.perform(run)
            await trial.client.shutdown(drainTime: .zero)
            await stage.stop()
            return record
        } catch {
            await stage.stop()
            throw error
        }
    }

    private func perform(_ run: FaultRun) async throws -> FaultRecord {
        try await row.play(self)
        var results: [PushResult] = []
        for push in pushed.withLockedValue({ $0 }) {
            results.append(
                PushResult(id: push.id, deviceToken: push.deviceToken, outcome: try await push.sending.value))
        }
        let outcomes = results.map(\.outcome)
        expect(outcomes, run.expected)
        try await row.also(self, outcomes)
        #expect(stage.connectionCount <= row.maximumConnections)
        checkInvariants(results, run)
        let record = FaultRecord(
            run: run, outcomes: Dictionary(outcomes.map { ($0.summary, 1) }, uniquingKeysWith: +),
            connections: stage.connectionCount)
        try await checkHealing(run)
        return record
    }

    private func expect(_ outcomes: [PushOutcome], _ expected: FaultRow.Expected) {
        let summaries = outcomes.map(\.summary)
        switch expected {
        case .all(let summary): #expect(Set(summaries) == [summary])
        case .counts(let counts):
            #expect(Dictionary(summaries.map { ($0, 1) }, uniquingKeysWith: +) == counts)
        case .allBegin(let beginning): #expect(summaries.allSatisfy { $0.hasPrefix(beginning) }, "\(summaries)")
        }
    }

    /// The next healthy connection works without help.
    private func checkHealing(_ run: FaultRun) async throws {
        try await stage.heal()
        let healthy = row.clientSurvives ? client : try Self.makeClient(run, stage, log, gate, time, .token(stage.key))
        #expect(try await healthy.outcome(of: .sample(), timeout: Self.patience).summary == "accepted")
        if !row.clientSurvives { await healthy.shutdown(drainTime: .zero) }
    }

    // MARK: What holds in every row

    private struct PushResult {
        var id: String
        var deviceToken: String
        var outcome: PushOutcome
    }

    private func checkInvariants(_ results: [PushResult], _ run: FaultRun) {
        let served = Dictionary(grouping: stage.log, by: \.deviceToken)
        #expect(Set(served.keys).isSubset(of: results.map(\.deviceToken)))
        for result in results {
            let requests = served[result.deviceToken] ?? []
            let words: Comment = "\(result.outcome.summary): \(requests)"
            // A retry is the same notification to Apple.
            #expect(requests.allSatisfy { $0.id == result.id }, words)
            #expect(requests.count <= result.outcome.trace.attempts, words)
            #expect(agrees(result.outcome, requests), words)
            let processed = requests.filter(\.wasProcessed)
            switch run.guarantee {
            case .atMostOnce: #expect(processed.count <= 1, words)
            // Twice only where the answer was kept back before, or nobody could read it.
            case .atLeastOnce: #expect(run.row.spoilsAnswers || processed.count { $0.status == 200 } <= 1, words)
            }
        }
    }

    /// Whether the server says the same of a push as its outcome does.
    private func agrees(_ outcome: PushOutcome, _ requests: [ServedPush]) -> Bool {
        switch outcome {
        case .accepted: requests.contains { $0.status == 200 }
        case .rejected(let rejection):
            requests.contains {
                $0.status == rejection.status && (!row.saysItsReason || $0.reason == rejection.reason)
            }
        case .notSent, .invalid: !requests.contains(where: \.wasProcessed)
        case .unknown: row.mayLeaveUnknown && (row.spoilsAnswers || !requests.contains { $0.status != nil })
        }
    }
}

/// The outcomes of the pushes of a row.
struct FaultRecord: Sendable {
    var run: FaultRun
    var outcomes: [String: Int]
    var connections: Int
}
