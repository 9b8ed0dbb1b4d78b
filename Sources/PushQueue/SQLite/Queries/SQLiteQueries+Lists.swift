extension SQLiteQueries {
    func jobs(_ query: QueueJobQuery) throws(QueueError) -> QueuePage<QueueJobRecord> {
        let limit = try QueuePage<QueueJobRecord>.checked(query.limit)
        guard let app = try app(query.app) else {
            let dropped = query.filter == .state(.waiting) ? QueueJobQuery.droppedNumber : nil
            _ = try QueueCursor(query.after, count: query.cursorNumberCount, dropped: dropped)
            return QueuePage(items: [], next: nil)
        }
        let listed: [ListedJob]
        switch query.filter {
        case .all: listed = try ordered(.jobsOfApp, app, query, limit)
        case .state(.waiting): listed = try waiting(app, query, limit)
        case .state(.held): listed = try heldLines(app, query, limit)
        case .state(.leased): listed = try held(.leased, app, query, limit)
        case .state(.started): listed = try held(.started, app, query, limit)
        case .state(.finished): listed = try ordered(.finished, app, query, limit)
        case .outcome(.accepted): listed = try ordered(.accepted, app, query, limit)
        case .outcome(let kind): listed = try ordered(.rare, app, query, limit, kind)
        case .deadLetters: listed = try ordered(.deadLetters, app, query, limit)
        case .target(let target):
            listed = try ofTarget(StoredTarget(target), app, try before(query), limit)
        case .collapseID(let id):
            listed = try sql(.ofCollapseID).all(app, try before(query), limit, id, read: newest)
        case .dedupeKey(let key):
            listed = try sql(.ofDedupeKey).all(app, try before(query), limit, key, read: newest)
        }
        var records: [QueueJobRecord] = []
        for job in listed { if let record = try record(job.row) { records.append(record) } }
        return QueuePage(items: records, next: listed.count == limit ? listed.last?.cursor.text : nil)
    }

    private struct ListedJob {
        var row: Int64
        var cursor: QueueCursor
    }

    /// The position of a list that has the newest jobs first.
    private func before(_ query: QueueJobQuery) throws(QueueError) -> Int64 {
        try QueueCursor(query.after, count: 1)?.numbers[0] ?? .max
    }

    private func newest(_ row: borrowing SQLRow) -> ListedJob {
        ListedJob(row: row.integer(0), cursor: QueueCursor([row.integer(0)]))
    }

    private func ordered(
        _ statement: SQLText, _ app: Int64, _ query: QueueJobQuery, _ limit: Int,
        _ kind: QueueJobOutcome.Kind? = nil
    ) throws(QueueError) -> [ListedJob] {
        let after = try QueueCursor(query.after, count: 1)?.numbers[0] ?? -1
        func listed(_ row: borrowing SQLRow) -> ListedJob {
            ListedJob(row: row.integer(1), cursor: QueueCursor([row.integer(0)]))
        }
        guard let kind else { return try sql(statement).all(app, after, limit, read: listed) }
        return try sql(statement).all(app, after, limit, kind.rawValue, read: listed)
    }

    /// The newest jobs of a target before a row, of all slices. As soon as there are enough, only newer ones are looked for.
    private func ofTarget(
        _ target: StoredTarget, _ app: Int64, _ before: Int64, _ limit: Int
    ) throws(QueueError) -> [ListedJob] {
        var (listed, after, slice) = ([ListedJob](), Int64(-1), Int64.max)
        while let next = try sql(.lastSlice).first(slice, read: { $0.integer(0) }) {
            slice = next
            listed += try sql(.ofTarget).all(app, before, limit, slice, target.mark, target, after, read: newest)
            listed.sort { $0.row > $1.row }
            if listed.count >= limit {
                listed.removeLast(listed.count - limit)
                after = listed.last?.row ?? after
            }
        }
        return listed
    }

    /// The waiting jobs, in the order in which they are claimed.
    private func waiting(_ app: Int64, _ query: QueueJobQuery, _ limit: Int) throws(QueueError) -> [ListedJob] {
        let cursor = try QueueCursor(query.after, count: 3, dropped: QueueJobQuery.droppedNumber)?.numbers
        var listed: [ListedJob] = []
        for priority in QueuePriority.allCases.reversed() where listed.count < limit {
            if let cursor, cursor[0] < Int64(priority.rawValue) { continue }
            let after = cursor.flatMap { $0[0] == Int64(priority.rawValue) ? $0 : nil } ?? [0, -1, -1]
            listed += try sql(.waiting).all(
                app, priority.rawValue, after[1], after[2], limit - listed.count,
                query.dueBefore?.milliseconds ?? .max
            ) {
                ListedJob(
                    row: $0.integer(1),
                    cursor: QueueCursor([Int64(priority.rawValue), $0.integer(0), $0.integer(1)]))
            }
        }
        return listed
    }

    /// The held lines, campaign after campaign.
    private func heldLines(_ app: Int64, _ query: QueueJobQuery, _ limit: Int) throws(QueueError) -> [ListedJob] {
        let after = try QueueCursor(query.after, count: 2)?.numbers ?? [-1, -1]
        var listed: [ListedJob] = []
        for campaign in try sql(.campaignsOfApp).all(app, after[0], read: { $0.integer(0) })
        where listed.count < limit {
            let line = campaign == after[0] ? after[1] : -1
            listed += try sql(.heldLines).all(campaign, line, limit - listed.count) {
                ListedJob(row: $0.integer(0), cursor: QueueCursor([campaign, $0.integer(1)]))
            }
        }
        return listed
    }

    /// The jobs that workers have, in the order of their ids. They are read from the leases, because no index has them.
    private func held(
        _ state: QueueJobState, _ app: Int64, _ query: QueueJobQuery, _ limit: Int
    ) throws(QueueError) -> [ListedJob] {
        let after = try QueueCursor(query.after, count: 1)?.numbers[0] ?? -1
        let rows = Set(try sql(.members).all { $0.bytes(0) }.flatMap { QueueTransaction.rowsOfLease($0) })
        var listed: [ListedJob] = []
        for row in rows.filter({ $0 > after }).sorted() where listed.count < limit {
            if try sql(.isInState).first(row, app, state.rawValue, read: { _ in true }) != nil {
                listed.append(ListedJob(row: row, cursor: QueueCursor([row])))
            }
        }
        return listed
    }

    // MARK: Results

    func resultsEnd() throws(QueueError) -> QueueResultCursor {
        QueueResultCursor(number: try sql(.lastNumber).first { $0.integer(0) } ?? 0)
    }

    func results(
        of apps: [String], after cursor: QueueResultCursor, limit: Int
    ) throws(QueueError) -> QueueResultPage {
        let limit = try QueuePage<QueueJobRecord>.checked(limit)
        var found: [(number: Int64, row: Int64)] = []
        // A cursor beyond the end is from before a restore. Newer results have smaller numbers than this cursor, so all
        // results are read again.
        var hasGap = try cursor > resultsEnd()
        let cursor = hasGap ? QueueResultCursor(number: 0) : cursor
        for name in Set(apps) {
            guard let app = try app(name) else { continue }
            found += try sql(.finished).all(app, cursor.number, limit) { ($0.integer(0), $0.integer(1)) }
            if let dropped = try sql(.dropped).first(app, read: { $0.integer(0) }), dropped > cursor.number {
                hasGap = true
            }
        }
        var page = QueueResultPage(items: [], cursors: [], next: cursor, hasGap: hasGap)
        for result in found.sorted(by: { $0.number < $1.number }).prefix(limit) {
            guard let record = try record(result.row) else { continue }
            page.items.append(record)
            page.cursors.append(QueueResultCursor(number: result.number))
            page.next = QueueResultCursor(number: result.number)
        }
        return page
    }
}

