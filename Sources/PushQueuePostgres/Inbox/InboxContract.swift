package import PushQueue

/// The SQL that users see: the tables and functions of an inbox in a schema of their database.
///
/// It is a public contract with its own format. A service never runs it, because tables that users write must not be locked by a start.
package struct InboxContract: Sendable, Hashable {
    static let tables = ["inbox", "sender", "outcome", "position"]
    /// The format that ``sql`` installs.
    static let format = 1

    package let schema: String
    /// The name as SQL has it, in quotation marks.
    let quoted: String

    /// - Parameters:
    ///   - schema: The name of the schema; `nil` for that of the address.
    ///   - address: Where the inbox is, if that is known.
    /// - Throws: ``QueueError`` (`.invalid`) if PostgreSQL, or the functions, cannot have it.
    package init(schema: String? = nil, in address: PostgresAddress? = nil) throws(QueueError) {
        let schema = schema ?? address?.schema ?? PostgresAddress.defaultSchema
        guard (1...50).contains(schema.utf8.count), schema.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x24 }),
            !schema.hasPrefix("pg_")
        else {
            throw QueueError(
                .invalid,
                """
                The schema of an inbox must have 1 to 50 bytes, neither "$" nor control characters, and must not begin with "pg_", which \
                PostgreSQL keeps for itself.
                """)
        }
        (self.schema, quoted) = (schema, Self.identifier(schema))
    }

    /// A name as SQL has it.
    static func identifier(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// A text as SQL has it, whatever `standard_conforming_strings` says.
    static func literal(_ text: String) -> String {
        let doubled = text.replacing("'", with: "''")
        return text.contains("\\") ? "E'\(doubled.replacing("\\", with: "\\\\"))'" : "'\(doubled)'"
    }

    /// Makes what is missing, and brings the functions to this version. It can be run again.
    package var sql: String {
        """
        CREATE SCHEMA IF NOT EXISTS \(quoted);
        CREATE SEQUENCE IF NOT EXISTS \(quoted).inbox_number CYCLE;

        -- A UUID of version 7: the time of the call, the low 20 bits of a number, and 54 random bits.
        CREATE OR REPLACE FUNCTION \(quoted).inbox_id() RETURNS uuid
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $pushserve$
        DECLARE
            number bigint := nextval(\(Self.literal("\(quoted).inbox_number"))) & 1048575;
            random bigint := ('x' || substr(replace(gen_random_uuid()::text, '-', ''), 17, 16))::bit(64)::bigint;
            high bigint := (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint << 16) | 28672 | (number >> 8);
            low bigint := (1::bigint << 63) | ((number & 255) << 54) | (random & 18014398509481983);
        BEGIN
            RETURN (lpad(to_hex(high), 16, '0') || to_hex(low))::uuid;
        END $pushserve$;

        CREATE TABLE IF NOT EXISTS \(quoted).inbox (
            xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
            id uuid NOT NULL DEFAULT \(quoted).inbox_id(),
            app text NOT NULL CONSTRAINT "app must have 1 to 64 bytes" CHECK (octet_length(app) BETWEEN 1 AND 64),
            at timestamptz NOT NULL DEFAULT clock_timestamp(),
            role name NOT NULL DEFAULT session_user,
            push json NOT NULL
                CONSTRAINT "push must be a JSON object" CHECK (json_typeof(push) = 'object')
                CONSTRAINT "push must have at most 200000 bytes" CHECK (octet_length(push::text) <= 200000),
            PRIMARY KEY (xact, id)
        ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
        CREATE TABLE IF NOT EXISTS \(quoted).sender (role regrole, app text, PRIMARY KEY (role, app));
        DELETE \(ofDroppedRoles);
        CREATE TABLE IF NOT EXISTS \(quoted).outcome (
            id uuid PRIMARY KEY, app text NOT NULL, token text, outcome text NOT NULL, reason text, status smallint,
            detail text, gone_since timestamptz, at timestamptz NOT NULL
        );
        CREATE INDEX IF NOT EXISTS outcome_at ON \(quoted).outcome (at);
        CREATE TABLE IF NOT EXISTS \(quoted).position (
            queue text PRIMARY KEY, cursor text NOT NULL, seen timestamptz NOT NULL DEFAULT clock_timestamp(),
            kept timestamptz NOT NULL DEFAULT clock_timestamp() - interval '7 days'
        );
        -- The name of this inbox, by which its pushes are known in the queue.
        INSERT INTO \(quoted).position (queue, cursor) VALUES ('', \(Self.newName))
            ON CONFLICT DO NOTHING;

        \(function("enqueue", "push", returns: "uuid", """
            INSERT INTO \(quoted).inbox (app, role, push) VALUES (enqueue.app, who, enqueue.push) RETURNING inbox.id INTO given;
                RETURN given;
            """))
        \(function("enqueue_all", "pushes", returns: "SETOF uuid", """
            RETURN QUERY INSERT INTO \(quoted).inbox (app, role, push)
                    SELECT enqueue_all.app, who, value FROM json_array_elements(pushes) RETURNING inbox.id;
            """))

        REVOKE ALL ON FUNCTION \(quoted).inbox_id(), \(quoted).enqueue(text, json), \(quoted).enqueue_all(text, json) FROM PUBLIC;
        COMMENT ON TABLE \(quoted).inbox IS '\(Self.comment)';
        COMMENT ON TABLE \(quoted).outcome IS '\(Self.comment)';
        COMMENT ON FUNCTION \(quoted).enqueue(text, json) IS '\(Self.comment)';
        COMMENT ON FUNCTION \(quoted).enqueue_all(text, json) IS '\(Self.comment)';

        """
    }

    /// The senders that are roles that were dropped. A later role could get the number of such a role.
    var ofDroppedRoles: String {
        "FROM \(quoted).sender WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE oid = role::oid)"
    }

    static let newName = "substr(md5(gen_random_uuid()::text), 1, 8)"

    /// A function that is called by those who may send pushes of an app.
    private func function(_ name: String, _ parameter: String, returns type: String, _ body: String) -> String {
        """
        CREATE OR REPLACE FUNCTION \(quoted).\(name)(app text, \(parameter) json) RETURNS \(type)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $pushserve$
        DECLARE
            who name := coalesce(nullif(current_setting('role'), 'none'), session_user);
            given uuid;
        BEGIN
            IF NOT EXISTS (
                SELECT FROM \(quoted).sender s WHERE s.app = \(name).app AND pg_has_role(who, s.role, 'MEMBER')
            ) THEN
                RAISE EXCEPTION 'The role "%" may not send pushes of the app "%".', who, \(name).app
                    USING ERRCODE = '42501', HINT = 'Allow it: pushserve inbox grant --role NAME --app NAME';
            END IF;
            \(body)
        END $pushserve$;

        """
    }

    private static let comment = "pushserve inbox, format \(format)"

    /// The format of a comment; `nil` if it is another one.
    static func format(ofComment comment: String) -> Int? {
        comment.hasPrefix("pushserve inbox, format ") ? comment.split(separator: " ").last.flatMap { Int($0) } : nil
    }

    package enum Right: Sendable, Hashable {
        case send(app: String)
        /// To insert rows without the functions, which a model of a framework or COPY does. A model reads the key back.
        case insert
        /// To read outcomes of all apps, and to delete them.
        case outcomes
        case service
    }

    package func grant(_ rights: [Right], to role: String) -> String {
        let name = Self.identifier(role)
        let grants = rights.map { right in
            switch right {
            case .send(let app):
                """
                GRANT EXECUTE ON FUNCTION \(quoted).enqueue(text, json), \(quoted).enqueue_all(text, json) TO \(name);
                INSERT INTO \(quoted).sender VALUES (\(Self.literal(name))::regrole, \(Self.literal(app))) ON CONFLICT DO NOTHING;

                """
            case .insert:
                """
                GRANT INSERT (app, push), SELECT (xact, id) ON \(quoted).inbox TO \(name);
                GRANT EXECUTE ON FUNCTION \(quoted).inbox_id() TO \(name);

                """
            case .outcomes: "GRANT SELECT, DELETE ON \(quoted).outcome TO \(name);\n"
            case .service:
                """
                GRANT SELECT, DELETE, UPDATE (at) ON \(quoted).inbox TO \(name);
                GRANT SELECT, INSERT, DELETE ON \(quoted).outcome TO \(name);
                GRANT SELECT, INSERT, UPDATE ON \(quoted).position TO \(name);
                GRANT SELECT ON \(quoted).sender TO \(name);

                """
            }
        }
        return "GRANT USAGE ON SCHEMA \(quoted) TO \(name);\n" + grants.joined()
    }
}
