package import PushQueue

/// Whether an inbox is installed, and who may do what with it.
extension PostgresInbox {
    /// Where the inbox is, for people.
    package var label: String { "\(address) \(contract.schema)" }

    /// Looks whether the inbox is installed, in a format that this version serves, and whether the role of the service has its rights.
    ///
    /// - Parameter apps: The configured apps; `nil` if they are not known.
    /// - Returns: What is wrong without stopping the service, in sentences with the remedy.
    /// - Throws: ``QueueError`` with what is missing.
    package func check(apps: [String]? = nil) async throws(QueueError) -> [String] {
        try await others.run { [self] (connection) throws(QueueError) in
            var problems: [String] = []
            do throws(QueueError) {
                try requireInstalled(connection)
                let rules = try rules(connection)
                problems += rules.map(\.text)
                // They change nothing, and need all columns and rights of the service.
                try connection.execute(
                    """
                    BEGIN; SELECT xact, id, app, at, role, push FROM \(schema).inbox LIMIT 0 FOR UPDATE;
                    DELETE FROM \(schema).inbox WHERE false AND app = ''; SELECT role, app FROM \(schema).sender LIMIT 0;
                    INSERT INTO \(schema).position (queue, cursor) SELECT queue, cursor FROM \(schema).position LIMIT 0
                    ON CONFLICT DO NOTHING
                    """)
                // A rule there stops outcomes, and nothing else.
                if copiesOutcomes, !rules.contains(where: { $0.table == "outcome" }) {
                    try connection.execute(
                        """
                        INSERT INTO \(schema).outcome (\(Self.outcomeColumns)) SELECT \(Self.outcomeColumns) FROM \(schema).outcome LIMIT 0
                        ON CONFLICT (id) DO NOTHING; DELETE FROM \(schema).outcome WHERE false;
                        UPDATE \(schema).position SET cursor = cursor, seen = seen, kept = kept WHERE false
                        """)
                }
                try connection.execute("ROLLBACK")
                try requireVisible(InboxContract.tables.filter { copiesOutcomes || $0 != "outcome" }, connection)
            } catch {
                guard error.code == .refused else { throw error }
                throw QueueError(
                    .refused,
                    "\(error.description) The rights of the service: pushserve inbox grant --service --role NAME")
            }
            if try stored("", connection) == nil {
                problems.append(
                    """
                    The table "position" in the schema "\(contract.schema)" was emptied. The service restores it, and copies outcomes again \
                    from the oldest on: those that you deleted come back.
                    """)
            }
            if try connection.run("SELECT \(contract.ofDroppedRoles) LIMIT 1").count > 0 {
                problems.append(
                    """
                    The table "sender" in the schema "\(contract.schema)" has rows of roles that were dropped. Delete them: pushserve inbox \
                    install
                    """)
            }
            if let apps {
                let others = try connection.run(
                    "SELECT DISTINCT app FROM \(schema).sender WHERE app <> ALL ($1::text[]) ORDER BY app LIMIT 10",
                    apps)
                problems += others.map {
                    "A role may send pushes of the app \"\($0.text(0))\", which isn't in the configuration. Correct the name."
                }
            }
            return problems
        }
    }

    /// The rules on the tables that take rows and outcomes: rows vanish without an error, are found again and again, or cannot be stored.
    private func rules(_ connection: PostgresConnection) throws(QueueError) -> [(table: String, text: String)] {
        let tables = copiesOutcomes ? ["inbox", "outcome"] : ["inbox"]
        return try connection.run(
            """
            SELECT c.relname::text, quote_ident(r.rulename), r.ev_type::text
            FROM pg_catalog.pg_rewrite AS r JOIN pg_catalog.pg_class AS c ON c.oid = r.ev_class
            WHERE c.relname = ANY ($1::text[]) AND c.oid = to_regclass($2::text || '.' || quote_ident(c.relname::text))::oid
                AND r.ev_enabled <> 'D'::"char" AND (r.is_instead
                    OR (c.relname = 'outcome' AND r.ev_type IN ('2'::"char", '3'::"char")))
            ORDER BY c.relname, r.rulename
            """, tables, schema
        ).map { row in
            let (table, rule) = (row.text(0), row.text(1))
            let what = ["2": "UPDATE", "3": "INSERT", "4": "DELETE"][row.text(2), default: "SELECT"]
            let harm =
                switch what {
                case "DELETE": "rows are never deleted"
                default: table == "outcome" ? "outcomes can't be stored" : "rows vanish without an error"
                }
            return (
                table,
                "The rule \(rule) changes what \(what) does on the table \(schema).\(table) of \(address), so that \(harm). "
                    + "Remove it: DROP RULE \(rule) ON \(schema).\(table);"
            )
        }
    }

    /// Whether a table is a view, or has partitions or other tables that inherit from it, as SQL. Rows are found by their place, which only
    /// those of one table have for themselves.
    static func isDivided(_ table: String, _ schema: String) -> String {
        """
        (SELECT c.relkind <> 'r'::"char" OR EXISTS (SELECT FROM pg_catalog.pg_inherits AS p WHERE p.inhparent = c.oid)
        FROM pg_catalog.pg_class AS c WHERE c.oid = to_regclass(\(InboxContract.literal("\(schema).\(table)")))::oid)
        """
    }

