import PushPlatform
import PushQueue

extension QueueModel {
    mutating func claim(_ request: QueueClaimRequest, _ claimed: [ClaimedQueueJob]) throws {
        let now = now
        func canGo(_ job: ModelJob) -> Bool {
            job.state == .waiting && job.due <= now && job.expires.map { $0 > now } ?? true
        }
        let suspects = jobs.values.filter {
            $0.isSuspect && canGo($0) && request.apps[$0.app] ?? 0 > 0 && request.seeksSuspect
        }
        if !suspects.isEmpty {
            try require(claimed.count == 1 && claimed[0].isSuspect, "\(claimed.count) jobs, and a suspect was due")
            try requireOrder(of: Set(claimed.map(\.id)), among: suspects.filter { $0.app == claimed[0].app })
            return try lease(claimed, request)
        }
        var eligible: [String: [ModelJob]] = [:]
        for (app, maximum) in request.apps where maximum > 0 {
            eligible[app] = jobs.values.filter { $0.app == app && canGo($0) && !$0.isSuspect }
        }
        let possible = eligible.map { min($0.value.count, request.apps[$0.key] ?? 0) }
        let expected = min(request.limit, possible.reduce(0, +))
        try require(claimed.count == expected, "\(claimed.count) jobs were claimed, not \(expected)")
        let wanted = possible.filter { $0 > 0 }.count
        for (app, all) in eligible {
            let mine = claimed.filter { $0.app == app }
            let maximum = min(all.count, request.apps[app] ?? 0)
            try require(mine.count <= maximum, "\(mine.count) jobs of \(app)")
            let share = min(maximum, request.limit / max(wanted, 1))
            try require(mine.count >= share, "\(app) got \(mine.count) jobs, and its share is \(share)")
            try requireOrder(of: Set(mine.map(\.id)), among: all)
        }
        try lease(claimed, request)
    }

    private mutating func lease(_ claimed: [ClaimedQueueJob], _ request: QueueClaimRequest) throws {
        living?.insert(request.owner)
        for job in claimed { try lease(job, request) }
        if let fence = claimed.first?.lease.fence {
            lastFence = fence
            leases[fence] = (request.owner, steady + request.lease)
        }
    }

    private func requireOrder(of taken: Set<UUID>, among all: [ModelJob]) throws {
        func rank(_ job: ModelJob) -> (Int, Int64, UUID) { (-job.job.priority.rawValue, job.due.milliseconds, job.id) }
        let last = all.filter { taken.contains($0.id) }.map(rank).max { $0 < $1 }
        let first = all.filter { !taken.contains($0.id) }.map(rank).min { $0 < $1 }
        if let last, let first { try require(last < first, "a job was claimed before one that goes first") }
    }

    private mutating func lease(_ claimed: ClaimedQueueJob, _ request: QueueClaimRequest) throws {
        guard let job = jobs[claimed.id] else { throw ModelMismatch("an unknown job was claimed") }
        try require(job.state == .waiting, "a job in the state \(job.state) was claimed")
        try require(claimed.lease.fence > lastFence, "the fence \(claimed.lease.fence) is old")
        let same =
            claimed.app == job.app && claimed.target == job.job.target && claimed.payload == job.job.payload
            && claimed.variables == job.job.variables && claimed.push == job.job.push && claimed.due == job.due
            && claimed.queued == job.queued && claimed.expires == job.expires && claimed.priority == job.job.priority
            && claimed.policy == job.job.policy && claimed.attempts == job.attempts
            && claimed.mayHaveArrived == job.isUncertain && claimed.isSuspect == job.isSuspect
        try require(same, "claimed \(claimed), but it is \(job)")
        jobs[claimed.id]?.state = .leased
        jobs[claimed.id]?.fence = claimed.lease.fence
    }

    /// What a step of a worker may do.
    enum Step {
        case start
        case giveBack
        case extend(Duration)
        case complete(QueueJobOutcome)
        case retry(QueueJobRetry)
    }

    mutating func step(_ step: Step, _ lease: QueueJobLease, _ result: QueueLeaseResult) throws {
        let expected = expected(step, lease)
        try require(result == expected ?? .done, "\(step) of \(lease.id) got \(result), not \(expected ?? .done)")
        if expected == nil { perform(step, lease) }
        dropEmptyLeases()
    }

    // MARK: Pushes that replace each other

    /// The longest time of a push on the way, in the histories.
    static let longest = Duration.seconds(20)

    /// What a worker says of a job that it starts.
    func start(_ lease: QueueJobLease) -> QueueJobStart {
        guard let job = jobs[lease.id], let key = job.key else { return QueueJobStart(lease) }
        return QueueJobStart(
            lease, replacement: QueueReplacement(key: key, place: job.place, longest: Self.longest))
    }

