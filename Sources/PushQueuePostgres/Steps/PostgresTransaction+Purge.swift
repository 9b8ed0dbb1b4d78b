import PushPlatform
import PushQueue

extension PostgresTransaction {
    /// Removes everything that is known of finished jobs but their dedupe keys.
    func remove(_ ids: [UUID], app: Int32) throws(QueueError) {
        try release(payloadsOf: ids, app: app)
        try removeTraces(of: ids, app: app)
        // Another worker may remove the same jobs.
        let count = try query(.dropResults, app, ids).affected
        changes.move(app, from: .finished, to: nil, count: count)
    }

    /// Removes jobs in any state, with their dedupe keys.
    func removeWithKeys(_ jobs: [PostgresJob], app: Int32) throws(QueueError) {
        guard !jobs.isEmpty else { return }
        let ids = PostgresValue.uuids(jobs.map(\.id))
        try release(payloadsOf: jobs.map(\.id), app: app)
        perform(.lockKeysOfJobs, app, ids)
        perform(.dropKeysOfJobs, app, ids)
        try removeTraces(of: jobs.map(\.id), app: app)
        let count = try query(.dropResults, app, ids).affected
        changes.move(app, from: .finished, to: nil, count: count)
        perform(.dropJobs, app, ids)
        for job in jobs where job.state != .finished {
            if job.rules.isHeld { changes.held[job.rules.fence, default: 0] -= 1 }
            changes.move(app, from: job.state, to: nil, campaign: job.campaign)
        }
    }

    private func removeTraces(of ids: [UUID], app: Int32) throws(QueueError) {
        let values: [PostgresValue] = [.int4(app), .uuids(ids)]
        let letters = try query(.dropDeadLetters, values).map { $0.bool(0) }.filter(\.self).count
        if letters > 0 { changes.count(app) { $0.deadLetters -= letters } }
        perform(.dropEvents, values)
        perform(.dropContents, values)
    }

    /// Locks the contents of jobs, and notes that the jobs no longer use their shared payloads. Every step that changes or removes contents
    /// calls this first, so all transactions lock in the same order.
    func release(payloadsOf ids: [UUID], app: Int32) throws(QueueError) {
        for payload in try query(.sharedPayloads, app, ids).map({ $0.integer(0) }) {
            changes.uses[payload, default: 0] -= 1
        }
    }

    /// Removes jobs of a device token. Jobs that changed in the meantime are left out.
    ///
    /// - Returns: The ids of the jobs.
    func purge(_ keys: [PostgresJobKey], of target: QueueJobTarget) throws(QueueError) -> [UUID] {
        let jobs = try lock(keys)
        for (app, ofApp) in Dictionary(grouping: jobs.values, by: \.app).sorted(by: { $0.key < $1.key }) {
            try removeWithKeys(ofApp, app: app)
        }
        forgetDigests(of: jobs.values.filter { $0.campaign != nil })
        cache.bodies.removeAll()
        return jobs.values.map(\.id)
    }

    /// Forgets what was given as the lines of campaigns. The lines stay, so that they are not sent again. Without their digests,
    /// they are compared by their numbers.
    private func forgetDigests(of lines: [PostgresJob]) {
        guard !lines.isEmpty else { return }
        perform(.forgetDigests, lines.compactMap(\.campaign), lines.map(\.line))
    }

    /// Removes idempotency keys. A repeated request is then a new one.
    func forgetRequests(_ keys: [AppKey]) {
        for key in keys { perform(.forgetRequest, key.app, key.text) }
    }

    /// Statements that remove a key of a caller, each from a table of its own.
    static let keyRemovals = [PostgresText.forgetRequest, .forgetKey, .forgetCampaignKey]

    /// Removes the keys that are a device token, by one of ``keyRemovals``.
    func forgetKeys(_ token: String, app: String?, by text: PostgresText) throws(QueueError) {
        var apps: [Int32] = []
        if let app {
            apps = try self.app(app).map { [$0] } ?? []
        } else {
            apps = try query(.apps).map { $0.int4(0) }
        }
        for app in apps {
            for key in TokenText.spellings(of: token) { perform(text, [.int4(app), .text(key.withoutZeroBytes)]) }
        }
    }

