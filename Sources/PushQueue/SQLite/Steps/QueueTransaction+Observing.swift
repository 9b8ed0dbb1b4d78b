import PushPlatform

/// Counts of outcomes, and the audit.
extension QueueTransaction {
    func note(_ entry: QueueAuditEntry) throws(QueueError) {
        try QueueArgument.require(entry.content, atMost: QueueServiceRecord.longestValue, as: "An entry of the audit")
        try sql(.insertAudit).run(entry.app, now, entry.content)
    }

    func flushTallies() throws(QueueError) {
        for app in changes.tallies.keys {
            for (outcome, count) in changes.boundedTallies(of: app) {
                for span in QueueTallySpan.allCases { try add(count, of: outcome, in: span, app) }
            }
        }
    }

    private func add(
        _ count: Int, of outcome: CampaignStep.Outcome, in span: QueueTallySpan, _ app: Int64
    ) throws(QueueError) {
        let begin = span.begin(of: now)
        func isAdded(_ reason: String) throws(QueueError) -> Bool {
            try sql(.addTally).run(app, span.rawValue, begin, outcome.kind.rawValue, reason, count) > 0
        }
        if try isAdded(outcome.reason) { return }
        var reason = outcome.reason
        let known = try sql(.countTallies).first(app, span.rawValue, begin) { $0.number(0) } ?? 0
        if known >= QueueTallySpan.maximumReasons {
            reason = "other"
            if try isAdded(reason) { return }
        }
        try sql(.insertTally).run(app, span.rawValue, begin, outcome.kind.rawValue, reason, count)
    }

    func dropObservations(limit: Int) throws(QueueError) -> Int {
        var dropped = 0
        for app in try sql(.apps).all(read: { $0.integer(0) }) {
            for span in QueueTallySpan.allCases {
                dropped += try sql(.dropTallies).run(app, span.rawValue, now + (.zero - span.kept), limit)
            }
        }
        return dropped + (try sql(.dropAudit).run(now + (.zero - QueueAuditEntry.kept), limit))
    }

    func dropExcessAudit(limit: Int) throws(QueueError) -> Int {
        let excess = (try sql(.countAudit).first { $0.number(0) } ?? 0) - options.maximumAuditEntries
        return excess > 0 ? try sql(.dropExcessAudit).run(min(excess, limit)) : 0
    }
}

extension SQLText {
    static let apps = SQLText("SELECT id FROM app")
    fileprivate static let insertAudit = SQLText("INSERT INTO audit (app, time, content) VALUES (?1, ?2, ?3)")
    fileprivate static let addTally: SQLText = """
        UPDATE tally SET count = count + ?6 WHERE app = ?1 AND span = ?2 AND begin = ?3 AND kind = ?4 AND reason = ?5
        """
    fileprivate static let countTallies = SQLText(
        "SELECT count(*) FROM tally WHERE app = ?1 AND span = ?2 AND begin = ?3")
    fileprivate static let insertTally = SQLText("INSERT INTO tally VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    static let dropTallies: SQLText = """
        DELETE FROM tally WHERE (app, span, begin, kind, reason) IN (
            SELECT app, span, begin, kind, reason FROM tally WHERE app = ?1 AND span = ?2 AND begin < ?3 LIMIT ?4)
        """
    /// The oldest entries have the smallest numbers.
    static let dropAudit: SQLText = """
        DELETE FROM audit WHERE number IN (
            SELECT number FROM (SELECT number, time FROM audit ORDER BY number LIMIT ?2) WHERE time < ?1)
        """
    static let countAudit = SQLText("SELECT count(*) FROM audit")
    /// The content is read as JSON only if it is JSON, so that none can stop the upkeep.
    static let dropExcessAudit: SQLText = """
        DELETE FROM audit WHERE number IN (
            WITH text AS (SELECT number, CAST(content AS TEXT) AS content FROM audit),
            entry AS MATERIALIZED (
                SELECT number, CASE WHEN json_valid(content) THEN coalesce(json_extract(content, '$.key'), '') ELSE '' END AS key,
                    CASE WHEN json_valid(content) THEN coalesce(json_extract(content, '$.action'), '') ELSE '' END AS action
                FROM text),
            most AS (
                SELECT key, action FROM (SELECT key, action, count(*) AS entries FROM entry GROUP BY key, action)
                ORDER BY sum(entries) OVER (PARTITION BY key) DESC, entries DESC LIMIT 1)
            SELECT number FROM entry JOIN most USING (key, action) ORDER BY number LIMIT ?1)
        """
}