extension QueueJobQuery {
    fileprivate var cursorNumberCount: Int {
        switch filter {
        case .state(.waiting): 3
        case .state(.held): 2
        default: 1
        }
    }
}

extension SQLText {
    fileprivate static let campaignsOfApp = SQLText(
        "SELECT id FROM campaign INDEXED BY campaign_app WHERE app = ?1 AND id >= ?2 AND held > 0 ORDER BY id")
    fileprivate static let heldLines: SQLText = """
        SELECT id, line FROM job INDEXED BY job_campaign
        WHERE campaign = ?1 AND state = 4 AND state IN (0, 4) AND line > ?2 ORDER BY line LIMIT ?3
        """
    fileprivate static let jobsOfApp = SQLText(
        "SELECT id, id FROM job INDEXED BY job_app WHERE app = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
    fileprivate static let lastNumber = SQLText("SELECT sequence FROM clock")
    fileprivate static let finished = SQLText(
        "SELECT sequence, job FROM result WHERE app = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3")
    fileprivate static let accepted: SQLText = """
        SELECT sequence, job FROM result WHERE app = ?1 AND sequence > ?2 AND outcome = 0 ORDER BY sequence LIMIT ?3
        """
    fileprivate static let rare: SQLText = """
        SELECT sequence, job FROM result INDEXED BY result_rare
        WHERE app = ?1 AND outcome = ?4 AND outcome <> 0 AND sequence > ?2 ORDER BY sequence LIMIT ?3
        """
    fileprivate static let deadLetters: SQLText = """
        SELECT job, job FROM dead_letter WHERE app = ?1 AND job > ?2 AND redriven_as IS NULL ORDER BY job LIMIT ?3
        """
    fileprivate static let waiting: SQLText = """
        SELECT due, id FROM job INDEXED BY job_waiting
        WHERE state = 0 AND app = ?1 AND priority = ?2 AND (due, id) > (?3, ?4) AND due < ?6
        ORDER BY due, id LIMIT ?5
        """
    static let ofTarget: SQLText = """
        SELECT c.job FROM content AS c INDEXED BY content_target CROSS JOIN job ON job.id = c.job
        WHERE c.bucket = ?4 AND c.mark = ?5 AND c.job < ?2 AND c.job > ?7 AND c.target = ?6 AND job.app = ?1
        ORDER BY c.job DESC LIMIT ?3
        """
    static let ofCollapseID: SQLText = """
        SELECT content.job FROM content INDEXED BY content_collapse CROSS JOIN job ON job.id = content.job
        WHERE \(QueueSchema.hasCollapseID) AND \(QueueSchema.part(of: QueueSchema.collapseID)) = \(QueueSchema.part(of: "?4"))
            AND content.job < ?2 AND \(QueueSchema.collapseID) = ?4 AND job.app = ?1
        ORDER BY content.job DESC LIMIT ?3
        """
    static let ofDedupeKey = SQLText(
        "SELECT job FROM dedupe WHERE app = ?1 AND key = ?4 AND job < ?2 ORDER BY job DESC LIMIT ?3")
    fileprivate static let members = SQLText("SELECT jobs FROM lease")
    fileprivate static let isInState = SQLText("SELECT 1 FROM job WHERE id = ?1 AND app = ?2 AND state = ?3")
    fileprivate static let dropped = SQLText("SELECT dropped FROM app WHERE id = ?1")
}
