import PushPlatform
import PushQueue

extension QueueModel {
    mutating func stop(_ ids: [UUID], _ app: String, _ outcome: QueueJobOutcome, _ results: [QueueStopResult]) throws {
        for (id, result) in zip(ids, results) {
            let expected: QueueStopResult
            if let job = jobs[id], job.app == app {
                switch job.state {
                case .waiting, .leased, .held:
                    end(id, outcome)
                    expected = jobs[id]?.outcome?.kind == .unknown ? .stoppedUncertain : .stopped
                case .started: expected = .started
                case .finished: expected = .finished(job.outcome?.kind ?? .unknown)
                }
            } else {
                expected = .unknownJob
            }
            try require(result == expected, "stopping \(id) got \(result), not \(expected)")
        }
        dropEmptyLeases()
    }

    mutating func redrive(
        _ ids: [UUID], _ app: String, _ expiry: Duration, _ results: [QueueRedriveResult]
    ) throws {
        for (id, result) in zip(ids, results) {
            guard let job = jobs[id], job.app == app else {
                try require(result == .unknownJob, "redriving an unknown job got \(result)")
                continue
            }
            if let new = job.redrivenAs {
                try require(result == .redriven(new), "redriving again got \(result)")
            } else if !job.isDeadLetter {
                try require(result == .notBuried, "redriving a job that is not buried got \(result)")
            } else if job.isErased {
                try require(result == .erased, "redriving an erased job got \(result)")
            } else {
                guard case .queued(let new) = result, jobs[new] == nil else {
                    throw ModelMismatch("redriving got \(result)")
                }
                jobs[id]?.redrivenAs = new
                var copy = job.job
                copy.dedupeKey = nil
                copy.push = RedrivenPush.bytes(copy.push, after: id)
                let starts = job.line.flatMap { campaigns[$0.campaign] }?.new.starts
                let own = job.attempts == 0 && job.due > job.queued ? job.due : now
                let due = max(own, starts ?? now, now)
                jobs[new] = ModelJob(
                    id: new, app: app, job: copy, due: due, isDueRelative: due == now, expires: due + expiry,
                    isExpiryRelative: due == now, queued: now, after: job.place)
            }
        }
    }

    mutating func expire(_ count: Int) throws {
        let overdue = jobs.values.filter { job in
            guard job.state == .waiting, let expires = job.expires, expires <= now else { return false }
            // A jump back can move an expiry before a due time that was given. The job ends when it is due.
            return job.due <= now || job.isDueRelative || !job.isExpiryRelative
        }
        try require(count == overdue.count, "\(count) jobs expired, not \(overdue.count)")
        for job in overdue { end(job.id, QueueJobOutcome(.notSent, reason: "expired")) }
    }

    mutating func cancelAll(_ app: String, _ cancelled: QueueCancelled) throws {
        cancelCampaigns(of: app)
        let waiting = jobs.values.filter { job in
            let isCancelled = job.line.map { campaigns[$0.campaign]?.state == .cancelling } ?? false
            return job.app == app && (job.state == .waiting || job.state == .held && isCancelled)
        }
        let unknown = waiting.count(where: \.isUncertain)
        try require(
            cancelled.total == waiting.count && cancelled.unknown == unknown,
            "\(cancelled) were cancelled, not \(waiting.count) with \(unknown) unknown")
        for job in waiting { end(job.id, QueueJobOutcome(.notSent, reason: "cancelled")) }
    }

