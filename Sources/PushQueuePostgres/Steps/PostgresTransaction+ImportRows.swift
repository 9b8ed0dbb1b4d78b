import PushPlatform
import PushQueue

/// Stores the rows of an export. Jobs and campaigns keep their ids, and what the queue has already stays as it is.
extension PostgresTransaction {
    /// Returns how many of the rows were not there.
    func insert(_ batch: ImportBatch) throws(QueueError) -> Int {
        guard !batch.rows.isEmpty else { return 0 }
        if batch.part == .job { return try insertJobs(batch) }
        let columns = try columns(batch)
        switch batch.part {
        case .record: return try query(.importRecords, columns).affected
        case .dedupeKey:
            return try query(.importKeys, columns + [ending(batch), .int8(steady.milliseconds)]).affected
        case .idempotencyKey:
            return try query(.importRequests, columns + [ending(batch), .int8(steady.milliseconds)]).affected
        case .goneToken: return try insertTokens(columns, count: batch.rows.count)
        case .collapseKey: return try query(.importLatest, columns + [ending(batch)]).affected
        case .campaign: return try insertCampaigns(columns, batch)
        case .line: return try query(.importLines, columns).affected
        case .refusedLine: return try query(.importRefusals, columns).affected
        case .failedLine: return try query(.importFailures, columns).affected
        case .outcome: return try query(.importOutcomes, columns + [.int2(slot)]).affected
        // The reader of the file gives the jobs their payloads.
        case .payload, .job: return batch.rows.count
        case .event: return try query(.importEvents, columns).affected
        }
    }

    /// The values by columns, in the order of ``ExportPart/columns``. Names of apps become numbers.
    private func columns(_ batch: ImportBatch) throws(QueueError) -> [PostgresValue] {
        var columns: [PostgresValue] = []
        for (index, column) in batch.part.columns.enumerated() {
            let values = batch.rows.map { $0.values[index] }
            switch column.kind {
            case .text where column.name == "app": columns.append(.int4s(try apps(values.map { $0.text ?? "" })))
            case .text: columns.append(.optionalTexts(values.map { $0.text?.withoutZeroBytes }))
            case .number: columns.append(.optionalInt8s(values.map(\.number)))
            case .bytes: columns.append(.optionalBlobs(values.map(\.bytes)))
            }
        }
        return columns
    }

    private func apps(_ names: [String]) throws(QueueError) -> [Int32] {
        var known: [String: Int32] = [:]
        for name in Set(names).sorted(by: String.isBefore) { known[name] = try appOrNew(name) }
        return names.compactMap { known[$0] }
    }

    /// The steady time to which a remaining time is added: now, without what has passed since the exported queue was sealed. If the clock of
    /// this server is behind that of the queue, nothing has passed.
    private func ending(_ batch: ImportBatch) -> PostgresValue {
        .int8((steady - max(now - batch.sealed, .zero)).milliseconds)
    }

    private func insertTokens(_ columns: [PostgresValue], count: Int) throws(QueueError) -> Int {
        let first = changes.numbers
        for _ in 0..<count { _ = changes.nextNumber() }
        return try query(.importTokens, columns + [.int8(base), .int8(first)]).affected
    }

    // MARK: Campaigns

    private func insertCampaigns(_ columns: [PostgresValue], _ batch: ImportBatch) throws(QueueError) -> Int {
        let haveKeys = try query(.importCampaigns, columns + [.int8(steady.milliseconds)]).map { !$0.isNull(0) }
        guard haveKeys.count == batch.rows.count else { throw .importedBefore("A campaign", address) }
        _ = try query(.importCounts, columns + [.int2(slot)])
        // A campaign comes without its key if the queue has that key already.
        let dropped = batch.rows.count { $0["key"].text != nil } - haveKeys.count { $0 }
        return haveKeys.count - dropped
    }

    // MARK: Jobs

    private func insertJobs(_ batch: ImportBatch) throws(QueueError) -> Int {
        let apps = try apps(batch.rows.map { $0["app"].text ?? "" })
        let targets = batch.rows.map { row in
            StoredPostgresTarget.bytes(
                of: row["channel"].text.map { .channel($0) } ?? .device(row["token"].text ?? ""))
        }
        var batch = batch
        let shared = try sharePayloads(&batch.rows, apps)
        var columns = try columns(batch)
        // The contents come first, as for all new jobs.
        let inserted = try query(.importContent, columns + [.blobs(targets), .optionalInt8s(shared)]).affected
        guard inserted == batch.rows.count else { throw .importedBefore("A job", address) }
        for (index, column) in ExportPart.job.columns.enumerated() where column.kind == .bytes {
            columns[index] = .blobs([])
        }
        // A push that counts its time from now keeps at most the time that it had left when its queue was sealed.
        let shift = min(now - batch.sealed, .zero).wholeMilliseconds
        changes.movesDue = true
        _ = try query(.importJobs, columns + [.int8(shift), .int8(QueueJobRecord.never)])
        for (app, row) in zip(apps, batch.rows) {
            // The counters of its campaign came with the campaign.
            changes.move(app, from: nil, to: row["is_held"].number == 0 ? .waiting : .held)
        }
        return inserted
    }

