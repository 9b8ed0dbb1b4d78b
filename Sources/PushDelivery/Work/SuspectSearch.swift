internal import PushQueue

/// Which claims look for a suspect: a job that several workers were lost with. A worker has only one suspect at a time, so if the worker is
/// lost, the queue knows which job it was. A pure value.
///
/// After a suspect comes a claim of other jobs, so that these do not wait for all suspects.
struct SuspectSearch: Equatable {
    private var isDue = true
    /// Whether the last search found one, so that there may be more.
    private var hasFound = false
    private(set) var last: QueueJobLease?

    /// Whether the next claim looks for a suspect.
    func isNext(_ leases: LeaseBook) -> Bool { isDue && !(last.map(leases.holds) ?? false) }

    /// There may be a suspect: at the beginning, after the leases of a lost worker have expired, and when a due job is not among the claimed ones.
    mutating func lookAgain() { isDue = true }

    mutating func claimed(_ jobs: [ClaimedQueueJob], looked: Bool) {
        if looked {
            last = jobs.first { $0.isSuspect }?.lease
            (isDue, hasFound) = (false, last != nil)
        } else if hasFound {
            (isDue, hasFound) = (true, false)
        }
    }

    /// A job was started that is never sent again, whatever happens to this worker.
    mutating func startedOnce(_ lease: QueueJobLease) {
        if last == lease { last = nil }
    }
}
