import PushPlatform
import PushWire

extension QueueTransaction {
    func enqueue(_ request: EnqueueRequest) throws(QueueError) -> EnqueueAnswer {
        let app = try appOrNew(request.app)
        if let answer = try earlierAnswer(to: request, app: app) { return answer }
        if let known = request.lastErasure, try recordVersion(QueueErasure.kind, QueueErasure.key) != known {
            return .conflict
        }
        let judged = request.jobs.map { EnqueueRules.judge($0, now: now) }
        if let results = EnqueueRules.results(refusing: request, judged) { return .done(results) }
        var rows = try freeRows(judged.compactMap(\.due))
        let results: [EnqueueResult] = try zip(request.jobs, judged).map { (job, judgement) throws(QueueError) in
            switch judgement {
            case .failure(let refusal): .invalid(refusal)
            case .success(let times): try insert(job, times, app: app, row: rows.take(times.due))
            }
        }
        try storeAnswer(results, to: request, app: app)
        return .done(results)
    }

    private func insert(
        _ job: NewQueueJob, _ times: EnqueueRules.Times, app: Int64, row: Int64
    ) throws(QueueError) -> EnqueueResult {
        let given = job.id.flatMap { JobKey($0) }
        if let given, let present = try sql(.tagOfRow).first(given.row, read: { ($0.integer(0), $0.integer(1)) }) {
            return present == (given.tag, app) ? .stored(given.id) : .invalid(.id)
        }
        if let key = job.dedupeKey, let earlier = try holder(of: key, app: app) { return .duplicate(earlier.id) }
        if let key = job.olderDedupeKey, let earlier = try holder(of: key, app: app) { return .duplicate(earlier.id) }
        let key = try insertJob(app: app, job.priority, job.policy, times, row: row, given: given)
        try insertContent(of: job, as: key, app: app)
        if let name = job.dedupeKey {
            try sql(.insertDedupe).run(app, name, key.row, key.tag, steady + options.keepKeys)
        }
        if let outcome = job.outcome, let row = try self.job(key, app: app) { try finish(row, outcome) }
        return .queued(key.id)
    }

    /// Inserts what a claim does not change.
    func insertContent(of job: NewQueueJob, as key: JobKey, app: Int64) throws(QueueError) {
        let payload = try payload(job.payload, app: app)
        let target = StoredTarget(job.target)
        try sql(.insertContent).run(
            key.row, target, job.push, job.variables, payload, job.dedupeKey, try slice(), target.mark)
        changes.uses[payload, default: 0] += 1
    }

    /// The slice of the index of targets to which the next job comes. A process that begins goes on with the last one: if each had its own,
    /// a service that restarts again and again would make searches slow.
    private func slice() throws(QueueError) -> Int64 {
        if cache.slice.free == 0 {
            let last = try sql(.lastSlice).first(Int64.max, read: { $0.integer(0) }) ?? 0
            var free = 0
            if cache.slice.number == 0, last > QueueSchema.lastOldSlice {
                free = QueueSchema.sizeOfSlice - Int(try sql(.jobsInSlice).first(last, read: { $0.integer(0) }) ?? 0)
            }
            cache.slice = free > 0 ? (last, free) : (max(last, QueueSchema.lastOldSlice) + 1, QueueSchema.sizeOfSlice)
        }
        cache.slice.free -= 1
        return cache.slice.number
    }

    /// Numbers of rows that are free, for the jobs of a request. If another process has taken one of them, all get other numbers, so that
    /// they stay in the order of the request.
    func freeRows(_ dues: [QueueTime]) throws(QueueError) -> RequestNumbers {
        try RequestNumbers(dues) { (due, count) throws(QueueError) in try firstFreeRow(due: due, count: count) }
    }

    private func firstFreeRow(due: Int64, count: Int) throws(QueueError) -> Int64 {
        var collisions = 0
        while true {
            let first = cache.rows.next(
                due: due, count: count, collisions: collisions, random: cache.randomNumber())
            let last = first + Int64(count - 1)
            if try sql(.anyRow).first(first, last, read: { _ in true }) == nil { return first }
            collisions += 1
        }
    }

    func insertJob(
        app: Int64, _ priority: QueuePriority, _ policy: QueueDeliveryPolicy, _ times: EnqueueRules.Times, row: Int64,
        given: JobKey? = nil, line: LineKey? = nil
    ) throws(QueueError) -> JobKey {
        var row = row
        while true {
            let key = given ?? JobKey(row: row, tag: Int64(bitPattern: cache.randomNumber() & JobKey.tagBits))
            if try insert(key, app, priority, policy, times, line) {
                changes.move(app, from: nil, to: line == nil ? .waiting : .held, campaign: line?.campaign)
                return key
            }
            // A job of the same request, for another due time, has come so far.
            row = try firstFreeRow(due: times.due.milliseconds, count: 1)
        }
    }

