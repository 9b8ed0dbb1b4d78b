internal import NIOConcurrencyHelpers
package import PushPlatform
package import PushQueue

/// An inbox in a database of a user: committed rows that become pushes, and the table that gets their outcomes.
///
/// One mover takes rows at a time: ``take(served:from:)``, then ``clear(_:)``. The rows stay locked in between, so that the
/// movers of other workers take others.
package final class PostgresInbox: Sendable {
    /// A row that was taken.
    package struct Row: Sendable {
        package var id: UUID
        package var app: String
        /// The object as the user wrote it, which may be invalid.
        package var push: [UInt8]
        /// How long ago it was inserted, by the clock of its server.
        package var age: Duration
        /// Whether the role that inserted it may send pushes of the app.
        package var isAllowed: Bool
        /// Where the row is as long as it is locked.
        fileprivate var place: String
    }

    /// Where the next rows are.
    private struct Place {
        /// Before it, there is no row.
        var floor = InboxFloor()
        /// The apps for which that is true.
        var served: [String] = []
        /// The last row that was taken since the place was reset.
        var last: (xact: String, id: UUID)?
        /// When ``last`` is forgotten. Rows before it may have been committed after it, or were locked.
        var lastUntil = ContinuousClock.now
    }

    package let contract: InboxContract
    package let address: PostgresAddress
    /// Whether outcomes come back, so that the service needs its rights to their table.
    let copiesOutcomes: Bool
    /// The thread of the mover. A slow trigger on outcomes must not hold it up.
    private let mover: PostgresThread
    /// The thread of erasures and exports, which read whole tables. Outcomes must not wait for them.
    let devices: PostgresThread
    /// The thread of everything else.
    let others: PostgresThread
    private let place = NIOLockedValueBox(Place())
    let ages = NIOLockedValueBox(InboxAges())
    private let texts: Texts
    let lookPace: Duration

    static let maximumRows = 500
    /// The maximum number of bytes of the pushes that are read at once, unless one has more. Each is in memory about five times: in the
    /// answer of the server, as a row, as an entry, as a job, and in the statement of the queue.
    static let maximumBytes = 2 << 20

    /// How long it takes at most to pass rows of apps that are not served, or whose queue is full. There may be millions.
    private static let longestLook = Duration.seconds(120)

    /// Creates an inbox. It connects when it is first used.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - contract: The tables.
    ///   - copiesOutcomes: Whether outcomes come back.
    ///   - lookPace: How often all rows are looked at, and not only new ones. With many rows that are gone and not vacuumed, it takes a while.
    ///   - options: How long it waits for the server.
    package init(
        _ address: PostgresAddress, _ contract: InboxContract, copiesOutcomes: Bool = true,
        lookPace: Duration = .seconds(60), options: PostgresQueueOptions = PostgresQueueOptions()
    ) {
        (self.address, self.contract, self.copiesOutcomes) = (address, contract, copiesOutcomes)
        self.lookPace = lookPace
        var settings = options.writingSettings
        (settings.oldestVersion, settings.leavesSchema) = (13, true)
        // PostgreSQL 13 does not have them.
        for name in ["client_connection_check_interval", "idle_session_timeout"] { settings.serverSettings[name] = nil }
        mover = PostgresThread(name: "inbox-move", address: address, settings: settings)
        devices = PostgresThread(name: "inbox-devices", address: address, settings: settings)
        others = PostgresThread(name: "inbox-feed", address: address, settings: settings)
        texts = Texts(contract.quoted)
    }

    var schema: String { contract.quoted }

    /// Only rows of transactions from this one on are looked for, and those of transactions that ran.
    var firstTransaction: UInt64 { place.withLockedValue { $0.floor.first } }

    /// Takes the next rows, and keeps them locked.
    ///
    /// - Parameters:
    ///   - served: All apps of the service.
    ///   - open: Those whose rows can be taken now.
    ///   - withoutUsers: Those of them whose pushes to users cannot. A push with the word "user" elsewhere waits, too.
    ///   - isAhead: Whether rows of other apps are passed, and taken later. It reads all rows until it has enough.
    /// - Returns: The rows; none if there are none, or others have locked them.
    /// - Throws: ``QueueError``.
    package func take(
        served: [String], from open: [String], withoutUsers: [String] = [], isAhead: Bool = false
    ) async throws(QueueError) -> [Row] {
        try await mover.run { [place, texts, address, contract, lookPace] (connection) throws(QueueError) in
            var state = place.withLockedValue { $0 }
            // A server that took over, or was restored, may have lower numbers of transactions.
            if connection.namesSoFar == 0 || state.served != served { state = Place(served: served) }
            if state.lastUntil < .now { state.last = nil }
            if state.floor.until < .now { state.floor = InboxFloor(until: .now + lookPace) }
            let (last, lastUntil) = (state.last, state.lastUntil)
            if isAhead { state.last = nil }
            defer {
                if isAhead { (state.last, state.lastUntil) = (last, lastUntil) }
                place.withLockedValue { $0 = state }
            }
            return try connection.waiting(Self.longestLook) { () throws(QueueError) in
                let (first, running) = (String(state.floor.first), state.floor.running.map(\.description))
                guard let found = try connection.run(texts.poll, first, served, running).first else { return [] }
                for (column, table) in [(1, "inbox"), (2, "sender")] where found.bool(column) {
                    // A plan that hides rows outlives the role's change to BYPASSRLS.
                    throw connection.fail(.hiddenRows(table, address, contract))
                }
                if found.bool(3) { throw connection.fail(.dividedTable("inbox", address, contract)) }
                if found.bool(6) { throw connection.fail(.copiedInbox(address, contract)) }
                let oldest = found.optional(4) { UInt64(clamping: $0.integer($1)) }
                let left = found.integers(5).map { UInt64(clamping: $0) }
                state.floor.looked(found.text(0), oldest: oldest, left: left)
                guard oldest != nil || !left.isEmpty else {
                    state.last = nil
                    return []
                }
                let rows = try Self.take(open, withoutUsers, connection, texts, &state)
                if rows.isEmpty {
                    state.last = nil
                    try connection.execute("ROLLBACK")
                }
                return rows
            }
        }
    }

    private static func take(
        _ open: [String], _ withoutUsers: [String], _ connection: PostgresConnection, _ texts: Texts,
        _ state: inout Place
    ) throws(QueueError) -> [Row] {
        var start = (xact: String(state.floor.first), id: UUID(0, 0))
        if let last = state.last, let xact = UInt64(last.xact), xact >= state.floor.first { start = last }
        let running = state.floor.running.map(\.description)
        let lists = try connection.run([
            PostgresStatement(.begin), PostgresStatement(texts.soon),
            PostgresStatement(texts.listRunning, running, open, withoutUsers),
            PostgresStatement(texts.listNew, start.xact, start.id, open, withoutUsers),
        ])
        var (places, bytes): ([String], Int) = ([], 0)
        for (list, isNew) in [(lists[2], false), (lists[3], true)] {
            for row in list.map(\.self) {
                bytes += row.number(1)
                guard places.isEmpty || (places.count < maximumRows && bytes <= maximumBytes) else { break }
                places.append(row.text(0))
                if isNew {
                    if state.last == nil { state.lastUntil = .now + .seconds(1) }
                    state.last = (row.text(2), row.uuid(3))
                }
            }
        }
        guard !places.isEmpty else { return [] }
        let rows = try connection.run(texts.read, places)
        let order = Dictionary(places.enumerated().map { ($1, $0) }) { first, _ in first }
        return rows.map { row in
            let age = Duration.milliseconds(max(row.integer(4), 0))
            let read = Row(
                id: row.uuid(1), app: row.text(2), push: row.bytes(3), age: age, isAllowed: row.bool(5),
                place: row.text(0))
            return (index: order[read.place] ?? 0, row: read)
        }.sorted { $0.index < $1.index }.map(\.row)
    }

    /// Deletes rows that were taken, and unlocks the others. If the server loses this, they are taken again, and found in the queue by their ids.
    ///
    /// - Throws: ``QueueError`` if the connection broke in between: then others may have them.
    package func clear(_ rows: [Row]) async throws(QueueError) {
        let places = rows.map(\.place)
        try await mover.run { [texts, address, contract] (connection) throws(QueueError) in
            try Self.requireTaken(connection, address)
            let deleted = try connection.run([PostgresStatement(texts.delete, places), PostgresStatement(.commit)])
            guard deleted[0].affected == places.count else {
                throw QueueError(
                    .unusable,
                    """
                    A trigger or a rule on the table \(contract.quoted).inbox of \(address) keeps rows from being deleted. They're in the \
                    queue, and each is sent once. Remove the trigger or the rule.
                    """)
            }
        }
    }

    /// Asks the server whether the rows that were taken are locked still. If so, no erasure that has ended by now has missed them.
    ///
    /// - Throws: ``QueueError`` if the connection broke.
    package func checkTaken() async throws(QueueError) {
        try await mover.run { [address] (connection) throws(QueueError) in
            try Self.requireTaken(connection, address)
            try connection.execute("SELECT")
        }
    }

    /// On another connection, the same places may be those of other rows.
    private static func requireTaken(
        _ connection: PostgresConnection, _ address: PostgresAddress
    ) throws(QueueError) {
        guard connection.isInTransaction else {
            throw QueueError(.unreachable, "The connection to \(address) broke. Rows of the inbox are moved again.")
        }
    }

    /// Leaves the rows that were taken where they are.
    package func giveBack() async {
        place.withLockedValue { $0.last = nil }
        try? await mover.run { (connection) throws(QueueError) in
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
        }
    }

    /// Closes the connections. Rows that are taken stay.
    package func close() async {
        for thread in [mover, devices, others] { await thread.stop() }
    }
}

