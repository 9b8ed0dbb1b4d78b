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
                var count = 0
                if let device {
                    var place: InboxRowKey? = .start
                    while let here = place {
                        let page = try rows(of: device, app, after: here, connection)
                        let erased = try connection.run(
                            page.keys.map { PostgresStatement(deviceTexts.eraseRow, $0.xact, $0.id) })
                        count += erased.reduce(0) { $0 + $1.affected }
                        place = page.next
                    }
                } else {
                    count += try connection.run(deviceTexts.eraseRows, app).affected
                }
                guard try reachesOutcomes(connection) else { return count }
                if copiesOutcomes {
                    // Outcomes that are being stored are waited for, and those that were read before are not stored any more.
                    _ = try connection.run(
                        [PostgresText.begin, deviceTexts.patient, deviceTexts.renew, .commit].map {
                            PostgresStatement($0)
                        })
                }
                return try count + connection.run(deviceTexts.eraseOutcomes, device?.token, app).affected
            }
        }
    }

    /// The rows or the outcomes of a device in an app, as JSON objects, page by page.
    ///
    /// A row that is moved in the meantime is in the queue afterwards. So its rows are read before the queue, and the outcomes last.
    ///
    /// - Returns: The next objects, and where to continue; no place at the end.
    package func export(
        _ part: ExportPart, of device: InboxDevice, app: String, after place: InboxRowKey? = nil
    ) async throws(QueueError) -> (lines: [[UInt8]], next: InboxRowKey?) {
        try await devices.run { [self] (connection) throws(QueueError) in
            try connection.waiting(Self.longestScan) { () throws(QueueError) in
                var (place, keys) = (place ?? .start, [InboxRowKey]())
                switch part {
                case .rows:
                    var next: InboxRowKey? = place
                    while let here = next, keys.isEmpty {
                        (keys, next) = try rows(of: device, app, after: here, connection)
                    }
                    let lines = try connection.run(
                        keys.map { PostgresStatement(deviceTexts.exportRow, $0.xact, $0.id) })
                    // A row that was moved by now is in the queue.
                    return (lines.compactMap { $0.first?.bytes(0) }, next)
                case .outcomes:
                    guard try reachesOutcomes(connection) else { return ([], nil) }
                    let rows = try connection.run(deviceTexts.exportOutcomes, device.token, app, place.id)
                    if let last = rows.map({ $0.uuid(0) }).last { place.id = last }
                    return (rows.map { $0.bytes(1) }, rows.count < Self.page ? nil : place)
                }
            }
        }
    }

    /// What is exported of an inbox.
    package enum ExportPart: Sendable {
        case rows, outcomes
    }

    /// Whether outcomes are erased and exported. Without any coming back, the role may lack the rights; with the rights, there may be some of
    /// earlier, or of another service.
    private func reachesOutcomes(_ connection: PostgresConnection) throws(QueueError) -> Bool {
        if copiesOutcomes { return true }
        return try connection.run(deviceTexts.mayUseOutcomes).first?.bool(0) ?? false
    }

    /// The rows of a device among the next ones, and where to continue; no place at the end.
    private func rows(
        of device: InboxDevice, _ app: String?, after place: InboxRowKey, _ connection: PostgresConnection
    ) throws(QueueError) -> (keys: [InboxRowKey], next: InboxRowKey?) {
        let found = try connection.run(deviceTexts.scan, place.xact, place.id, app).map { row in
            (key: InboxRowKey(xact: row.text(0), id: row.uuid(1)), isOwn: device.has(row.bytes(2)))
        }
        return (found.filter(\.isOwn).map(\.key), found.count < Self.page ? nil : found.last?.key)
    }

    /// The maximum number of rows or outcomes that are read at once. A row has at most 200,000 bytes.
    static let page = 100
    /// How long one statement takes at most that reads all outcomes. There may be millions.
    private static let longestScan = Duration.seconds(600)

    /// The statements.
    struct DeviceTexts: Sendable {
        let renew, mayUseOutcomes, scan, eraseRow, eraseRows, eraseOutcomes, exportRow, exportOutcomes: PostgresText

        let patient = PostgresText("SET LOCAL lock_timeout = '300s'")

        init(_ schema: String) {
            renew = PostgresText("UPDATE \(schema).position SET cursor = cursor WHERE queue <> ''")
            let outcome = InboxContract.literal("\(schema).outcome")
            mayUseOutcomes = PostgresText(
                "SELECT has_table_privilege(\(outcome), 'SELECT') AND has_table_privilege(\(outcome), 'DELETE')")
            // As text, because JSON that is invalid for PostgreSQL would stop everything.
            scan = PostgresText(
                """
                SELECT xact::text, id, push::text FROM \(schema).inbox AS i
                WHERE (xact, id) > ($1::text::xid8, $2::uuid) AND ($3::text IS NULL OR app = $3::text)
                ORDER BY i.xact, i.id LIMIT \(PostgresInbox.page)
                """)
            let ofKey = "\(schema).inbox WHERE xact = $1::text::xid8 AND id = $2::uuid"
            let ofApp = "($2::text IS NULL OR app = $2::text)"
            eraseRow = PostgresText("DELETE FROM \(ofKey)")
            eraseRows = PostgresText("DELETE FROM \(schema).inbox WHERE app = $1::text")
            eraseOutcomes = PostgresText(
                "DELETE FROM \(schema).outcome WHERE ($1::text IS NULL OR token = $1::text) AND \(ofApp)")
            func time(_ column: String) -> String {
                "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
            }
            // Line ends in JSON can only be between its parts.
            exportRow = PostgresText(
                """
                SELECT json_build_object('app', app, 'inbox', json_build_object(
                    'id', id, 'at', \(time("at")), 'push', translate(push::text, E'\\n\\r', '  ')::json))::text FROM \(ofKey)
                """)
            exportOutcomes = PostgresText(
                """
                SELECT id, json_build_object('app', app, 'inbox_outcome', json_build_object(
                    'id', id, 'token', token, 'outcome', outcome, 'reason', reason, 'status', status, 'detail', detail,
                    'gone_since', \(time("gone_since")), 'at', \(time("at"))))::text
                FROM \(schema).outcome WHERE token = $1::text AND app = $2::text AND id > $3::uuid
                ORDER BY id LIMIT \(PostgresInbox.page)
                """)
        }
    }
}
