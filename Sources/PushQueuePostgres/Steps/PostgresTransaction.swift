import PushPlatform
import PushQueue

/// A transaction of a writer: the steps of a group.
///
/// Statements without a result wait, and go to the server together with the next one that has a result, in one round trip.
///
/// Each call of `QueueBackend` that writes has a method here, in the file of its step.
final class PostgresTransaction: QueueSteps {
    let connection: PostgresConnection
    let address: PostgresAddress
    let cache: PostgresCache
    let options: PostgresQueueOptions
    /// The time of all that happens in the transaction.
    private(set) var now = QueueTime.earliest
    /// The same time by the steady clock. Leases, keys, and the age of results use this time.
    private(set) var steady = SteadyTime(milliseconds: 0)
    /// What to add to the number of this transaction.
    private(set) var base: Int64 = 0
    /// The rows of campaigns in which this transaction counts, and those of apps and their outcomes.
    let slot: Int16
    let countSlot: Int16
    var changes = PostgresChanges()
    /// Whether all jobs of the group were locked before its first step.
    var hasLockedJobs = false
    private var pending: [PostgresStatement] = []
    private var knownLimit: Int64?

    /// Begins a transaction. Only an import may change a queue that is sealed.
    init(
        _ connection: PostgresConnection, _ address: PostgresAddress, cache: PostgresCache,
        options: PostgresQueueOptions, lockTime: Duration? = nil
    ) throws(QueueError) {
        (self.connection, self.address, self.cache, self.options) = (connection, address, cache, options)
        connection.mayCommit = false
        if cache.mustCheck(connection, at: .now) { try cache.check(connection, address, options) }
        try Self.chooseSlots(connection, cache, options)
        (slot, countSlot) = (cache.slot ?? 0, cache.countSlot)
        var row = try begin(lockTime)
        var checks = 0
        while !cache.isUnchanged(row) {
            // Somebody has restored or emptied tables, or changed a setting. What is remembered may be wrong.
            try connection.execute("ROLLBACK")
            guard checks < Self.maximumChecks else { throw .tablesChange(address) }
            try cache.check(connection, address, options, hasChanged: true)
            row = try begin(lockTime)
            checks += 1
        }
        if !options.isImport, let seal = row.seal {
            try connection.execute("ROLLBACK")
            throw .sealed(seal, address.withSchema)
        }
        let (sample, isExact) = options.clockSample(
            server: row.clock.time(0), askedAt: row.askedAt)
        now = sample.wall
        base = row.clock.integer(3)
        cache.floors.with { $0.transactionBegan(now: sample.wall, shift: row.clock.integer(2)) }
        steady = try tick(ClockWatch(row.clock, boot: options.queue.boot), sample, isExact: isExact)
    }

    /// How often the tables may change while a transaction begins. Beyond it, the transaction fails.
    private static let maximumChecks = 3

    /// Chooses the slots of the writer. Now and then, it takes a new one for the counters of apps if the server keeps their old versions, because
    /// each change of a counter looks through all versions of its row.
    private static func chooseSlots(
        _ connection: PostgresConnection, _ cache: PostgresCache, _ options: PostgresQueueOptions
    ) throws(QueueError) {
        cache.slotUses += 1
        if cache.slot != nil, cache.slotUses < options.slotUses || cache.leftSlot != nil { return }
        cache.slotUses = 0
        let bound = cache.slot.map { _ in cache.deadCounters + options.keptCounters }
        guard let row = try connection.run(.newSlot, bound).first else { return }
        let dead = row.integer(0)
        guard let slot = row.optional(1, { Int16(truncatingIfNeeded: $0.integer($1)) }) else {
            cache.deadCounters = min(cache.deadCounters, dead)
            return
        }
        cache.deadCounters = dead
        if cache.slot == nil { cache.slot = slot } else { cache.leftSlot = cache.countSlot }
        cache.countSlot = slot
    }

    /// What a transaction reads first.
    struct Beginning {
        var clock: PostgresRow
        /// The uptime before.
        var askedAt: Duration

        var mark: PostgresSchema.Mark { PostgresSchema.Mark(queue: clock.integer(5), apps: clock.integer(6)) }
        /// Whether the settings of the server still keep what it confirms.
        var isDurable: Bool { clock.bool(7) }
        var seen: Int64 { clock.integer(1) }
        /// Why the queue is sealed. All writers hold a lock that a seal waits for, so it does not change until the transaction ends.
        var seal: QueueSeal? { clock.optional(8) { QueueSeal($0.bytes($1)) } }
    }

