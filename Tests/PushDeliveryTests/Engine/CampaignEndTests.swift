import MockAPNs
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushDelivery
@testable import PushQueuePostgres

/// A campaign ends also if no worker has seen that its last line was the last one.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10))) struct CampaignEndTests {
    @Test func `a worker ends a campaign whose last lines several workers have ended at the same time`()
        async throws
    {
        let store = try ServerStore()
        let queue = try await store.open()
        guard case .created(let campaign) = try await queue.createCampaign(NewQueueCampaign("sale", app: "shop"))
        else {
            throw DeliveryScene.Unexpected()
        }
        let id = campaign.id
        _ = try await queue.addLines([QueueCampaignLine(1, .job(.sample(1)))], to: id, app: "shop")
        _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
        _ = try await queue.advanceCampaign(id, app: "shop", ahead: 10, limit: 10)
        let claimed = try await queue.claim(
            QueueClaimRequest(owner: "worker", limit: 1, lease: .seconds(30), apps: ["shop": 1]))
        _ = try await queue.start(claimed.map(\.lease))

        // As the transaction of another worker does it, that ends another line.
        let other = try PostgresConnection(store.address, PostgresQueue.Options.patient.writingSettings)
        try other.execute("BEGIN; SELECT FROM campaign FOR NO KEY UPDATE")
        let results = try await queue.complete(claimed.map { QueueJobCompletion($0.lease, .accepted) })
        #expect(results == [.done])
        try other.execute("ROLLBACK")
        let left = try await queue.campaign(id, app: "shop")
        #expect(left?.state == .running && left?.counts.unfinished == 0)

        let scene = try await DeliveryScene(queue: queue, options: { $0.pollInterval = .milliseconds(50) })
        while try await queue.campaign(id, app: "shop")?.state != .finished {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(scene.mock.arrivalCount == 0)
        try await scene.end()
    }
}