    /// Stores payloads that several rows have once, and takes them out of the rows. Returns their numbers.
    private func sharePayloads(_ rows: inout [ExportRow], _ apps: [Int32]) throws(QueueError) -> [Int64?] {
        let bodies = zip(apps, rows).map { app, row in
            PostgresNewJobs.SharedBody(app: app, body: row["payload"].bytes ?? [])
        }
        var uses: [PostgresNewJobs.SharedBody: Int] = [:]
        for body in bodies where body.body.count >= PostgresNewJobs.shortestShared { uses[body, default: 0] += 1 }
        let shared = try insertPayloads(uses.filter { $0.value > 1 })
        let numbers = bodies.map { shared[$0] }
        for (index, number) in numbers.enumerated() where number != nil { rows[index]["payload"] = .null }
        return numbers
    }
}

extension QueueError {
    /// The queue has a part of the export, but this import did not bring it.
    fileprivate static func importedBefore(_ what: String, _ address: PostgresAddress) -> QueueError {
        QueueError(
            .invalid,
            """
            \(what) of the export is in \(address.withSchema) already, and this import didn't bring it: a copy of the same queue was \
            imported there. Nothing was stored. Give another target.
            """)
    }
}

extension PostgresText {
    /// The rows of a part as `r`. Their columns are the first parameters.
    private static func rows(_ part: ExportPart, _ more: [(name: String, type: String)] = []) -> String {
        let columns = part.columns.map { column in
            let type =
                switch column.kind {
                case .text: column.name == "app" ? "int4" : "text"
                case .number: "int8"
                case .bytes: "bytea"
                }
            return (name: column.name, type: type)
        }
        let all = columns + more
        let arrays = all.enumerated().map { "$\($0 + 1)::\($1.type)[]" }.joined(separator: ", ")
        let names = all.map { "\"\($0.name)\"" }.joined(separator: ", ")
        return "unnest(\(arrays)) WITH ORDINALITY AS r (\(names), position)"
    }

    /// A parameter behind the columns of a part.
    private static func parameter(_ number: Int, after part: ExportPart) -> String { "$\(part.columns.count + number)" }

    /// The campaign of a row, as `c`.
    private static let campaign = """
        CROSS JOIN LATERAL (SELECT id FROM campaign WHERE campaign.uuid = r.campaign::uuid OFFSET 0) AS c
        """

