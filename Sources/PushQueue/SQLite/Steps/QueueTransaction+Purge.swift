import PushPlatform

extension QueueTransaction {
    /// Removes everything that is known of a job but its dedupe key.
    func remove(_ job: JobRow) throws(QueueError) {
        let row = job.key.row
        try releasePayload(of: row)
        if job.state == .finished { try sql(.dropResult).run(job.app, job.sequence) }
        if job.rules.isHeld { changes.held[job.rules.fence, default: 0] -= 1 }
        if let isOpen = try sql(.isOpenLetter).first(job.app, row, read: { $0.integer(0) != 0 }) {
            if isOpen { changes.count(job.app) { $0.deadLetters -= 1 } }
            try sql(.dropDeadLetter).run(job.app, row)
        }
        try sql(.dropEvents).run(row)
        try sql(.dropContent).run(row)
        try sql(.dropJob).run(row)
        changes.move(job.app, from: job.state, to: nil, campaign: job.line?.campaign)
    }

    func releasePayload(of row: Int64) throws(QueueError) {
        if let payload = try sql(.payloadOfJob).first(row, read: { $0.integer(0) }) {
            changes.uses[payload, default: 0] -= 1
        }
    }

    /// Removes jobs of a device token, with their dedupe keys. Jobs that changed in the meantime are left out.
    ///
    /// - Returns: The ids of the jobs.
    func purge(_ rows: [Int64], of target: QueueJobTarget, app: String?) throws(QueueError) -> [UUID] {
        let only = try app.map { (name) throws(QueueError) in try self.app(name) ?? -1 }
        var ids: [UUID] = []
        for row in rows {
            guard let job = try job(row: row), only == nil || job.app == only else { continue }
            guard try sql(.hasTarget).first(row, StoredTarget(target), read: { _ in true }) != nil else { continue }
            try removeWithKey(job)
            // The line stays, so that it is not sent again. Without its digest, it is compared by its number.
            if let line = job.line { try sql(.forgetDigest).run(line.campaign, line.number) }
            ids.append(job.key.id)
        }
        cache.bodies.removeAll()
        return ids
    }

    /// A repeated request is then a new one.
    func forgetRequests(_ keys: [(app: Int64, key: String)]) throws(QueueError) {
        for (app, key) in keys { try sql(.forgetRequest).run(app, key) }
    }

    /// Removes the keys that are a device token.
    func forgetKeys(_ token: String, app: String?) throws(QueueError) {
        var apps: [Int64] = []
        if let app { apps = try self.app(app).map { [$0] } ?? [] } else { apps = try sql(.apps).all { $0.integer(0) } }
        for app in apps {
            for key in TokenText.spellings(of: token) {
                for statement in [SQLText.forgetRequest, .dropDedupeKey, .forgetCampaignKey] {
                    try sql(statement).run(app, key)
                }
            }
        }
    }

    private func removeWithKey(_ job: JobRow) throws(QueueError) {
        if let name = try sql(.keyOfJob).first(job.key.row, read: { $0.text(0) }) {
            try sql(.dropKeyOfJob).run(job.app, name, job.key.row)
        }
        try remove(job)
    }

    func forgetGone(_ token: String, app: String?) throws(QueueError) {
        if let app {
            try forgetGone([token], app: app)
        } else {
            for app in try sql(.apps).all(read: { $0.integer(0) }) {
                try sql(.dropGone).run(app, TokenText.canonical(token))
            }
        }
    }

    func purge(app name: String, limit: Int) throws(QueueError) -> Int {
        guard let app = try app(name) else { return 0 }
        let rows = try sql(.jobsOfApp).all(app, limit) { $0.integer(0) }
        for row in rows { if let job = try job(row: row) { try removeWithKey(job) } }
        cache.bodies.removeAll()
        if rows.count < limit { try forget(app, name) }
        return rows.count
    }

    private func forget(_ app: Int64, _ name: String) throws(QueueError) {
        let rows = [SQLText.forgetDedupe, .forgetRequests, .forgetGone, .forgetLatest, .forgetTallies, .forgetApp]
        for statement in rows { try sql(statement).run(app) }
        try forgetCampaigns(of: app)
        changes.tallies[app] = nil
        changes.apps[name] = nil
        changes.payloads = changes.payloads.filter { $0.key.app != app }
    }
}

extension SQLText {
    fileprivate static let payloadOfJob = SQLText(
        "SELECT payload FROM content WHERE job = ?1 AND payload IS NOT NULL")
    fileprivate static let dropResult = SQLText("DELETE FROM result WHERE app = ?1 AND sequence = ?2")
    fileprivate static let isOpenLetter = SQLText(
        "SELECT redriven_as IS NULL FROM dead_letter WHERE app = ?1 AND job = ?2")
    fileprivate static let dropDeadLetter = SQLText("DELETE FROM dead_letter WHERE app = ?1 AND job = ?2")
    fileprivate static let dropEvents = SQLText("DELETE FROM event WHERE job = ?1")
    fileprivate static let dropContent = SQLText("DELETE FROM content WHERE job = ?1")
    fileprivate static let dropJob = SQLText("DELETE FROM job WHERE id = ?1")
    fileprivate static let hasTarget = SQLText("SELECT 1 FROM content WHERE job = ?1 AND target = ?2")
    fileprivate static let forgetDigest = SQLText(
        "UPDATE campaign_line SET digest = NULL WHERE campaign = ?1 AND line = ?2")
    fileprivate static let keyOfJob = SQLText(
        "SELECT dedupe_key FROM content WHERE job = ?1 AND dedupe_key IS NOT NULL")
    fileprivate static let dropKeyOfJob = SQLText("DELETE FROM dedupe WHERE app = ?1 AND key = ?2 AND job = ?3")
    fileprivate static let jobsOfApp = SQLText("SELECT id FROM job INDEXED BY job_app WHERE app = ?1 LIMIT ?2")
    fileprivate static let forgetRequest = SQLText("DELETE FROM request WHERE app = ?1 AND key = ?2")
    fileprivate static let forgetCampaignKey = SQLText(
        "UPDATE campaign SET key = NULL WHERE app = ?1 AND key = ?2")
    fileprivate static let forgetDedupe = SQLText("DELETE FROM dedupe WHERE app = ?1")
    fileprivate static let forgetRequests = SQLText("DELETE FROM request WHERE app = ?1")
    fileprivate static let forgetGone = SQLText("DELETE FROM gone WHERE app = ?1")
    fileprivate static let forgetLatest = SQLText("DELETE FROM latest WHERE app = ?1")
    fileprivate static let forgetTallies = SQLText("DELETE FROM tally WHERE app = ?1")
    fileprivate static let forgetApp = SQLText("DELETE FROM app WHERE id = ?1")
}
