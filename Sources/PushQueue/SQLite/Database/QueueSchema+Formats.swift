extension QueueSchema {
    /// Format 2: campaigns.
    ///
    /// A job has the number of its campaign and its line, and no other job pays for them: the index has only lines that are held or
    /// wait. `campaign_line` keeps the numbers of the lines as long as the campaign, so that a line that is sent again is known also when its
    /// job was dropped. Rates are in thousandths of a line in a second, and `level` is in millionths of a line. The columns `level_at`,
    /// `window_at` and `ended_steady` are times of the steady clock.
    static let campaigns = """
        ALTER TABLE app ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE job ADD COLUMN campaign INTEGER;
        ALTER TABLE job ADD COLUMN line INTEGER;
        CREATE INDEX job_campaign ON job (campaign, state, line) WHERE campaign IS NOT NULL AND state IN (0, 4);

        CREATE TABLE campaign (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid BLOB NOT NULL UNIQUE,
            app INTEGER NOT NULL,
            name TEXT NOT NULL,
            key TEXT,
            state INTEGER NOT NULL DEFAULT 0,
            is_open INTEGER NOT NULL DEFAULT 1,
            settings BLOB NOT NULL,
            rate INTEGER,
            starts INTEGER,
            expires INTEGER,
            created INTEGER NOT NULL,
            started INTEGER,
            ended INTEGER,
            ended_steady INTEGER,
            level INTEGER NOT NULL DEFAULT 0,
            level_at INTEGER NOT NULL DEFAULT 0,
            window_at INTEGER NOT NULL DEFAULT 0,
            window_count INTEGER NOT NULL DEFAULT 0,
            window_rate INTEGER NOT NULL DEFAULT 0,
            last_line INTEGER NOT NULL DEFAULT 0,
            lines INTEGER NOT NULL DEFAULT 0,
            refused INTEGER NOT NULL DEFAULT 0,
            held INTEGER NOT NULL DEFAULT 0,
            waiting INTEGER NOT NULL DEFAULT 0,
            in_flight INTEGER NOT NULL DEFAULT 0,
            accepted INTEGER NOT NULL DEFAULT 0,
            rejected INTEGER NOT NULL DEFAULT 0,
            unknown INTEGER NOT NULL DEFAULT 0,
            not_sent INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX campaign_app ON campaign (app);
        CREATE UNIQUE INDEX campaign_key ON campaign (app, key) WHERE key IS NOT NULL;
        CREATE INDEX campaign_active ON campaign (id) WHERE state IN (1, 2, 3);
        CREATE INDEX campaign_ended ON campaign (ended_steady) WHERE ended_steady IS NOT NULL;

        CREATE TABLE campaign_line (
            campaign INTEGER NOT NULL,
            line INTEGER NOT NULL,
            job INTEGER NOT NULL,
            PRIMARY KEY (campaign, line)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE campaign_refusal (
            campaign INTEGER NOT NULL,
            line INTEGER NOT NULL,
            code TEXT NOT NULL,
            detail TEXT NOT NULL,
            place TEXT,
            remedy TEXT,
            PRIMARY KEY (campaign, line)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE campaign_failure (
            campaign INTEGER NOT NULL,
            line INTEGER NOT NULL,
            PRIMARY KEY (campaign, line)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE campaign_outcome (
            campaign INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            reason TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (campaign, kind, reason)
        ) STRICT, WITHOUT ROWID;
        """

    /// Format 3: the order of pushes.
    ///
    /// Jobs that are due together are claimed in the order of their numbers, which is that of their request. `latest` has the newest push of
    /// each collapse id and device that was started: its place, an id, and the number of its job. The time `until` is one of the steady clock,
    /// in whole hours, so that a repetition seldom changes the index.
    static let order = """
        DROP INDEX job_waiting;
        CREATE INDEX job_waiting ON job (app, priority, due, id, expires) WHERE state = 0;

        CREATE TABLE latest (
            app INTEGER NOT NULL,
            key BLOB NOT NULL,
            place BLOB NOT NULL,
            job INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (app, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX latest_until ON latest (until);
        """

    /// Format 3: a line of a campaign has a digest of what was given, so that another line of the same number is noticed. Lines of
    /// earlier formats have none.
    static let lineDigests = """
        ALTER TABLE campaign_line ADD COLUMN digest BLOB;
        ALTER TABLE campaign_refusal ADD COLUMN digest BLOB;
        """

    /// Format 4: what operators look for.
    ///
    /// Only outcomes with a reason are in the index of reasons: the others pay for the comparison only. `tally` has the outcomes of each
    /// minute and hour, whose length is the `span`, in milliseconds.
    static let observing = """
        CREATE INDEX job_reason ON job (app, reason, sequence) WHERE reason IS NOT NULL;

        CREATE TABLE tally (
            app INTEGER NOT NULL,
            span INTEGER NOT NULL,
            begin INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            reason TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (app, span, begin, kind, reason)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE audit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            time INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX audit_app ON audit (app, number);
        """

    /// Format 5: the newest outcomes of a campaign. Only lines that have an outcome are in the index.
    static let outcomesOfCampaigns = """
        CREATE INDEX job_campaign_outcome ON job (campaign, sequence) WHERE campaign IS NOT NULL AND sequence IS NOT NULL;
        """

    /// Format 6: the jobs of a target are found by its mark, in each slice of ``sizeOfSlice`` jobs that were stored one after the other.
    /// The index of the slice that grows has about a megabyte, so its pages stay in memory while jobs are stored; and a search looks at
    /// one page of each slice, 153 for ten million jobs. In earlier formats, `bucket` was a digest of the target: their jobs are in the
    /// slices 0 to 15, of which a search read a whole one.
    static let slices = """
        DROP INDEX content_target;
        CREATE INDEX content_target ON content (bucket, mark);
        """

    /// The number of jobs in a slice of the index of targets. Smaller slices make a job cheaper and a search dearer.
    static let sizeOfSlice = 65_536

    /// The last slice that earlier formats have.
    static let lastOldSlice: Int64 = 15

    /// Format 7: jobs are found by their collapse id. Formats 4 to 6 had an index without the pushes to a person.
    ///
    /// Only jobs with a collapse id are in the index: the others pay for the comparison only. It has 64 parts, and jobs come near the end
    /// of each, so that few pages change.
    static let collapseIDs = """
        DROP INDEX IF EXISTS content_collapse;
        CREATE INDEX content_collapse ON content ((\(part(of: collapseID))), job, (\(collapseID))) WHERE \(hasCollapseID);
        """

    /// Whether a row of `content` may have a collapse id: `"collapse_id"` in the bytes of `push`.
    static let hasCollapseID = "instr(push, X'22636F6C6C617073655F696422') > 0"
    /// The collapse id of a row of `content`. A push to a person is an array of the person and the object of other pushes.
    static let collapseID = """
        CASE WHEN json_valid(CAST(push AS TEXT)) THEN json_extract(
            CAST(push AS TEXT), CASE substr(push, 1, 1) WHEN X'5B' THEN '$[1].collapse_id' ELSE '$.collapse_id' END) END
        """

    /// The part of the index that has a collapse id, by its last two characters.
    static func part(of collapseID: String) -> String {
        "(unicode(substr(\(collapseID), -1)) * 8 + unicode(substr('-' || \(collapseID), -2, 1))) & 63"
    }
}
