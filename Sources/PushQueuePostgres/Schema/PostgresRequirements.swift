import PushQueue

/// What a server must be so that a queue on it keeps its promises.
enum PostgresRequirements {
    /// The findings about a server that a queue can use. With a warning, acknowledged jobs can be lost.
    struct Findings: Sendable, Hashable {
        var warnings: [String] = []
        /// The name of the server's data, which a restored dump does not keep, and the time of the server's start, which differs after a
        /// fail-over and if the data was restored.
        var cluster = ""
    }

    /// How many connections a worker needs: two that write, two that read, and two for notices.
    private static let connections = 6

    /// Refuses a server that would lose confirmed data, or where the role lacks a permission. One that is too old is refused when
    /// the connection is opened.
    ///
    /// The session keeps its `synchronous_commit` from now on, whatever is set for the server or the role while it runs.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - address: Where the queue is.
    ///   - isStart: Whether a worker starts. One that runs has its connections and tables already, so it needs less.
    /// - Returns: The warnings, and which server it is.
    /// - Throws: ``QueueError``, which says what to change.
    static func check(
        _ connection: PostgresConnection, _ address: PostgresAddress, isStart: Bool = false
    ) throws(QueueError) -> Findings {
        let rows = try connection.run(PostgresStatement(.settings, address.schema))
        guard let row = rows.first else { throw QueueError(.defect, "\(address) gave no settings.") }
        for (column, name) in [(0, "fsync"), (1, "full_page_writes")] where row.text(column) == "off" {
            throw .notDurable(address, name, "on")
        }
        // SQL_ASCII stores all bytes as they are.
        guard ["UTF8", "SQL_ASCII"].contains(row.text(8)) else { throw .encoding(address, row.text(8)) }
        guard isStart ? row.bool(4) || row.bool(5) : row.bool(12) else {
            throw QueueError(
                .refused,
                row.bool(9)
                    ? """
                    The role \(row.text(7)) may not use the schema \(address.schema) in \(address), or create tables in it. Let an \
                    administrator run: GRANT USAGE, CREATE ON SCHEMA \(address.schema) TO \(row.text(7));
                    """
                    : """
                    The role \(row.text(7)) may not create the schema \(address.schema) in \(address). Let an administrator run: \
                    CREATE SCHEMA \(address.schema) AUTHORIZATION \(row.text(7));
                    """)
        }
        for (column, what) in [(10, "role \(row.text(7))"), (11, "database")] {
            let limit = row.number(column)
            guard isStart, (0..<connections).contains(limit) else { continue }
            throw QueueError(
                .refused,
                """
                The \(what) of \(address) may have only \(limit) connections (CONNECTION LIMIT), and each worker needs \(connections). \
                Raise the limit.
                """)
        }
        var findings = Findings(cluster: row.text(6))
        if row.text(3).isEmpty {
            findings.warnings.append(
                """
                \(address) has no synchronous standby (synchronous_standby_names is empty). If the server is lost, or another one \
                takes over, acknowledged jobs can be lost. Set up a synchronous standby, or accept the risk.
                """)
        }
        if row.text(2) == "remote_write" && !row.text(3).isEmpty {
            findings.warnings.append(
                """
                synchronous_commit of \(address) is remote_write: confirmed data can be lost if the server and its standby lose power \
                together. Set it to on.
                """)
        }
        return findings
    }
}

extension QueueError {
    fileprivate static func encoding(_ address: PostgresAddress, _ encoding: String) -> QueueError {
        QueueError(
            .unusable,
            """
            The database of \(address) has the encoding \(encoding), which can't hold every text. Create another one with: \
            CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0; then put it into the address.
            """)
    }

    fileprivate static func notDurable(_ address: PostgresAddress, _ setting: String, _ value: String) -> QueueError {
        QueueError(
            .notDurable,
            """
            \(address) would lose confirmed data if the power failed: \(setting) isn't \(value). Set it in postgresql.conf, or \
            for the role (ALTER ROLE ... SET \(setting) = \(value)), and reload the server.
            """)
    }
}

extension PostgresText {
    fileprivate static let settings: PostgresText = """
        SELECT current_setting('fsync'), current_setting('full_page_writes'),
            set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                ELSE current_setting('synchronous_commit') END, false),
            current_setting('synchronous_standby_names'),
            coalesce((SELECT has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE')
                FROM pg_catalog.pg_namespace WHERE nspname = $1::text), false),
            NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1::text)
                AND has_database_privilege(current_database(), 'CREATE'),
            (SELECT system_identifier::text || ' ' || extract(epoch FROM pg_postmaster_start_time())::text FROM pg_control_system()),
            current_user::text,
            current_setting('server_encoding'),
            EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1::text),
            coalesce((SELECT rolconnlimit FROM pg_catalog.pg_roles WHERE rolname = current_user AND NOT rolsuper), -1),
            coalesce((SELECT datconnlimit FROM pg_catalog.pg_database WHERE datname = current_database()), -1),
            NOT EXISTS (SELECT FROM pg_catalog.pg_namespace
                WHERE nspname = $1::text AND NOT has_schema_privilege(oid, 'USAGE'))
        """
}
