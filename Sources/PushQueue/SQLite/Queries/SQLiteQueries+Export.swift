import PushPlatform

/// Reads the rows of an export. The queue is sealed, so nothing changes meanwhile.
extension SQLiteQueries {
    /// The rows of a part, in the order of ``ExportPart/columns``.
    func export(
        _ part: ExportPart, _ export: QueueExport, _ take: (ExportRow) throws(QueueError) -> Void
    ) throws(QueueError) {
        switch part {
        case .record: try rows(part, .exportedRecords, take: take)
        case .dedupeKey: try rows(part, .exportedKeys, after: export.steady, take: take)
        case .idempotencyKey: try rows(part, .exportedRequests, after: export.steady, take: take)
        case .goneToken: try rows(part, .exportedTokens, take: take)
        case .collapseKey: try rows(part, .exportedLatest, after: export.steady, take: take)
        case .campaign: try rows(part, .exportedCampaigns, take: take)
        case .line: try rows(part, .exportedLines, take: take)
        case .refusedLine: try rows(part, .exportedRefusals, take: take)
        case .failedLine: try rows(part, .exportedFailures, take: take)
        case .outcome: try rows(part, .exportedOutcomes, take: take)
        // They come with the jobs.
        case .payload: break
        case .job: try jobs(take)
        case .event: try rows(part, .exportedEvents, take: take)
        }
    }

    private func rows(
        _ part: ExportPart, _ text: SQLText, after time: SteadyTime? = nil,
        take: (ExportRow) throws(QueueError) -> Void
    ) throws(QueueError) {
        var failure: QueueError?
        func body(_ row: borrowing SQLRow) -> Bool {
            do throws(QueueError) { try take(row.exported(as: part)) } catch { failure = error }
            return failure == nil
        }
        if let time {
            try sql(text).each(time, body: body)
        } else {
            try sql(text).each(body: body)
        }
        if let failure { throw failure }
    }

    /// Jobs in the order of their numbers. A payload that several jobs have comes once before them, and they have its number.
    private func jobs(_ take: (ExportRow) throws(QueueError) -> Void) throws(QueueError) {
        var shared = SharedPayloads()
        try rows(.job, .exportedJobs) { (row) throws(QueueError) in
            try requireKnown(row["priority"], "priority") { QueuePriority(rawValue: $0) != nil }
            try requireKnown(row["policy"], "policy") { QueueDeliveryPolicy(rawValue: $0) != nil }
            var row = row
            if let payload = row["payload_number"].number {
                let body = try sql(.body).first(payload) { $0.bytes(0) } ?? []
                let (number, isNew) = shared.number(of: payload, bytes: body.count)
                if isNew { try take(ExportRow(.payload, [.number(number), .bytes(body)])) }
                row["payload_number"] = .number(number)
            }
            try take(row)
        }
    }

    /// A damaged number must not get into the file: no queue could take it.
    private func requireKnown(
        _ value: ExportValue, _ name: String, _ isKnown: (Int) -> Bool
    ) throws(QueueError) {
        let number = value.number ?? -1
        guard isKnown(Int(clamping: number)) else {
            throw .damaged(sql.handle.path, "the \(name) of a job is \(number)")
        }
    }
}

/// Numbers for the payloads that several jobs have. The reader of an export forgets them at the number 0, so that it needs little memory.
private struct SharedPayloads {
    private var numbers: [Int64: Int64] = [:]
    private var bytes = 0

    /// How large the payloads are together that a reader must remember. Beyond it, the numbers begin again.
    private static let maximumBytes = 8 << 20

    mutating func number(of payload: Int64, bytes more: Int) -> (Int64, isNew: Bool) {
        if let known = numbers[payload] { return (known, false) }
        if bytes + more > Self.maximumBytes { (numbers, bytes) = ([:], 0) }
        let number = Int64(numbers.count)
        numbers[payload] = number
        bytes += more
        return (number, true)
    }
}

extension SQLRow {
    fileprivate borrowing func exported(as part: ExportPart) -> ExportRow {
        var values: [ExportValue] = []
        values.reserveCapacity(part.columns.count)
        for (index, column) in part.columns.enumerated() {
            if isNull(index) {
                values.append(.null)
                continue
            }
            switch column.kind {
            case .number: values.append(.number(integer(index)))
            // The ids of campaigns and places are stored as bytes.
            case .text: values.append(.text(isText(index) ? text(index) : UUID(bytes: bytes(index))?.text ?? ""))
            case .bytes: values.append(.bytes(bytes(index)))
            }
        }
        return ExportRow(part, values)
    }
}

extension SQLText {
    /// The id of a job as a text, from the number of its row and its tag, as ``JobKey/id`` makes it.
    private static func id(_ row: String, _ tag: String) -> String {
        """
        printf('%08x-%04x-%04x-%04x-%012x', \(row) >> 36, (\(row) >> 20) & 0xFFFF, 0x7000 | ((\(row) >> 8) & 0xFFF),
            0x8000 | ((\(row) & 0xFF) << 6) | (\(tag) >> 48), \(tag) & 0xFFFFFFFFFFFF)
        """
    }
    private static let unfinished = "state IN (0, 4)"

