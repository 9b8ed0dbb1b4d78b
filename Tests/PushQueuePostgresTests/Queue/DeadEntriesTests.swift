import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The index entries of jobs that no longer wait, and the old versions of rows, which the server keeps while a transaction is open.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct DeadEntriesTests {
    /// A queue whose clock is the test's.
    private struct Ground {
        let address: PostgresAddress
        let clock = ManualClock()
        let queue: PostgresQueue
        /// A connection of an administrator.
        let administrator: PostgresConnection

        // Without a server, that of all tests. The usual time between full scans is never reached.
        init(_ server: PostgresServer? = nil, pace: Duration = .seconds(3600)) async throws {
            let server = try #require(try server ?? PostgresServer.shared())
            address = try PostgresAddress(server.address(schema: server.newSchema()))
            queue = try await Self.open(address, clock, pace)
            administrator = try PostgresConnection(address, .patient)
            try administrator.execute("SET search_path = \(address.schema)")
        }

        private static func open(
            _ address: PostgresAddress, _ clock: ManualClock, _ pace: Duration
        ) async throws -> PostgresQueue {
            var options = QueueOptions()
            (options.clock, options.uptime, options.boot) = ({ clock.now }, { clock.uptime }, clock.boot)
            var all = PostgresQueue.Options.with(options)
            (all.fullScanPace, all.cheapScan, all.slotUses) = (pace, .zero, 20)
            return try await PostgresQueue(address, options: all)
        }

        /// Another worker.
        func other() async throws -> PostgresQueue { try await Self.open(address, clock, .seconds(3600)) }

        /// The slots in which writers count the jobs of an app.
        func slots() throws -> [Int] {
            try administrator.rows("SELECT slot - 1000 FROM app_count WHERE slot >= 1000").map { $0.number(0) }
        }

        /// Makes many versions of all counters. The server notes it with the end of the connection, if not before.
        func changeCounters() throws {
            let connection = try PostgresConnection(address, .patient)
            try connection.execute(
                """
                SET search_path = \(address.schema);
                DO $do$ BEGIN FOR number IN 1..3000 LOOP UPDATE app_count SET held = held WHERE slot < 0; END LOOP; END $do$
                """)
        }

        /// A transaction that stays open, as that of a dump does.
        func dump() throws -> PostgresConnection {
            let connection = try PostgresConnection(address, .patient)
            try connection.execute(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM \(address.schema).app_count")
            return connection
        }

        /// Finds that nothing waits, a while after the last job was due.
        func scan() async throws {
            clock.advance(by: .seconds(10))
            #expect(try await queue.expireOverdue(limit: 10) == 0)
        }
    }

    @Test func `while a transaction is open, an empty queue is not searched for what was sent`() async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let ground = try await Ground(server)
        let queue = ground.queue
        _ = try await queue.add([.sample()])
        let dump = PostgresThread(name: "dump", address: ground.address, settings: .patient)
        try await dump.run { (connection) throws(QueueError) in
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM job")
        }
        for batch in 0..<20 { _ = try await queue.add((0..<1000).map { .sample(batch * 1000 + $0) }) }
        while case let jobs = try await queue.claim(1000), !jobs.isEmpty {
            _ = try await queue.start(jobs.map(\.lease))
            _ = try await queue.complete(jobs.map { QueueJobCompletion($0.lease, .accepted) })
        }
        #expect(try await queue.counts()["shop"]?.accepted == 20_001)
        // The first scan reads everything, the other ones begin behind it.
        try await ground.scan()
        #expect(try await queue.claim().isEmpty)
        #expect(try await queue.nextDue(of: ["shop"]) == nil)
        #expect(try await queue.expireOverdue(limit: 10) == 0)
        let runs = try await Blocking.run { try PlanLog(of: server).runs }
        let overdue = runs.filter { $0.statement == PostgresText.overdue.sql }.map(\.pages)
        #expect(overdue.count == 2 && overdue[0] > 300 && overdue[1] < 50, "\(overdue)")
        let priorities = QueuePriority.allCases.count
        for statement in [PostgresText.claim, .claimSuspect, .nextDue] {
            let pages = runs.filter { $0.statement == statement.sql }.map(\.pages).suffix(priorities)
            #expect(!pages.isEmpty && pages.allSatisfy { $0 < 50 }, "\(pages): \(statement.sql)")
        }
        await dump.stop()
        await queue.close()
    }

    @Test func `a jump of the clock is followed by a full scan`() async throws {
        let ground = try await Ground()
        let due = ground.clock.now + .seconds(99)
        let id = try await ground.queue.add([NewQueueJob.sample().with { $0.due = .at(due) }])
        // A connection that is new begins anew, too.
        #expect(try await ground.queue.claim().isEmpty)
        try await ground.scan()
        try PostgresConnection(ground.address, .patient).execute("UPDATE \(ground.address.schema).job SET due = 5")
        // The floor is in use.
        #expect(try await ground.queue.claim().isEmpty)
        #expect(try await ground.queue.nextDue(of: ["shop"]) == nil)
        ground.clock.jump(by: .seconds(3600))
        try await ground.queue.checkWriting()
        #expect(try await ground.queue.claim().map(\.id) == id)
        await ground.queue.close()
    }

    @Test func `jobs that this worker puts below the floor are claimed at once`() async throws {
        let ground = try await Ground()
        let (queue, clock) = (ground.queue, ground.clock)
        let ids = try await queue.add((0..<3).map { .sample($0) })
        let jobs = try await queue.claim(3, lease: .seconds(30))
        try await ground.scan()
        _ = try await queue.giveBack([jobs[0].lease])
        #expect(try await queue.claim().map(\.id) == [ids[0]])
        try await ground.scan()
        _ = try await queue.start([jobs[1].lease])
        let retry = QueueJobRetry(jobs[1].lease, due: .at(clock.now + .seconds(-100)), reason: "busy")
        _ = try await queue.retry([retry])
        #expect(try await queue.nextDue(of: ["shop"]) != nil)
        #expect(try await queue.claim().map(\.id) == [ids[1]])
        try await ground.scan()
        clock.advance(by: .seconds(20))
        // The lease of the third one has ended, and those of the others, too.
        #expect(try await queue.recoverLeases().waiting >= 1)
        #expect(try await queue.claim().contains { $0.id == ids[2] })
        await queue.close()
    }

    @Test func `a job that another worker gives back is found in the end`() async throws {
        let ground = try await Ground(pace: .milliseconds(200))
        let other = try await ground.other()
        let id = try await ground.queue.add([.sample()])
        let jobs = try await other.claim()
        try await ground.scan()
        _ = try await other.giveBack(jobs.map(\.lease))
        while try await ground.queue.claim().map(\.id) != id {
            try Task.checkCancellation()
            _ = try await ground.queue.expireOverdue(limit: 10)
        }
        for queue in [other, ground.queue] { await queue.close() }
    }

    // MARK: Counters

    @Test func `while a transaction is open, workers count in new rows, and old versions aren't read`() async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let ground = try await Ground(server)
        let queue = ground.queue
        _ = try await queue.add([.sample()])
        let first = try ground.slots()
        for number in 1..<50 { _ = try await queue.add([.sample(number)]) }
        #expect(try ground.slots() == first && first.count == 1, "nothing is kept")
        let dump = try ground.dump()
        try ground.changeCounters()
        // The server can note a little later what it keeps.
        var count = 50
        while try ground.slots() == first || count % 50 != 0 {
            try Task.checkCancellation()
            _ = try await queue.add([.sample(count)])
            count += 1
        }
        #expect(try await queue.counts()["shop"]?.waiting == count)
        #expect(try ground.slots().count == 1)
        // A worker that starts checks that each app has a name.
        let other = try await ground.other()
        let runs = try await Blocking.run { try PlanLog(of: server).runs }
        for statement in [PostgresText.addCounts, .counts, .appsWithoutName] {
            let pages = try #require(runs.last(where: { $0.statement == statement.sql })?.pages)
            #expect(pages < 30, "\(statement.sql)")
        }
        // Nobody removes the versions that are left, and the worker doesn't go on because of them.
        try dump.execute("COMMIT")
        let last = try ground.slots()
        for number in 0..<100 { _ = try await queue.add([.sample(count + number)]) }
        #expect(try ground.slots() == last)
        for queue in [other, queue] { await queue.close() }
    }

    /// The third writer begins to use the slot after the first one has asked for its locks.
    @Test func `a writer that leaves a slot takes no counters with it that it has not locked`() async throws {
        let ground = try await Ground()
        let first = PostgresThread(name: "first", address: ground.address, settings: .patient)
        let (second, third) = (ground.administrator, try PostgresConnection(ground.address, .patient))
        try third.execute(
            "SET search_path = \(ground.address.schema); INSERT INTO app (name) VALUES ('cab'), ('shop')")
        func count(_ app: Int32) throws {
            let change = [PostgresValue.int8(1)] + Array(repeating: .int8(0), count: 9)
            _ = try third.run(PostgresStatement(.addCounts, [.int4(app), .int2(5)] + change))
        }
        try count(1)
        try second.execute("BEGIN; UPDATE app_count SET held = held")
        let pid = try await first.run { (connection) throws(QueueError) in
            try connection.run("SELECT pg_backend_pid()::int8").first?.integer(0) ?? 0
        }
        async let left: Void = first.run { (connection) throws(QueueError) in
            try connection.execute("BEGIN")
            _ = try connection.run(.lockCounts, Int16(5))
            _ = try connection.run(.moveCounts, Int16(5), Int16(6))
            try connection.execute("COMMIT")
        }
        while try third.rows("SELECT FROM pg_locks WHERE pid = \(pid) AND NOT granted").count == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        try third.execute("INSERT INTO app_count (app, slot, held) VALUES (2, 1005, 1)")
        try third.execute("BEGIN")
        try count(2)
        try second.execute("COMMIT")
        try await left
        try third.execute("COMMIT")
        await first.stop()
        let rows = try third.rows("SELECT app || ' ' || slot || ' ' || held FROM app_count ORDER BY app, slot")
        #expect(rows.map { $0.text(0) } == ["1 1006 1", "2 -6 1", "2 1005 1"])
        await ground.queue.close()
    }

    @Test func `if two workers count in the same rows, and one leaves them, the sums stay exact`() async throws {
        let ground = try await Ground()
        _ = try await ground.queue.add([.sample()])
        let slot = try #require(try ground.slots().first)
        try ground.administrator.execute("SELECT setval('slot', \(slot), false)")
        let other = try await ground.other()
        _ = try await other.add([.sample()])
        #expect(try ground.slots() == [slot])
        let dump = try ground.dump()
        try ground.changeCounters()
        var count = 2
        while try ground.slots() == [slot] {
            try Task.checkCancellation()
            _ = try await ground.queue.add([.sample()])
            count += 1
        }
        #expect(try await other.counts()["shop"]?.waiting == count)
        _ = try await other.add([.sample()])
        #expect(try ground.slots().contains(slot))
        #expect(try await other.counts()["shop"]?.waiting == count + 1)
        try dump.execute("COMMIT")
        for queue in [other, ground.queue] { await queue.close() }
    }

    @Test func `counters of workers of an earlier version are in the sum`() async throws {
        let ground = try await Ground()
        _ = try await ground.queue.add([.sample()])
        try ground.administrator.execute("INSERT INTO app_count (app, slot, waiting) SELECT id, 999, 5 FROM app")
        #expect(try await ground.queue.counts()["shop"]?.waiting == 6)
        await ground.queue.close()
    }

    // MARK: Leases

    @Test func `while a transaction is open, leases that are gone are read once`() async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let ground = try await Ground(server)
        let queue = ground.queue
        _ = try await queue.add([.sample()])
        let dump = try ground.dump()
        try ground.administrator.execute(
            """
            INSERT INTO lease SELECT nextval('fence'), 'gone', 0, 0, '{}', '{}' FROM generate_series(1, 20000);
            DELETE FROM lease
            """)
        #expect(try await queue.recoverLeases() == QueueLeaseRecovery())
        // A lease of another worker, after what is gone.
        let other = try await ground.other()
        _ = try await other.claim(lease: .seconds(30))
        #expect(try await queue.recoverLeases() == QueueLeaseRecovery())
        ground.clock.advance(by: .seconds(31))
        #expect(try await queue.recoverLeases().waiting == 1)
        let runs = try await Blocking.run { try PlanLog(of: server).runs }
        let pages = runs.filter { $0.statement == PostgresText.endedLease.sql }.map(\.pages)
        #expect(pages.count == 4 && pages[0] > 100 && pages.dropFirst().allSatisfy { $0 < 30 }, "\(pages)")
        try dump.execute("COMMIT")
        for queue in [other, queue] { await queue.close() }
    }

    @Test func `a lease below the floor is found by the next full scan`() async throws {
        let ground = try await Ground(pace: .milliseconds(200))
        let queue = ground.queue
        _ = try await queue.add([.sample()])
        _ = try await queue.claim(lease: .seconds(30))
        _ = try await queue.recoverLeases()
        // As if its claim had been committed after the scan.
        try ground.administrator.execute("UPDATE lease SET fence = -5; UPDATE job SET fence = -5")
        ground.clock.advance(by: .seconds(31))
        while try await queue.recoverLeases().waiting == 0 { try Task.checkCancellation() }
        await queue.close()
    }
}