    fileprivate static let importRecords: PostgresText = """
        INSERT INTO record SELECT r.kind, r.key, r.value, nextval('version') FROM \(rows(.record)) ON CONFLICT DO NOTHING
        """
    /// As for new jobs, a key is free if it has expired and its job has its outcome.
    fileprivate static let importKeys: PostgresText = """
        INSERT INTO dedupe AS d SELECT r.app, r.key, r.job::uuid, greatest(\(parameter(1, after: .dedupeKey))::int8 + r.ends_in, 0)
        FROM \(rows(.dedupeKey))
        ON CONFLICT (app, key) DO UPDATE SET job = excluded.job, until = excluded.until
        WHERE d.until <= \(parameter(2, after: .dedupeKey))::int8
            AND NOT EXISTS (SELECT FROM job WHERE job.app = d.app AND job.id = d.job OFFSET 0)
        """
    fileprivate static let importRequests: PostgresText = """
        INSERT INTO request AS d SELECT r.app, r.key, r.digest, r.state::int2, 0,
            greatest(\(parameter(1, after: .idempotencyKey))::int8 + r.ends_in, 0), r.answer
        FROM \(rows(.idempotencyKey))
        ON CONFLICT (app, key) DO UPDATE SET digest = excluded.digest, state = excluded.state, fence = 0,
            until = excluded.until, answer = excluded.answer
        WHERE d.until <= \(parameter(2, after: .idempotencyKey))::int8
        """
    /// The place stands for the job, whose id is not in the file. What the queue has started since may be newer.
    fileprivate static let importLatest: PostgresText = """
        INSERT INTO latest AS l SELECT r.app, r.key::uuid, r.place::uuid, r.place::uuid,
            (\(parameter(1, after: .collapseKey))::int8 + r.ends_in) / \(hour) * \(hour) + \(hour)
        FROM \(rows(.collapseKey))
        ON CONFLICT (app, key) DO UPDATE SET place = excluded.place, job = excluded.job, until = greatest(l.until, excluded.until)
        WHERE l.place < excluded.place
        """
    /// As ``ReplacementRules`` keeps them, in milliseconds.
    private static let hour = 3_600_000
    fileprivate static let importTokens: PostgresText = """
        INSERT INTO gone AS g SELECT r.app, r.token, r.since,
            ((pg_current_xact_id()::text::int8 + \(parameter(1, after: .goneToken))::int8) << 20)
                + \(parameter(2, after: .goneToken))::int8 + r.position
        FROM \(rows(.goneToken))
        ON CONFLICT (app, token) DO UPDATE SET since = excluded.since, number = excluded.number
        WHERE excluded.since > g.since
        """
    fileprivate static let importCampaigns: PostgresText = """
        INSERT INTO campaign (uuid, app, name, key, state, is_open, settings, rate, starts, expires, created, started, level,
            level_at)
        SELECT r.id::uuid, r.app, r.name, CASE WHEN NOT EXISTS (
                SELECT FROM campaign AS other WHERE other.app = r.app AND other.key = r.key OFFSET 0) THEN r.key END,
            r.state::int2, r.is_open <> 0, r.settings, r.rate::int4, r.starts, r.expires, r.created, r.started, 0,
            \(parameter(1, after: .campaign))::int8
        FROM \(rows(.campaign)) ON CONFLICT (uuid) DO NOTHING RETURNING key
        """
    fileprivate static let importCounts: PostgresText = """
        INSERT INTO campaign_count SELECT c.id, \(parameter(1, after: .campaign))::int2, r.last_line, r.lines, r.refused, r.held,
            r.waiting, r.in_flight, r.accepted, r.rejected, r.unknown, r.not_sent
        FROM \(rows(.campaign))
            CROSS JOIN LATERAL (SELECT id FROM campaign WHERE campaign.uuid = r.id::uuid OFFSET 0) AS c
        """
    fileprivate static let importLines: PostgresText = """
        INSERT INTO campaign_line SELECT c.id, r.line, r.job::uuid, r.digest FROM \(rows(.line)) \(campaign)
        """
    fileprivate static let importRefusals: PostgresText = """
        INSERT INTO campaign_refusal SELECT c.id, r.line, r.code, r.detail, r.field, r.remedy, r.digest
        FROM \(rows(.refusedLine)) \(campaign)
        """
    fileprivate static let importFailures = PostgresText(
        "INSERT INTO campaign_failure SELECT c.id, r.line FROM \(rows(.failedLine)) \(campaign)")
    fileprivate static let importOutcomes: PostgresText = """
        INSERT INTO campaign_outcome SELECT c.id, \(parameter(1, after: .outcome))::int2, r.kind::int2, r.reason, r.count
        FROM \(rows(.outcome)) \(campaign)
        """
    fileprivate static let importContent: PostgresText = """
        INSERT INTO content (app, job, target, push, variables, payload, shared, dedupe_key)
        SELECT r.app, r.id::uuid, r.target, r.push, r.variables,
            CASE WHEN r.shared IS NULL THEN r.payload END, r.shared, r.dedupe_key
        FROM \(rows(.job, [("target", "bytea"), ("shared", "int8")])) ON CONFLICT (app, job) DO NOTHING
        """
    fileprivate static let importJobs: PostgresText = """
        INSERT INTO job (app, id, is_waiting, is_held, state, priority, policy, is_uncertain, is_due_relative,
            is_expiry_relative, attempts, lost, fence, due, expires, queued, started, campaign, line)
        SELECT r.app, r.id::uuid, r.is_held = 0, r.is_held <> 0, CASE WHEN r.is_held <> 0 THEN 4 ELSE 0 END, r.priority::int2,
            r.policy::int2, r.is_uncertain <> 0, r.is_due_relative <> 0, r.is_expiry_relative <> 0, r.attempts::int4,
            r.lost::int4, 0, least(greatest(r.due + CASE WHEN r.is_due_relative <> 0 THEN shift ELSE 0 END, 0), ends.time),
            ends.time, r.queued, r.started, c.id, r.line
        FROM \(rows(.job)) CROSS JOIN LATERAL (
            SELECT \(parameter(1, after: .job))::int8 AS shift
        ) AS clock CROSS JOIN LATERAL (
            SELECT CASE WHEN r.expires IS NULL THEN \(parameter(2, after: .job))::int8
                ELSE greatest(r.expires + CASE WHEN r.is_expiry_relative <> 0 THEN shift ELSE 0 END, 0) END AS time
        ) AS ends LEFT JOIN LATERAL (
            SELECT id FROM campaign WHERE campaign.uuid = r.campaign::uuid OFFSET 0
        ) AS c ON true
        """
    fileprivate static let importEvents: PostgresText = """
        INSERT INTO event SELECT r.app, r.job::uuid, nextval('version'), r.time, r.kind, r.detail FROM \(rows(.event))
        """
}
