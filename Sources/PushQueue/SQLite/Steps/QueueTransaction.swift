/// A write transaction. Only the writer's thread uses it. Its steps are in the other files of this folder.
final class QueueTransaction: QueueSteps {
    let sql: SQLConnection
    let cache: WriterCache
    let options: QueueOptions
    /// The time of all that happens in the transaction.
    let now: QueueTime
    /// The same time by the steady clock. Leases, keys, and the age of results use this time.
    private(set) var steady = SteadyTime(milliseconds: 0)
    var changes: TransactionChanges
    private var start: (sequence: Int64, fence: Int64)

    /// Only an export may change a queue that is sealed.
    init(
        _ sql: SQLConnection, cache: WriterCache, options: QueueOptions, isExport: Bool = false
    ) throws(QueueError) {
        (self.sql, self.cache, self.options) = (sql, cache, options)
        // The previous transaction could not be rolled back, because the disk failed.
        if sql.isInTransaction {
            cache.forgetUndone()
            try sql(.rollback).run()
        }
        try sql(.begin).run()
        let sample = ClockSample(options)
        now = sample.wall
        (start, changes) = ((0, 0), TransactionChanges(sequence: 0, fence: 0))
        do throws(QueueError) {
            if !isExport, let seal = try sql.seal() { throw QueueError.sealed(seal, sql.handle.path) }
            try readClock(sample)
        } catch {
            rollBack()
            throw error
        }
    }

    /// Writes the counters, and commits. Afterwards everything is on the disk.
    func commit() throws(QueueError) {
        try flushCounts()
        try flushTallies()
        try flushCampaigns()
        try flushLeases()
        try flushPayloads()
        if start != (changes.sequence, changes.fence) {
            try sql(.setNumbers).run(changes.sequence, changes.fence)
        }
        try sql(.commit).run()
        cache.hasNumbers = true
    }

    /// Rolls back the transaction, if an error has not done so already.
    func rollBack() {
        cache.forgetUndone()
        if sql.isInTransaction { _ = try? sql(.rollback).run() }
    }

    /// Runs one of several steps of a transaction: if it fails, the others stay.
    func isolated<Value>(_ step: (QueueTransaction) throws(QueueError) -> Value) throws(QueueError) -> Value {
        let before = changes
        try sql(.savepoint).run()
        do throws(QueueError) {
            let value = try step(self)
            try sql(.release).run()
            return value
        } catch {
            cache.forgetUndone()
            if sql.isInTransaction {
                changes = before
                try sql(.rollbackTo).run()
                try sql(.release).run()
            }
            throw error
        }
    }

    func nextNumber() -> Int64 {
        changes.sequence += 1
        return changes.sequence
    }

    func nextFence() -> Int64 {
        changes.fence += 1
        return changes.fence
    }

    // MARK: Clock

    private func readClock(_ sample: ClockSample) throws(QueueError) {
        let stored = try sql(.clock).first { row in
            let watch = ClockWatch(
                boot: row.text(0), base: row.integer(1), seen: SteadyTime(milliseconds: row.integer(2)),
                shift: row.integer(3))
            return (watch: watch, sequence: row.integer(4), fence: row.integer(5))
        }
        guard let stored else { throw .damaged(sql.handle.path, "a row of the table clock is missing") }
        start = (stored.sequence, stored.fence)
        // The file may have been restored from a backup since another process has used it.
        let sequence = cache.hasNumbers ? stored.sequence : max(stored.sequence, ResultNumbers.base(at: now))
        changes = TransactionChanges(sequence: sequence, fence: stored.fence)
        steady = try tick(stored.watch, sample)
    }

    // MARK: Counters

    private func flushCounts() throws(QueueError) {
        for (app, change) in changes.counts where change != QueueCounts() {
            try sql(.addCounts).run(
                app, change.waiting, change.leased, change.started, change.kept, change.deadLetters,
                change.accepted,
                change.rejected, change.unknown, change.notSent, change.held)
        }
    }

    private func flushLeases() throws(QueueError) {
        for (fence, change) in changes.held {
            try sql(.addHeld).run(fence, change)
            try sql(.dropEmptyLease).run(fence)
        }
    }

    private func flushPayloads() throws(QueueError) {
        for (payload, change) in changes.uses {
            if change != 0 { try sql(.addUses).run(payload, change) }
            if change < 0 { try sql(.dropUnusedPayload).run(payload) }
        }
    }
}

extension SQLText {
    fileprivate static let begin = SQLText("BEGIN IMMEDIATE")
    fileprivate static let commit = SQLText("COMMIT")
    fileprivate static let rollback = SQLText("ROLLBACK")
    fileprivate static let savepoint = SQLText("SAVEPOINT step")
    fileprivate static let release = SQLText("RELEASE step")
    fileprivate static let rollbackTo = SQLText("ROLLBACK TO step")
    fileprivate static let clock = SQLText(
        "SELECT boot, base, seen, shift, sequence, fence FROM clock WHERE id = 1")
    fileprivate static let setNumbers = SQLText("UPDATE clock SET sequence = ?1, fence = ?2 WHERE id = 1")
    fileprivate static let addCounts: SQLText = """
        UPDATE app SET waiting = waiting + ?2, leased = leased + ?3, started = started + ?4, kept = kept + ?5,
            dead_letters = dead_letters + ?6, accepted = accepted + ?7, rejected = rejected + ?8,
            unknown = unknown + ?9, not_sent = not_sent + ?10, held = held + ?11
        WHERE id = ?1
        """
    fileprivate static let addHeld = SQLText("UPDATE lease SET held = held + ?2 WHERE fence = ?1")
    fileprivate static let dropEmptyLease = SQLText("DELETE FROM lease WHERE fence = ?1 AND held <= 0")
    fileprivate static let addUses = SQLText("UPDATE payload SET uses = uses + ?2 WHERE id = ?1")
    fileprivate static let dropUnusedPayload = SQLText("DELETE FROM payload WHERE id = ?1 AND uses <= 0")
}

/// What a transaction has changed, and writes only once, before it commits.
///
/// It is a value: a step that fails puts back the value from before it.
struct TransactionChanges: CollectedChanges {
    var counts: [Int64: QueueCounts] = [:]
    var campaigns: [Int64: CampaignStep] = [:]
    var tallies: [Int64: [CampaignStep.Outcome: Int]] = [:]
    /// By how much the number of jobs of a lease changes.
    var held: [Int64: Int] = [:]
    /// By how much the uses of a payload change.
    var uses: [Int64: Int] = [:]
    /// The last number given to an outcome or an event.
    var sequence: Int64
    var fence: Int64
    var apps: [String: Int64] = [:]
    var payloads: [Payload: Int64] = [:]
    var hasJobs = false
    var hasResults = false
    var hasCampaigns = false

    struct Payload: Hashable {
        var app: Int64
        var body: [UInt8]

        /// Hashes all bytes with one call. The hash of an array takes longer than the insertion of a job.
        func hash(into hasher: inout Hasher) {
            hasher.combine(app)
            body.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }
}