    mutating func recover(_ recovery: QueueLeaseRecovery) throws {
        var expected = QueueLeaseRecovery()
        let over = Set(leases.filter { $0.value.ends <= steady || living?.contains($0.value.owner) == false }.keys)
        let held = jobs.filter {
            over.contains($0.value.fence) && ($0.value.state == .leased || $0.value.state == .started)
        }
        let sizes = Dictionary(grouping: held.values, by: \.fence).mapValues(\.count)
        for (id, job) in held {
            let isAlone = sizes[job.fence] == 1
            let lost = isAlone || !job.isSuspect ? job.lost + 1 : job.lost
            jobs[id]?.fence = 0
            jobs[id]?.lost = lost
            if job.state == .leased { jobs[id]?.attempts += 1 }
            if job.state == .started, job.job.policy == .atMostOnce {
                expected.unknown += 1
                end(id, QueueJobOutcome(.unknown, reason: "worker_lost"))
                continue
            }
            if job.state == .started { jobs[id]?.isUncertain = true }
            if isAlone, lost >= buryAfter {
                expected.buried += 1
                end(
                    id,
                    QueueJobOutcome(
                        .notSent, reason: "buried", detail: "\(lost) workers were lost while they had this job."
                    ))
            } else {
                expected.waiting += 1
                let state = stateOfReturned(id)
                jobs[id]?.state = state
            }
        }
        leases = leases.filter { !over.contains($0.key) }
        try require(recovery == expected, "recovery was \(recovery), not \(expected)")
    }

    /// The finished jobs of an app that are old enough, up to the first one that is not.
    private func old(_ app: String, _ duration: Duration, after operation: Int) -> [ModelJob] {
        let finished = jobs.values.filter { $0.app == app && !$0.isOpen && $0.ended > operation }
        let latest = steady + (.zero - duration)
        return Array(finished.sorted { $0.ended < $1.ended }.prefix { $0.endedAt.map { $0 <= latest } ?? false })
    }

    mutating func erase(_ duration: Duration, _ count: Int) throws {
        var expected = 0
        for app in apps {
            let old = old(app, duration, after: erased[app] ?? 0)
            for job in old { jobs[job.id]?.isErased = true }
            if let last = old.last { erased[app] = last.ended }
            expected += old.count
        }
        try require(count == expected, "\(count) jobs were erased, not \(expected)")
    }

    mutating func drop(_ duration: Duration, _ count: Int) throws {
        var expected = 0
        for app in apps {
            let old = old(app, duration, after: 0)
            for job in old { jobs[job.id] = nil }
            expected += old.count
        }
        try require(count == expected, "\(count) jobs were dropped, not \(expected)")
    }

    mutating func dropKeys() {
        for app in latest.keys { latest[app] = latest[app]?.filter { $0.value.until > steady.milliseconds } }
        for app in apps {
            for (key, holder) in dedupe[app] ?? [:] where holder.until <= steady {
                if jobs[holder.id]?.isOpen ?? false {
                    dedupe[app]?[key]?.until = steady + keepKeys
                } else {
                    dedupe[app]?[key] = nil
                }
            }
        }
    }

    mutating func purge(token: String, app: String?, _ count: Int) throws {
        let mine = jobs.values.filter { $0.job.target == .device(token) && (app == nil || $0.app == app) }
        try require(count == mine.count, "\(count) jobs were purged, not \(mine.count)")
        for job in mine { remove(job) }
        let ids = Set(mine.map(\.id))
        for (name, known) in requests {
            requests[name] = known.filter { key, request in
                let isOfPurged = request.results.count == 1 && request.results[0].id.map(ids.contains) == true
                let isToken = app == nil || name == app ? [token, token.uppercased()].contains(key) : false
                return !isOfPurged && !isToken
            }
        }
        for name in apps where app == nil || name == app { gone[name]?[token] = nil }
        dropEmptyLeases()
    }

    mutating func purge(app: String, _ count: Int) throws {
        let mine = jobs.values.filter { $0.app == app }
        try require(count == mine.count, "\(count) jobs were purged, not \(mine.count)")
        for job in mine { remove(job) }
        campaigns = campaigns.filter { $0.value.app != app }
        (dedupe[app], requests[app], gone[app], totals[app], erased[app]) = (nil, nil, nil, nil, nil)
        latest[app] = nil
        apps.remove(app)
        dropEmptyLeases()
    }

    private mutating func remove(_ job: ModelJob) {
        jobs[job.id] = nil
        if let line = job.line { endIfDone(line.campaign) }
        if let key = job.job.dedupeKey, dedupe[job.app]?[key]?.id == job.id { dedupe[job.app]?[key] = nil }
    }
}
