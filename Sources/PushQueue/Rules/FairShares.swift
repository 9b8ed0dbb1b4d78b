/// Divides a number of jobs among apps: all get the same, and the others get the part that an app does not need.
package struct FairShares {
    private struct Share {
        var app: Int64
        var maximum: Int
    }

    private var shares: [Share]
    private var left: Int
    private var position = 0
    private var roundQuota = 0

    /// - Parameters:
    ///   - limit: The number of jobs to divide.
    ///   - apps: The apps, and how many jobs each may get.
    ///   - turn: A number that grows with each claim, so that each app is the first now and then.
    package init(limit: Int, apps: [(app: Int64, maximum: Int)], turn: Int64) {
        let wanted = apps.filter { $0.maximum > 0 }.map { Share(app: $0.app, maximum: $0.maximum) }
        let first = wanted.isEmpty ? 0 : Int(turn.magnitude % UInt64(wanted.count))
        shares = Array(wanted[first...] + wanted[..<first])
        left = limit
    }

    /// The app to claim from next, and how many jobs; `nil` at the end. Call ``received(_:of:)`` after it.
    package mutating func next() -> (app: Int64, count: Int)? {
        if position >= shares.count {
            shares.removeAll { $0.maximum <= 0 }
            position = 0
        }
        guard left > 0, !shares.isEmpty else { return nil }
        if position == 0 { roundQuota = max(1, left / shares.count) }
        let share = shares[position]
        return (share.app, min(roundQuota, share.maximum, left))
    }

    /// If `count` is smaller than `wanted`, the app has no more jobs.
    package mutating func received(_ count: Int, of wanted: Int) {
        shares[position].maximum = count < wanted ? 0 : shares[position].maximum - count
        left -= count
        position += 1
    }
}

extension QueueClaimRequest {
    /// Claims jobs: a suspect, if one is found, which is then alone; or else due jobs in fair shares.
    ///
    /// - Parameters:
    ///   - apps: The apps that may have jobs, and how many each may get.
    ///   - turn: A number that grows with each claim.
    ///   - lease: Leases at most a number of jobs of an app: suspects, or due jobs that are none.
    /// - Returns: The jobs.
    /// - Throws: What `lease` throws.
    package func jobs(
        of apps: [(app: Int64, maximum: Int)], turn: Int64,
        _ lease: (_ app: Int64, _ count: Int, _ seeksSuspect: Bool) throws(QueueError) -> [ClaimedQueueJob]
    ) throws(QueueError) -> [ClaimedQueueJob] {
        if seeksSuspect, limit > 0 {
            for (app, _) in apps {
                var suspects = try lease(app, 1, true)
                if suspects.isEmpty { continue }
                for index in suspects.indices { suspects[index].isSuspect = true }
                return suspects
            }
        }
        var shares = FairShares(limit: limit, apps: apps, turn: turn)
        var claimed: [ClaimedQueueJob] = []
        while let share = shares.next() {
            let jobs = try lease(share.app, share.count, false)
            shares.received(jobs.count, of: share.count)
            claimed += jobs
        }
        return claimed
    }
}
