import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Queues of older versions. `Formats` has one for each format, which `scripts/lib/queue-fixture` makes once and for all.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct OldFormatTests {
    /// Makes the queue of a format in a database of its own: who builds an index waits for all transactions of its database.
    private func queue(_ format: Int) throws -> PostgresAddress {
        let text = Repository.text("Tests/PushQueuePostgresTests/Formats/format-\(format).sql")
        try #require(
            !text.isEmpty,
            "There is no queue of the format \(format). Make it: scripts/lib/queue-fixture .build/debug ADDRESS")
        let address = try PostgresAddress(PostgresServer.addressWithDatabase())
        // The dump sets the search path of its connection.
        try PostgresConnection(address, .patient).execute(text.replacing("old_format", with: address.schema))
        return address
    }

    private func rows(_ sql: String, _ address: PostgresAddress) throws -> [String] {
        try PostgresConnection(address, .patient).run(PostgresStatement(PostgresText(sql), [])).map { $0.text(0) }
    }

    private func shape(_ address: PostgresAddress) throws -> [String] {
        let columns = """
            SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, is_nullable, column_default)
            FROM information_schema.columns WHERE table_schema = '\(address.schema)' ORDER BY 1
            """
        let indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = '\(address.schema)' ORDER BY indexname"
        let options = """
            SELECT concat_ws(' ', relname, array_to_string(reloptions, ' ')) FROM pg_class
            WHERE relnamespace = '\(address.schema)'::regnamespace AND relkind = 'r' ORDER BY relname
            """
        return try [columns, indexes, options].flatMap { try rows($0, address) }.map {
            $0.replacing("\(address.schema).", with: "")
        }
    }

    @Test(arguments: 1...PostgresSchema.migrations.count)
    func `a queue of each format becomes one of the newest`(format: Int) async throws {
        let server = try #require(try PostgresServer.shared())
        let (old, new) = (try queue(format), try PostgresAddress(server.address(schema: server.newSchema())))
        for address in [old, new] { await (try await PostgresQueue(address, options: .patient)).close() }
        #expect(try shape(old) == shape(new))
        #expect(try rows("SELECT format::text FROM queue", old) == ["\(PostgresSchema.migrations.count)"])
    }

    @Test(arguments: 1...PostgresSchema.migrations.count)
    func `jobs of each format go on`(format: Int) async throws {
        let queue = try await PostgresQueue(try queue(format), options: .patient)
        let counts = try #require(try await queue.counts()["shop"])
        #expect(counts.waiting == 4 && counts.started == 1 && counts.deadLetters == 1)
        #expect(counts.accepted == 1 && counts.rejected == 1 && counts.notSent == 2)
        let claimed = try await queue.claim()
        #expect(Set(claimed.map { $0.target.text.prefix(2) }) == ["d1", "d2", "d3"])
        #expect(claimed.first?.target.text.hasPrefix("d2") == true)
        let starts = claimed.map { job in
            QueueJobStart(
                job.lease, replacement: QueueReplacement(key: UUID(1, 1), place: job.id, longest: .seconds(30)))
        }
        #expect(try await queue.start(starts).count { $0 == .done } == 1)
        #expect(try await queue.gone(app: "shop", after: nil, limit: 10).items.count == 1)
        guard
            case .queued = try await queue.redrive(try await queue.list(.deadLetters), app: "shop", expiry: .never)
                .first
        else { throw Unexpected() }
        await queue.close()
    }

    @Test func `an index is built while workers of the old format go on, also after a build that was interrupted`()
        async throws
    {
        let address = try queue(3)
        let writer = try PostgresConnection(address, .patient)
        let writes = "LOCK TABLE finished IN ROW EXCLUSIVE MODE"
        // What an interrupted build leaves: an index that is not valid.
        try writer.execute("CREATE TABLE twice AS SELECT 1 AS campaign, 1 AS number FROM generate_series(1, 2)")
        #expect(throws: QueueError.self) {
            try writer.execute("CREATE UNIQUE INDEX CONCURRENTLY finished_campaign ON twice (campaign)")
        }
        let isValid = "SELECT indisvalid::text FROM pg_index WHERE indexrelid = 'finished_campaign'::regclass"
        #expect(try rows(isValid, address) == ["false"])
        // A worker writes, and has not ended its transaction.
        try writer.execute("BEGIN; \(writes)")
        let opening = Task { try await PostgresQueue(address, options: .patient) }
        let waits = """
            SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX CONCURRENTLY %'
                AND pid IN (SELECT pid FROM pg_locks WHERE relation = '\(address.schema).finished'::regclass)
            """
        while try rows(waits, address).isEmpty {
            try Task.checkCancellation()
            try await Task.sleep(for: .milliseconds(10))
        }
        // The build waits for it, and others need not wait for the build.
        let other = try PostgresConnection(address, .patient)
        try other.execute("BEGIN; \(writes) NOWAIT; COMMIT")
        try writer.execute("COMMIT; DROP TABLE twice")
        let queue = try await opening.value
        #expect(try rows(isValid, address) == ["true"])
        #expect(try rows("SELECT format::text FROM queue", address) == ["4"])
        #expect(try await queue.newest(QueueNewestQuery(of: ["shop"])).items.isEmpty == false)
        await queue.close()
    }

    @Test func `a queue of a newer version is refused, and not changed`() async throws {
        let address = try queue(PostgresSchema.migrations.count)
        try PostgresConnection(address, .patient).execute("UPDATE queue SET format = 1000")
        let error = await #expect(throws: QueueError.self) {
            _ = try await PostgresQueue(address, options: .patient)
        }
        #expect(error?.code == .newerVersion)
        #expect(error?.description.contains("restore a backup from before the upgrade") == true)
        #expect(try rows("SELECT format::text FROM queue", address) == ["1000"])
    }
}

extension QueueJobTarget {
    fileprivate var text: String {
        switch self {
        case .device(let token): token
        case .channel(let channel): channel
        }
    }
}
