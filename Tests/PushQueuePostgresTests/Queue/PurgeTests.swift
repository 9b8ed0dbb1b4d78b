import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct PurgeTests {
    /// The server ends a statement that takes longer than its limit, so millions of rows cannot be removed at once.
    @Test func `an app with many lines, keys and gone tokens is erased in slices`() async throws {
        let address = try PostgresServer.addressWithSchema()
        let queue = try await PostgresQueue(address, options: .patient)
        _ = try await queue.add([.sample(1), .sample(2)])
        guard case .created(let campaign) = try await queue.createCampaign(NewQueueCampaign("sale", app: "shop"))
        else {
            Issue.record("The campaign was not created.")
            return
        }
        _ = try await queue.addLines([QueueCampaignLine(1, .job(.sample(3)))], to: campaign.id, app: "shop")
        let other = try PostgresConnection(address, .patient)
        try other.execute(Self.manyRows(of: address.schema))
        var erased = 0
        while case let count = try await queue.purge(app: "shop", limit: 2), count > 0 { erased += count }
        #expect(erased == 3)
        for table in Self.tables {
            let rows = try other.rows("SELECT count(*) FROM \(address.schema).\(table)")
            #expect(rows.first?.integer(0) == 0, "\(table)")
        }
        #expect(try await queue.campaign(campaign.id, app: "shop") == nil)
        #expect(try await queue.campaigns(app: "shop", after: nil, limit: 10).items.isEmpty)
        await queue.close()
    }

    /// Between the erasure in an inbox and the one in the queue, its number changes in a transaction that an enqueue can meet.
    @Test func `jobs that were read before an erasure wait for its commit, and are not added`() async throws {
        let address = try PostgresServer.addressWithSchema()
        let queue = try await PostgresQueue(address, options: .patient)
        var request = EnqueueRequest([.sample(1)], app: "shop")
        request.lastErasure = try await queue.lastErasure()
        let (eraser, other) = (try PostgresConnection(address, .patient), try PostgresConnection(address, .patient))
        try eraser.execute("BEGIN; UPDATE record SET version = nextval('version') WHERE kind = 'erasure'")
        let pid = try #require(try eraser.rows("SELECT pg_backend_pid()::int8").first?.integer(0))
        async let answer = queue.enqueue(request)
        let waiting = "SELECT FROM pg_stat_activity WHERE \(pid) = ANY (pg_blocking_pids(pid))"
        while try other.rows(waiting).count == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        try eraser.execute("COMMIT")
        #expect(try await answer == .conflict)
        #expect(try await queue.counts()["shop"]?.waiting ?? 0 == 0)
        await queue.close()
    }

    @Test func `counters that a writer moves during an erasure are erased, too`() async throws {
        let address = try PostgresServer.addressWithSchema()
        let queue = try await PostgresQueue(address, options: .patient)
        _ = try await queue.add([.sample(1)])
        let (mover, other) = (try PostgresConnection(address, .patient), try PostgresConnection(address, .patient))
        // Those of another worker, which has the slot 500.
        try mover.execute(
            """
            SET search_path = \(address.schema);
            INSERT INTO app_count (app, slot, accepted) SELECT id, unnest(ARRAY[-501, 1500]), 3 FROM app
            """)
        try mover.execute("BEGIN")
        _ = try mover.run(.lockCounts, Int16(500))
        _ = try mover.run(.moveCounts, Int16(500), Int16(501))
        let pid = try #require(try mover.rows("SELECT pg_backend_pid()::int8").first?.integer(0))
        async let erased = queue.purge(app: "shop", limit: 100)
        let waiting = "SELECT FROM pg_stat_activity WHERE \(pid) = ANY (pg_blocking_pids(pid))"
        while try other.rows(waiting).count == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        try mover.execute("COMMIT")
        _ = try await erased
        let accepted = try other.rows("SELECT sum(accepted)::int8 FROM \(address.schema).app_count").first?.integer(0)
        #expect(accepted == 0)
        await queue.close()
    }

    private static let tables = [
        "campaign_line", "campaign_refusal", "campaign_failure", "request", "dedupe", "gone",
    ]

    /// Adds 11 000 rows to each table, and refuses statements that remove more than 10 000 rows.
    private static func manyRows(of schema: String) -> String {
        """
        SET search_path = \(schema);
        INSERT INTO campaign_line SELECT c.id, n, gen_random_uuid() FROM campaign AS c, generate_series(2, 11000) AS n;
        INSERT INTO campaign_refusal SELECT c.id, n, 'code', 'detail' FROM campaign AS c, generate_series(2, 11000) AS n;
        INSERT INTO campaign_failure SELECT c.id, n FROM campaign AS c, generate_series(2, 11000) AS n;
        INSERT INTO request SELECT a.id, n::text, '', 0, 0, 0 FROM app AS a, generate_series(1, 11000) AS n;
        INSERT INTO dedupe SELECT a.id, n::text, gen_random_uuid(), 0 FROM app AS a, generate_series(1, 11000) AS n;
        INSERT INTO gone SELECT a.id, n::text, 0, n FROM app AS a, generate_series(1, 11000) AS n;
        CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF (SELECT count(*) FROM removed) > 10000 THEN RAISE EXCEPTION 'too many rows of %', TG_TABLE_NAME; END IF;
            RETURN NULL;
        END $$;
        """
            + tables.map { table in
                """

                CREATE TRIGGER few AFTER DELETE ON \(table) REFERENCING OLD TABLE AS removed
                    FOR EACH STATEMENT EXECUTE FUNCTION refuse_many();
                """
            }.joined()
    }
}
