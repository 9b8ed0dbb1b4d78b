import PushPlatform
import PushQueue

/// Whether the tables are those of a queue, whole, and such that what they confirm stays.
///
/// It is asked when a connection is new, whenever a transaction finds other tables than the last one, and every two seconds. So what an
/// administrator does while workers run is noticed, and nothing is confirmed from then on.
extension PostgresSchema {
    /// Which tables these are. A table gets another number when it is created again, emptied by TRUNCATE, or rewritten. No dump contains
    /// the numbers, so they differ after a restore.
    struct Tables: Equatable {
        /// The table `queue` and the rows of the table `app`. Each transaction reads them.
        var mark = Mark()
        /// All tables and the rows of each.
        var all = ""
    }

    /// What each transaction reads of the tables.
    struct Mark: Equatable {
        var queue: Int64 = 0
        var apps: Int64 = 0
    }

    /// - Returns: Which tables there are.
    /// - Throws: ``QueueError``, which names the first thing that is wrong, and what to do.
    static func check(
        _ connection: PostgresConnection, _ address: PostgresAddress
    ) throws(QueueError) -> Tables {
        let schema = PostgresValue.text(address.schema)
        let results = try connection.run([
            PostgresStatement(.state, schema, tables.sorted()),
            PostgresStatement(.missingIndexes, schema, indexes.sorted()),
            PostgresStatement(.forbiddenSequences, schema, sequences.sorted()),
            PostgresStatement(.unloggedSequences, schema, sequences.sorted()),
        ])
        var found = Tables()
        var (names, forbidden): (Set<String>, [String]) = ([], [])
        for row in results[0].map({ $0 }) {
            let name = row.text(0)
            names.insert(name)
            if let fault = fault(of: name, row, address) { throw fault }
            if !row.text(9).isEmpty { forbidden.append("\(row.text(9)) on \(name)") }
            found.all += "\(name) \(row.integer(2)) \(row.integer(3)) "
            if name == "queue" { found.mark.queue = row.integer(2) }
            if name == "app" { found.mark.apps = row.integer(3) }
        }
        let missing = tables.subtracting(names).sorted()
        guard missing.isEmpty else { throw .incomplete(address, "table", missing) }
        let lost = results[1].map { $0.text(0) }
        guard lost.isEmpty else { throw .incomplete(address, "valid index", lost) }
        forbidden += results[2].map { "USAGE on \($0.text(0))" }
        guard forbidden.isEmpty else { throw .forbidden(address, forbidden) }
        if let unlogged = results[3].first?.text(0) { throw .unloggedSequence(address, unlogged) }
        return found
    }

    private static func fault(of name: String, _ row: PostgresRow, _ address: PostgresAddress) -> QueueError? {
        let table = "\(address.schema).\(name)"
        if row.text(1) == "u" {
            return QueueError(
                .notDurable,
                """
                The table \(table) of \(address) is UNLOGGED: after a crash, it is empty. Run: ALTER TABLE \(table) SET LOGGED;
                """)
        }
        if row.bool(5) {
            return QueueError(
                .unusable,
                """
                The table \(table) of \(address) is a copy: a subscription (logical replication) fills it. Pushes would be sent both from \
                here and from the original. Give the address of the original, or, if no worker uses it any more, let an administrator \
                run DROP SUBSCRIPTION here.
                """)
        }
        let faults = [
            (row.text(10) != "r", "isn't an ordinary table"),
            (row.bool(4), "has row-level security, which hides rows from this role"),
            (row.bool(6), "has a rule, which can change or drop what is stored"),
            (row.bool(7), "has a BEFORE trigger, which can change or drop what is stored"),
            (row.bool(8), "has child tables"),
        ]
        return faults.first(where: \.0).map { _, words in
            QueueError(.unusable, "The table \(table) of \(address) \(words). Let an administrator remove that.")
        }
    }

    /// Checks that the table of apps has all apps of which there are jobs, and the numbers that a writer remembers.
    ///
    /// - Returns: How many of the apps that the writer remembers are still there, and how many of them with the same number.
    static func checkApps(
        _ connection: PostgresConnection, _ address: PostgresAddress, known: [String: Int32]
    ) throws(QueueError) -> (named: Int, same: Int) {
        let results = try connection.run([
            PostgresStatement(.appsWithoutName),
            PostgresStatement(.knownApps, Array(known.values), Array(known.keys)),
        ])
        guard let lost = results[0].first?.integer(0) else {
            let same = results[1].map { $0.bool(0) }
            return (same.count, same.count { $0 })
        }
        throw QueueError(
            .damaged,
            """
            The table \(address.schema).app of \(address) has no app with the number \(lost), which has jobs: it was emptied or restored \
            without the other tables. Nothing is stored or sent until it is complete. Restore a backup of the whole \
            schema.
            """)
    }
}

