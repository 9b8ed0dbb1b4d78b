import PushPlatform
import PushQueue

extension PostgresTransaction {
    /// Adds the jobs of several requests. No two of them have the same idempotency key.
    func enqueue(_ requests: [PostgresEnqueue]) throws(QueueError) -> [EnqueueAnswer] {
        var apps: [Int32] = []
        for enqueue in requests { apps.append(try appOrNew(enqueue.request.app)) }
        for enqueue in requests {
            (enqueue.commitProof, enqueue.hasFoundItself) = (nil, false)
            enqueue.prepare(cache, now: now)
        }
        var answers = try earlierAnswers(to: requests, apps)
        for (enqueue, answer) in zip(requests, answers) {
            guard case .replayed(let results) = answer else { continue }
            enqueue.hasFoundItself = !Set(enqueue.ids).isDisjoint(with: results.compactMap(\.id))
        }
        try refuseErased(requests, &answers)
        let stored = try storedJobs(requests, apps)
        let holders = try insertDedupeKeys(requests, apps, answers, stored)
        var new = PostgresNewJobs()
        for (index, enqueue) in requests.enumerated() where answers[index] == nil {
            let results = results(of: enqueue, app: apps[index], stored, holders, &new)
            answers[index] = .done(results)
            if !enqueue.isRefused { storeAnswer(results, to: enqueue.request, app: apps[index]) }
        }
        try insert(new)
        for app in Set(apps) {
            let count = new.rows.reduce(0) { $0 + ($1.app == app ? 1 : 0) }
            if count > 0 { changes.move(app, from: nil, to: .waiting, count: count) }
        }
        try finishRefused(new)
        return answers.map { $0 ?? .inProgress }
    }

    private func results(
        of enqueue: PostgresEnqueue, app: Int32, _ stored: Set<PostgresJobKey>, _ holders: [AppKey: UUID],
        _ new: inout PostgresNewJobs
    ) -> [EnqueueResult] {
        if let refusals = enqueue.refusals { return refusals }
        return zip(zip(enqueue.request.jobs, enqueue.judged), enqueue.ids).map { item, id in
            let (job, judgement) = item
            switch judgement {
            case .failure(let refusal): return .invalid(refusal)
            case .success(let times):
                if stored.contains(PostgresJobKey(app: app, id: id)) { return .stored(id) }
                if let key = job.dedupeKey, let holder = holders[AppKey(app: app, text: key)], holder != id {
                    return .duplicate(holder)
                }
                new.rows.append(PostgresNewJobs.Row(app: app, id: id, job: job, times: times))
                enqueue.commitProof = id
                return .queued(id)
            }
        }
    }

    /// Refuses requests whose jobs may have been erased since they were read. Until the commit, the next erasure waits.
    private func refuseErased(
        _ requests: [PostgresEnqueue], _ answers: inout [EnqueueAnswer?]
    ) throws(QueueError) {
        let read = requests.indices.filter { answers[$0] == nil && requests[$0].request.lastErasure != nil }
        guard !read.isEmpty else { return }
        let last = try query(.lockErasure, QueueErasure.kind, QueueErasure.key).first?.integer(0)
        for index in read where requests[index].request.lastErasure != last { answers[index] = .conflict }
    }

    /// The jobs that are stored already, among those whose id was given.
    private func storedJobs(_ requests: [PostgresEnqueue], _ apps: [Int32]) throws(QueueError) -> Set<PostgresJobKey> {
        let given = zip(requests, apps).flatMap { enqueue, app in
            enqueue.request.jobs.compactMap(\.id).map { PostgresJobKey(app: app, id: $0) }
        }
        guard !given.isEmpty else { return [] }
        let rows = try query(.storedJobs, given.map(\.app), given.map(\.id))
        return Set(rows.map { PostgresJobKey(app: $0.int4(0), id: $0.uuid(1)) })
    }

    /// Gives new jobs the outcomes with which they came. Nobody else sees their rows yet.
    private func finishRefused(_ new: PostgresNewJobs) throws(QueueError) {
        let refused = new.rows.filter { $0.job.outcome != nil }
        let jobs = try lock(refused.map { PostgresJobKey(app: $0.app, id: $0.id) })
        for row in refused {
            guard let outcome = row.job.outcome, let job = jobs[PostgresJobKey(app: row.app, id: row.id)] else {
                continue
            }
            finish(job, outcome, target: row.job.target)
        }
    }

    func insert(_ new: PostgresNewJobs) throws(QueueError) {
        guard !new.rows.isEmpty else { return }
        let shared = try insertPayloads(new.sharedBodies)
        // The contents first: if a lost answer is repeated, their ids are there still, also when a job has its outcome.
        try copy(PostgresNewJobs.copyContent, new.content(shared: shared))
        try copy(PostgresNewJobs.copyJobs, new.jobs(now: now))
        for row in new.rows where row.campaign == nil { changes.waits(row.app, due: row.times.due) }
    }

    /// Inserts payloads that several jobs have. Returns their numbers.
    func insertPayloads(
        _ uses: [PostgresNewJobs.SharedBody: Int]
    ) throws(QueueError) -> [PostgresNewJobs.SharedBody: Int64] {
        let bodies = Array(uses)
        var shared: [PostgresNewJobs.SharedBody: Int64] = [:]
        guard !bodies.isEmpty else { return shared }
        let results = try query(
            bodies.map {
                PostgresStatement(.insertPayload, $0.key.app, $0.key.body, $0.value)
            })
        for (body, result) in zip(bodies, results) { shared[body.key] = result.first?.integer(0) }
        return shared
    }