    private func begin(_ lockTime: Duration?) throws(QueueError) -> Beginning {
        let before = options.queue.uptime()
        let limits = lockTime.map { PostgresStatement(.limitLocks, "\($0.timeoutMilliseconds)ms") }
        let results = try connection.run(
            [PostgresStatement(.begin)] + [limits].compactMap(\.self) + [
                PostgresStatement(.joinWriters), PostgresStatement(.clock, options.queue.boot),
            ])
        guard let row = results.last?.first else {
            throw QueueError(.damaged, "A row of the table queue is missing. Restore a backup.")
        }
        return Beginning(clock: row, askedAt: before)
    }

    /// Adds a statement whose result is not needed.
    func perform(_ text: PostgresText, _ values: [PostgresValue]) {
        pending.append(PostgresStatement(text, values))
    }

    func perform(_ text: PostgresText, _ values: any PostgresBindable...) { perform(text, values.map(\.bound)) }

    /// Runs a statement after those that wait.
    func query(_ text: PostgresText, _ values: [PostgresValue]) throws(QueueError) -> PostgresRows {
        try query([PostgresStatement(text, values)])[0]
    }

    func query(_ text: PostgresText, _ values: any PostgresBindable...) throws(QueueError) -> PostgresRows {
        try query(text, values.map(\.bound))
    }

    /// Runs statements after those that wait, in one round trip.
    func query(_ statements: [PostgresStatement]) throws(QueueError) -> [PostgresRows] {
        flushEndings()
        let waiting = pending
        pending = []
        return Array(try connection.run(waiting + statements).dropFirst(waiting.count))
    }

    /// Copies rows into a table, after the statements that wait.
    func copy(_ sql: String, _ rows: PostgresCopy) throws(QueueError) {
        if !pending.isEmpty || !changes.endings.isEmpty { _ = try query([]) }
        guard rows.count > 0 else { return }
        _ = try connection.copy(sql, rows)
    }

    /// Adds the last statements. They are sent with the commit.
    func prepareCommit() throws(QueueError) {
        flushEndings()
        flushGone()
        try flushCampaigns()
        flushCounts()
        flushTallies()
        flushLeases()
        flushPayloads()
        for statement in changes.clock { perform(statement.text, statement.values) }
        if changes.checks { perform(.check) }
    }

    /// Commits. Afterwards everything is durable.
    func commit() throws(QueueError) {
        connection.mayCommit = true
        // A heartbeat that a new server lacks is no loss. A job is.
        let hasJobs = changes.counts.values.contains { $0 != QueueCounts() }
        let number = hasJobs ? [PostgresStatement(.transactionNumber)] : []
        let results = try query(number + [PostgresStatement(.commit)])
        cache.remember(changes, transaction: results[0].first?.integer(0))
    }

    func rollBack() {
        cache.forgetUndone()
        if !connection.isBroken { try? connection.execute("ROLLBACK") }
    }

    /// The first number that is not certain to be committed. It is read once in a transaction.
    func committedLimit() throws(QueueError) -> Int64 {
        if let knownLimit { return knownLimit }
        let number = try query(.committedLimit).first?.integer(0) ?? 0
        let committedLimit = (number + base) << 20
        knownLimit = committedLimit
        return committedLimit
    }

    // MARK: Counters

    private func flushCounts() {
        for (app, change) in changes.counts.sorted(by: { $0.key < $1.key }) where change != QueueCounts() {
            let numbers = [
                change.held, change.waiting, change.leased, change.started, change.kept, change.deadLetters,
                change.accepted, change.rejected, change.unknown, change.notSent,
            ]
            perform(.addCounts, [.int4(app), .int2(countSlot)] + numbers.map { .int8(Int64($0)) })
        }
        if let left = cache.leftSlot {
            perform(.lockCounts, left)
            perform(.moveCounts, left, countSlot)
        }
    }

    private func flushLeases() {
        for fence in Set(changes.held.keys).union(changes.extended.keys).sorted() {
            if let end = changes.extended[fence] { perform(.extend, fence, end) }
            guard let change = changes.held[fence], change != 0 else { continue }
            perform(.addHeld, fence, Int32(change))
            perform(.dropEmptyLease, fence)
        }
    }

    private func flushPayloads() {
        for (payload, change) in changes.uses.sorted(by: { $0.key < $1.key }) where change != 0 {
            perform(.addUses, payload, change)
            if change < 0 { perform(.dropUnusedPayload, payload) }
        }
    }
}

extension QueueError {
    fileprivate static func tablesChange(_ address: PostgresAddress) -> QueueError {
        QueueError(
            .conflict,
            """
            The tables of \(address) are being changed: restored, emptied or rewritten. Nothing was stored. Try again \
            when that is done.
            """)
    }
}

