import PushPlatform
import PushQueue

/// Counts of outcomes, and the audit.
extension PostgresTransaction {
    func note(_ entry: QueueAuditEntry) throws(QueueError) {
        try QueueArgument.require(entry.content, atMost: QueueServiceRecord.longestValue, as: "An entry of the audit")
        perform(.insertAudit, entry.app.withoutZeroBytes, now, entry.content)
    }

    /// Adds the outcomes of the transaction to the counts of their minute and hour, in the order in which all transactions lock them.
    func flushTallies() {
        for app in changes.tallies.keys.sorted() {
            for (outcome, count) in changes.boundedTallies(of: app) {
                for span in QueueTallySpan.allCases {
                    perform(
                        .addTally, app, Int32(span.rawValue), span.begin(of: now), countSlot,
                        Int16(outcome.kind.rawValue),
                        outcome.reason, count)
                }
            }
        }
    }

    /// Drops counts and entries that are no longer kept. Returns how many.
    func dropObservations(limit: Int) throws(QueueError) -> Int {
        let tallies = QueueTallySpan.allCases.map { span in
            PostgresStatement(.dropTallies, Int32(span.rawValue), (now + (.zero - span.kept)), limit)
        }
        let audit = PostgresStatement(.dropAudit, (now + (.zero - QueueAuditEntry.kept)), limit)
        return try query(tallies + [audit]).reduce(0) { $0 + $1.affected }
    }

    /// Drops entries beyond the bound of the audit. Returns how many.
    func dropExcessAudit(limit: Int) throws(QueueError) -> Int {
        let count = Int(try query(.countAudit).first?.integer(0) ?? 0)
        let excess = count - options.queue.maximumAuditEntries
        return excess > 0 ? try query(.dropExcessAudit, min(excess, limit)).affected : 0
    }
}

extension PostgresText {
    fileprivate static let insertAudit = PostgresText(
        "INSERT INTO audit (app, time, content) VALUES ($1::text, $2::int8, $3::bytea)")
    /// Reasons beyond a number in a slot are counted together, so that a server that invents reasons does not fill the table.
    fileprivate static let addTally: PostgresText = """
        INSERT INTO tally AS t
        SELECT $1::int4, $2::int4, $3::int8, $4::int2, $5::int2,
            CASE WHEN (
                SELECT count(*) FROM (SELECT \(ofSpan) LIMIT \(QueueTallySpan.maximumReasons)) AS known
            ) < \(QueueTallySpan.maximumReasons)
                OR EXISTS (SELECT \(ofSpan) AND kind = $5::int2 AND reason = $6::text) THEN $6::text ELSE 'other' END,
            $7::int8
        ON CONFLICT (app, span, begin, slot, kind, reason) DO UPDATE SET count = t.count + excluded.count
        """
    private static let ofSpan =
        "FROM tally WHERE app = $1::int4 AND span = $2::int4 AND begin = $3::int8 AND slot = $4::int2"
    fileprivate static let dropTallies: PostgresText = """
        DELETE FROM tally WHERE ctid = ANY (ARRAY(
            SELECT old.ctid FROM app CROSS JOIN LATERAL (
                SELECT ctid FROM tally WHERE tally.app = app.id AND span = $1::int4 AND begin < $2::int8
                ORDER BY begin LIMIT $3::int8 FOR UPDATE SKIP LOCKED
            ) AS old LIMIT $3::int8))
        """
    /// The oldest entries have the smallest numbers.
    fileprivate static let dropAudit: PostgresText = """
        DELETE FROM audit WHERE ctid = ANY (ARRAY(
            SELECT row FROM (
                SELECT ctid AS row, time FROM audit ORDER BY number LIMIT $2::int8 FOR UPDATE SKIP LOCKED
            ) AS first WHERE time < $1::int8))
        """
    fileprivate static let countAudit = PostgresText("SELECT count(*) FROM audit")
    fileprivate static let dropExcessAudit: PostgresText = """
        WITH most AS (
            SELECT key, action FROM (
                SELECT \(member(#","key"#)) AS key, \(member(#"{"action"#)) AS action, count(*) AS entries FROM audit GROUP BY 1, 2
            ) AS kinds ORDER BY sum(entries) OVER (PARTITION BY key) DESC, entries DESC LIMIT 1)
        DELETE FROM audit WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM audit
            WHERE \(member(#","key"#)) = (SELECT key FROM most) AND \(member(#"{"action"#)) = (SELECT action FROM most)
            ORDER BY number LIMIT $1::int8 FOR UPDATE SKIP LOCKED))
        """
    /// A member of an entry behind a mark. A cast to jsonb would fail for a content that is not JSON, and stop the upkeep; a quote in a
    /// value follows a backslash, so nothing else looks like the mark.
    private static func member(_ mark: String) -> String {
        "split_part(split_part(encode(content, 'escape'), '\(mark)\":\"', 2), '\"', 1)"
    }
}
