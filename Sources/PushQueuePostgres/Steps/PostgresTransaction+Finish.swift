import PushPlatform
import PushQueue

extension PostgresTransaction {
    /// Gives started jobs their outcomes, in one statement. Then decides one by one about jobs that are not started, or have another
    /// fence.
    func complete(_ completions: [QueueJobCompletion]) throws(QueueError) -> [QueueLeaseResult] {
        var results = [QueueLeaseResult?](repeating: nil, count: completions.count)
        let keys = try keys(of: completions.map(\.lease))
        for index in keys.indices where keys[index] == nil { results[index] = .unknownJob }
        // A job that is given two outcomes gets the first one.
        let several = Dictionary(grouping: keys.compactMap(\.self), by: \.self).filter { $0.value.count > 1 }
        let quick = completions.indices.filter { index in
            guard let key = keys[index] else { return false }
            return completions[index].outcome.isPlain && several[key] == nil
        }.sorted { PostgresJobKey.isLockedBefore(keys[$0], keys[$1]) }
        for index in try complete(quick.map { (completions[$0], keys[$0]) }) { results[quick[index]] = .done }
        // It may keep the lock of a job that it did not end because another transaction had changed it.
        return try completeRest(completions, keys, results, hasLocks: !quick.isEmpty)
    }

    private func completeRest(
        _ completions: [QueueJobCompletion], _ keys: [PostgresJobKey?], _ first: [QueueLeaseResult?], hasLocks: Bool
    ) throws(QueueError) -> [QueueLeaseResult] {
        var results = first
        let open = results.indices.filter { results[$0] == nil }
        guard !open.isEmpty else { return results.compactMap(\.self) }
        let openKeys = open.compactMap { keys[$0] }
        try requireOrder(locked: hasLocks, more: !openKeys.isEmpty)
        var jobs = try lock(openKeys)
        for index in open {
            let (lease, outcome) = (completions[index].lease, completions[index].outcome)
            guard let key = keys[index], let job = jobs[key] else {
                results[index] = .unknownJob
                continue
            }
            if let answer = job.rules.complete(lease.fence, as: outcome.kind, recorded: job.outcome) {
                results[index] = answer
                continue
            }
            let target = outcome.goneSince == nil ? nil : try target(of: key)
            let ended = finish(job, outcome, pushType: completions[index].pushType, target: target)
            jobs[key]?.rules.state = .finished
            jobs[key]?.outcome = ended.kind
            results[index] = .done
        }
        return results.map { $0 ?? .unknownJob }
    }

    /// Returns which of the completions are done.
    private func complete(
        _ all: [(completion: QueueJobCompletion, key: PostgresJobKey?)]
    ) throws(QueueError) -> [Int] {
        guard !all.isEmpty else { return [] }
        let (first, outcomes) = (changes.numbers, all.map(\.completion.outcome))
        changes.numbers += Int64(all.count)
        let rows = try query(
            .complete,
            [
                .int4s(all.map { $0.key?.app ?? 0 }), .uuids(all.map(\.completion.lease.id)),
                .int8s(all.map(\.completion.lease.fence)),
            ] + outcomes.values + [.int8(base), .int8(first), .int8(now.milliseconds), .int8(steady.milliseconds)])
        return rows.map { row in
            let index = row.number(0) - 1
            guard let key = all[index].key else { return index }
            let (completion, campaign) = (all[index].completion, row.optional(1) { $0.int4($1) })
            changes.held[completion.lease.fence, default: 0] -= 1
            ended(
                key.app, from: .started, completion.outcome, completion.pushType, campaign: campaign,
                line: row.integer(2))
            return index
        }
    }

    /// Gives a job its outcome, whatever its state is. Returns the outcome that it gets.
    @discardableResult
    func finish(
        _ job: PostgresJob, _ wish: QueueJobOutcome, pushType: String? = nil, target: QueueJobTarget? = nil
    ) -> QueueJobOutcome {
        let outcome = wish.afterUncertainTry(job.isUncertain)
        changes.endings.append(
            PostgresEnding(app: job.app, id: job.id, number: changes.nextNumber(), outcome: outcome))
        ended(job.app, from: job.state, outcome, pushType, campaign: job.campaign, line: job.line)
        if job.rules.isHeld { changes.held[job.rules.fence, default: 0] -= 1 }
        if outcome.reason == QueueJobOutcome.buried {
            perform(.insertDeadLetter, job.app, job.id)
            changes.count(job.app) { $0.deadLetters += 1 }
        }
        if let since = outcome.goneSince { recordGone(target, since: since, app: job.app) }
        return outcome
    }

    private func ended(
        _ app: Int32, from state: QueueJobState, _ outcome: QueueJobOutcome, _ pushType: String?, campaign: Int32?,
        line: Int64
    ) {
        if let campaign, outcome.kind != .accepted { perform(.insertFailure, campaign, line) }
        changes.ended(
            app, from: state, outcome.kind, reason: outcome.reason?.withoutZeroBytes,
            pushType: pushType?.withoutZeroBytes, campaign: campaign)
    }

