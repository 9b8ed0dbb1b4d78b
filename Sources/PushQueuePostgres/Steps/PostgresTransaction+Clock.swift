import PushPlatform
import PushQueue

extension ClockWatch {
    /// The stored watch, with the base of this machine; without a name if this machine has not worked yet since its start.
    init(_ row: PostgresRow, boot: String) {
        self.init(
            boot: row.isNull(4) ? "" : boot, base: row.integer(4), seen: row.steady(1), shift: row.integer(2))
    }
}

/// Corrects for jumps of the server's clock. Each worker compares it with the uptime of its own machine, and the first one that
/// notices a jump corrects for it.
extension PostgresTransaction {
    /// Advances the steady clock. After a jump, it moves all times that depend on the wall clock. Returns the steady time.
    func tick(
        _ stored: ClockWatch, _ sample: ClockSample, isExact: Bool
    ) throws(QueueError) -> SteadyTime {
        var watch = stored
        let tick = watch.tick(sample)
        switch tick.action {
        case .nothing: return tick.now
        case .note:
            let isNew = stored.boot.isEmpty || stored.base != watch.base
            // The first entry of a machine must be exact. Otherwise, other workers would take its error for a jump.
            if isExact || !isNew { note(watch, sample, at: tick.now, isNew: isNew) }
            return tick.now
        case .move: return try isExact ? move(sample) : tick.now
        }
    }

    /// The limit of the statements that move times.
    private static var longestMove: Duration { .seconds(600) }

    private func note(_ watch: ClockWatch, _ sample: ClockSample, at steady: SteadyTime, isNew: Bool) {
        let drift = sample.wall.milliseconds - steady.milliseconds - watch.shift
        // The clocks of machines run at different speeds. Each base follows the server's clock, by at most 1 ms at a time.
        let base = options.usesServerClock ? watch.base + min(max(drift, -1), 1) : watch.base
        let machine: [PostgresValue] = [.text(watch.boot), .int8(base), .int8(watch.seen.milliseconds)]
        // All workers share the row of the queue, so it is locked last.
        changes.clock = [
            PostgresStatement(isNew ? .noteNewMachine : .noteMachine, machine),
            PostgresStatement(.noteSeen, watch.seen),
        ]
    }

    /// Corrects for a jump, if no other worker has done so in the meantime.
    private func move(_ sample: ClockSample) throws(QueueError) -> SteadyTime {
        let rows = try query(.lockClock, options.queue.boot)
        guard let row = rows.first else { return SteadyTime(milliseconds: 0) }
        var watch = ClockWatch(row, boot: options.queue.boot)
        let tick = watch.tick(sample)
        if tick.action == .nothing { return tick.now }
        perform(.setShift, watch.seen, watch.shift)
        perform(.noteNewMachine, watch.boot, watch.base, watch.seen)
        if case .move(let jump) = tick.action { try moveTimes(by: jump.wholeMilliseconds, sample.wall) }
        return tick.now
    }

    /// Moves times that were computed from the wall clock. Times in the past stay in the past, and all others keep
    /// their remaining time. Leases and keys use the steady clock, so they are not moved.
    ///
    /// With millions of waiting jobs, this takes longer than other steps. It must not be aborted, because the next
    /// step would begin it again, and never finish it.
    private func moveTimes(by jump: Int64, _ wall: QueueTime) throws(QueueError) {
        let over = min(wall.milliseconds, wall.milliseconds - jump)
        let latest = QueueTime.latest.milliseconds
        for text in [PostgresText.moveExpiry, .moveHeldExpiry, .moveDue] {
            perform(text, [.int8(jump), .int8(over), .int8(latest)])
        }
        perform(.moveHeldDue, jump, over)
        changes.movesDue = true
        try connection.waiting(Self.longestMove) { () throws(QueueError) in _ = try query([]) }
    }
}

extension PostgresText {
    /// Skips the row if another writer has locked it: that writer stores the time, so this one need not wait.
    fileprivate static let noteSeen: PostgresText = """
        UPDATE queue SET seen = greatest(seen, $1::int8)
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM queue FOR NO KEY UPDATE SKIP LOCKED))
        """
    fileprivate static let noteMachine: PostgresText = """
        UPDATE machine SET base = $2::int8, seen = $3::int8 WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM machine WHERE boot = $1::text FOR NO KEY UPDATE SKIP LOCKED))
        """
    fileprivate static let noteNewMachine: PostgresText = """
        INSERT INTO machine VALUES ($1::text, $2::int8, $3::int8)
        ON CONFLICT (boot) DO UPDATE SET base = excluded.base, seen = excluded.seen
        """
    fileprivate static let lockClock: PostgresText = """
        SELECT 0::int8, queue.seen, queue.shift, queue.base, machine.base
        FROM queue LEFT JOIN machine ON machine.boot = $1::text WHERE queue.id = 1 FOR UPDATE OF queue
        """
    fileprivate static let setShift = PostgresText("UPDATE queue SET seen = $1::int8, shift = $2::int8")
    fileprivate static let moveExpiry: PostgresText = """
        UPDATE job SET expires = least(greatest(expires + $1::int8, 0), $3::int8)
        WHERE is_waiting AND expires > $2::int8 AND is_expiry_relative
        """
    /// A due time never passes the expiry, at which the job ends.
    fileprivate static let moveDue: PostgresText = """
        UPDATE job SET due = least(greatest(due + $1::int8, 0), expires, $3::int8)
        WHERE is_waiting AND due > $2::int8 AND is_due_relative
        """
    fileprivate static let moveHeldExpiry: PostgresText = """
        UPDATE job SET expires = least(greatest(expires + $1::int8, 0), $3::int8)
        WHERE state IN (1, 2) AND expires > $2::int8 AND is_expiry_relative
        """
    /// A job that a worker has was due. It stays so, for when it waits again.
    fileprivate static let moveHeldDue: PostgresText = """
        UPDATE job SET due = least(greatest(due + $1::int8, 0), expires)
        WHERE state IN (1, 2) AND due > $2::int8 AND is_due_relative
        """
}