extension PostgresText {
    /// How many old versions of counters the server keeps, and a new slot if there are at least `$1`. Versions in rows that a writer has left
    /// stay until the next vacuum, as nobody reads their pages.
    fileprivate static let newSlot: PostgresText = """
        SELECT dead, CASE WHEN $1::int8 IS NULL OR dead >= $1::int8 THEN (nextval('slot') % 1000)::int2 END
        FROM pg_stat_get_dead_tuples(to_regclass('app_count')) AS dead
        """
    static let begin = PostgresText("BEGIN")
    static let commit = PostgresText("COMMIT")
    fileprivate static let transactionNumber = PostgresText("SELECT pg_current_xact_id()::text::int8")
    fileprivate static let clock: PostgresText = """
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, queue.seen, queue.shift, queue.base,
            machine.base, queue.tableoid::int8, pg_relation_filenode(to_regclass('app'))::int8,
            current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',
            (SELECT value FROM record WHERE kind = 'queue_seal' AND key = 'seal')
        FROM queue LEFT JOIN machine ON machine.boot = $1::text WHERE queue.id = 1
        """
    /// Each writer counts in a row with the slot `-1 - slot`, which has a partner with the slot `1000 + slot`: the partner is created with it, and
    /// both are deleted together. So a sum finds the rows below 0 by their partners, without a scan over those that are gone. Workers of
    /// earlier versions count in the slots 0 to 999.
    ///
    /// Two writers can have the same slot. A new row locks its partner, so that the other writer doesn't delete the partner alone.
    static let addCounts: PostgresText = """
        WITH counted AS (
            INSERT INTO app_count AS c VALUES ($1::int4, (-1 - $2::int2)::int2, $3::int8, $4::int8, $5::int8, $6::int8, $7::int8,
                $8::int8, $9::int8, $10::int8, $11::int8, $12::int8)
            \(addedCounts)
            RETURNING xmax = 0 AS is_new
        )
        INSERT INTO app_count AS c (app, slot) SELECT $1::int4, (1000 + $2::int2)::int2 FROM counted WHERE is_new
        ON CONFLICT (app, slot) DO UPDATE SET held = c.held
        """
    private static let addedCounts = """
        ON CONFLICT (app, slot) DO UPDATE SET held = c.held + excluded.held, waiting = c.waiting + excluded.waiting,
            leased = c.leased + excluded.leased, started = c.started + excluded.started,
            kept = c.kept + excluded.kept, dead_letters = c.dead_letters + excluded.dead_letters,
            accepted = c.accepted + excluded.accepted, rejected = c.rejected + excluded.rejected,
            unknown = c.unknown + excluded.unknown, not_sent = c.not_sent + excluded.not_sent
        """
    /// In the order in which ``addCounts`` locks. The next statement sees each row whose partner this one has locked.
    static let lockCounts: PostgresText = """
        SELECT FROM app_count WHERE app = ANY (ARRAY(SELECT id FROM app))
            AND slot = ANY (ARRAY[-1 - $1::int2, 1000 + $1::int2]::int2[])
        ORDER BY app, slot FOR UPDATE
        """
    /// Moves what was counted in the slot `$1` to the partner of the slot `$2`. Another writer may have moved to `$1` after the locks: what this
    /// transaction has not locked stays.
    static let moveCounts: PostgresText = """
        WITH moved AS (
            DELETE FROM app_count WHERE app = ANY (ARRAY(
                    SELECT app FROM app_count WHERE app = ANY (ARRAY(SELECT id FROM app)) AND slot = (1000 + $1::int2)::int2
                        AND xmax = pg_current_xact_id()::xid))
                AND slot = ANY (ARRAY[-1 - $1::int2, 1000 + $1::int2]::int2[])
            RETURNING *
        )
        INSERT INTO app_count AS c
        SELECT app, (1000 + $2::int2)::int2, sum(held)::int8, sum(waiting)::int8, sum(leased)::int8, sum(started)::int8,
            sum(kept)::int8, sum(dead_letters)::int8, sum(accepted)::int8, sum(rejected)::int8, sum(unknown)::int8,
            sum(not_sent)::int8
        FROM moved GROUP BY app ORDER BY app
        \(addedCounts)
        """
    fileprivate static let limitLocks = PostgresText("SELECT set_config('lock_timeout', $1::text, true)")
    fileprivate static let extend = PostgresText("UPDATE lease SET ends = $2::int8 WHERE fence = $1::int8")
    fileprivate static let addHeld = PostgresText(
        "UPDATE lease SET held = held + $2::int4 WHERE fence = $1::int8")
    fileprivate static let dropEmptyLease = PostgresText(
        "DELETE FROM lease WHERE fence = $1::int8 AND held <= 0")
    fileprivate static let addUses = PostgresText(
        "UPDATE payload SET uses = uses + $2::int8 WHERE id = $1::int8")
    fileprivate static let dropUnusedPayload = PostgresText(
        "DELETE FROM payload WHERE id = $1::int8 AND uses <= 0")
}
