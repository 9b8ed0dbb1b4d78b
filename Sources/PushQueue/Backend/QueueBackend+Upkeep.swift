/// Upkeep, in slices that do not keep others waiting.
extension QueueBackend {
    /// Takes jobs from workers whose lease has ended, one lease in each transaction.
    package func recoverEndedLeases() async throws(QueueError) -> QueueLeaseRecovery {
        var all = QueueLeaseRecovery()
        while let one = try await change(.alone, { (steps) throws(QueueError) in try steps.recoverLease() }) {
            all.waiting += one.waiting
            all.unknown += one.unknown
            all.buried += one.buried
        }
        return all
    }

    /// Erases payloads and variables of jobs that finished a duration ago, at most a number of jobs. Returns how many.
    package func erasePayloads(finishedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int {
        try await change { (steps) throws(QueueError) in
            try steps.erasePayloads(finishedBefore: duration, limit: max(limit, 0))
        }
    }

    /// Drops jobs that finished a duration ago, at most a number of them. Returns how many.
    package func dropFinished(before duration: Duration, limit: Int) async throws(QueueError) -> Int {
        try await change { (steps) throws(QueueError) in
            try steps.dropFinished(before: duration, limit: max(limit, 0))
        }
    }

    /// Drops keys that are no longer needed, at most a number of them. Returns how many.
    package func dropKeys(limit: Int) async throws(QueueError) -> Int {
        try await change { (steps) throws(QueueError) in try steps.dropKeys(limit: max(limit, 0)) }
    }
}
