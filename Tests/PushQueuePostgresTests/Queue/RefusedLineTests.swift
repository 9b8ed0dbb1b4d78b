import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct RefusedLineTests {
    @Test func `the lines of a campaign, and of the others that have not ended, decide how many may be refused`()
        async throws
    {
        let address = try PostgresServer.addressWithSchema()
        let queue = try await PostgresQueue(address, options: .patient)
        let other = try PostgresConnection(address, .patient)
        let campaigns = "\(address.schema).campaign"
        /// Makes a campaign with these numbers of lines and refused lines, and adds another line that is refused.
        func refuseOne(lines: Int, refused: Int) async throws -> QueueLinesAnswer {
            guard case .created(let made) = try await queue.createCampaign(NewQueueCampaign("sale", app: "shop")) else {
                throw Unexpected()
            }
            // Another worker has counted them.
            try other.execute(
                """
                INSERT INTO \(address.schema).campaign_count (campaign, slot, lines, refused)
                SELECT id, 999, \(lines), \(refused) FROM \(campaigns) WHERE uuid = '\(made.id.uuidString)'
                """)
            let line = QueueCampaignLine(1, .refused(QueueLineRefusal(code: "code", detail: "why")))
            return try await queue.addLines([line], to: made.id, app: "shop")
        }
        let done = QueueLinesAnswer.done([.refused(QueueLineRefusal(code: "code", detail: "why"))])
        #expect(try await refuseOne(lines: 99, refused: 100_000) == .tooManyRefused(.ofCampaign))
        #expect(try await refuseOne(lines: 100_001, refused: 100_000) == done)
        #expect(try await refuseOne(lines: 0, refused: 300_000) == .tooManyRefused(.ofCampaign))
        #expect(try await refuseOne(lines: 0, refused: 0) == .tooManyRefused(.ofApp))
        try other.execute(
            """
            UPDATE \(campaigns) SET state = 5, is_open = false
            WHERE id IN (SELECT campaign FROM \(address.schema).campaign_count WHERE refused = 300000)
            """)
        #expect(try await refuseOne(lines: 0, refused: 0) == done)
        await queue.close()
    }
}
