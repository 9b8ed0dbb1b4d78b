import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// After a migration, a restore or an upgrade, PostgreSQL has no statistics of its tables. Even then, no statement may read whole tables.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct StatisticsTests {
    /// How many jobs one call is about.
    private static let batch = 200
    /// How many jobs of each kind are there.
    private static let jobs = 20 * batch

    /// The statistics that the planner has when it makes the plans that stay in use.
    enum Known: CaseIterable { case nothing, smallTables }

    @Test(arguments: Known.allCases)
    func `a statement reads only the rows that it needs, with any planner statistics`(known: Known) async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let clock = ManualClock()
        var options = QueueOptions()
        (options.clock, options.uptime, options.boot) = ({ clock.now }, { clock.uptime }, clock.boot)
        // What the role says about plans does not matter.
        try PostgresConnection(address, .patient).execute(
            "ALTER ROLE \(PostgresServer.user) SET enable_tidscan = off; ALTER ROLE \(PostgresServer.user) SET enable_indexscan = off"
        )
        let queue = try await PostgresQueue(address, options: .with(options))
        let story = QueueStory(queue: queue, clock: clock, about: "\(known)")
        if known == .smallTables {
            try await story.tell { try PostgresConnection(address, .patient).execute("VACUUM ANALYZE") }
        }
        try await story.tell()
        try await LargeQueue(queue: queue, clock: clock, batch: Self.batch, jobs: Self.jobs).use()
        await queue.close()
        try await check(server, maximum: Self.jobs / 2)
    }

    @Test func `an import reads only the rows that it brings, with any planner statistics`() async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let queues = try TransferredQueues(to: server)
        let jobs = 12_000
        let file = try queues.file()
        for first in stride(from: 0, to: jobs, by: 1000) {
            let new = (first..<first + 1000).map { number in
                NewQueueJob.sample(number).with { $0.dedupeKey = "\(number)" }
            }
            _ = try await file.add(new)
            try await file.recordGone(
                (first..<first + 1000).map { GoneToken(NewQueueJob.token($0), since: queues.fileClock.now) },
                app: "shop"
            )
        }
        guard case .created(let campaign) = try await file.createCampaign(NewQueueCampaign("Sale", app: "shop"))
        else {
            throw Unexpected()
        }
        for first in stride(from: 1, to: jobs, by: 1000) {
            let lines = (first..<first + 1000).map { QueueCampaignLine($0, .job(.sample($0))) }
            _ = try await file.addLines(lines, to: campaign.id, app: "shop")
        }
        await file.close()
        #expect(try await queues.transfer(batchSize: Self.batch))
        try await check(server, maximum: 5000)
    }

    /// Checks that no step of a plan has read more than `maximum` rows.
    private func check(_ server: PostgresServer, maximum: Int) async throws {
        let steps = try await Blocking.run { try PlanLog(of: server).steps }
        #expect(steps.count > 500)
        // These may read more: no index has the jobs of requests, and the others remove up to 10 000 rows at once, of which an app here
        // has fewer than 4000.
        let exceptions = [
            PostgresText.requestsOfJobs.sql: Double.infinity,
            PostgresText.forgetGone.sql: 4000,
            PostgresText.forgetLatest.sql: 4000,
            PostgresText.dropLines.sql: 4000, PostgresText.dropFailures.sql: 4000,
        ]
        let large = steps.filter { $0.rows > exceptions[$0.statement, default: Double(maximum)] }
        for (statement, steps) in Dictionary(grouping: large, by: \.statement) {
            Issue.record("\(steps.max { $0.rows < $1.rows }?.description ?? statement)")
        }
    }
}