extension PostgresInbox {
    private struct Texts: Sendable {
        let poll, listRunning, listNew, read, delete: PostgresText
        let soon = PostgresText("SET LOCAL synchronous_commit = off")

        init(_ schema: String) {
            // Without locks: only a poll that sees every row may say where the first one is. Index entries of rows that were gone at the
            // last poll are not read, also while a dump keeps them.
            // If somebody turns on row-level security, rows are hidden: nothing would be sent, or every row would be forbidden.
            poll = PostgresText(
                """
                SELECT pg_current_snapshot()::text, \(PostgresInbox.areHidden("inbox", schema)),
                    \(PostgresInbox.areHidden("sender", schema)), \(PostgresInbox.isDivided("inbox", schema)), (
                    SELECT i.xact::text::int8 FROM \(schema).inbox AS i
                    WHERE i.xact >= $1::text::xid8 AND i.app = ANY ($2::text[]) ORDER BY i.xact LIMIT 1
                ), ARRAY(
                    SELECT ran.xact::int8 FROM unnest($3::text[]) AS ran (xact) WHERE EXISTS (
                        SELECT FROM \(schema).inbox AS i
                        WHERE i.xact = ran.xact::xid8 AND i.app = ANY ($2::text[]) OFFSET 0)),
                    \(PostgresInbox.isCopied(schema))
                """)
            func list(_ condition: String, _ apps: String, _ withoutUsers: String) -> PostgresText {
                PostgresText(
                    """
                    SELECT ctid::text, octet_length(push::text), xact::text, id FROM \(schema).inbox AS i
                    WHERE \(condition) AND app = ANY (\(apps)::text[])
                        AND NOT (app = ANY (\(withoutUsers)::text[]) AND strpos(push::text, '"user"') > 0)
                    ORDER BY i.xact, i.id LIMIT \(PostgresInbox.maximumRows) FOR UPDATE SKIP LOCKED
                    """)
            }
            listRunning = list("xact = ANY ($1::text[]::xid8[])", "$2", "$3")
            listNew = list("(xact, id) > ($1::text::xid8, $2::uuid)", "$3", "$4")
            read = PostgresText(
                """
                SELECT i.ctid::text, i.id, i.app, i.push::text,
                    CASE WHEN isfinite(i.at) THEN \(PostgresText.milliseconds("clock_timestamp() - i.at")) ELSE 0 END,
                    EXISTS (
                        SELECT FROM \(schema).sender AS s JOIN pg_catalog.pg_roles AS r ON r.rolname = i.role
                        WHERE s.app = i.app AND pg_has_role(r.oid, s.role::oid, 'MEMBER'))
                FROM \(schema).inbox AS i WHERE i.ctid = ANY ($1::text[]::tid[])
                """)
            delete = PostgresText("DELETE FROM \(schema).inbox WHERE ctid = ANY ($1::text[]::tid[])")
        }
    }
}