    /// Moves the jobs that get their outcome out of the table of jobs, in one statement.
    func flushEndings() {
        let endings = changes.endings
        guard !endings.isEmpty else { return }
        changes.endings = []
        perform(
            .finish,
            [
                .int4s(endings.map(\.app)), .uuids(endings.map(\.id)), .int8s(endings.map(\.number)),
            ] + endings.map(\.outcome).values + [
                .int8(base), .optionalInt8s(endings.map { $0.outcome.goneSince?.milliseconds }),
                .int8(now.milliseconds), .int8(steady.milliseconds),
            ])
    }

    func target(of key: PostgresJobKey) throws(QueueError) -> QueueJobTarget? {
        try query(.target, key.app, key.id).first.map { StoredPostgresTarget.read($0.bytes(0)) }
    }
}

extension QueueJobOutcome {
    /// Whether nothing but the outcome itself has to be stored.
    var isPlain: Bool { kind != .notSent && goneSince == nil && reason != QueueJobOutcome.buried }
}

extension [QueueJobOutcome] {
    /// The columns of outcomes: kind, reason, detail, status, unique id.
    fileprivate var values: [PostgresValue] {
        [
            .int2s(map { Int16($0.kind.rawValue) }), .optionalTexts(map { $0.reason?.withoutZeroBytes }),
            .optionalTexts(map { $0.detail?.withoutZeroBytes }),
            .optionalInt2s(map { $0.status.map { Int16(truncatingIfNeeded: $0) } }),
            .optionalUUIDs(map(\.uniqueID)),
        ]
    }
}

extension PostgresText {
    private static let columns = """
        app, id, number, outcome, status, priority, policy, is_uncertain, attempts, lost, fence, due, expires, queued,
        started, finished, steady, gone_since, unique_id, campaign, line, reason, detail
        """
    private static let moved = """
        j.priority, j.policy, j.is_uncertain, j.attempts, j.lost, j.fence, j.due, j.expires, j.queued, j.started
        """

    /// Moves jobs from `job` to `finished`. Returns the position in the request and the line of the campaign. A job that another transaction
    /// changes at the same time may be missed.
    static let complete: PostgresText = """
        WITH gone AS (
            DELETE FROM job AS j USING (
                SELECT given.*, found.row FROM unnest($1::int4[], $2::uuid[], $3::int8[], $4::int2[], $5::text[], $6::text[],
                    $7::int2[], $8::uuid[]) WITH ORDINALITY
                    AS given (app, id, fence, outcome, reason, detail, status, unique_id, ordinal)
                    CROSS JOIN LATERAL (\(rowOfGiven)) AS found
                OFFSET 0
            ) AS w
            WHERE j.ctid = w.row AND j.fence = w.fence AND j.state = 2
            RETURNING j.app, j.id, ((pg_current_xact_id()::text::int8 + $9::int8) << 20) + $10::int8 + w.ordinal AS number,
                w.outcome, w.status, \(moved), w.unique_id, j.campaign, j.line, w.reason, w.detail, w.ordinal
        ), kept AS (
            INSERT INTO finished (\(columns))
            SELECT app, id, number, outcome, status, priority, policy, is_uncertain, attempts, lost, fence, due, expires,
                queued, started, $11::int8, $12::int8, NULL, unique_id, campaign, line, reason, detail
            FROM gone
        )
        SELECT ordinal, campaign, coalesce(line, 0) FROM gone
        """
    static let finish: PostgresText = """
        WITH gone AS (
            DELETE FROM job AS j USING (
                SELECT given.*, found.row FROM unnest($1::int4[], $2::uuid[], $3::int8[], $4::int2[], $5::text[], $6::text[],
                    $7::int2[], $8::uuid[], $10::int8[])
                    AS given (app, id, number, outcome, reason, detail, status, unique_id, gone_since)
                    CROSS JOIN LATERAL (\(rowOfGiven)) AS found
                OFFSET 0
            ) AS w
            WHERE j.ctid = w.row
            RETURNING j.app, j.id, ((pg_current_xact_id()::text::int8 + $9::int8) << 20) + w.number AS number,
                w.outcome, w.status, \(moved), w.gone_since, w.unique_id, j.campaign, j.line, w.reason, w.detail
        )
        INSERT INTO finished (\(columns))
        SELECT app, id, number, outcome, status, priority, policy, is_uncertain, attempts, lost, fence, due, expires,
            queued, started, $11::int8, $12::int8, gone_since, unique_id, campaign, line, reason, detail
        FROM gone
        """
    fileprivate static let insertDeadLetter = PostgresText(
        "INSERT INTO dead_letter VALUES ($1::int4, $2::uuid, NULL)")
    fileprivate static let insertFailure = PostgresText(
        "INSERT INTO campaign_failure VALUES ($1::int4, $2::int8) ON CONFLICT DO NOTHING")
    fileprivate static let target = PostgresText(
        "SELECT target FROM content WHERE app = $1::int4 AND job = $2::uuid")
}