    func forgetGone(_ token: String, app: String?) throws(QueueError) {
        if let app { return try forgetGone([token], app: app) }
        perform(.forgetGoneToken, TokenText.canonical(token))
    }

    /// Removes jobs of an app; after the last one also what else is known of it.
    ///
    /// Returns the number of jobs, and whether there may be more to remove even if there are no more jobs.
    func purge(app name: String, limit: Int) throws(QueueError) -> (jobs: Int, hasMore: Bool) {
        guard let app = try app(name) else { return (0, false) }
        // All transactions lock the app before its campaigns.
        perform(.lockApp, app)
        let campaigns = try query(.lockCampaigns, app).map { $0.int4(0) }
        let rows = try query(.jobsOfApp, app, limit)
        let jobs = try lock(rows.map { $0.uuid(0) }, app: app)
        try removeWithKeys(Array(jobs.values), app: app)
        cache.bodies.removeAll()
        guard rows.count < limit, try query(.anyJob, app).count == 0 else { return (jobs.count, false) }
        guard try dropRows(of: app, campaigns) else { return (jobs.count, true) }
        forget(app, campaigns)
        return (jobs.count, false)
    }

    /// The number of rows that a transaction removes at most. Millions would take longer than the limit of a statement.
    private static let rowsAtOnce = 10_000

    /// Removes lines, keys and gone tokens of an app that has no jobs. Returns whether that was all.
    private func dropRows(of app: Int32, _ campaigns: [Int32]) throws(QueueError) -> Bool {
        var left = Self.rowsAtOnce
        for campaign in campaigns where left > 0 { left -= try dropLines(of: campaign, limit: left) }
        let rows = [PostgresText.forgetRequests, .forgetDedupe, .forgetGone, .forgetLatest, .forgetTallies]
        for text in rows where left > 0 {
            left -= try query(text, [.int4(app), .int8(Int64(left))]).affected
        }
        return left > 0
    }

    /// Forgets an app. Its number stays, because other workers use it. Jobs that another worker is adding stay, with their keys.
    private func forget(_ app: Int32, _ campaigns: [Int32]) {
        for campaign in campaigns { forget(campaign: campaign) }
        // A writer for whose locks the first statement waits may have moved its counters: the second one finds them.
        for text in [PostgresText.forgetCounts, .forgetCounts, .forgetApp] { perform(text, [.int4(app)]) }
    }
}