    /// Whether a job is stored, in any state.
    func isStored(_ id: UUID, app name: String) throws(QueueError) -> Bool {
        guard let app = try app(name) else { return false }
        return try query(.isStored, app, id).count > 0
    }

    // MARK: Dedupe keys

    /// Inserts the dedupe keys of the jobs. Returns the job that has each key.
    private func insertDedupeKeys(
        _ requests: [PostgresEnqueue], _ apps: [Int32], _ answers: [EnqueueAnswer?], _ stored: Set<PostgresJobKey>
    ) throws(QueueError) -> [AppKey: UUID] {
        var wishes: [AppKey: UUID] = [:]
        var held: [AppKey: UUID] = [:]
        let older = try olderHolders(requests, apps)
        for (index, enqueue) in requests.enumerated() where answers[index] == nil && !enqueue.isRefused {
            for (job, (judgement, id)) in zip(enqueue.request.jobs, zip(enqueue.judged, enqueue.ids)) {
                guard let key = job.dedupeKey, judgement.refusal == nil else { continue }
                if stored.contains(PostgresJobKey(app: apps[index], id: id)) { continue }
                let name = AppKey(app: apps[index], text: key)
                if let key = job.olderDedupeKey, let holder = older[AppKey(app: apps[index], text: key)] {
                    held[name] = holder
                } else if wishes[name] == nil {
                    wishes[name] = id
                }
            }
        }
        guard !wishes.isEmpty else { return held }
        // All in the same order, so that no two writers wait for each other.
        let names = wishes.keys.sorted()
        let keys: [PostgresValue] = [.int4s(names.map(\.app)), .texts(names.map(\.text))]
        let results = try query([
            PostgresStatement(
                .insertDedupeKeys,
                keys + [
                    .uuids(names.map { wishes[$0] ?? UUID(0, 0) }),
                    .int8((steady + options.queue.keepKeys).milliseconds),
                    .int8(steady.milliseconds),
                ]),
            PostgresStatement(.dedupeKeys, keys),
        ])
        let holders = results[1].map { row in
            (AppKey(app: row.int4(0), text: row.text(1)), row.uuid(2))
        }
        return held.merging(holders, uniquingKeysWith: { first, _ in first })
    }

    /// The jobs that have the keys of the jobs in their older form.
    private func olderHolders(
        _ requests: [PostgresEnqueue], _ apps: [Int32]
    ) throws(QueueError) -> [AppKey: UUID] {
        let names = zip(requests, apps).flatMap { enqueue, app in
            enqueue.request.jobs.compactMap(\.olderDedupeKey).map { AppKey(app: app, text: $0) }
        }
        guard !names.isEmpty else { return [:] }
        let rows = try query(.olderHolders, names.map(\.app), names.map(\.text), steady.milliseconds)
        let holders = rows.map { (AppKey(app: $0.int4(0), text: $0.text(1)), $0.uuid(2)) }
        return Dictionary(holders, uniquingKeysWith: { first, _ in first })
    }
}

extension PostgresText {
    fileprivate static let insertPayload = PostgresText(
        "INSERT INTO payload (app, body, uses) VALUES ($1::int4, $2::bytea, $3::int8) RETURNING id")
    static let isStored = PostgresText(
        "SELECT 1 FROM content WHERE app = $1::int4 AND job = $2::uuid")
    fileprivate static let lockErasure = PostgresText(
        "SELECT version FROM record WHERE kind = $1::text AND key = $2::text FOR SHARE")
    fileprivate static let storedJobs: PostgresText = """
        SELECT g.* FROM unnest($1::int4[], $2::uuid[]) AS g (app, job) CROSS JOIN LATERAL (
            SELECT FROM content WHERE content.app = g.app AND content.job = g.job OFFSET 0
        ) AS c
        """
    /// A key is free if it has expired and its job has its outcome.
    fileprivate static let insertDedupeKeys: PostgresText = """
        INSERT INTO dedupe AS d
        SELECT w.app, w.key, w.job, $4::int8 FROM unnest($1::int4[], $2::text[], $3::uuid[]) AS w (app, key, job)
        ON CONFLICT (app, key) DO UPDATE SET job = excluded.job, until = excluded.until
        WHERE d.until <= $5::int8 AND NOT EXISTS (SELECT FROM job WHERE job.app = d.app AND job.id = d.job OFFSET 0)
        """
    fileprivate static let olderHolders: PostgresText = """
        SELECT d.app, d.key, d.job FROM unnest($1::int4[], $2::text[]) AS k (app, key) CROSS JOIN LATERAL (
            SELECT * FROM dedupe WHERE dedupe.app = k.app AND dedupe.key = k.key OFFSET 0
        ) AS d
        WHERE d.until > $3::int8 OR EXISTS (SELECT FROM job WHERE job.app = d.app AND job.id = d.job OFFSET 0)
        """
    fileprivate static let dedupeKeys: PostgresText = """
        SELECT d.* FROM unnest($1::int4[], $2::text[]) AS k (app, key) CROSS JOIN LATERAL (
            SELECT app, key, job FROM dedupe WHERE dedupe.app = k.app AND dedupe.key = k.key OFFSET 0
        ) AS d
        """
}
