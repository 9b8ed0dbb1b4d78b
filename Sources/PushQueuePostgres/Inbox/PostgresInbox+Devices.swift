import PushPlatform
package import PushQueue

/// A device whose rows are looked for.
package struct InboxDevice: Sendable {
    /// The device token in lower-case letters.
    let token: String
    /// Whether a push has the token. Only its reader knows every way in which it can be written.
    let has: @Sendable (_ push: [UInt8]) -> Bool

    package init(_ token: String, has: @escaping @Sendable (_ push: [UInt8]) -> Bool) {
        (self.token, self.has) = (token, has)
    }
}

/// The key of a row or of an outcome, at which a search goes on. Rows of two transactions can have the same id.
package struct InboxRowKey: Sendable {
    fileprivate var xact: String
    fileprivate var id: UUID

    fileprivate static let start = Self(xact: "0", id: UUID(0, 0))
}

/// What is kept of devices: to erase it, or to hand it out.
extension PostgresInbox {
    /// Erases rows and outcomes: of a device in an app or in all, or of an app.
    ///
    /// - Returns: How many.
    package func erase(_ device: InboxDevice?, app: String?) async throws(QueueError) -> Int {
        try await devices.run { [self] (connection) throws(QueueError) in
            try connection.waiting(Self.longestScan) { () throws(QueueError) in
                let reachesOutcomes = try reachesOutcomes(connection)
                try requireVisible(["inbox"] + (reachesOutcomes ? ["outcome", "position"] : []), connection)
                var count = 0
                if let device {
                    var place: InboxRowKey? = .start
                    while let here = place {
                        let page = try rows(of: device, app, after: here, connection)
                        let erased = try connection.run(
                            page.keys.map { PostgresStatement("DELETE FROM \(ofKey)", $0.xact, $0.id) })
                        count += erased.reduce(0) { $0 + $1.affected }
                        place = page.next
                    }
                } else {
                    count += try connection.run("DELETE FROM \(schema).inbox WHERE app = $1::text", app).affected
                }
                guard reachesOutcomes else { return count }
                if copiesOutcomes {
                    // Outcomes that are being stored are waited for, and those that were read before are not stored any more.
                    try connection.execute(
                        """
                        BEGIN; SET LOCAL lock_timeout = '300s'; UPDATE \(schema).position SET cursor = cursor WHERE queue <> ''; COMMIT
                        """)
                }
                return try count
                    + connection.run(
                        """
                        DELETE FROM \(schema).outcome
                        WHERE ($1::text IS NULL OR token = $1::text) AND ($2::text IS NULL OR app = $2::text)
                        """, device?.token, app
                    ).affected
            }
        }
    }

    /// The rows or the outcomes of a device in an app or in all, as JSON objects, page by page.
    ///
    /// A row that is moved in the meantime is in the queue afterwards. So its rows are read before the queue, and the outcomes last.
    ///
    /// - Returns: The next objects, and where to continue; no place at the end.
    package func export(
        _ part: ExportPart, of device: InboxDevice, app: String?, after place: InboxRowKey? = nil
    ) async throws(QueueError) -> (lines: [[UInt8]], next: InboxRowKey?) {
        try await devices.run { [self] (connection) throws(QueueError) in
            try connection.waiting(Self.longestScan) { () throws(QueueError) in
                var (place, keys) = (place ?? .start, [InboxRowKey]())
                switch part {
                case .rows:
                    try requireVisible(["inbox"], connection)
                    var next: InboxRowKey? = place
                    while let here = next, keys.isEmpty {
                        (keys, next) = try rows(of: device, app, after: here, connection)
                    }
                    // Line ends in JSON can only be between its parts.
                    let object: PostgresText = """
                        SELECT pg_catalog.json_build_object('app', app, 'inbox', pg_catalog.json_build_object(
                            'id', id, 'at', \(Self.time("at")), 'push', translate(push::text, E'\\n\\r', '  ')::json))::text FROM \(ofKey)
                        """
                    let lines = try connection.run(keys.map { PostgresStatement(object, $0.xact, $0.id) })
                    // A row that was moved by now is in the queue.
                    return (lines.compactMap { $0.first?.bytes(0) }, next)
                case .outcomes:
                    guard try reachesOutcomes(connection) else { return ([], nil) }
                    try requireVisible(["outcome"], connection)
                    let rows = try connection.run(
                        """
                        SELECT id, pg_catalog.json_build_object('app', app, 'inbox_outcome', pg_catalog.json_build_object(
                            'id', id, 'token', token, 'outcome', outcome, 'reason', reason, 'status', status, 'detail', detail,
                            'gone_since', \(Self.time("gone_since")), 'at', \(Self.time("at"))))::text
                        FROM \(schema).outcome
                        WHERE token = $1::text AND ($2::text IS NULL OR app = $2::text) AND id > $3::uuid
                        ORDER BY id LIMIT \(Self.page)
                        """, device.token, app, place.id)
                    if let last = rows.map({ $0.uuid(0) }).last { place.id = last }
                    return (rows.map { $0.bytes(1) }, rows.count < Self.page ? nil : place)
                }
            }
        }
    }

    package enum ExportPart: Sendable {
        case rows, outcomes
    }

    private var ofKey: String { "\(schema).inbox WHERE xact = $1::text::xid8 AND id = $2::uuid" }

    private static func time(_ column: String) -> String {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    /// Whether outcomes are erased and exported. Without any coming back, the role may lack the rights; with the rights, there may be some of
    /// earlier, or of another service.
    private func reachesOutcomes(_ connection: PostgresConnection) throws(QueueError) -> Bool {
        if copiesOutcomes { return true }
        let name = InboxContract.literal("\(schema).outcome")
        let right = "SELECT has_table_privilege(\(name), 'SELECT') AND has_table_privilege(\(name), 'DELETE')"
        return try connection.run(PostgresText(right)).first?.bool(0) ?? false
    }

    /// The rows of a device among the next ones, and where to continue; no place at the end.
    private func rows(
        of device: InboxDevice, _ app: String?, after place: InboxRowKey, _ connection: PostgresConnection
    ) throws(QueueError) -> (keys: [InboxRowKey], next: InboxRowKey?) {
        // As text, because JSON that is invalid for PostgreSQL would stop everything.
        let found = try connection.run(
            """
            SELECT xact::text, id, push, listed FROM (
                SELECT xact, id, push, count(*) OVER () AS listed,
                    sum(octet_length(push)) OVER (ORDER BY xact, id) - octet_length(push) AS before
                FROM (
                    SELECT xact, id, push::text FROM \(schema).inbox AS i
                    WHERE (xact, id) > ($1::text::xid8, $2::uuid) AND ($3::text IS NULL OR app = $3::text)
                    ORDER BY i.xact, i.id LIMIT \(Self.page)
                ) AS page
            ) AS summed WHERE before < \(Self.maximumBytes) ORDER BY summed.xact, summed.id
            """, place.xact, place.id, app
        ).map { row in
            let key = InboxRowKey(xact: row.text(0), id: row.uuid(1))
            return (key: key, isOwn: device.has(row.bytes(2)), listed: row.number(3))
        }
        let isLast = found.count < Self.page && found.count == found.last?.listed ?? 0
        return (found.filter(\.isOwn).map(\.key), isLast ? nil : found.last?.key)
    }

    /// The maximum number of rows or outcomes that are read at once. Rows are fewer if they have ``maximumBytes`` before.
    static let page = 100
    /// How long one statement takes at most that reads all outcomes. There may be millions.
    private static let longestScan = Duration.seconds(600)
}
