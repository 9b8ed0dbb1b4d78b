import PushPlatform
import PushQueue

/// Jobs from a file. They keep their ids, and workers may send them as soon as they are here.
extension PostgresTransaction {
    func insert(_ jobs: [MovedJob], at time: MovedTime) throws(QueueError) -> Int {
        guard !jobs.isEmpty else { return 0 }
        let apps = try apps(jobs.map(\.app))
        let known = try query(.knownJobs, [.int4s(apps), .uuids(jobs.map(\.id))]).first
        if let known { throw .movedBefore("The job \(known.uuid(0).uuidString.lowercased())") }
        let rows = try rows(jobs, apps, at: time)
        // The contents come first, as for all new jobs.
        try copy(PostgresNewJobs.copyContent, content(rows))
        try copy(PostgresNewJobs.copyJobs, Self.jobs(rows))
        insertHistory(rows)
        insertKeys(rows, at: time)
        for row in rows {
            // The counters of its campaign came with the campaign.
            changes.move(row.app, from: nil, to: row.isStopped || !row.job.isHeld ? .waiting : .held)
            if row.isStopped { changes.move(row.app, from: .waiting, to: .held, campaign: row.campaign) }
        }
        return rows.count
    }

    /// The jobs that arrive. Those of a campaign that was erased here stay in the file.
    private func rows(_ jobs: [MovedJob], _ apps: [Int32], at time: MovedTime) throws(QueueError) -> [MovedRow] {
        let campaigns = try campaignRows(jobs.compactMap(\.campaign))
        var rows: [MovedRow] = []
        rows.reserveCapacity(jobs.count)
        for (job, app) in zip(jobs, apps) {
            var row = MovedRow(job: job, app: app)
            if let campaign = job.campaign {
                guard let number = campaigns[campaign] else { continue }
                row.campaign = number
                // The campaign was stopped in this queue during the move.
                if !job.isHeld, try stateOfReturned(number) == .held {
                    (row.isStopped, row.job.isHeld) = (true, true)
                }
            }
            translate(&row.job, at: time)
            rows.append(row)
        }
        return rows
    }

    /// Converts times that were computed from the wall clock of the file to the clock of this queue. A due time is
    /// never later than the expiry.
    private func translate(_ job: inout MovedJob, at time: MovedTime) {
        let difference = now.milliseconds - time.wall.milliseconds
        func translated(_ time: Int64, _ isRelative: Bool) -> Int64 {
            let valid = min(max(time, 0), QueueTime.latest.milliseconds)
            return isRelative ? min(max(valid + difference, 0), QueueTime.latest.milliseconds) : valid
        }
        job.expires = job.expires.map { translated($0, job.isExpiryRelative) }
        job.due = min(translated(job.due, job.isDueRelative), job.expires ?? .max)
    }

    private struct MovedRow {
        var job: MovedJob
        var app: Int32
        var campaign: Int32?
        /// Whether the job waits in the file, and is held here.
        var isStopped = false
    }

    private static func jobs(_ rows: [MovedRow]) -> PostgresCopy {
        var copy = PostgresCopy(columns: PostgresNewJobs.jobColumns.count, rows: rows.count)
        for row in rows {
            let job = row.job
            copy.beginRow()
            copy.add(.int4(row.app))
            copy.add(.uuid(job.id))
            copy.add(.bool(!job.isHeld))
            copy.add(.bool(job.isHeld))
            copy.add(.int2(Int16((job.isHeld ? QueueJobState.held : .waiting).rawValue)))
            copy.add(.int2(job.priority))
            copy.add(.int2(job.policy))
            copy.add(.bool(job.isUncertain))
            copy.add(.bool(job.isDueRelative))
            copy.add(.bool(job.isExpiryRelative))
            copy.add(.int4(job.attempts))
            copy.add(.int4(job.lost))
            // No lease of this queue had the job.
            copy.add(.int8(0))
            copy.add(.int8(job.due))
            copy.add(.int8(job.expires ?? PostgresJob.never))
            copy.add(.int8(job.queued))
            copy.add(job.started.map { .int8($0) } ?? .null)
            copy.add(row.campaign.map { .int4($0) } ?? .null)
            copy.add(row.campaign == nil ? .null : .int8(job.line ?? 0))
        }
        return copy
    }

