import PushQueue

/// What a server must be so that a queue on it keeps its promises.
enum PostgresRequirements {
    /// The findings about a server that a queue can use. With a warning, acknowledged jobs can be lost.
    struct Findings: Sendable, Hashable {
        /// Sentences for people.
        var warnings: [String] = []
        /// The name of the server's data, which a fail-over keeps and a restored dump does not.
        var cluster = ""
    }

    /// Refuses a server that would lose confirmed data, or where the role lacks a permission. One that is too old is refused when
    /// the connection is opened.
    static func check(
        _ connection: PostgresConnection, _ address: PostgresAddress
    ) throws(QueueError) -> Findings {
        let rows = try connection.run(PostgresStatement(.settings, [.text(address.schema)]))
        guard let row = rows.first else { throw QueueError(.defect, "\(address) gave no settings.") }
        for (column, name) in [(0, "fsync"), (1, "full_page_writes")] where row.text(column) == "off" {
            throw .notDurable(address, name, "on")
        }
        if row.text(2) == "off" { throw .notDurable(address, "synchronous_commit", "on") }
        if row.text(2) == "local" && !row.text(3).isEmpty {
            throw .notDurable(address, "synchronous_commit", "on")
        }
        guard row.bool(4) || row.bool(5) else {
            throw QueueError(
                .refused,
                """
                The role \(row.text(7)) may not create the schema \(address.schema) in \(address). Let an administrator run: \
                CREATE SCHEMA \(address.schema) AUTHORIZATION \(row.text(7));
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
    fileprivate static func notDurable(_ address: PostgresAddress, _ setting: String, _ value: String) -> QueueError {
        QueueError(
            .notDurable,
            """
            \(address) would lose confirmed data if the power failed: \(setting) is not \(value). Set it in postgresql.conf, or \
            for the role (ALTER ROLE ... SET \(setting) = \(value)), and reload the server.
            """)
    }
}

extension PostgresText {
    fileprivate static let settings = PostgresText(
        """
        SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
            current_setting('synchronous_standby_names'),
            coalesce((SELECT has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE')
                FROM pg_catalog.pg_namespace WHERE nspname = $1::text), false),
            NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1::text)
                AND has_database_privilege(current_database(), 'CREATE'),
            (SELECT system_identifier::text FROM pg_control_system()), current_user::text
        """)
}
