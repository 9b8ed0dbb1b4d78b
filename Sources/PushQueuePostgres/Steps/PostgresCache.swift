import PushPlatform
import PushQueue

/// What a writer caches between transactions.
///
/// `@unchecked Sendable` is correct: only the thread of the writer's connection uses it, for one body after the other.
final class PostgresCache: @unchecked Sendable {
    /// The rows of campaigns in which this writer counts.
    var slot: Int16?
    /// The rows of apps and their outcomes in which it counts.
    var countSlot: Int16 = 0
    /// The slot before, until what was counted there has been moved.
    var leftSlot: Int16?
    /// The number of transactions since the server was last asked how many old versions of counters it keeps.
    var slotUses = 0
    /// The smallest number of them since ``countSlot`` was chosen.
    var deadCounters: Int64 = 0
    /// The numbers of apps. An app keeps its number for ever.
    var apps: [String: Int32] = [:]
    /// The speed windows of campaigns, in the row of this writer.
    var windows: [Int32: SpeedWindow] = [:]
    /// The reasons that are counted on their own.
    var reasons: [Int32: Set<CampaignStep.Outcome>] = [:]
    var rows = RowNumbers()
    /// A transaction that is undone need not forget its bodies: the number of a payload isn't used again.
    var bodies = PayloadBodies()
    /// Where scans of waiting jobs begin, for all connections of the process.
    let floors: SharedFloors
    private weak var connection: PostgresConnection?
    /// Which tables there were at the last check.
    private var tables = PostgresSchema.Tables()
    /// The name of the server's data, and the time of its start.
    private var server = ""
    /// The warnings about the server at the last check; `nil` before the first one, because the start reports them.
    private var warnings: [String]?
    /// Set for good when the queue was replaced by another one.
    private var replaced: QueueError?
    /// Where scans for ended leases begin, and until when. Index entries of leases that are gone, which the server keeps while a transaction is
    /// open, come before. So does a lease whose claim wasn't committed at the last scan: the next full scan finds it.
    private var firstLease = (fence: Int64.min, until: ContinuousClock.now)
    /// When the server and the tables were checked last.
    private var checked: ContinuousClock.Instant?
    /// The latest time of the queue that was read. It never goes back, except in a restored dump.
    private var seen = Int64.min
    private var random = RandomNumberBuffer()

    /// The greatest number of campaigns that are remembered.
    private static let maximum = 1000
    /// The time between two checks of a connection. What an administrator changes is noticed after this time at the latest.
    private static let checkInterval: Duration = .seconds(2)

    init(floors: SharedFloors = SharedFloors()) {
        self.floors = floors
    }

    func randomNumber() -> UInt64 { random.next() }

    func newID(due: QueueTime) -> UUID {
        id(row: rows.next(due: due.milliseconds, random: randomNumber()))
    }

    /// The ids of the jobs of a request, which grow for jobs that are due together. `nil` for a job that is refused.
    func newIDs(dues: [QueueTime?]) -> [UUID?] {
        var numbers = RequestNumbers(dues.compactMap(\.self)) { due, count in
            rows.next(due: due, count: count, random: randomNumber())
        }
        return dues.map { due in due.map { id(row: numbers.take($0)) } }
    }

    private func id(row: Int64) -> UUID {
        JobKey(row: row, tag: Int64(bitPattern: randomNumber() & JobKey.tagBits)).id
    }

    /// Remembers what a transaction has committed, and its number if it has changed jobs.
    func remember(_ changes: PostgresChanges, transaction: Int64?) {
        if let transaction { floors.withServers { $0.confirmed(transaction, by: server) } }
        apps.merge(changes.apps) { $1 }
        if windows.count + changes.windows.count > Self.maximum { windows.removeAll() }
        windows.merge(changes.windows) { $1 }
        leftSlot = nil
        if let fence = changes.firstLease { firstLease.fence = fence }
        floors.with { floors in
            if let scan = changes.scan { floors.scanEnded(scan) }
            for (app, due) in changes.firstDue { floors.jobsWait(of: app, due: due) }
            if changes.movesDue { floors.forget() }
        }
    }

    /// The first fence of a scan for leases that have ended.
    func leaseFloor(pace: Duration) -> Int64 {
        if firstLease.until <= .now { firstLease = (.min, .now + pace) }
        return firstLease.fence
    }

    // MARK: The tables

    /// Whether the server and the tables must be checked before the next transaction.
    func mustCheck(_ connection: PostgresConnection, at now: ContinuousClock.Instant) -> Bool {
        guard self.connection === connection, let checked else { return true }
        return checked.duration(to: now) >= Self.checkInterval
    }

