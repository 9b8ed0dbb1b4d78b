internal import NIOConcurrencyHelpers
internal import PushPlatform
package import PushQueue
import PushTime

/// A team's table of devices in its own database. The statements come from the configuration only, and run in transactions that read, but
/// for `gone`.
///
/// What workers ask before they send has a connection of its own, and so do audiences, so that nothing waits for a long count but other
/// audiences. Each connects when it is first needed.
package final class PostgresRecipients: RecipientTable {
    private let claims: PostgresThread
    private let others: PostgresThread
    private let ofAudiences: PostgresThread
    private let ofUser: PostgresText
    private let audiences: [String: String]
    private let gone: PostgresText?
    /// What each transaction begins with, after its time limit.
    private let usesSchema: [String]

    /// How many characters of a token or a kind are read. No device token is longer, so the rest makes no other answer.
    private static let longestText = 1024
    /// How long a statement runs at most.
    private static let longest: Duration = .seconds(5)
    /// How long a question waits for its turn.
    private static let longestWait: Duration = .seconds(10)
    /// The same for an audience, which may be behind two counts.
    private static let longestWaitOfAudience: Duration = .seconds(25)
    /// The same for a count.
    private static let longestCount: Duration = .seconds(10)
    private let patience: Int
    /// How many statements run in one transaction: together they have the time of one.
    private let atOnce = NIOLockedValueBox(16)
    /// The number grows after less time, and falls after twice as much.
    private static let quick: Duration = .seconds(1)
    private static let maximumAtOnce = 512

    /// Creates a table. It connects when it is first asked.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - queries: The statements.
    ///   - patience: How many times longer than usual everything may take. Tests are patient with slow machines.
    package init(_ address: PostgresAddress, _ queries: RecipientQueries, patience: Int = 1) {
        self.patience = patience
        // PgBouncer does not pass it on when the connection begins.
        usesSchema = address.namesSchema ? ["SET LOCAL search_path = \"\(address.schema)\""] : []
        var settings = PostgresSettings()
        settings.connectTime *= patience
        (settings.isForeign, settings.leavesSchema, settings.statementTime) = (true, true, .seconds(12) * patience)
        (settings.takesPooler, settings.takesReadOnlyRoles) = (true, queries.gone == nil)
        ofAudiences = PostgresThread(name: "recipients-audience", address: address, settings: settings)
        settings.statementTime = .seconds(6) * patience
        others = PostgresThread(name: "recipients", address: address, settings: settings)
        claims = PostgresThread(name: "recipients-now", address: address, settings: settings)
        let kind = "left(kind::text, \(Self.longestText))"
        // A user's device without a token gets no push, and counts as none.
        ofUser = PostgresText(
            Self.limited(
                Self.plain(queries.ofUser), kind, " WHERE d.token IS NOT NULL", limit: RecipientDevice.maximum + 1))
        audiences = queries.audiences.mapValues(Self.plain)
        gone = queries.gone.map { PostgresText(Self.plain($0)) }
    }

    // MARK: Statements

    /// A statement without the semicolon at its end, as a part of a longer one.
    private static func plain(_ sql: String) -> String {
        var sql = sql[...]
        while let last = sql.last, last.isWhitespace || last == ";" { sql.removeLast() }
        return String(sql)
    }

    /// The token, the time and one more column of each row. Columns that the inner query lacks are taken from the outer one, where they are
    /// NULL.
    private static func limited(_ sql: String, _ more: String, _ condition: String = "", limit: Int) -> String {
        """
        SELECT left(x.token::text, \(longestText)),
            CASE WHEN isfinite(x.registered_at) THEN \(PostgresText.milliseconds("x.registered_at")) END, x.more
        FROM (VALUES (NULL::timestamptz, NULL::text)) o(registered_at, kind)
        CROSS JOIN LATERAL (SELECT token, registered_at, \(more) AS more FROM (
        \(sql)
        ) d\(condition) LIMIT \(limit)) x
        """
    }

    private static func page(_ sql: String, limit: Int) -> String { limited(sql, "id::int8", limit: limit) }

    private func audience(_ name: String) throws(QueueError) -> String {
        guard let sql = audiences[name] else {
            throw QueueError(.damaged, "The configuration no longer has the audience \"\(name)\".")
        }
        return sql
    }

    /// Runs statements in one transaction and one round trip.
    private func run(
        _ statements: [PostgresStatement], on thread: PostgresThread, reads: Bool = true, longest: Duration = longest
    ) async throws(QueueError) -> [PostgresRows] {
        let limit = (longest * patience).timeoutMilliseconds
        // Row-level security would hide devices from a role, as if the users had none. So it is an error.
        let first =
            [
                "BEGIN\(reads ? " READ ONLY" : "")", "SET LOCAL statement_timeout = '\(limit)ms'",
                "SET LOCAL row_security = off",
            ]
            + usesSchema
        let all =
            first.map { PostgresStatement(PostgresText($0), []) } + statements
            + [PostgresStatement(.commit)]
        let asked = ContinuousClock.now
        let longestWait = (thread === ofAudiences ? Self.longestWaitOfAudience : Self.longestWait) * patience
        let rows = try await thread.run { (connection) throws(QueueError) in
            // Those that wait behind a slow statement do not all wait for their own limit, too.
            guard asked.duration(to: .now) < longestWait else {
                throw QueueError(.busy, "The table of devices didn't answer within \(longestWait).")
            }
            connection.mayCommit = false
            do throws(QueueError) { return try connection.run(all) } catch {
                // The server has forgotten the prepared statements, which are prepared again.
                guard error.code == .conflict else { throw error }
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                return try connection.run(all)
            }
        }
        return Array(rows.dropFirst(first.count).dropLast())
    }

    /// Runs any number of statements, a part of them at a time. A part that fails is smaller the next time. With a limit, no part begins
    /// after it, so that the rows of the last statements may be missing.
    private func runInParts(
        _ statements: [PostgresStatement], on thread: PostgresThread, reads: Bool = true, within limit: Duration? = nil
    ) async throws(QueueError) -> [PostgresRows] {
        var (rows, rest): ([PostgresRows], ArraySlice<PostgresStatement>) = ([], statements[...])
        let asked = ContinuousClock.now
        while !rest.isEmpty {
            if let limit, !rows.isEmpty, Task.isCancelled || asked.duration(to: .now) > limit * patience { break }
            let part = rest.prefix(atOnce.withLockedValue { $0 })
            let begun = ContinuousClock.now
            do throws(QueueError) { rows += try await run(Array(part), on: thread, reads: reads) } catch {
                if [.busy, .unreachable].contains(error.code) { tookLong(part.count) }
                throw error
            }
            let time = begun.duration(to: .now)
            if time > Self.quick * 2 { tookLong(part.count) }
            if time < Self.quick { atOnce.withLockedValue { $0 = min(max($0, part.count * 2), Self.maximumAtOnce) } }
            rest = rest.dropFirst(part.count)
        }
        return rows
    }

    private func tookLong(_ count: Int) { atOnce.withLockedValue { $0 = max(min($0, count / 2), 1) } }

    // MARK: Questions

    package func check() async throws(QueueError) -> [String: QueueError] {
        var statements = audiences.map { (RecipientQueries.name(ofAudience: $0), Self.page($1, limit: 1), 2) }
        statements.append((RecipientQueries.ofUserName, ofUser.sql, 1))
        if let gone { statements.append((RecipientQueries.goneName, gone.sql, 2)) }
        var wrong: [String: QueueError] = [:]
        for (name, sql, count) in statements {
            // It finds wrong columns, parameters and rights, and runs nothing.
            let explain = PostgresStatement(
                PostgresText("EXPLAIN \(sql)"), Array(repeating: .null, count: count))
            do throws(QueueError) { _ = try await run([explain], on: others, reads: false) } catch {
                guard error.code == .damaged || error.code == .invalid else { throw error }
                wrong[name] = error
            }
        }
        return wrong
    }

    package func devices(of users: [String], atClaim: Bool) async throws(QueueError) -> [[RecipientDevice]] {
        let limit = atClaim ? Self.longest : Self.longestWait
        let found = try await runInParts(
            users.map { PostgresStatement(ofUser, [.written($0)]) }, on: atClaim ? claims : others, within: limit
        )
        guard atClaim || found.count == users.count else {
            throw QueueError(.busy, "The table of devices didn't answer for all users within \(limit).")
        }
        return found.map { rows in
            rows.map {
                RecipientDevice(
                    $0.text(0), registered: $0.optional(1) { $0.time($1) },
                    kind: $0.optional(2) { $0.text($1) } ?? "device")
            }
        }
    }

    package func page(
        of audience: String, after id: Int64, limit: Int
    ) async throws(QueueError) -> [AudienceDevice] {
        let text = PostgresText(Self.page(try self.audience(audience), limit: limit))
        let values = [PostgresValue.written("\(id)"), .written("\(limit)")]
        let rows = try await run([PostgresStatement(text, values)], on: ofAudiences)
        return rows[0].map {
            AudienceDevice(
                $0.optional(2) { $0.integer($1) }, $0.optional(0) { $0.text($1) },
                registered: $0.optional(1) { $0.time($1) })
        }
    }

    package func count(of audience: String) async throws(QueueError) -> Int {
        let text = PostgresText("SELECT count(*) FROM (\n\(try self.audience(audience))\n) d")
        let values = [PostgresValue.written("0"), .written("\(Int64.max)")]
        let rows = try await run([PostgresStatement(text, values)], on: ofAudiences, longest: Self.longestCount)
        return rows[0].first?.number(0) ?? 0
    }

    package func delete(_ tokens: [GoneToken]) async throws(QueueError) {
        guard let gone, !tokens.isEmpty else { return }
        let statements = tokens.map {
            PostgresStatement(
                gone, [.written($0.token), .written(RFC3339.text(millisecondsSince1970: $0.since.milliseconds))])
        }
        _ = try await runInParts(statements, on: others, reads: false)
    }
}