extension PostgresText {
    fileprivate static let dropResults = PostgresText(
        "DELETE FROM finished WHERE \(isFound(in: "finished"))")
    fileprivate static let dropJobs = PostgresText(
        "DELETE FROM job WHERE \(isFound(in: "job"))")
    fileprivate static let dropDeadLetters = PostgresText(
        "DELETE FROM dead_letter WHERE \(isFound(in: "dead_letter", key: "job")) RETURNING redriven_as IS NULL")
    fileprivate static let dropEvents = PostgresText(
        "DELETE FROM event WHERE \(isFound(in: "event", key: "job"))")
    fileprivate static let dropContents = PostgresText(
        "DELETE FROM content WHERE \(isFound(in: "content", key: "job"))")
    fileprivate static let sharedPayloads: PostgresText = """
        SELECT found.shared FROM \(foundAndLocked("shared", in: "content", key: "job")) WHERE found.shared IS NOT NULL
        """
    fileprivate static let dropKeysOfJobs: PostgresText = """
        DELETE FROM dedupe WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM \(keysOfJobs(lock: ""))))
        """
    fileprivate static let lockKeysOfJobs = PostgresText("SELECT FROM \(keysOfJobs(lock: "FOR UPDATE"))")
    private static func keysOfJobs(lock: String) -> String {
        """
        (
            SELECT app, found.dedupe_key AS key, asked.key AS job FROM \(found("app, dedupe_key", in: "content", key: "job"))
            ORDER BY found.dedupe_key COLLATE "C" OFFSET 0
        ) AS k CROSS JOIN LATERAL (
            SELECT ctid FROM dedupe WHERE dedupe.app = k.app AND dedupe.key = k.key AND dedupe.job = k.job OFFSET 0 \(lock)
        ) AS d
        """
    }
    fileprivate static let forgetDigests: PostgresText = """
        UPDATE campaign_line SET digest = NULL WHERE ctid = ANY (ARRAY(
            SELECT found.ctid FROM unnest($1::int4[], $2::int8[]) AS asked (campaign, line) CROSS JOIN LATERAL (
                SELECT ctid FROM campaign_line
                WHERE campaign_line.campaign = asked.campaign AND campaign_line.line = asked.line OFFSET 0
            ) AS found))
        """
    fileprivate static let apps = PostgresText("SELECT id FROM app ORDER BY id")
    fileprivate static let forgetRequest = PostgresText(
        "DELETE FROM request WHERE app = $1::int4 AND key = $2::text")
    fileprivate static let forgetKey = PostgresText("DELETE FROM dedupe WHERE app = $1::int4 AND key = $2::text")
    fileprivate static let forgetCampaignKey = PostgresText(
        "UPDATE campaign SET key = NULL WHERE app = $1::int4 AND key = $2::text")
    fileprivate static let forgetGoneToken = PostgresText(
        "DELETE FROM gone WHERE app = ANY (ARRAY(SELECT id FROM app)) AND token = $1::text")
    fileprivate static let jobsOfApp: PostgresText = """
        (SELECT id FROM job WHERE app = $1::int4 ORDER BY id LIMIT $2::int8)
        UNION ALL (SELECT id FROM finished WHERE app = $1::int4 ORDER BY id LIMIT $2::int8) LIMIT $2::int8
        """
    fileprivate static let lockApp = PostgresText("SELECT FROM app WHERE id = $1::int4 FOR UPDATE")
    /// Campaigns with the negative number of the app are those of a move by an earlier version that has not ended.
    fileprivate static let lockCampaigns = PostgresText(
        "SELECT id FROM campaign WHERE app IN ($1::int4, -$1::int4) ORDER BY id FOR UPDATE")
    fileprivate static let anyJob = PostgresText("SELECT 1 WHERE NOT \(hasNoJob)")
    /// In the same statement, this is judged at the same moment as what the statement removes.
    private static let hasNoJob = """
        (NOT EXISTS (SELECT FROM job WHERE app = $1::int4) AND NOT EXISTS (SELECT FROM finished WHERE app = $1::int4))
        """
    /// Removes no key that another worker is using for a new job.
    fileprivate static let forgetDedupe = PostgresText("\(slice(of: "dedupe", key: "key")) AND \(hasNoJob)")
    fileprivate static let forgetRequests = PostgresText("\(slice(of: "request", key: "key")) AND \(hasNoJob)")
    static let forgetLatest = PostgresText(slice(of: "latest", key: "key"))
    static let forgetTallies = PostgresText(slice(of: "tally", key: "span, begin"))
    static let forgetGone = PostgresText(slice(of: "gone", key: "token"))
    /// It skips rows that others have locked. So it never waits, and needs no order of locks.
    private static func slice(of table: String, key: String) -> String {
        """
        DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM \(table) WHERE app = $1::int4 ORDER BY \(key) LIMIT $2::int8 FOR UPDATE SKIP LOCKED))
        """
    }
    /// The counters of jobs stay, because other workers may be adding jobs.
    fileprivate static let forgetCounts: PostgresText = """
        UPDATE app_count SET accepted = 0, rejected = 0, unknown = 0, not_sent = 0
        WHERE app = $1::int4 AND (accepted, rejected, unknown, not_sent) <> (0, 0, 0, 0)
        """
    fileprivate static let forgetApp: PostgresText = """
        UPDATE app SET is_known = false, dropped = 0, erased = 0
        WHERE id = $1::int4 AND NOT EXISTS (SELECT FROM job WHERE job.app = app.id)
        """
}
