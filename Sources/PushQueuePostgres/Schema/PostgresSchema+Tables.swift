extension PostgresSchema {
    /// Format 1.
    ///
    /// Times are milliseconds since 1970. Jobs without expiry have the largest `expires`. The columns `ends`, `until` and `steady` are times
    /// of the steady clock (``SteadyTime``), and `shift` is what to add to them to get times of the wall clock.
    ///
    /// `job` has the jobs without an outcome, in small rows that change with each step. A finished job leaves it for `finished`, so the
    /// table stays small, however many jobs are kept. What no step changes is in `content`. The columns that a start changes
    /// are in no index, so that it writes no index (HOT), and half of each page stays free for it.
    ///
    /// Workers count in rows of their own (`slot`), so that none waits for another one that counts the same app or campaign.
    ///
    /// `number` is the number of the transaction and the position in it. The transactions that run are known to the server, so a reader
    /// knows up to which number all is committed. The indexes of all numbers have the app as a `bigint`, so that no statement that looks for
    /// a row by its key can use them (``PostgresText/found(_:in:owner:key:_:)``).
    static let first = """
        CREATE SEQUENCE fence;
        CREATE SEQUENCE version;
        CREATE SEQUENCE slot;

        CREATE TABLE queue (
            id smallint PRIMARY KEY CHECK (id = 1),
            format integer NOT NULL,
            seen bigint NOT NULL,
            shift bigint NOT NULL,
            cluster text NOT NULL,
            base bigint NOT NULL,
            checked bigint NOT NULL
        ) WITH (fillfactor = 10);
        INSERT INTO queue VALUES (1, 0, 0, 0, '', 0, 0);

        CREATE TABLE machine (
            boot text PRIMARY KEY,
            base bigint NOT NULL,
            seen bigint NOT NULL
        ) WITH (fillfactor = 50);

        CREATE TABLE app (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            is_known boolean NOT NULL DEFAULT false,
            erased bigint NOT NULL DEFAULT 0,
            dropped bigint NOT NULL DEFAULT 0
        );

        CREATE TABLE app_count (
            app integer NOT NULL,
            slot smallint NOT NULL,
            held bigint NOT NULL DEFAULT 0,
            waiting bigint NOT NULL DEFAULT 0,
            leased bigint NOT NULL DEFAULT 0,
            started bigint NOT NULL DEFAULT 0,
            kept bigint NOT NULL DEFAULT 0,
            dead_letters bigint NOT NULL DEFAULT 0,
            accepted bigint NOT NULL DEFAULT 0,
            rejected bigint NOT NULL DEFAULT 0,
            unknown bigint NOT NULL DEFAULT 0,
            not_sent bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (app, slot)
        ) WITH (fillfactor = 30, \(quickVacuum));

        CREATE TABLE payload (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app integer NOT NULL,
            body bytea NOT NULL,
            uses bigint NOT NULL
        ) WITH (\(quickVacuum));

        CREATE TABLE job (
            app integer NOT NULL,
            id uuid NOT NULL,
            is_waiting boolean NOT NULL,
            is_held boolean NOT NULL,
            state smallint NOT NULL,
            priority smallint NOT NULL,
            policy smallint NOT NULL,
            is_uncertain boolean NOT NULL,
            is_due_relative boolean NOT NULL,
            is_expiry_relative boolean NOT NULL,
            attempts integer NOT NULL,
            lost integer NOT NULL,
            fence bigint NOT NULL,
            due bigint NOT NULL,
            expires bigint NOT NULL,
            queued bigint NOT NULL,
            started bigint,
            campaign integer,
            line bigint,
            PRIMARY KEY (app, id)
        ) WITH (fillfactor = 50, \(quickVacuum));
        CREATE INDEX job_waiting ON job (app, priority, due, expires, id) WHERE is_waiting;
        CREATE INDEX job_held ON job (campaign, line) WHERE is_held;
        CREATE INDEX job_released ON job (campaign) WHERE is_waiting AND campaign IS NOT NULL;

        CREATE TABLE content (
            app integer NOT NULL,
            job uuid NOT NULL,
            target bytea NOT NULL,
            push bytea NOT NULL,
            variables bytea,
            payload bytea,
            shared bigint,
            dedupe_key text,
            PRIMARY KEY (app, job)
        ) WITH (\(quickVacuum));
        CREATE INDEX content_target ON content USING brin (target bytea_bloom_ops)
            WITH (autosummarize = on, pages_per_range = 64);

        CREATE TABLE finished (
            app integer NOT NULL,
            id uuid NOT NULL,
            number bigint NOT NULL,
            outcome smallint NOT NULL,
            status smallint,
            priority smallint NOT NULL,
            policy smallint NOT NULL,
            is_uncertain boolean NOT NULL,
            attempts integer NOT NULL,
            lost integer NOT NULL,
            fence bigint NOT NULL,
            due bigint NOT NULL,
            expires bigint NOT NULL,
            queued bigint NOT NULL,
            started bigint,
            finished bigint NOT NULL,
            steady bigint NOT NULL,
            gone_since bigint,
            unique_id uuid,
            campaign integer,
            line bigint,
            reason text,
            detail text,
            PRIMARY KEY (app, id)
        ) WITH (\(quickVacuum));
        CREATE UNIQUE INDEX finished_number ON finished ((app::bigint), number);
        CREATE INDEX finished_rare ON finished (app, outcome, number) WHERE outcome <> 0;

        CREATE TABLE lease (
            fence bigint PRIMARY KEY,
            owner text NOT NULL,
            ends bigint NOT NULL,
            held integer NOT NULL,
            apps integer[] NOT NULL,
            jobs uuid[] NOT NULL
        ) WITH (fillfactor = 50, \(quickVacuum));
        ALTER TABLE lease ALTER COLUMN jobs SET STORAGE EXTERNAL;

        CREATE TABLE dead_letter (
            app integer NOT NULL,
            job uuid NOT NULL,
            redriven_as uuid,
            PRIMARY KEY (app, job)
        );

        CREATE TABLE event (
            app integer NOT NULL,
            job uuid NOT NULL,
            number bigint NOT NULL,
            time bigint NOT NULL,
            kind text NOT NULL,
            detail text,
            PRIMARY KEY (app, job, number)
        ) WITH (\(quickVacuum));

        CREATE TABLE dedupe (
            app integer NOT NULL,
            key text NOT NULL,
            job uuid NOT NULL,
            until bigint NOT NULL,
            PRIMARY KEY (app, key)
        ) WITH (\(quickVacuum));
        CREATE INDEX dedupe_until ON dedupe (until);

        CREATE TABLE request (
            app integer NOT NULL,
            key text NOT NULL,
            digest bytea NOT NULL,
            state smallint NOT NULL,
            fence bigint NOT NULL,
            until bigint NOT NULL,
            answer bytea,
            PRIMARY KEY (app, key)
        ) WITH (\(quickVacuum));
        CREATE INDEX request_until ON request (until);

        CREATE TABLE gone (
            app integer NOT NULL,
            token text NOT NULL,
            since bigint NOT NULL,
            number bigint NOT NULL,
            PRIMARY KEY (app, token)
        );
        CREATE UNIQUE INDEX gone_number ON gone ((app::bigint), number);

        CREATE TABLE record (
            kind text NOT NULL,
            key text COLLATE "C" NOT NULL,
            value bytea NOT NULL,
            version bigint NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITH (fillfactor = 50);
        """

    static let campaigns = """
        CREATE TABLE campaign (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            uuid uuid NOT NULL UNIQUE,
            app integer NOT NULL,
            name text NOT NULL,
            key text,
            state smallint NOT NULL DEFAULT 0,
            is_open boolean NOT NULL DEFAULT true,
            settings bytea NOT NULL,
            rate integer,
            starts bigint,
            expires bigint,
            created bigint NOT NULL,
            started bigint,
            ended bigint,
            ended_steady bigint,
            level bigint NOT NULL DEFAULT 0,
            level_at bigint NOT NULL
        ) WITH (fillfactor = 50);
        CREATE INDEX campaign_app ON campaign (app, id);
        CREATE UNIQUE INDEX campaign_key ON campaign (app, key) WHERE key IS NOT NULL;

        CREATE TABLE campaign_count (
            campaign integer NOT NULL,
            slot smallint NOT NULL,
            last_line bigint NOT NULL DEFAULT 0,
            lines bigint NOT NULL DEFAULT 0,
            refused bigint NOT NULL DEFAULT 0,
            held bigint NOT NULL DEFAULT 0,
            waiting bigint NOT NULL DEFAULT 0,
            in_flight bigint NOT NULL DEFAULT 0,
            accepted bigint NOT NULL DEFAULT 0,
            rejected bigint NOT NULL DEFAULT 0,
            unknown bigint NOT NULL DEFAULT 0,
            not_sent bigint NOT NULL DEFAULT 0,
            window_at bigint NOT NULL DEFAULT 0,
            window_count bigint NOT NULL DEFAULT 0,
            window_rate bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (campaign, slot)
        ) WITH (fillfactor = 30, \(quickVacuum));

        CREATE TABLE campaign_line (
            campaign integer NOT NULL,
            line bigint NOT NULL,
            job uuid NOT NULL,
            PRIMARY KEY (campaign, line)
        );

        CREATE TABLE campaign_refusal (
            campaign integer NOT NULL,
            line bigint NOT NULL,
            code text NOT NULL,
            detail text NOT NULL,
            place text,
            remedy text,
            PRIMARY KEY (campaign, line)
        );

        CREATE TABLE campaign_failure (
            campaign integer NOT NULL,
            line bigint NOT NULL,
            PRIMARY KEY (campaign, line)
        );

        CREATE TABLE campaign_outcome (
            campaign integer NOT NULL,
            slot smallint NOT NULL,
            kind smallint NOT NULL,
            reason text NOT NULL,
            count bigint NOT NULL,
            PRIMARY KEY (campaign, slot, kind, reason)
        ) WITH (fillfactor = 50);
        """

    /// Format 2: the order of pushes.
    ///
    /// Jobs that are due together are claimed in the order of their ids, which is that of their request. `latest` has the newest push of each
    /// collapse id and device that was started: its place, which is the id of the job, or of the dead letter that it was. The time `until` is
    /// one of the steady clock, in whole hours, so that a repetition seldom changes an index (HOT).
    static let order = """
        DROP INDEX job_waiting;
        CREATE INDEX job_waiting ON job (app, priority, due, id, expires) WHERE is_waiting;

        CREATE TABLE latest (
            app integer NOT NULL,
            key uuid NOT NULL,
            place uuid NOT NULL,
            job uuid NOT NULL,
            until bigint NOT NULL,
            PRIMARY KEY (app, key)
        ) WITH (fillfactor = 70, \(quickVacuum));
        CREATE INDEX latest_until ON latest (until);
        """

    /// Format 2, too: a line of a campaign has a digest of what was given, so that another line of the same number is noticed. Lines of
    /// format 1 have none.
    static let lineDigests = """
        ALTER TABLE campaign_line ADD COLUMN digest bytea;
        ALTER TABLE campaign_refusal ADD COLUMN digest bytea;
        """

    /// Format 3: what operators look for.
    ///
    /// The jobs of a target are found by a part of the index, of 256, and a mark that few other targets of the part have. Each new job comes
    /// at the end of a part, so jobs that are stored together change few pages; an index by the target itself would change one for each
    /// job. A search reads one part, and of that only the index. Only jobs with a collapse id are in the index of these, and only outcomes
    /// with a reason in that of reasons. `tally` has the outcomes of each minute and hour, whose length is the `span`, in milliseconds.
    static let observing = """
        DROP INDEX content_target;
        CREATE INDEX content_target ON content ((\(targetPart("target"))), job, (\(targetMark("target"))));
        CREATE INDEX content_collapse ON content ((app::bigint), (\(collapseID("push"))), job)
            WHERE \(hasCollapseID("push"));
        CREATE INDEX finished_reason ON finished (app, reason, number) WHERE reason IS NOT NULL;

        CREATE TABLE tally (
            app integer NOT NULL,
            span integer NOT NULL,
            begin bigint NOT NULL,
            slot smallint NOT NULL,
            kind smallint NOT NULL,
            reason text NOT NULL,
            count bigint NOT NULL,
            PRIMARY KEY (app, span, begin, slot, kind, reason)
        ) WITH (fillfactor = 50, \(quickVacuum));

        CREATE TABLE audit (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app text NOT NULL,
            time bigint NOT NULL,
            content bytea NOT NULL
        );
        CREATE INDEX audit_app ON audit (app, number);
        """

    /// Format 4: the newest outcomes of a campaign. Only lines are in the index.
    static let outcomesOfCampaigns = """
        CREATE INDEX IF NOT EXISTS finished_campaign ON \(linesOfCampaigns);
        """
    private static let linesOfCampaigns = "finished (campaign, number) WHERE campaign IS NOT NULL"

    /// The indexes that can be built before the migration to a format, while workers of an older format go on: they are of columns that all
    /// formats have.
    static let indexesBuiltBefore = [(format: 4, name: "finished_campaign", definition: linesOfCampaigns)]

    static func targetPart(_ target: String) -> String { "get_byte(sha256(\(target)), 0)" }
    /// A number that few other targets of the part have.
    static func targetMark(_ target: String) -> String { "substring(sha256(\(target)) FROM 2 FOR 4)" }
    /// Whether the details of a push may have a collapse id.
    static func hasCollapseID(_ push: String) -> String { "position('\"collapse_id\"'::bytea IN \(push)) > 0" }
    /// The collapse id in the details of a push, as it is written in JSON. `convert_from` is not allowed in an index.
    static func collapseID(_ push: String) -> String {
        "substring(encode(\(push), 'escape') FROM '\"collapse_id\":\"((?:[^\"\\\\]|\\\\[0-7]|\\\\\\\\(?:\\\\\\\\|[^\\\\]))*)\"')"
    }

    /// Tables whose rows are often changed or removed are cleaned after each 20 000 changes, without pauses. By default the
    /// server waits for a fifth of the rows, and rests between pages: the table grows, and each step becomes slower. They are
    /// analysed as often: a plan that was made for small tables ends with that.
    private static let quickVacuum = """
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 20000
        """
}
