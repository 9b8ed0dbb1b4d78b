import PushPlatform

/// Reads the data for a move, in batches. Nothing else changes the file during the move.
extension SQLiteQueries {
    /// How large a batch may be, in bytes. The last thing of it may be larger.
    private static let mostBytes = 8 << 20

    /// The next batch after a position.
    ///
    /// - Parameters:
    ///   - position: The position, whose part has not ended.
    ///   - mark: The mark of the move.
    ///   - clocks: What the clocks show.
    ///   - staying: The kinds of records that are not moved.
    ///   - limit: The maximum number of rows.
    /// - Returns: The batch, and the position after it.
    /// - Throws: ``QueueError`` if the file cannot be read.
    func moveBatch(
        after position: MovePosition, _ mark: MoveMark, _ clocks: ClockSample, staying: Set<String>, limit: Int
    ) throws(QueueError) -> MoveBatch {
        let time = MovedTime(wall: clocks.wall, steady: try steadyTime(clocks))
        var page = MovePage(after: position, most: limit, bytes: Self.mostBytes)
        let items: MoveBatch.Items =
            switch position.part {
            case .records, .end: .records(try records(&page, staying: staying))
            case .dedupeKeys: .dedupeKeys(try keys(&page, mark))
            case .idempotencyKeys: .idempotencyKeys(try requests(&page, mark))
            case .goneTokens: .goneTokens(try tokens(&page))
            case .campaigns: .campaigns(try campaigns(&page))
            case .lines: .lines(try lines(&page, .movedLines))
            case .refusals: .refusals(try refusals(&page))
            case .failures: .failures(try lines(&page, .movedFailures))
            case .outcomes: .outcomes(try outcomes(&page))
            case .jobs: .jobs(try jobs(&page))
            case .shownCampaigns: .shownCampaigns(try campaigns(&page))
            }
        return MoveBatch(items, from: position, to: page.end, at: time)
    }

    /// The steady time, without noting it.
    func steadyTime(_ clocks: ClockSample) throws(QueueError) -> SteadyTime {
        let watch = try sql(.moveClock).first { row in
            ClockWatch(boot: row.text(0), base: row.integer(1), seen: row.steady(2), shift: row.integer(3))
        }
        guard var watch else { throw .damaged(sql.handle.path, "a row of the table clock is missing") }
        return watch.tick(clocks).now
    }

