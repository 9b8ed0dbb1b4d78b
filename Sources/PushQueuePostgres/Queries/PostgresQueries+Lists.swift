import PushPlatform
import PushQueue

extension PostgresQueries {
    func jobs(_ query: QueueJobQuery) throws(QueueError) -> QueuePage<QueueJobRecord> {
        let limit = try QueuePage<QueueJobRecord>.checked(query.limit)
        let list = JobList(query.filter)
        let after = try JobListCursor(query.after, list)
        guard let app = try app(query.app) else { return QueuePage(items: [], next: nil) }
        let values = [.int4(app)] + after.values + list.values(query) + [.int8(Int64(limit))]
        let cursors = try self.query(list.text, values).map { JobListCursor($0, list) }
        let records = try records(cursors.map(\.id), app: app)
        let items = cursors.compactMap { records[$0.id] }
        return QueuePage(items: items, next: cursors.count == limit ? cursors.last?.text : nil)
    }

    // MARK: Results

    func resultsEnd() throws(QueueError) -> QueueResultCursor {
        QueueResultCursor(number: try committedLimit() - 1)
    }

    func results(
        of apps: [String], after cursor: QueueResultCursor, limit: Int
    ) throws(QueueError) -> QueueResultPage {
        let limit = try QueuePage<QueueJobRecord>.checked(limit)
        let names = PostgresValue.texts(Array(Set(apps.map(\.withoutZeroBytes))))
        let committedLimit = try committedLimit()
        // A cursor beyond the end is from before a restore. Newer outcomes have numbers that it has passed, so all stored
        // outcomes are read again.
        let isFromBefore = cursor.number >= committedLimit
        let after = isFromBefore ? QueueResultCursor.start : cursor
        let rows = try query(.results, names, after.number, limit, committedLimit).map {
            (number: $0.integer(0), app: $0.int4(1), id: $0.uuid(2))
        }
        // Read after the rows: outcomes that were dropped in between are noticed.
        let dropped = try query(.dropped, names).first?.integer(0) ?? 0
        let hasGap = isFromBefore || dropped > cursor.number
        var page = QueueResultPage(items: [], cursors: [], next: after, hasGap: hasGap)
        let records = try records(of: rows.map { (app: $0.app, id: $0.id) })
        for row in rows {
            guard let record = records[row.id] else { continue }
            page.items.append(record)
            page.cursors.append(QueueResultCursor(number: row.number))
            page.next = QueueResultCursor(number: row.number)
        }
        return page
    }
}

struct JobList {
    var text: PostgresText
    var values: [PostgresValue] = []
    /// How many numbers a cursor has before the id. A list by outcome has none but its number.
    var numbers: Int
    var hasID = true
    /// Whether these are the waiting jobs. Their first number, the priority, falls, and their statement takes a time.
    var isOfWaiting = false
    /// Whether the ids fall.
    var isNewestFirst = false

    func values(_ query: QueueJobQuery) -> [PostgresValue] {
        isOfWaiting ? values + [.int8(query.dueBefore?.milliseconds ?? .max)] : values
    }

    init(_ filter: QueueJobQuery.Filter) {
        switch filter {
        case .all: (text, numbers) = (.allJobs, 0)
        case .state(.waiting): (text, numbers, isOfWaiting) = (.waitingJobs, 2, true)
        case .state(.held): (text, numbers) = (.heldLines, 2)
        case .state(.leased), .state(.started):
            let state: QueueJobState = filter == .state(.leased) ? .leased : .started
            (text, values, numbers) = (.leasedJobs, [.int2(Int16(state.rawValue))], 0)
        case .state(.finished): (text, numbers, hasID) = (.finishedList, 1, false)
        case .outcome(.accepted): (text, numbers, hasID) = (.acceptedList, 1, false)
        case .outcome(let kind):
            (text, values, numbers, hasID) = (.rareList, [.int2(Int16(kind.rawValue))], 1, false)
        case .deadLetters: (text, numbers) = (.deadLetterList, 0)
        case .target(let target):
            let bytes = StoredPostgresTarget.bytes(of: target)
            (text, values, numbers, isNewestFirst) = (.jobsWithTarget, [.bytes(bytes)], 0, true)
        case .collapseID(let id):
            (text, values, numbers, isNewestFirst) = (.jobsWithCollapseID, [.text(id.withoutZeroBytes)], 0, true)
        case .dedupeKey(let key):
            (text, values, numbers, isNewestFirst) = (.jobWithDedupeKey, [.text(key.withoutZeroBytes)], 0, true)
        }
    }
}

/// A position in a list: the numbers and the id that order it.
struct JobListCursor {
    var numbers: [Int64]
    var id: UUID
    private let list: JobList

    /// Reads the cursor of a page; the beginning for `nil`.
    init(_ text: String?, _ list: JobList) throws(QueueError) {
        self.list = list
        guard let text else {
            numbers = [Int64](repeating: -1, count: list.numbers)
            if list.isOfWaiting { numbers[0] = 99 }
            id = list.isNewestFirst ? UUID(.max, .max) : UUID(0, 0)
            return
        }
        let dropped = list.isOfWaiting ? QueueJobQuery.droppedNumber : nil
        let cursor = try QueueCursor(text, count: list.numbers + (list.hasID ? 2 : 0), dropped: dropped)
        let all = cursor?.numbers ?? []
        numbers = Array(all.prefix(list.numbers))
        id =
            list.hasID
            ? UUID(UInt64(bitPattern: all[all.count - 2]), UInt64(bitPattern: all[all.count - 1])) : UUID(0, 0)
    }

    init(_ row: PostgresRow, _ list: JobList) {
        self.list = list
        id = row.uuid(0)
        numbers = (0..<list.numbers).map { row.integer($0 + 1) }
    }

