import MockAPNs
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushDelivery
@testable import PushQueuePostgres

/// A worker that hears of nothing sends in any case: it looks now and then.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10))) struct PollingTests {
    /// Who looks: the queue or the engine. The other one waits for an hour.
    @Test(arguments: [true, false])
    func `a worker whose LISTEN always fails sends what another one has stored`(queueLooks: Bool) async throws {
        let server = try #require(try PostgresServer.shared())
        let proxy = try RefusingProxy(to: server.port, refuses: "LISTEN")
        let store = try ServerStore(through: proxy.port)
        let queue = try await store.open(pollInterval: queueLooks ? .milliseconds(50) : .seconds(3600))
        let scene = try await DeliveryScene(
            queue: queue, options: { $0.pollInterval = queueLooks ? .seconds(3600) : .milliseconds(50) })
        let other = try await PostgresQueue(store.direct, options: .patient)
        for number in 1...3 {
            // The worker has nothing to do, and its connection for notices was cut again.
            let before = proxy.count
            while proxy.count < before + 2 { try await Task.sleep(for: .milliseconds(5)) }
            let answer = try await other.enqueue(EnqueueRequest([.sample(number)], app: "shop"))
            guard case .done(let results) = answer else { throw DeliveryScene.Unexpected() }
            let id = try #require(results.first?.id)
            #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        }
        #expect(scene.mock.arrivalCount == 3)
        await other.close()
        try await scene.end()
    }

    @Test func `a notice that nobody sends does not keep a job waiting`() async throws {
        let store = try ServerStore()
        let scene = try await DeliveryScene(
            queue: try await store.open(pollInterval: .milliseconds(50)),
            options: { $0.pollInterval = .seconds(3600) })
        // It commits, and tells nobody: as if the process ended just after the commit.
        let writer = PostgresWriter(name: "silent", store.address, .patient) { _ in }
        for number in 1...3 {
            let request = PostgresEnqueue(EnqueueRequest([.sample(number)], app: "shop"))
            let answer: EnqueueAnswer = try await writer.step { .enqueue(request, $0) }
            guard case .done(let results) = answer else { throw DeliveryScene.Unexpected() }
            let id = try #require(results.first?.id)
            #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        }
        _ = await writer.close()
        try await scene.end()
    }
}