    /// Whether the tables are those of the last check, and the server still keeps what it confirms.
    func isUnchanged(_ beginning: PostgresTransaction.Beginning) -> Bool {
        guard beginning.isDurable, beginning.mark == tables.mark, beginning.seen >= seen else { return false }
        seen = beginning.seen
        return true
    }

    /// Checks the server and the tables. If they are not those of the last check, everything is forgotten.
    ///
    /// A connection that is new may lead to another server than the last one. A server that took over without the last transactions gives
    /// their numbers to others, and so does a dump that was restored.
    ///
    /// - Throws: ``QueueError`` if nothing may be stored. It is checked again at the next transaction.
    func check(
        _ connection: PostgresConnection, _ address: PostgresAddress, _ options: PostgresQueueOptions,
        hasChanged: Bool = false
    ) throws(QueueError) {
        let isNew = self.connection !== connection
        checked = nil
        if let replaced { throw replaced }
        let findings = try PostgresRequirements.check(connection, address)
        if isNew { try requireLast(connection, findings.cluster) }
        if let warnings { findings.warnings.filter { !warnings.contains($0) }.forEach(options.report) }
        warnings = findings.warnings
        let found = try PostgresSchema.check(connection, address)
        try PostgresSchema.joinCluster(connection, findings.cluster)
        let present = try PostgresSchema.checkApps(connection, address, known: apps)
        // A dump can give the apps other numbers.
        if present.named == 0, !apps.isEmpty, found != tables {
            let error = QueueError.replaced(address)
            replaced = error
            throw error
        }
        let isOther = hasChanged || found != tables
        if isOther, !isNew { options.report(Self.changed(address)) }
        if isNew || isOther {
            (self.connection, tables, seen) = (connection, found, .min)
            firstLease = (.min, .now)
            floors.with { $0.forget() }
        }
        if isNew || isOther || present.same < apps.count { forgetAll() }
        checked = .now
    }

    /// Refuses a server that took over without what was confirmed. Another server of the address may have it.
    private func requireLast(_ connection: PostgresConnection, _ server: String) throws(QueueError) {
        let (last, isBehind) = floors.withServers { ($0.transaction(of: server), $0.isBehind(server)) }
        if let last, !isBehind, try connection.run(.isKept, last).first?.bool(0) == false {
            floors.withServers { $0.lacks(server) }
        }
        if floors.withServers({ $0.isBehind(server) }) { throw connection.fail(.lost(connection.endpoint)) }
        self.server = server
    }

    private func forgetAll() {
        apps.removeAll()
        bodies.removeAll()
        forgetUndone()
    }

    private static func changed(_ address: PostgresAddress) -> String {
        """
        The tables of \(address) were changed while this worker runs: restored, emptied, or rewritten, for example by pg_restore, TRUNCATE or \
        VACUUM FULL. The worker has read them again. Stop all workers before you restore a backup.
        """
    }

    /// Forgets everything that is possibly not committed.
    func forgetUndone() {
        windows.removeAll()
        reasons.removeAll()
    }
}

extension PostgresText {
    /// Whether the server has the transaction `$1`. It may have forgotten how a very old one ended.
    fileprivate static let isKept: PostgresText = """
        SELECT CASE WHEN $1::int8 >= pg_snapshot_xmax(pg_current_snapshot())::text::int8 THEN false
            ELSE coalesce(pg_xact_status($1::int8::text::xid8) = 'committed', true) END
        """
}

extension QueueError {
    /// A standby that was behind has taken over, or a backup was restored.
    fileprivate static func lost(_ endpoint: PostgresEndpoint) -> QueueError {
        QueueError(
            .damaged,
            """
            The server of \(endpoint) lacks what this worker has stored and acknowledged: a standby that was behind has taken over, or a \
            backup was restored. The worker stores and sends nothing more. Bring back the server that has those pushes. Or restart the \
            workers to go on without them: pushes may be missing then, and others may be sent a second time.
            """)
    }

    /// An administrator or another worker has made a new queue, while jobs of the old one may be on the way.
    fileprivate static func replaced(_ address: PostgresAddress) -> QueueError {
        QueueError(
            .damaged,
            """
            The queue in the schema \(address.schema) of \(address) was replaced by an empty one, or by that of another service, while this \
            worker ran: none of the apps is there that it knew. It stores and sends nothing more. Stop all workers and restore a backup, or \
            restart them to use the new queue.
            """)
    }
}