    /// The contents. A payload that several jobs of the batch have is stored once for them.
    private func content(_ rows: [MovedRow]) throws(QueueError) -> PostgresCopy {
        var uses: [PostgresNewJobs.SharedBody: Int] = [:]
        for row in rows {
            guard let body = row.job.payload, body.count >= PostgresNewJobs.shortestShared else { continue }
            uses[PostgresNewJobs.SharedBody(app: row.app, body: body), default: 0] += 1
        }
        let shared = try insertPayloads(uses.filter { $0.value > 1 })
        var copy = PostgresCopy(columns: PostgresNewJobs.contentColumns.count, rows: rows.count)
        for row in rows {
            let job = row.job
            let payload = job.payload.flatMap { shared[PostgresNewJobs.SharedBody(app: row.app, body: $0)] }
            copy.beginRow()
            copy.add(.int4(row.app))
            copy.add(.uuid(job.id))
            copy.add(.bytes(StoredPostgresTarget.bytes(of: job.target)))
            copy.add(.bytes(job.push))
            copy.add(job.variables.map { .bytes($0) } ?? .null)
            copy.add(payload == nil ? job.payload.map { .bytes($0) } ?? .null : .null)
            copy.add(payload.map { .int8($0) } ?? .null)
            copy.add(job.dedupeKey.map { .text($0) } ?? .null)
        }
        return copy
    }

    private func insertHistory(_ rows: [MovedRow]) {
        let events = rows.flatMap { row in row.job.history.map { (row, $0) } }
        guard !events.isEmpty else { return }
        perform(
            .insertEvents,
            [
                .int4s(events.map(\.0.app)), .uuids(events.map(\.0.job.id)),
                .int8s(events.map(\.1.time.milliseconds)), .texts(events.map(\.1.kind.name.withoutZeroBytes)),
                .optionalTexts(events.map(\.1.detail?.withoutZeroBytes)),
            ])
    }

    /// The keys were moved before all jobs. When a job arrives, its key gets its time, and is stored again if it was deleted before.
    private func insertKeys(_ rows: [MovedRow], at time: MovedTime) {
        let keys = rows.compactMap { row in
            row.job.dedupeKey.flatMap { key in row.job.keyUntil.map { (row, key, translated($0, at: time)) } }
        }
        guard !keys.isEmpty else { return }
        perform(
            .insertKeysOfJobs,
            [
                .int4s(keys.map(\.0.app)), .texts(keys.map(\.1)), .uuids(keys.map(\.0.job.id)),
                .int8s(keys.map(\.2)),
            ])
    }

    // MARK: Proof

    /// The number of ids that are jobs of the app, and the number of their rows. Each job must have one row.
    func countJobs(_ ids: [UUID], app name: String) throws(QueueError) -> (jobs: Int, rows: Int) {
        guard let app = try app(name) else { return (0, 0) }
        let row = try query(.countMoved, [.int4(app), .uuids(ids)]).first
        return (row?.number(0) ?? 0, row?.number(1) ?? 0)
    }

    /// The first of the ids that is a job of the app, in any state.
    func firstKnown(_ ids: [UUID], app name: String) throws(QueueError) -> UUID? {
        guard let app = try app(name) else { return nil }
        return try query(.knownJobs, [.int4s(ids.map { _ in app }), .uuids(ids)]).first?.uuid(0)
    }
}

extension PostgresText {
    fileprivate static let knownJobs = PostgresText(
        """
        SELECT c.job FROM unnest($1::int4[], $2::uuid[]) AS k (app, id) CROSS JOIN LATERAL (
            SELECT job FROM content WHERE content.app = k.app AND content.job = k.id OFFSET 0
        ) AS c LIMIT 1
        """)
    fileprivate static let insertEvents = PostgresText(
        """
        INSERT INTO event SELECT e.app, e.job, nextval('version'), e.time, e.kind, e.detail FROM (
            SELECT * FROM unnest($1::int4[], $2::uuid[], $3::int8[], $4::text[], $5::text[]) WITH ORDINALITY
                AS u (app, job, time, kind, detail, position) ORDER BY position) AS e
        """)
    fileprivate static let insertKeysOfJobs = PostgresText(
        """
        INSERT INTO dedupe AS d SELECT k.app, k.key, k.job, k.until
        FROM unnest($1::int4[], $2::text[], $3::uuid[], $4::int8[]) AS k (app, key, job, until)
        ORDER BY k.app, k.key COLLATE "C"
        ON CONFLICT (app, key) DO UPDATE SET until = excluded.until WHERE d.job = excluded.job
        """)
    fileprivate static let countMoved = PostgresText(
        """
        SELECT count(DISTINCT id), count(*) FROM (
            SELECT found.id FROM \(found("id", in: "job"))
            UNION ALL SELECT found.id FROM \(found("id", in: "finished"))) AS counted
        """)
}
