/// The tables of a queue, and how older ones become the newest.
enum QueueSchema {
    /// Marks a file as a queue: "PuQu" in `PRAGMA application_id`.
    static let applicationID: Int64 = 0x5075_5175

    /// The newest format, in `PRAGMA user_version`.
    static var version: Int { migrations.count }

    /// The step from each format to the next. After a release, all steps together have the same result for ever. They run in one transaction,
    /// so nobody sees a format in between.
    private static let migrations = [
        first, campaigns, order + lineDigests, observing, outcomesOfCampaigns, slices, collapseIDs,
    ]

    /// All steps in one transaction. Refuses a file that is not a queue, or that has a newer format.
    static func migrate(_ connection: SQLConnection) throws(QueueError) {
        guard try needsMigration(connection) else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(QueueError) {
            // Another process may have done it in the meantime.
            if try needsMigration(connection) {
                let found = Int(try connection.number("PRAGMA user_version"))
                for step in migrations[found...] { try connection.execute(step) }
                try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Refuses a file that is not a queue, or that has a newer format.
    static func requireQueue(_ connection: SQLConnection) throws(QueueError) {
        _ = try needsMigration(connection)
    }

    private static func needsMigration(_ connection: SQLConnection) throws(QueueError) -> Bool {
        let path = connection.handle.path
        let application = try connection.number("PRAGMA application_id")
        let found = try connection.number("PRAGMA user_version")
        if application != applicationID {
            let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
            guard application == 0, found == 0, tables == 0 else { throw .foreign(path) }
            return true
        }
        guard found >= 0, found <= version else { throw .newer(path, found, version) }
        return found < version
    }

    /// Times are milliseconds since 1970. Jobs without expiry have the largest `expires`. The columns `ends`, `until` and `steady` are times
    /// of the steady clock (``SteadyTime``), and `shift` is what to add to them to get times of the wall clock.
    ///
    /// A claim changes only the small rows of `job`; what it does not change is in `content`. The partial index over
    /// waiting jobs stays small, however many jobs are finished. With `state` in it, SQLite 3.40 would sort for each claim.
    ///
    /// Digests of payloads and targets are random, so an index over them would change a page for nearly every job. So only
    /// payloads that are used again are in an index. The jobs of a target are found by its mark, slice after slice:
    /// see ``slices``.
    private static let first = """
        CREATE TABLE clock (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            boot TEXT NOT NULL,
            base INTEGER NOT NULL,
            seen INTEGER NOT NULL,
            shift INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            fence INTEGER NOT NULL,
            checked INTEGER NOT NULL
        ) STRICT;
        INSERT INTO clock VALUES (1, '', 0, 0, 0, 0, 0, 0);

        CREATE TABLE app (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            waiting INTEGER NOT NULL DEFAULT 0,
            leased INTEGER NOT NULL DEFAULT 0,
            started INTEGER NOT NULL DEFAULT 0,
            kept INTEGER NOT NULL DEFAULT 0,
            dead_letters INTEGER NOT NULL DEFAULT 0,
            accepted INTEGER NOT NULL DEFAULT 0,
            rejected INTEGER NOT NULL DEFAULT 0,
            unknown INTEGER NOT NULL DEFAULT 0,
            not_sent INTEGER NOT NULL DEFAULT 0,
            erased INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE payload (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL,
            digest INTEGER NOT NULL,
            body BLOB NOT NULL,
            uses INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX payload_shared ON payload (app, digest) WHERE uses > 1;

        CREATE TABLE job (
            id INTEGER PRIMARY KEY,
            tag INTEGER NOT NULL,
            app INTEGER NOT NULL,
            state INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            policy INTEGER NOT NULL,
            is_uncertain INTEGER NOT NULL DEFAULT 0,
            is_due_relative INTEGER NOT NULL,
            is_expiry_relative INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            lost INTEGER NOT NULL DEFAULT 0,
            fence INTEGER NOT NULL DEFAULT 0,
            due INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            queued INTEGER NOT NULL,
            started INTEGER,
            finished INTEGER,
            sequence INTEGER,
            outcome INTEGER,
            status INTEGER,
            reason TEXT,
            detail TEXT,
            unique_id BLOB,
            gone_since INTEGER
        ) STRICT;
        CREATE INDEX job_waiting ON job (app, priority, due, expires) WHERE state = 0;
        CREATE INDEX job_app ON job (app);

        CREATE TABLE content (
            job INTEGER PRIMARY KEY,
            target ANY NOT NULL,
            push BLOB NOT NULL,
            variables BLOB,
            payload INTEGER,
            dedupe_key TEXT,
            bucket INTEGER NOT NULL,
            mark INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX content_target ON content (bucket, job, mark);

        CREATE TABLE lease (
            fence INTEGER PRIMARY KEY,
            owner TEXT NOT NULL,
            ends INTEGER NOT NULL,
            held INTEGER NOT NULL,
            jobs BLOB NOT NULL
        ) STRICT;

        CREATE TABLE result (
            app INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            job INTEGER NOT NULL,
            outcome INTEGER NOT NULL,
            steady INTEGER NOT NULL,
            PRIMARY KEY (app, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX result_rare ON result (app, outcome, sequence) WHERE outcome <> 0;

        CREATE TABLE dead_letter (
            app INTEGER NOT NULL,
            job INTEGER NOT NULL,
            redriven_as BLOB,
            PRIMARY KEY (app, job)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE event (
            job INTEGER NOT NULL,
            number INTEGER NOT NULL,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            detail TEXT,
            PRIMARY KEY (job, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE dedupe (
            app INTEGER NOT NULL,
            key TEXT NOT NULL,
            job INTEGER NOT NULL,
            tag INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (app, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX dedupe_until ON dedupe (until);

        CREATE TABLE request (
            app INTEGER NOT NULL,
            key TEXT NOT NULL,
            digest BLOB NOT NULL,
            state INTEGER NOT NULL,
            fence INTEGER NOT NULL,
            until INTEGER NOT NULL,
            answer BLOB,
            PRIMARY KEY (app, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX request_until ON request (until);

        CREATE TABLE gone (
            app INTEGER NOT NULL,
            token TEXT NOT NULL,
            since INTEGER NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (app, token)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX gone_number ON gone (app, number);

        CREATE TABLE record (
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            value BLOB NOT NULL,
            version INTEGER NOT NULL,
            PRIMARY KEY (kind, key)
        ) STRICT, WITHOUT ROWID;
        """
}