    /// Whether a subscription (logical replication) fills the inbox, as SQL. The service of the original sends the same rows.
    static func isCopied(_ schema: String) -> String {
        """
        EXISTS (SELECT FROM pg_catalog.pg_subscription_rel WHERE srrelid = to_regclass(\(InboxContract.literal("\(schema).inbox")))::oid)
        """
    }

    /// Whether row-level security hides rows of a table from the role of the service, as SQL.
    static func areHidden(_ table: String, _ schema: String) -> String {
        "row_security_active(\(InboxContract.literal("\(schema).\(table)"))::regclass::oid)"
    }

    /// Throws if row-level security hides rows of tables.
    func requireVisible(_ tables: [String], _ connection: PostgresConnection) throws(QueueError) {
        for table in tables {
            let isHidden = try connection.run(PostgresText("SELECT \(Self.areHidden(table, schema))")).first?.bool(0)
            if isHidden == true { throw QueueError.hiddenRows(table, address, contract) }
        }
    }

    private func requireInstalled(_ connection: PostgresConnection) throws(QueueError) {
        let encoding = try connection.run("SELECT current_setting('server_encoding')").first?.text(0) ?? ""
        guard encoding == "UTF8" else {
            throw QueueError(
                .unusable,
                """
                The database of \(address) has the encoding \(encoding). An inbox needs UTF8: another encoding can't hold every outcome, or \
                takes bytes that are no text, and one such row would stop all others. Use a database with: CREATE DATABASE ... \
                ENCODING 'UTF8' TEMPLATE template0;
                """)
        }
        for table in ["inbox", "outcome"] {
            let isDivided = try connection.run(PostgresText("SELECT coalesce(\(Self.isDivided(table, schema)), false)"))
                .first
            if isDivided?.bool(0) == true { throw QueueError.dividedTable(table, address, contract) }
        }
        if try connection.run(PostgresText("SELECT \(Self.isCopied(schema))")).first?.bool(0) == true {
            throw QueueError.copiedInbox(address, contract)
        }
        let comment = try connection.run(
            "SELECT obj_description(to_regclass($1::text)::oid, 'pg_class'::name)", "\(schema).inbox"
        ).first?.text(0)
        let place = "the schema \"\(contract.schema)\" of \(address)"
        guard let format = InboxContract.format(ofComment: comment ?? "") else {
            throw QueueError(
                .missing, "There is no inbox in \(place). Install it: pushserve inbox install --database ADDRESS")
        }
        guard format <= InboxContract.format else {
            throw QueueError(
                .newerVersion, "The inbox in \(place) has the newer format \(format). Use a newer pushserve.")
        }
    }

    /// Installs the inbox, or brings it to this version. It gives up if it waits for a lock for longer than two seconds.
    package func install() async throws(QueueError) {
        try await others.run { [self] (connection) throws(QueueError) in
            // A newer one is not replaced by an older one.
            do throws(QueueError) { try requireInstalled(connection) } catch {
                if error.code != .missing { throw error }
            }
            try Self.run(contract.sql, connection)
        }
    }

    package func grant(_ rights: [InboxContract.Right], to role: String) async throws(QueueError) {
        try await others.run { [self] (connection) throws(QueueError) in
            try requireInstalled(connection)
            guard try connection.run("SELECT FROM pg_catalog.pg_roles WHERE rolname = $1::text", role).count > 0 else {
                throw QueueError(.invalid, "\(address) has no role \"\(role)\". Create it first: CREATE ROLE.")
            }
            connection.notices.hasGrantedLess = false
            try Self.run(contract.grant(rights, to: role), connection) { () throws(QueueError) in
                guard connection.notices.hasGrantedLess else { return }
                throw QueueError(
                    .refused,
                    """
                    The user of \(address) may not grant all rights to the inbox in the schema "\(contract.schema)". Nothing was granted. Use the \
                    role that installed it.
                    """)
            }
        }
    }

    private static func run(
        _ sql: String, _ connection: PostgresConnection, check: () throws(QueueError) -> Void = {}
    ) throws(QueueError) {
        try connection.execute("BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL client_min_messages = warning; \(sql)")
        try check()
        try connection.execute("COMMIT")
    }
}

extension QueueError {
    /// A view or a table with partitions is in the place of a table of an inbox.
    static func dividedTable(_ table: String, _ address: PostgresAddress, _ contract: InboxContract) -> QueueError {
        QueueError(
            .unusable,
            """
            \(contract.quoted).\(table) of \(address) is a view, or has partitions or tables that inherit from it. The service finds rows \
            by their place in one table, and could delete others. Make it the plain table of: pushserve inbox install --sql
            """)
    }

    static func copiedInbox(_ address: PostgresAddress, _ contract: InboxContract) -> QueueError {
        QueueError(
            .unusable,
            """
            \(contract.quoted).inbox of \(address) is a copy: a subscription (logical replication) fills it. Pushes would be sent both from \
            here and from the original. Leave it to the original, or, if no service uses that any more, let an administrator run DROP \
            SUBSCRIPTION here.
            """)
    }

    /// Row-level security hides rows of an inbox: what is committed would never be sent, or would not be allowed.
    static func hiddenRows(_ table: String, _ address: PostgresAddress, _ contract: InboxContract) -> QueueError {
        let name = "\(contract.quoted).\(table)"
        return QueueError(
            .unusable,
            """
            The table \(name) of \(address) has row-level security, which hides rows from the role of the service. Let an administrator \
            run: ALTER TABLE \(name) DISABLE ROW LEVEL SECURITY; or give the role BYPASSRLS.
            """)
    }
}
