import PushPlatform

/// The queries of a queue in SQLite: each reads a snapshot. Only the thread that uses the connection may use it.
struct SQLiteQueries: QueueQueries {
    let sql: SQLConnection

    /// `nil` if the app was never used.
    func app(_ name: String) throws(QueueError) -> Int64? {
        try sql(.app).first(name) { $0.integer(0) }
    }

    func counts() throws(QueueError) -> [String: QueueCounts] {
        let rows = try sql(.counts).all { ($0.text(0), QueueCounts($0)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    func seal() throws(QueueError) -> QueueSeal? { try sql.seal() }

    func nextDue(of apps: [String]) throws(QueueError) -> QueueTime? {
        var earliest: QueueTime?
        for name in apps {
            guard let app = try app(name) else { continue }
            for priority in QueuePriority.allCases {
                guard let due = try sql(.nextDue).first(app, priority.rawValue, read: { $0.time(0) }) else {
                    continue
                }
                earliest = min(due, earliest ?? due)
            }
        }
        return earliest
    }

    /// The waiting jobs that have expired at a time. A job does not expire before it is due: if a jump of the clock has moved its
    /// expiry before a due time that was given, it ends when it is due.
    func overdue(at time: QueueTime, limit: Int) throws(QueueError) -> [Int64] {
        var rows: [Int64] = []
        for app in try sql(.appsWithWaiting).all(read: { $0.integer(0) }) {
            for priority in QueuePriority.allCases where rows.count < limit {
                rows += try sql(.overdue).all(app, priority.rawValue, time, limit - rows.count) { $0.integer(0) }
            }
        }
        return rows
    }

    /// The jobs that may have a target, of any app, after a row. A few may have another one with the same mark.
    func jobs(of target: QueueJobTarget, after row: Int64, limit: Int) throws(QueueError) -> [Int64] {
        let mark = StoredTarget(target).mark
        var (found, end, slice) = ([Int64](), Int64.max, Int64.max)
        while let next = try sql(.lastSlice).first(slice, read: { $0.integer(0) }) {
            slice = next
            found += try sql(.jobsOfTarget).all(slice, mark, row, end, limit) { $0.integer(0) }
            if found.count >= limit {
                found = Array(found.sorted().prefix(limit))
                end = found.last ?? end
            }
        }
        return found.sorted()
    }

    /// The keys of requests that made, or found, only one job, which is one of these.
    func requests(ofOnly jobs: [UUID]) throws(QueueError) -> [(app: Int64, key: String)] {
        let ids = jobs.map { "\"\($0.uuidString.replacing("-", with: ""))\"" }.joined(separator: ",")
        return try sql(.requestsOfJobs).all("[\(ids)]") { ($0.integer(0), $0.text(1)) }
    }

    func leases() throws(QueueError) -> [(fence: Int64, owner: String)] {
        try sql(.leases).all { ($0.integer(0), $0.text(1)) }
    }

    // MARK: Gone tokens

    func gone(among tokens: [String], app: String) throws(QueueError) -> [GoneToken] {
        guard let app = try self.app(app) else { return [] }
        var gone: [GoneToken] = []
        for token in tokens {
            if let since = try sql(.gone).first(app, TokenText.canonical(token), read: { $0.time(0) }) {
                gone.append(GoneToken(token, since: since))
            }
        }
        return gone
    }

    func gone(app: String, after cursor: String?, limit: Int) throws(QueueError) -> QueuePage<GoneToken> {
        let limit = try QueuePage<GoneToken>.checked(limit)
        let after = try QueueCursor(cursor, count: 1)
        guard let app = try self.app(app) else { return QueuePage(items: [], next: cursor) }
        let rows = try sql(.goneTokens).all(app, after?.numbers[0] ?? -1, limit) {
            (GoneToken($0.text(1), since: $0.time(2)), $0.integer(0))
        }
        return QueuePage(items: rows.map(\.0), next: rows.last.map { QueueCursor([$0.1]).text } ?? cursor)
    }

    // MARK: Records

    func record(kind: String, key: String) throws(QueueError) -> QueueServiceRecord? {
        try sql(.record).first(kind, key) {
            QueueServiceRecord(key: key, value: $0.bytes(0), version: $0.integer(1))
        }
    }

    func records(kind: String, after key: String?, limit: Int) throws(QueueError) -> [QueueServiceRecord] {
        try sql(.records).all(kind, key ?? "", max(limit, 0)) {
            QueueServiceRecord(key: $0.text(0), value: $0.bytes(1), version: $0.integer(2))
        }
    }
}

extension SQLText {
    static let app = SQLText("SELECT id FROM app WHERE name = ?1")
    fileprivate static let counts: SQLText = """
        SELECT name, held, waiting, leased, started, kept, dead_letters, accepted, rejected, unknown, not_sent
        FROM app
        """
    fileprivate static let leases = SQLText("SELECT fence, owner FROM lease")
    fileprivate static let nextDue: SQLText = """
        SELECT due FROM job INDEXED BY job_waiting WHERE state = 0 AND app = ?1 AND priority = ?2
        ORDER BY due LIMIT 1
        """
    static let appsWithWaiting = SQLText("SELECT id FROM app WHERE waiting > 0")
    static let overdue: SQLText = """
        SELECT id FROM job INDEXED BY job_waiting
        WHERE state = 0 AND app = ?1 AND priority = ?2 AND due <= ?3 AND expires <= ?3 LIMIT ?4
        """
    static let jobsOfTarget: SQLText = """
        SELECT job FROM content INDEXED BY content_target
        WHERE bucket = ?1 AND mark = ?2 AND job > ?3 AND job < ?4 ORDER BY job LIMIT ?5
        """
    static let lastSlice: SQLText = """
        SELECT bucket FROM content INDEXED BY content_target WHERE bucket < ?1 ORDER BY bucket DESC LIMIT 1
        """
    static let jobsInSlice = SQLText("SELECT count(*) FROM content INDEXED BY content_target WHERE bucket = ?1")
    /// An answer with one result has 17 bytes, the last 16 of which are the id.
    fileprivate static let requestsOfJobs: SQLText = """
        SELECT app, key FROM request NOT INDEXED WHERE state = 1 AND length(answer) = 17
            AND hex(substr(answer, 2)) IN (SELECT value FROM json_each(?1))
        """
    fileprivate static let gone = SQLText("SELECT since FROM gone WHERE app = ?1 AND token = ?2")
    fileprivate static let goneTokens: SQLText = """
        SELECT number, token, since FROM gone INDEXED BY gone_number WHERE app = ?1 AND number > ?2
        ORDER BY number LIMIT ?3
        """
    fileprivate static let record = SQLText("SELECT value, version FROM record WHERE kind = ?1 AND key = ?2")
    fileprivate static let records = SQLText(
        "SELECT key, value, version FROM record WHERE kind = ?1 AND key > ?2 ORDER BY key LIMIT ?3")
}