extension QueueError {
    fileprivate static func unloggedSequence(_ address: PostgresAddress, _ name: String) -> QueueError {
        let sequence = "\(address.schema).\(name)"
        return QueueError(
            .notDurable,
            """
            The sequence \(sequence) of \(address) is UNLOGGED: after a crash, it begins again with numbers that are in use. Run: \
            ALTER SEQUENCE \(sequence) SET LOGGED;
            """)
    }

    fileprivate static func forbidden(_ address: PostgresAddress, _ rights: [String]) -> QueueError {
        let schema = address.schema
        let role = address.user.isEmpty ? "the role of the service" : address.user
        return QueueError(
            .refused,
            """
            The role of \(address) lacks rights in the schema \(schema): \(rights.joined(separator: "; ")). Let an administrator run: \
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role); \
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role);
            """)
    }
}

extension PostgresText {
    fileprivate static let state: PostgresText = """
        SELECT c.relname::text, c.relpersistence::text, c.oid::int8, c.relfilenode::int8, row_security_active(c.oid),
            EXISTS (SELECT FROM pg_catalog.pg_subscription_rel AS s WHERE s.srrelid = c.oid),
            c.relhasrules AND EXISTS (SELECT FROM pg_catalog.pg_rewrite AS r WHERE r.ev_class = c.oid),
            c.relhastriggers AND EXISTS (SELECT FROM pg_catalog.pg_trigger AS t
                WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgtype & 66 <> 0),
            c.relhassubclass AND EXISTS (SELECT FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = c.oid),
            concat_ws(', ', CASE WHEN NOT has_table_privilege(c.oid, 'SELECT') THEN 'SELECT' END,
                CASE WHEN NOT has_table_privilege(c.oid, 'INSERT') THEN 'INSERT' END,
                CASE WHEN NOT has_table_privilege(c.oid, 'UPDATE') THEN 'UPDATE' END,
                CASE WHEN NOT has_table_privilege(c.oid, 'DELETE') THEN 'DELETE' END), c.relkind::text
        FROM pg_catalog.pg_namespace AS n
            CROSS JOIN LATERAL (SELECT name FROM unnest($2::text[]) AS asked (name) OFFSET 0) AS asked
            JOIN pg_catalog.pg_class AS c ON c.relname = asked.name::name AND c.relnamespace = n.oid
        WHERE n.nspname = $1::text AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname
        """
    fileprivate static let missingIndexes: PostgresText = """
        SELECT asked.name FROM unnest($2::text[]) AS asked (name)
        WHERE NOT EXISTS (
            SELECT FROM pg_catalog.pg_namespace AS n
                JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = asked.name::name
                JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid
            WHERE n.nspname = $1::text AND i.indisvalid)
        """
    fileprivate static let forbiddenSequences: PostgresText = """
        SELECT asked.name FROM unnest($2::text[]) AS asked (name)
        WHERE NOT EXISTS (
            SELECT FROM pg_catalog.pg_namespace AS n
                JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = asked.name::name
            WHERE n.nspname = $1::text AND c.relkind = 'S' AND has_sequence_privilege(c.oid, 'USAGE'))
        """
    /// The sequences of columns, too.
    fileprivate static let unloggedSequences: PostgresText = """
        SELECT c.relname::text FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid
        WHERE n.nspname = $1::text AND c.relkind = 'S' AND c.relpersistence = 'u' AND (c.relname::text = ANY ($2::text[])
            OR EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i'))
        ORDER BY c.relname
        """
    /// The row of an app is never removed. Of the counters of an app, it reads the row with the highest slot, which seldom changes.
    static let appsWithoutName: PostgresText = """
        WITH RECURSIVE counted AS (
            (SELECT c.app FROM app_count AS c ORDER BY c.app DESC, c.slot DESC LIMIT 1)
            UNION ALL
            SELECT next.app FROM counted CROSS JOIN LATERAL (
                SELECT c.app FROM app_count AS c WHERE c.app < counted.app ORDER BY c.app DESC, c.slot DESC LIMIT 1) AS next
        )
        SELECT counted.app FROM counted WHERE NOT EXISTS (SELECT FROM app WHERE app.id = counted.app OFFSET 0) LIMIT 1
        """
    fileprivate static let knownApps: PostgresText = """
        SELECT found.is_same FROM unnest($1::int4[], $2::text[]) AS known (id, name) CROSS JOIN LATERAL (
            SELECT app.id = known.id AS is_same FROM app WHERE app.name = known.name OFFSET 0) AS found
        """
}
