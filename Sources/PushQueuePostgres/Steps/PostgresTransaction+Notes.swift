import PushPlatform
import PushQueue

/// Gone tokens, and the records of the service.
extension PostgresTransaction {
    func recordGone(_ tokens: [GoneToken], app: String) throws(QueueError) {
        let app = try appOrNew(app)
        for token in tokens { recordGone(.device(token.token), since: token.since, app: app) }
    }

    func recordGone(_ target: QueueJobTarget?, since: QueueTime, app: Int32) {
        guard case .device(let token) = target else { return }
        let key = AppKey(app: app, text: token)
        changes.gone[key] = max(changes.gone[key] ?? since, since)
    }

    /// Stores the tokens that are gone, in the order in which all transactions lock them.
    func flushGone() {
        let gone = changes.gone.sorted { $0.key < $1.key }
        changes.gone = [:]
        for (key, since) in gone {
            perform(.putGone, key.app, key.text, since, base, changes.nextNumber())
        }
    }

    func forgetGone(_ tokens: [String], app: String) throws(QueueError) {
        guard let app = try self.app(app) else { return }
        let values: [PostgresValue] = [.int4(app), .texts(tokens)]
        perform(.lockGone, values)
        perform(.dropGone, values)
    }

    // MARK: Records

    func store(
        _ value: [UInt8], kind: String, key: String, ifVersion version: Int64?
    ) throws(QueueError) -> Int64? {
        let (kind, key, bytes) = (PostgresValue.text(kind), PostgresValue.text(key), PostgresValue.bytes(value))
        let rows =
            switch version {
            case nil: try query(.putRecord, kind, key, bytes)
            case 0: try query(.insertRecord, kind, key, bytes)
            case .some(let version): try query(.replaceRecord, kind, key, bytes, version)
            }
        return rows.first?.integer(0)
    }

    func removeRecord(kind: String, key: String, ifVersion version: Int64?) throws(QueueError) -> Bool {
        let version = version.map { PostgresValue.int8($0) } ?? .null
        return try query(.dropRecord, kind, key, version).affected > 0
    }

    /// Changes a row, so that the commit shows whether the server accepts writes.
    func check() {
        changes.checks = true
    }

    /// Does so, waits for whoever has locked a table into which a push is stored, and stores no rows with the statements for pushes: they
    /// fail if a column is missing.
    func checkTables() throws(QueueError) {
        perform(.lockTables)
        _ = try query([])
        for (sql, columns) in [
            (PostgresNewJobs.copyContent, PostgresNewJobs.contentColumns),
            (PostgresNewJobs.copyJobs, PostgresNewJobs.jobColumns),
        ] {
            _ = try connection.copy(sql, PostgresCopy(columns: columns.count, rows: 0))
        }
        check()
    }
}

extension PostgresText {
    fileprivate static let putGone: PostgresText = """
        INSERT INTO gone AS g
        VALUES ($1::int4, $2::text, $3::int8, ((pg_current_xact_id()::text::int8 + $4::int8) << 20) + $5::int8)
        ON CONFLICT (app, token) DO UPDATE SET since = excluded.since, number = excluded.number
        WHERE excluded.since > g.since
        """
    fileprivate static let lockGone = PostgresText(
        "SELECT FROM \(foundAndLocked("token", in: "gone", key: "token", "text", collation: #"COLLATE "C""#))")
    fileprivate static let dropGone = PostgresText(
        "DELETE FROM gone WHERE \(isFound(in: "gone", key: "token", "text"))")
    // The version of a record that was removed and stored again is never an old one.
    fileprivate static let putRecord: PostgresText = """
        INSERT INTO record AS r VALUES ($1::text, $2::text, $3::bytea, nextval('version'))
        ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, version = nextval('version')
        RETURNING version
        """
    fileprivate static let insertRecord: PostgresText = """
        INSERT INTO record VALUES ($1::text, $2::text, $3::bytea, nextval('version'))
        ON CONFLICT (kind, key) DO NOTHING RETURNING version
        """
    fileprivate static let replaceRecord: PostgresText = """
        UPDATE record SET value = $3::bytea, version = nextval('version')
        WHERE kind = $1::text AND key = $2::text AND version = $4::int8 RETURNING version
        """
    fileprivate static let dropRecord: PostgresText = """
        DELETE FROM record WHERE kind = $1::text AND key = $2::text AND ($3::int8 IS NULL OR version = $3::int8)
        """
    fileprivate static let lockTables = PostgresText(
        "LOCK TABLE app, app_count, payload, job, content, dedupe, request IN ROW EXCLUSIVE MODE")
    static let check = PostgresText("UPDATE queue SET checked = checked + 1 WHERE id = 1")
}