    fileprivate static let exportedRecords = SQLText("SELECT kind, key, value FROM record ORDER BY kind, key")
    fileprivate static let exportedKeys: SQLText = """
        SELECT app.name, d.key, \(id("d.job", "d.tag")), d.until - ?1
        FROM dedupe AS d JOIN app ON app.id = d.app
            LEFT JOIN job ON job.id = d.job AND job.tag = d.tag AND job.\(unfinished)
        WHERE d.until > ?1 OR job.id IS NOT NULL ORDER BY d.app, d.key
        """
    fileprivate static let exportedRequests: SQLText = """
        SELECT app.name, r.key, r.digest, r.state, r.until - ?1, r.answer
        FROM request AS r JOIN app ON app.id = r.app WHERE r.until > ?1 ORDER BY r.app, r.key
        """
    fileprivate static let exportedTokens = SQLText(
        "SELECT app.name, g.token, g.since FROM gone AS g JOIN app ON app.id = g.app ORDER BY g.number")
    fileprivate static let exportedLatest: SQLText = """
        SELECT app.name, l.key, l.place, l.until - ?1
        FROM latest AS l JOIN app ON app.id = l.app WHERE l.until > ?1 ORDER BY l.app, l.key
        """
    fileprivate static let exportedCampaigns: SQLText = """
        SELECT c.uuid, app.name, c.name, c.key, c.state, c.is_open, c.settings, c.rate, c.starts, c.expires,
            c.created, c.started, c.last_line, c.lines, c.refused, c.held, c.waiting, c.in_flight, c.accepted, c.rejected,
            c.unknown, c.not_sent
        FROM campaign AS c JOIN app ON app.id = c.app WHERE c.state < 4 ORDER BY c.id
        """
    private static func ofCampaigns(_ table: String, _ columns: String, _ join: String = "") -> String {
        """
        SELECT campaign.uuid, \(columns)
        FROM \(table) AS t CROSS JOIN campaign ON campaign.id = t.campaign \(join) WHERE campaign.state < 4
        """
    }
    /// The job of a line may have been removed. Its row has the number of the job, but not its tag.
    fileprivate static let exportedLines = SQLText(
        ofCampaigns(
            "campaign_line", "t.line, \(id("t.job", "coalesce(job.tag, 0)")), t.digest",
            "LEFT JOIN job ON job.id = t.job")
            + " ORDER BY t.campaign, t.line")
    fileprivate static let exportedRefusals = SQLText(
        ofCampaigns("campaign_refusal", "t.line, t.code, t.detail, t.place, t.remedy, t.digest")
            + " ORDER BY t.campaign, t.line")
    fileprivate static let exportedFailures = SQLText(
        ofCampaigns("campaign_failure", "t.line") + " ORDER BY t.campaign, t.line")
    fileprivate static let exportedOutcomes = SQLText(
        ofCampaigns("campaign_outcome", "t.kind, t.reason, t.count") + " ORDER BY t.campaign, t.kind, t.reason")
    /// In the order of the rows, so that each is read once. Most of a large file can be finished jobs.
    fileprivate static let exportedJobs: SQLText = """
        SELECT \(id("job.id", "job.tag")), app.name, job.state = 4, job.priority, job.policy, job.is_uncertain, job.attempts,
            job.lost, job.due, job.is_due_relative, nullif(job.expires, \(QueueJobRecord.never)), job.is_expiry_relative,
            job.queued, job.started, campaign.uuid, job.line,
            CASE WHEN typeof(c.target) = 'blob' THEN lower(hex(c.target))
                WHEN substr(c.target, 1, 1) = 'd' THEN substr(c.target, 2) END,
            CASE WHEN typeof(c.target) = 'text' AND substr(c.target, 1, 1) = 'c' THEN substr(c.target, 2) END,
            c.push, c.variables, CASE WHEN payload.uses < 2 THEN payload.body END,
            CASE WHEN payload.uses > 1 THEN payload.id END, c.dedupe_key
        FROM job NOT INDEXED CROSS JOIN app ON app.id = job.app CROSS JOIN content AS c ON c.job = job.id
            LEFT JOIN payload ON payload.id = c.payload LEFT JOIN campaign ON campaign.id = job.campaign
        WHERE job.\(unfinished) ORDER BY job.id
        """
    fileprivate static let exportedEvents: SQLText = """
        SELECT app.name, \(id("job.id", "job.tag")), event.time, event.kind, event.detail
        FROM event CROSS JOIN job ON job.id = event.job CROSS JOIN app ON app.id = job.app
        WHERE job.\(unfinished) ORDER BY event.job, event.number
        """
}