    var text: String {
        let halves = list.hasID ? [Int64(bitPattern: id.halves.0), Int64(bitPattern: id.halves.1)] : []
        return QueueCursor(numbers + halves).text
    }

    var values: [PostgresValue] { numbers.map { .int8($0) } + (list.hasID ? [.uuid(id)] : []) }
}

extension PostgresText {
    fileprivate static let allJobs: PostgresText = """
        (SELECT id FROM job WHERE app = $1::int4 AND id > $2::uuid ORDER BY id LIMIT $3::int8)
        UNION ALL
        (SELECT id FROM finished WHERE app = $1::int4 AND id > $2::uuid ORDER BY id LIMIT $3::int8)
        ORDER BY id LIMIT $3::int8
        """
    fileprivate static let waitingJobs: PostgresText = """
        SELECT next.id, next.priority, next.due
        FROM unnest(ARRAY\(QueuePriority.allCases.map(\.rawValue))::int2[]) AS p (priority) CROSS JOIN LATERAL (
            SELECT id, priority, due FROM job
            WHERE is_waiting AND app = $1::int4 AND job.priority = p.priority
                AND (due, id) > (
                    CASE WHEN p.priority < $2::int8 THEN '-9223372036854775808' ELSE $3::int8 END, $4::uuid)
                AND due < $5::int8
            ORDER BY due, id LIMIT $6::int8
        ) AS next
        WHERE p.priority <= $2::int8 ORDER BY next.priority DESC, next.due, next.id LIMIT $6::int8
        """
    fileprivate static let heldLines: PostgresText = """
        SELECT next.id, next.campaign, next.line
        FROM (
            SELECT id FROM campaign WHERE app = $1::int4 AND id >= $2::int8 AND $4::uuid IS NOT NULL
            ORDER BY id OFFSET 0
        ) AS c CROSS JOIN LATERAL (
            SELECT id, campaign, line FROM job
            WHERE is_held AND job.campaign = c.id AND app = $1::int4
                AND line > CASE WHEN c.id > $2::int8 THEN -1 ELSE $3::int8 END
            ORDER BY line LIMIT $5::int8
        ) AS next
        ORDER BY c.id, next.line LIMIT $5::int8
        """
    fileprivate static let leasedJobs: PostgresText = """
        SELECT found.id FROM (
            SELECT DISTINCT leased.id FROM lease CROSS JOIN unnest(lease.jobs) AS leased (id)
            WHERE leased.id > $2::uuid ORDER BY leased.id OFFSET 0
        ) AS leased CROSS JOIN LATERAL (
            SELECT id FROM job WHERE app = $1::int4 AND job.id = leased.id AND state = $3::int2 OFFSET 0) AS found
        ORDER BY leased.id LIMIT $4::int8
        """
    private static func finished(_ app: String = "app::int8", _ condition: String = "", limit: Int) -> String {
        """
        SELECT id, number FROM finished
        WHERE \(app) = $1::int4 AND number > $2::int8 \(condition) ORDER BY number LIMIT $\(limit)::int8
        """
    }
    fileprivate static let finishedList = PostgresText(finished(limit: 3))
    fileprivate static let acceptedList = PostgresText(finished("app::int8", "AND outcome = 0", limit: 3))
    fileprivate static let rareList = PostgresText(
        finished("app", "AND outcome = $3::int2 AND outcome <> 0", limit: 4))
    fileprivate static let deadLetterList: PostgresText = """
        SELECT job FROM dead_letter WHERE app = $1::int4 AND job > $2::uuid AND redriven_as IS NULL
        ORDER BY job LIMIT $3::int8
        """

    static let jobsWithTarget: PostgresText = """
        SELECT job FROM content
        WHERE \(PostgresSchema.targetPart("target")) = \(PostgresSchema.targetPart("$3::bytea"))
            AND \(PostgresSchema.targetMark("target")) = \(PostgresSchema.targetMark("$3::bytea"))
            AND job < $2::uuid AND target = $3::bytea AND app + 0 = $1::int4
        ORDER BY job DESC LIMIT $4::int8
        """
    /// The details of a push with the asked collapse id.
    private static let pushWithCollapseID = #"convert_to('{"collapse_id":' || to_json($3::text)::text || '}', 'UTF8')"#
    /// What is in the caller's `ref` is not of the push. The members of details are sorted, so that stands behind the collapse id.
    static let jobsWithCollapseID: PostgresText = """
        SELECT job FROM content
        WHERE \(PostgresSchema.hasCollapseID("push")) AND app::int8 = $1::int4 AND job < $2::uuid
            AND \(PostgresSchema.collapseID("push")) = \(PostgresSchema.collapseID(pushWithCollapseID))
            AND split_part(encode(push, 'escape'), '"collapse_id":"', 1) NOT LIKE '%"ref":%'
        ORDER BY job DESC LIMIT $4::int8
        """
    fileprivate static let jobWithDedupeKey: PostgresText = """
        SELECT job FROM dedupe WHERE app = $1::int4 AND key = $3::text AND job < $2::uuid ORDER BY job DESC LIMIT $4::int8
        """

    fileprivate static let dropped = PostgresText(
        "SELECT coalesce(max(dropped), 0) FROM app WHERE name = ANY ($1::text[])")
    static let results: PostgresText = """
        SELECT result.number, app.id, result.id FROM app CROSS JOIN LATERAL (
            SELECT number, id FROM finished
            WHERE finished.app::int8 = app.id AND number > $2::int8 AND number < $4::int8 ORDER BY number LIMIT $3::int8
        ) AS result
        WHERE app.name = ANY ($1::text[]) ORDER BY result.number LIMIT $3::int8
        """
}