    /// Returns false if the number of the row is taken.
    private func insert(
        _ key: JobKey, _ app: Int64, _ priority: QueuePriority, _ policy: QueueDeliveryPolicy,
        _ times: EnqueueRules.Times, _ line: LineKey?
    ) throws(QueueError) -> Bool {
        let (isDue, isExpiry) = (times.isDueRelative ? 1 : 0, times.isExpiryRelative ? 1 : 0)
        let expires = times.expires?.milliseconds ?? QueueJobRecord.never
        guard let line else {
            return try sql(.insertJob).run(
                key.row, key.tag, app, priority.rawValue, policy.rawValue, isDue, isExpiry, times.due, expires, now)
                == 1
        }
        return try sql(.insertLine).run(
            key.row, key.tag, app, priority.rawValue, policy.rawValue, isDue, isExpiry, times.due, expires, now,
            line.campaign, line.number) == 1
    }

    /// The job that holds a dedupe key; `nil` if the key is free.
    private func holder(of name: String, app: Int64) throws(QueueError) -> JobKey? {
        let found = try sql(.dedupe).first(app, name) {
            (JobKey(row: $0.integer(0), tag: $0.integer(1)), $0.steady(2))
        }
        guard let (key, until) = found else { return nil }
        if until > steady { return key }
        let job = try job(key, app: app)
        return job.map { $0.state != .finished } ?? false ? key : nil
    }

    // MARK: Payloads

    private func payload(_ body: [UInt8], app: Int64) throws(QueueError) -> Int64 {
        let known = TransactionChanges.Payload(app: app, body: body)
        if let payload = changes.payloads[known] { return payload }
        let payload = try storedPayload(body, app: app)
        changes.payloads[known] = payload
        return payload
    }

    /// The number of a payload. One that is used again is found by its digest. For the others, the writer remembers the last ones.
    private func storedPayload(_ body: [UInt8], app: Int64) throws(QueueError) -> Int64 {
        guard let digest = Fingerprint.digest(of: body) else {
            throw QueueError(.defect, "OpenSSL can't compute SHA-256. Please report this.")
        }
        let key = WriterCache.PayloadKey(app: app, digest: digest)
        let known = try sql(.sharedPayload).first(app, key.digest) { $0.integer(0) } ?? cache.recentPayload(key)
        if let known, try sql(.isPayload).first(known, app, body, read: { _ in true }) != nil { return known }
        let payload = try sql(.insertPayload).insert(app, key.digest, body)
        // It is stored with one use, which its first job counts again.
        changes.uses[payload, default: 0] -= 1
        cache.remember(payload, as: key)
        return payload
    }
}

extension SQLText {
    fileprivate static let anyRow = SQLText("SELECT 1 FROM job WHERE id BETWEEN ?1 AND ?2 LIMIT 1")
    fileprivate static let tagOfRow = SQLText("SELECT tag, app FROM job WHERE id = ?1")
    fileprivate static let insertJob: SQLText = """
        INSERT OR IGNORE INTO job (
            id, tag, app, state, priority, policy, is_due_relative, is_expiry_relative, due, expires, queued
        ) VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """
    fileprivate static let insertLine: SQLText = """
        INSERT OR IGNORE INTO job (
            id, tag, app, state, priority, policy, is_due_relative, is_expiry_relative, due, expires, queued,
            campaign, line
        ) VALUES (?1, ?2, ?3, 4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        """
    fileprivate static let insertContent: SQLText = """
        INSERT INTO content (job, target, push, variables, payload, dedupe_key, bucket, mark)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    fileprivate static let dedupe = SQLText("SELECT job, tag, until FROM dedupe WHERE app = ?1 AND key = ?2")
    fileprivate static let insertDedupe = SQLText("INSERT OR REPLACE INTO dedupe VALUES (?1, ?2, ?3, ?4, ?5)")
    fileprivate static let sharedPayload = SQLText(
        "SELECT id FROM payload INDEXED BY payload_shared WHERE uses > 1 AND app = ?1 AND digest = ?2 LIMIT 1")
    fileprivate static let isPayload = SQLText(
        "SELECT 1 FROM payload WHERE id = ?1 AND app = ?2 AND body = ?3")
    fileprivate static let insertPayload = SQLText(
        "INSERT INTO payload (app, digest, body, uses) VALUES (?1, ?2, ?3, 1)")
}