    mutating func start(_ starts: [QueueJobStart], _ results: [QueueLeaseResult]) throws {
        try require(results.count == starts.count, "\(results.count) results for \(starts.count) starts")
        // Of one key the oldest push goes first, whatever their order in the step is.
        let order = starts.indices.sorted { first, second in
            guard let one = starts[first].replacement?.place, let other = starts[second].replacement?.place else {
                return starts[first].replacement == nil && starts[second].replacement != nil
            }
            return one < other
        }
        var keys: [String: Set<UUID>] = [:]
        for index in order {
            let (lease, result) = (starts[index].lease, results[index])
            guard let replacement = starts[index].replacement, expected(.start, lease) == nil else {
                try step(.start, lease, result)
                continue
            }
            let isFirst = keys[lease.app, default: []].insert(replacement.key).inserted
            // Behind an older push of the same step, a queue may say that it is busy.
            if !isFirst, result == .busy { continue }
            let obstacle = self.obstacle(to: replacement, lease)
            try require(result == obstacle ?? .done, "a start of \(lease.id) got \(result), not \(obstacle ?? .done)")
            guard obstacle == nil else { continue }
            let hour: Int64 = 3_600_000
            let until = ((steady + keepKeys).milliseconds / hour + 1) * hour
            latest[lease.app, default: [:]][replacement.key] = (replacement.place, lease.id, until)
            perform(.start, lease)
        }
        dropEmptyLeases()
    }

    private func obstacle(to replacement: QueueReplacement, _ lease: QueueJobLease) -> QueueLeaseResult? {
        guard let newest = latest[lease.app]?[replacement.key] else { return nil }
        // After the wall clock was set back, a push that is due now is newer than those from before.
        func isAhead(_ place: UUID) -> Bool { (JobKey(place)?.row ?? 0) >> 20 > now.milliseconds + 1000 }
        let isNewer = replacement.place >= newest.place || isAhead(newest.place) && !isAhead(replacement.place)
        if !isNewer { return .superseded }
        guard newest.job != lease.id, let other = jobs[newest.job], other.state == .started else { return nil }
        return other.started.map { $0 > now + (.zero - replacement.longest) } ?? false ? .busy : nil
    }

    /// The result of a step that changes nothing; `nil` if it changes the job.
    private func expected(_ step: Step, _ lease: QueueJobLease) -> QueueLeaseResult? {
        guard let job = jobs[lease.id], job.app == lease.app else { return .unknownJob }
        if job.fence != lease.fence { return job.isOpen ? .lost : .finished }
        switch (step, job.state) {
        case (.start, .leased), (.giveBack, .leased), (.extend, .leased), (.extend, .started), (.complete, .started):
            return nil
        case (.start, .started): return .done
        case (.giveBack, .waiting), (.retry, .waiting), (.giveBack, .held), (.retry, .held): return .done
        case (.start, .waiting), (.extend, .waiting), (.complete, .waiting): return .lost
        case (.start, .held), (.extend, .held), (.complete, .held): return .lost
        case (.giveBack, .started): return .started
        case (.complete(let outcome), .leased): return outcome.kind == .notSent ? nil : .notStarted
        case (.complete(let outcome), .finished):
            let kind = outcome.kind == .notSent && job.isUncertain ? .unknown : outcome.kind
            return kind == job.outcome?.kind ? .done : .finished
        case (.retry, .leased): return nil
        case (.retry(let retry), .started):
            return retry.mayHaveArrived && job.job.policy == .atMostOnce ? .forbidden : nil
        case (_, .finished): return .finished
        }
    }

    private mutating func perform(_ step: Step, _ lease: QueueJobLease) {
        let id = lease.id
        switch step {
        case .start:
            jobs[id]?.state = .started
            jobs[id]?.started = now
            jobs[id]?.attempts += 1
        case .giveBack:
            let state = stateOfReturned(id)
            jobs[id]?.state = state
        case .extend(let duration): leases[lease.fence]?.ends = steady + duration
        case .complete(let outcome): end(id, outcome)
        case .retry(let retry): self.retry(retry)
        }
    }

    private mutating func retry(_ retry: QueueJobRetry) {
        let id = retry.lease.id
        if retry.mayHaveArrived, jobs[id]?.state == .started { jobs[id]?.isUncertain = true }
        let (due, isRelative): (QueueTime, Bool) =
            switch retry.due {
            case .after(let duration): (now + duration, true)
            case .at(let time): (time, false)
            }
        if let expires = jobs[id]?.expires, due >= expires {
            return end(id, QueueJobOutcome(.notSent, reason: "expired", detail: retry.reason))
        }
        let state = stateOfReturned(id)
        jobs[id]?.state = state
        jobs[id]?.due = due
        jobs[id]?.isDueRelative = isRelative
    }
}
