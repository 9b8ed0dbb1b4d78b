import PushPlatform
import PushQueue

extension QueueModel {
    /// Compares everything that a queue shows with the model.
    func compare(_ queue: any QueueBackend, gone removed: Set<UUID>) async throws {
        for app in ModelRun.apps {
            let mine = jobs.values.filter { $0.app == app }
            let records = try await queue.jobs(mine.map(\.id), app: app)
            try require(records.count == mine.count, "\(mine.count - records.count) jobs of \(app) are missing")
            for record in records { try compare(record) }
            let strangers = try await queue.jobs(Array(removed.subtracting(mine.map(\.id))), app: app)
            try require(strangers.isEmpty, "a removed job is still there")
            try await compareLists(queue, app, mine)
            try await compareNextDue(queue, app, mine)
            let found = try await queue.gone(among: ModelRun.tokens, app: app)
            try require(
                Dictionary(uniqueKeysWithValues: found.map { ($0.token, $0.since) }) == gone[app] ?? [:],
                "gone \(found)")
        }
        try compareCounts(try await queue.counts())
        try await compareResults(queue)
        try await compareCampaigns(queue)
    }

    private func compare(_ record: QueueJobRecord) throws {
        guard let job = jobs[record.id] else { throw ModelMismatch("\(record.id) is unknown") }
        var expected = QueueJobRecord(
            id: job.id, app: job.app, target: job.job.target, queued: job.queued, due: job.due)
        (expected.push, expected.state) = (job.job.push, job.state)
        (expected.priority, expected.policy) = (job.job.priority, job.job.policy)
        (expected.expires, expected.attempts, expected.lostLeases) = (job.expires, job.attempts, job.lost)
        (expected.started, expected.finished, expected.outcome) = (job.started, job.finished, job.outcome)
        if job.state == .leased || job.state == .started {
            (expected.owner, expected.leaseEnds) = (leases[job.fence]?.owner, leaseEnds(job))
        }
        if let key = job.job.dedupeKey, dedupe[job.app]?[key]?.id == job.id { expected.dedupeKey = key }
        if let line = job.line {
            (expected.campaign, expected.line) = (campaigns[line.campaign] == nil ? nil : line.campaign, line.number)
        }
        (expected.redrivenAs, expected.isErased) = (job.redrivenAs, job.isErased)
        try require(record == expected, "the queue has \(record), the model \(expected)")
    }

    private func compareLists(_ queue: any QueueBackend, _ app: String, _ mine: [ModelJob]) async throws {
        let lists: [(QueueJobQuery.Filter, (ModelJob) -> Bool)] =
            [
                (.all, { _ in true }), (.deadLetters, { $0.isDeadLetter && $0.redrivenAs == nil }),
            ]
            + QueueJobState.allCases.map { state in (.state(state), { $0.state == state }) }
            + QueueJobOutcome.Kind.allCases.map { kind in (.outcome(kind), { $0.outcome?.kind == kind }) }
        for (filter, belongs) in lists {
            let found = try await queue.list(filter, app: app, limit: 7)
            let expected = mine.filter(belongs).map(\.id)
            try require(
                Set(found) == Set(expected) && found.count == expected.count,
                "the list \(filter) of \(app) has \(found.count) jobs, not \(expected.count)")
        }
    }

    private func compareNextDue(_ queue: any QueueBackend, _ app: String, _ mine: [ModelJob]) async throws {
        let expected = mine.filter { $0.state == .waiting }.map(\.due).min()
        let found = try await queue.nextDue(of: [app])
        try require(found == expected, "the next due time of \(app) is \(found as Any), not \(expected as Any)")
    }

    private func compareCounts(_ counts: [String: QueueCounts]) throws {
        var expected: [String: QueueCounts] = [:]
        for app in apps {
            let mine = jobs.values.filter { $0.app == app }
            var count = QueueCounts()
            count.held = mine.filter { $0.state == .held }.count
            count.waiting = mine.filter { $0.state == .waiting }.count
            count.leased = mine.filter { $0.state == .leased }.count
            count.started = mine.filter { $0.state == .started }.count
            count.kept = mine.filter { $0.state == .finished }.count
            count.deadLetters = mine.filter { $0.isDeadLetter && $0.redrivenAs == nil }.count
            let total = totals[app] ?? [:]
            (count.accepted, count.rejected) = (total[.accepted] ?? 0, total[.rejected] ?? 0)
            (count.unknown, count.notSent) = (total[.unknown] ?? 0, total[.notSent] ?? 0)
            expected[app] = count
        }
        try require(counts == expected, "the counts are \(counts), not \(expected)")
    }

    private func compareResults(_ queue: any QueueBackend) async throws {
        let queue = try await queue.settled()
        var (cursor, found) = (QueueResultCursor.start, [UUID]())
        while true {
            let page = try await queue.results(of: ModelRun.apps, after: cursor, limit: 9)
            if page.items.isEmpty { break }
            found += page.items.map(\.id)
            cursor = page.next
        }
        let finished = jobs.values.filter { !$0.isOpen }
        try require(
            found.count == finished.count && Set(found) == Set(finished.map(\.id)),
            "there are \(found.count) results, not \(finished.count)")
        let order = found.compactMap { jobs[$0]?.ended }
        try require(order == order.sorted(), "the results are not in the order of the operations")
    }
}