    /// The names of the apps by their numbers.
    func appNames() throws(QueueError) -> [Int64: String] {
        let rows = try sql(.moveApps).all { ($0.integer(0), $0.text(1)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Parts

    private func records(_ page: inout MovePage, staying: Set<String>) throws(QueueError) -> [MovedRecord] {
        var records: [MovedRecord] = []
        let start = page.position
        try sql(.movedRecords).each(start.name, start.key, page.limit) { row in
            let record = MovedRecord(kind: row.text(0), key: row.text(1), value: row.bytes(2))
            if !staying.contains(record.kind), record.kind != MoveMark.kind { records.append(record) }
            return page.add(bytes: record.value.count) { ($0.name, $0.key) = (record.kind, record.key) }
        }
        return records
    }

    private func keys(_ page: inout MovePage, _ mark: MoveMark) throws(QueueError) -> [MovedKey] {
        let apps = try appNames()
        var keys: [MovedKey] = []
        let start = page.position
        try sql(.movedKeys).each(start.number, start.key, mark.closed, page.limit) { row in
            let (app, key) = (row.integer(0), row.text(1))
            let job = JobKey(row: row.integer(2), tag: row.integer(3)).id
            keys.append(
                MovedKey(
                    app: apps[app] ?? "", key: key, job: job, until: row.steady(4), isOpen: row.integer(5) != 0))
            return page.add(bytes: key.utf8.count) { ($0.number, $0.key) = (app, key) }
        }
        return keys
    }

    private func requests(_ page: inout MovePage, _ mark: MoveMark) throws(QueueError) -> [MovedRequest] {
        let apps = try appNames()
        var requests: [MovedRequest] = []
        var check = MovedNumbers()
        let start = page.position
        try sql(.movedRequests).each(start.number, start.key, mark.closed, page.limit) { row in
            let app = row.integer(0)
            let request = MovedRequest(
                app: apps[app] ?? "", key: row.text(1), digest: row.bytes(2),
                state: check.small(row.integer(3), "state of a request"),
                until: row.steady(4), answer: row.optional(5) { $0.bytes($1) })
            requests.append(request)
            return page.add(bytes: request.answer?.count ?? 0) { ($0.number, $0.key) = (app, request.key) }
        }
        try check.pass(sql.handle.path)
        return requests
    }

    private func tokens(_ page: inout MovePage) throws(QueueError) -> [MovedToken] {
        let apps = try appNames()
        var tokens: [MovedToken] = []
        let start = page.position
        try sql(.movedTokens).each(start.number, start.key, page.limit) { row in
            let (app, token) = (row.integer(0), row.text(1))
            tokens.append(MovedToken(app: apps[app] ?? "", token: token, since: row.time(2)))
            return page.add(bytes: token.utf8.count) { ($0.number, $0.key) = (app, token) }
        }
        return tokens
    }

    private func campaigns(_ page: inout MovePage) throws(QueueError) -> [MovedCampaign] {
        var campaigns: [MovedCampaign] = []
        let start = page.position
        try sql(.movedCampaigns).each(start.number, page.limit) { row in
            let campaign = MovedCampaign(
                campaign: QueueCampaign(row, now: .earliest), key: row.optional(27) { $0.text($1) },
                bucket: ReleaseBucket(level: row.integer(28), time: row.steady(29)),
                window: SpeedWindow(begin: row.steady(13), count: row.integer(14), last: row.integer(15)))
            campaigns.append(campaign)
            return page.add(bytes: campaign.campaign.settings.count) { $0.number = row.integer(25) }
        }
        return campaigns
    }

    private func lines(_ page: inout MovePage, _ text: SQLText) throws(QueueError) -> [MovedLine] {
        var lines: [MovedLine] = []
        let start = page.position
        try sql(text).each(start.number, start.second, page.limit) { row in
            lines.append(Self.line(row))
            return page.add(bytes: 32) { ($0.number, $0.second) = (row.integer(0), row.integer(2)) }
        }
        return lines
    }

    private func refusals(_ page: inout MovePage) throws(QueueError) -> [(
        line: MovedLine, refusal: QueueLineRefusal
    )] {
        var refusals: [(line: MovedLine, refusal: QueueLineRefusal)] = []
        let start = page.position
        try sql(.movedRefusals).each(start.number, start.second, page.limit) { row in
            let refusal = QueueLineRefusal(
                code: row.text(6), detail: row.text(7), field: row.optional(8) { $0.text($1) },
                remedy: row.optional(9) { $0.text($1) })
            refusals.append((Self.line(row), refusal))
            return page.add(bytes: 256) { ($0.number, $0.second) = (row.integer(0), row.integer(2)) }
        }
        return refusals
    }

    /// Makes a line from its campaign, its number, and the parts of the id of its job. The job may have been removed, but the row of the
    /// line still has its id.
    private static func line(_ row: borrowing SQLRow) -> MovedLine {
        MovedLine(
            campaign: UUID(bytes: row.bytes(1)) ?? UUID(0, 0), number: row.integer(2),
            job: JobKey(row: row.integer(3), tag: row.integer(4)).id, digest: row.bytes(5))
    }

    private func outcomes(_ page: inout MovePage) throws(QueueError) -> [MovedOutcome] {
        var outcomes: [MovedOutcome] = []
        var check = MovedNumbers()
        let start = page.position
        try sql(.movedOutcomes).each(start.number, start.second, start.key, page.limit) { row in
            let outcome = MovedOutcome(
                campaign: UUID(bytes: row.bytes(1)) ?? UUID(0, 0),
                kind: check.small(row.integer(2), "kind of an outcome"), reason: row.text(3), count: row.integer(4))
            outcomes.append(outcome)
            return page.add(bytes: 64) {
                ($0.number, $0.second, $0.key) = (row.integer(0), row.integer(2), outcome.reason)
            }
        }
        try check.pass(sql.handle.path)
        return outcomes
    }

    private func jobs(_ page: inout MovePage) throws(QueueError) -> [MovedJob] {
        let apps = try appNames()
        var jobs: [MovedJob] = []
        var check = MovedNumbers()
        let start = page.position.number
        try sql(.movedJobs).each(start, page.limit) { row in
            let job = Self.job(row, app: apps[row.integer(2)] ?? "", &check)
            jobs.append(job)
            let bytes = 256 + (job.payload?.count ?? 0) + (job.variables?.count ?? 0) + job.push.count
            return page.add(bytes: bytes) { $0.number = row.integer(0) }
        }
        try check.pass(sql.handle.path)
        guard let last = jobs.last.flatMap({ JobKey($0.id)?.row }) else { return [] }
        var histories: [Int64: [QueueJobEvent]] = [:]
        let rows = Set(jobs.compactMap { JobKey($0.id)?.row })
        try sql(.movedEvents).each(start, last) { row in
            let job = row.integer(0)
            guard rows.contains(job) else { return true }
            let event = QueueJobEvent(
                QueueJobEvent.Kind(name: row.text(2)), at: row.time(1), detail: row.optional(3) { $0.text($1) })
            histories[job, default: []].append(event)
            return true
        }
        guard !histories.isEmpty else { return jobs }
        for index in jobs.indices {
            jobs[index].history = JobKey(jobs[index].id).flatMap { histories[$0.row] } ?? []
        }
        return jobs
    }

    private static func job(_ row: borrowing SQLRow, app: String, _ check: inout MovedNumbers) -> MovedJob {
        let expires = row.integer(12)
        return MovedJob(
            id: JobKey(row: row.integer(0), tag: row.integer(1)).id, app: app,
            isHeld: row.number(3) == QueueJobState.held.rawValue,
            priority: check.small(row.integer(4), "priority of a job"),
            policy: check.small(row.integer(5), "policy of a job"), isUncertain: row.integer(6) != 0,
            isDueRelative: row.integer(7) != 0,
            isExpiryRelative: row.integer(8) != 0, attempts: Int32(clamping: row.integer(9)),
            lost: Int32(clamping: row.integer(10)), due: row.integer(11),
            expires: expires == JobRow.never ? nil : expires, queued: row.integer(13),
            started: row.optional(14) { $0.integer($1) },
            campaign: row.optional(15) { UUID(bytes: $0.bytes($1)) } ?? nil,
            line: row.optional(16) { $0.integer($1) }, target: StoredTarget.read(row, 17), push: row.bytes(18),
            variables: row.optional(19) { $0.bytes($1) }, payload: row.optional(20) { $0.bytes($1) },
            dedupeKey: row.optional(21) { $0.text($1) }, keyUntil: row.optional(22) { $0.steady($1) })
    }
}

extension SQLText {
    static let moveClock = SQLText("SELECT boot, base, seen, shift FROM clock WHERE id = 1")
    fileprivate static let moveApps = SQLText("SELECT id, name FROM app")
    fileprivate static let movedRecords = SQLText(
        "SELECT kind, key, value FROM record WHERE (kind, key) > (?1, ?2) ORDER BY kind, key LIMIT ?3")
    fileprivate static let movedKeys = SQLText(
        """
        SELECT d.app, d.key, d.job, d.tag, d.until, job.id IS NOT NULL FROM dedupe AS d NOT INDEXED \(openJobOfKey)
        WHERE (d.app, d.key) > (?1, ?2) AND (d.until > ?3 OR job.id IS NOT NULL) ORDER BY d.app, d.key LIMIT ?4
        """)
    /// The job of a dedupe key, if it has no outcome.
    static let openJobOfKey = "LEFT JOIN job ON job.id = d.job AND job.tag = d.tag AND job.state <> 3"
    fileprivate static let movedRequests = SQLText(
        """
        SELECT app, key, digest, state, until, answer FROM request NOT INDEXED
        WHERE (app, key) > (?1, ?2) AND until > ?3 ORDER BY app, key LIMIT ?4
        """)
    fileprivate static let movedTokens = SQLText(
        """
        SELECT app, token, since FROM gone NOT INDEXED WHERE (app, token) > (?1, ?2) ORDER BY app, token LIMIT ?3
        """)
    fileprivate static let movedCampaigns = SQLText(
        """
        SELECT \(QueueCampaign.columns), campaign.key, campaign.level, campaign.level_at
        FROM campaign JOIN app ON app.id = campaign.app
        WHERE campaign.id > ?1 AND campaign.state < 4 ORDER BY campaign.id LIMIT ?2
        """)
    private static func ofCampaigns(_ table: String, _ columns: String, _ join: String = "") -> String {
        """
        SELECT t.campaign, campaign.uuid, t.line, \(columns)
        FROM \(table) AS t CROSS JOIN campaign ON campaign.id = t.campaign \(join)
        WHERE (t.campaign, t.line) > (?1, ?2) AND campaign.state < 4 ORDER BY t.campaign, t.line LIMIT ?3
        """
    }
    fileprivate static let movedLines = SQLText(
        ofCampaigns("campaign_line", "t.job, coalesce(job.tag, 0), t.digest", "LEFT JOIN job ON job.id = t.job"))
    fileprivate static let movedFailures = SQLText(ofCampaigns("campaign_failure", "0, 0, NULL"))
    fileprivate static let movedRefusals = SQLText(
        ofCampaigns("campaign_refusal", "0, 0, t.digest, t.code, t.detail, t.place, t.remedy"))
    fileprivate static let movedOutcomes = SQLText(
        """
        SELECT t.campaign, campaign.uuid, t.kind, t.reason, t.count
        FROM campaign_outcome AS t CROSS JOIN campaign ON campaign.id = t.campaign
        WHERE (t.campaign, t.kind, t.reason) > (?1, ?2, ?3) AND campaign.state < 4
        ORDER BY t.campaign, t.kind, t.reason LIMIT ?4
        """)
    /// In the order of the rows, so that each is read once. Most of a large file can be finished jobs.
    fileprivate static let movedJobs = SQLText(
        """
        SELECT job.id, job.tag, job.app, job.state, job.priority, job.policy, job.is_uncertain, job.is_due_relative,
            job.is_expiry_relative, job.attempts, job.lost, job.due, job.expires, job.queued, job.started,
            campaign.uuid, job.line, content.target, content.push, content.variables, payload.body,
            content.dedupe_key, dedupe.until
        FROM job NOT INDEXED CROSS JOIN content ON content.job = job.id
            LEFT JOIN payload ON payload.id = content.payload
            LEFT JOIN campaign ON campaign.id = job.campaign
            LEFT JOIN dedupe ON dedupe.app = job.app AND dedupe.key = content.dedupe_key AND dedupe.job = job.id
                AND dedupe.tag = job.tag
        WHERE job.id > ?1 AND job.state IN (0, 4) ORDER BY job.id LIMIT ?2
        """)
    fileprivate static let movedEvents = SQLText(
        "SELECT job, time, kind, detail FROM event WHERE job > ?1 AND job <= ?2 ORDER BY job, number")
}
