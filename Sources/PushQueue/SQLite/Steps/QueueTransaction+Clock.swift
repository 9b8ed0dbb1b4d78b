/// Corrects for jumps of the wall clock.
extension QueueTransaction {
    /// Follows the steady clock. Returns the steady time, after everything that a jump concerns was moved.
    func tick(_ watch: ClockWatch, _ sample: ClockSample) throws(QueueError) -> SteadyTime {
        var watch = watch
        let tick = watch.tick(sample)
        if tick.action == .nothing { return tick.now }
        try sql(.setWatch).run(watch.boot, watch.base, watch.seen, watch.shift)
        if case .move(let jump) = tick.action { try move(by: jump.wholeMilliseconds) }
        return tick.now
    }

    /// Moves times that were computed from the wall clock. Times in the past stay in the past, and all others keep
    /// their remaining time. Leases and keys use the steady clock, so they are not moved.
    private func move(by jump: Int64) throws(QueueError) {
        let over = min(now.milliseconds, now.milliseconds - jump)
        for app in try sql(.appsWithWaiting).all(read: { $0.integer(0) }) {
            for priority in QueuePriority.allCases {
                try sql(.moveExpiry).run(jump, app, priority.rawValue, over, QueueTime.latest)
                try sql(.moveDue).run(jump, app, priority.rawValue, over, QueueTime.latest)
            }
        }
        for (fence, members) in try sql(.leases).all(read: { ($0.integer(0), $0.bytes(1)) }) {
            for row in Self.rowsOfLease(members) {
                try sql(.moveHeldExpiry).run(jump, row, fence, over, QueueTime.latest)
                try sql(.moveHeldDue).run(jump, row, fence, over)
            }
        }
    }
}

extension SQLText {
    fileprivate static let setWatch = SQLText(
        "UPDATE clock SET boot = ?1, base = ?2, seen = ?3, shift = ?4 WHERE id = 1")
    fileprivate static let leases = SQLText("SELECT fence, jobs FROM lease")
    fileprivate static let moveExpiry: SQLText = """
        UPDATE job INDEXED BY job_waiting SET expires = min(max(expires + ?1, 0), ?5)
        WHERE state = 0 AND app = ?2 AND priority = ?3 AND expires > ?4 AND is_expiry_relative = 1
        """
    /// A due time never passes the expiry, at which the job ends.
    fileprivate static let moveDue: SQLText = """
        UPDATE job INDEXED BY job_waiting SET due = min(max(due + ?1, 0), expires, ?5)
        WHERE state = 0 AND app = ?2 AND priority = ?3 AND due > ?4 AND is_due_relative = 1
        """
    /// A job that was given back and claimed again is also in the list of its earlier lease.
    fileprivate static let moveHeldExpiry: SQLText = """
        UPDATE job SET expires = min(max(expires + ?1, 0), ?5)
        WHERE id = ?2 AND fence = ?3 AND state IN (1, 2) AND expires > ?4 AND is_expiry_relative = 1
        """
    /// A job that a worker has was due. It stays so, for when it waits again.
    fileprivate static let moveHeldDue: SQLText = """
        UPDATE job SET due = min(max(due + ?1, 0), expires)
        WHERE id = ?2 AND fence = ?3 AND state IN (1, 2) AND due > ?4 AND is_due_relative = 1
        """
}
