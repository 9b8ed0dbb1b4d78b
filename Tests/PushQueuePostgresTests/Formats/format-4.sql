-- Made by scripts/lib/queue-fixture. The API key of its app: psk_pjbhdcgb_V2_cgz0oP-c_OOOuXpDKFlpvV6KvsGEXtgUY6jM9xTc
SELECT pg_catalog.set_config('search_path', '', false);
CREATE SCHEMA old_format;
CREATE TABLE old_format.app (
    id integer NOT NULL,
    name text NOT NULL,
    is_known boolean DEFAULT false NOT NULL,
    erased bigint DEFAULT 0 NOT NULL,
    dropped bigint DEFAULT 0 NOT NULL
);
CREATE TABLE old_format.app_count (
    app integer NOT NULL,
    slot smallint NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    waiting bigint DEFAULT 0 NOT NULL,
    leased bigint DEFAULT 0 NOT NULL,
    started bigint DEFAULT 0 NOT NULL,
    kept bigint DEFAULT 0 NOT NULL,
    dead_letters bigint DEFAULT 0 NOT NULL,
    accepted bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    unknown bigint DEFAULT 0 NOT NULL,
    not_sent bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='30', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
ALTER TABLE old_format.app ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME old_format.app_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE old_format.audit (
    number bigint NOT NULL,
    app text NOT NULL,
    "time" bigint NOT NULL,
    content bytea NOT NULL
);
ALTER TABLE old_format.audit ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME old_format.audit_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE old_format.campaign (
    id integer NOT NULL,
    uuid uuid NOT NULL,
    app integer NOT NULL,
    name text NOT NULL,
    key text,
    state smallint DEFAULT 0 NOT NULL,
    is_open boolean DEFAULT true NOT NULL,
    settings bytea NOT NULL,
    rate integer,
    starts bigint,
    expires bigint,
    created bigint NOT NULL,
    started bigint,
    ended bigint,
    ended_steady bigint,
    level bigint DEFAULT 0 NOT NULL,
    level_at bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE old_format.campaign_count (
    campaign integer NOT NULL,
    slot smallint NOT NULL,
    last_line bigint DEFAULT 0 NOT NULL,
    lines bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    waiting bigint DEFAULT 0 NOT NULL,
    in_flight bigint DEFAULT 0 NOT NULL,
    accepted bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    unknown bigint DEFAULT 0 NOT NULL,
    not_sent bigint DEFAULT 0 NOT NULL,
    window_at bigint DEFAULT 0 NOT NULL,
    window_count bigint DEFAULT 0 NOT NULL,
    window_rate bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='30', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE TABLE old_format.campaign_failure (
    campaign integer NOT NULL,
    line bigint NOT NULL
);
ALTER TABLE old_format.campaign ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME old_format.campaign_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE old_format.campaign_line (
    campaign integer NOT NULL,
    line bigint NOT NULL,
    job uuid NOT NULL,
    digest bytea
);
CREATE TABLE old_format.campaign_outcome (
    campaign integer NOT NULL,
    slot smallint NOT NULL,
    kind smallint NOT NULL,
    reason text NOT NULL,
    count bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE old_format.campaign_refusal (
    campaign integer NOT NULL,
    line bigint NOT NULL,
    code text NOT NULL,
    detail text NOT NULL,
    place text,
    remedy text,
    digest bytea
);
CREATE TABLE old_format.content (
    app integer NOT NULL,
    job uuid NOT NULL,
    target bytea NOT NULL,
    push bytea NOT NULL,
    variables bytea,
    payload bytea,
    shared bigint,
    dedupe_key text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE TABLE old_format.dead_letter (
    app integer NOT NULL,
    job uuid NOT NULL,
    redriven_as uuid
);
CREATE TABLE old_format.dedupe (
    app integer NOT NULL,
    key text NOT NULL,
    job uuid NOT NULL,
    until bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE TABLE old_format.event (
    app integer NOT NULL,
    job uuid NOT NULL,
    number bigint NOT NULL,
    "time" bigint NOT NULL,
    kind text NOT NULL,
    detail text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE SEQUENCE old_format.fence
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE old_format.finished (
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
    detail text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE TABLE old_format.gone (
    app integer NOT NULL,
    token text NOT NULL,
    since bigint NOT NULL,
    number bigint NOT NULL
);
CREATE TABLE old_format.job (
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
    line bigint
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE TABLE old_format.latest (
    app integer NOT NULL,
    key uuid NOT NULL,
    place uuid NOT NULL,
    job uuid NOT NULL,
    until bigint NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE TABLE old_format.lease (
    fence bigint NOT NULL,
    owner text NOT NULL,
    ends bigint NOT NULL,
    held integer NOT NULL,
    apps integer[] NOT NULL,
    jobs uuid[] NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
ALTER TABLE ONLY old_format.lease ALTER COLUMN jobs SET STORAGE EXTERNAL;
CREATE TABLE old_format.machine (
    boot text NOT NULL,
    base bigint NOT NULL,
    seen bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE old_format.payload (
    id bigint NOT NULL,
    app integer NOT NULL,
    body bytea NOT NULL,
    uses bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
ALTER TABLE old_format.payload ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME old_format.payload_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE old_format.queue (
    id smallint NOT NULL,
    format integer NOT NULL,
    seen bigint NOT NULL,
    shift bigint NOT NULL,
    cluster text NOT NULL,
    base bigint NOT NULL,
    checked bigint NOT NULL,
    CONSTRAINT queue_id_check CHECK ((id = 1))
)
WITH (fillfactor='10');
CREATE TABLE old_format.record (
    kind text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    value bytea NOT NULL,
    version bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE old_format.request (
    app integer NOT NULL,
    key text NOT NULL,
    digest bytea NOT NULL,
    state smallint NOT NULL,
    fence bigint NOT NULL,
    until bigint NOT NULL,
    answer bytea
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE SEQUENCE old_format.slot
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE old_format.tally (
    app integer NOT NULL,
    span integer NOT NULL,
    begin bigint NOT NULL,
    slot smallint NOT NULL,
    kind smallint NOT NULL,
    reason text NOT NULL,
    count bigint NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='20000');
CREATE SEQUENCE old_format.version
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
INSERT INTO old_format.app OVERRIDING SYSTEM VALUE VALUES (1, 'shop', true, 0, 0);
INSERT INTO old_format.app_count VALUES (1, 4, 0, -1, 0, 0, 1, 1, 0, 0, 0, 1);
INSERT INTO old_format.app_count VALUES (1, 2, 0, 8, 0, 0, 1, 0, 0, 0, 0, 1);
INSERT INTO old_format.app_count VALUES (1, 3, 0, -3, 0, 1, 2, 0, 1, 1, 0, 0);
INSERT INTO old_format.audit OVERRIDING SYSTEM VALUE VALUES (1, 'shop', 1795869964119, '\x7b22616374696f6e223a226e6f74696669636174696f6e2e63616e63656c222c226b6579223a22706a626864636762222c226f626a656374223a2230333731623538622d363830302d373561392d613565642d656539653233643633663966227d');
INSERT INTO old_format.content VALUES (1, '01a22230-ecd0-743a-bc4a-71eb615629f2', '\x00a100000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, 'welcome-1');
INSERT INTO old_format.content VALUES (1, '01a22230-ef8e-71c4-97af-89e6d0e28fa9', '\x009904100000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-75a9-a5ae-f608c36379f1', '\x00b100000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-75a9-a5ed-ee9e23d63f9f', '\x00b200000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-75a9-a62b-53263275ac7c', '\x00c100000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a22232-cba0-773a-9448-fbc77a1b7477', '\x00d100000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a22232-cba0-773a-948b-e4b5f9177071', '\x00d200000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a22232-cba0-773a-94d4-6eb1777011d3', '\x00d300000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', '\x7b226e616d65223a2022416461227d', '\x7b22617073223a207b22616c657274223a202248656c6c6f207b7b6e616d657d7d227d7d', NULL, 'waiting-3');
INSERT INTO old_format.content VALUES (1, '01a22230-f883-7702-8285-1a11ff59dce2', '\x00e100000000000000000000000000000000000000000000000000000000000000', '\x7b226170705f746f706963223a22636f6d2e6578616d706c652e617070222c226279223a31393330397d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.dead_letter VALUES (1, '0371b58b-6800-75a9-a5ae-f608c36379f1', NULL);
INSERT INTO old_format.dedupe VALUES (1, 'welcome-1', '01a22230-ecd0-743a-bc4a-71eb615629f2', 1795956361442);
INSERT INTO old_format.dedupe VALUES (1, 'waiting-3', '01a22232-cba0-773a-94d4-6eb1777011d3', 1795956364269);
INSERT INTO old_format.finished VALUES (1, '01a22230-ecd0-743a-bc4a-71eb615629f2', 778043393, 0, 200, 1, 0, false, 1, 0, 1, 1795869961424, 140737488355327, 1795869961424, 1795869961657, 1795869961990, 1795869961990, NULL, '89517bbe-8029-f6c5-555f-0bef8233376c', NULL, NULL, NULL, NULL);
INSERT INTO old_format.finished VALUES (1, '01a22230-ef8e-71c4-97af-89e6d0e28fa9', 785383425, 1, 410, 1, 0, false, 1, 0, 4, 1795869962126, 140737488355327, 1795869962126, 1795869962217, 1795869962293, 1795869962291, 1795265162250, NULL, NULL, NULL, 'Unregistered', 'The device token is no longer active for this topic. The app was removed, or has a new token. Stop sending to this token, unless the app registered it again after the timestamp of this answer.');
INSERT INTO old_format.finished VALUES (1, '0371b58b-6800-75a9-a5ae-f608c36379f1', 791674881, 3, NULL, 1, 0, false, 0, 0, 0, 3786912000000, 140737488355327, 1795869962345, NULL, 1795869963630, 1795869963640, NULL, NULL, NULL, NULL, 'buried', 'Buried by an operator.');
INSERT INTO old_format.finished VALUES (1, '0371b58b-6800-75a9-a5ed-ee9e23d63f9f', 795869185, 3, NULL, 1, 0, false, 0, 0, 0, 3786912000000, 140737488355327, 1795869963873, NULL, 1795869964119, 1795869964116, NULL, NULL, NULL, NULL, 'cancelled', NULL);
INSERT INTO old_format.gone VALUES (1, '9904100000000000000000000000000000000000000000000000000000000000', 1795265162250, 785383426);
INSERT INTO old_format.job VALUES (1, '0371b58b-6800-75a9-a62b-53263275ac7c', true, false, 0, 0, 0, false, false, false, 0, 0, 0, 3786912000000, 140737488355327, 1795869964189, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a22232-cba0-773a-9448-fbc77a1b7477', true, false, 0, 1, 0, false, false, false, 0, 0, 0, 1795870084000, 140737488355327, 1795869964268, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a22232-cba0-773a-948b-e4b5f9177071', true, false, 0, 2, 0, false, false, false, 0, 0, 0, 1795870084000, 3786912000000, 1795869964268, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a22232-cba0-773a-94d4-6eb1777011d3', true, false, 0, 1, 0, false, false, false, 0, 0, 0, 1795870084000, 140737488355327, 1795869964268, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a22230-f883-7702-8285-1a11ff59dce2', false, false, 2, 1, 0, false, true, false, 1, 0, 15, 1795869964419, 140737488355327, 1795869964419, 1795869964469, NULL, NULL);
INSERT INTO old_format.lease VALUES (15, 'worker', 1795870024456, 1, '{1}', '{01a22230-f883-7702-8285-1a11ff59dce2}');
INSERT INTO old_format.machine VALUES ('00000000-0000-0000-0000-000000000001', 1795862634566, 1795869964361);
INSERT INTO old_format.queue VALUES (1, 4, 1795869964361, 0, '1', 0, 0);
INSERT INTO old_format.record VALUES ('api_key', 'pjbhdcgb', '\x7b2261707073223a5b2273686f70225d2c2263726561746564223a313739353836393935393633302c226e616d65223a22222c2273636f706573223a5b2261646d696e225d2c22736861323536223a2234346333303538653662633935336337363039633831353831643631393235653839313466346432623165646131326531353239306136326262396539373563227d', 1);
INSERT INTO old_format.record VALUES ('app_setup', 'shop', '\x7b2263757272656e74223a7b2263726564656e7469616c73223a22746865206b6579204d4f434b4b4559313233206f66207465616d204d4f434b5445414d3132222c22656e7669726f6e6d656e74223a226c6f63616c686f73743a3430303537222c22746f706963223a22636f6d2e6578616d706c652e617070227d7d', 2);
INSERT INTO old_format.request VALUES (1, 'accepted-1', '\xfaa9b9c66ca7bfd4887c9c179f9753579d56aec2364cfe191ebdadc1fa00540e', 1, 0, 1795956361442, '\x0001a22230ecd0743abc4a71eb615629f2');
INSERT INTO old_format.request VALUES (1, 'waiting-1', '\xffe2d7b69d24fc1c15cfab3c165cd5d3974c57d256b550c5655733cfd21cbcd6', 1, 0, 1795956364269, '\x0001a22232cba0773a9448fbc77a1b74770001a22232cba0773a948be4b5f91770710001a22232cba0773a94d46eb1777011d3');
INSERT INTO old_format.tally VALUES (1, 60000, 1795869960000, 3, 0, '', 1);
INSERT INTO old_format.tally VALUES (1, 3600000, 1795867200000, 3, 0, '', 1);
INSERT INTO old_format.tally VALUES (1, 60000, 1795869960000, 3, 1, 'Unregistered', 1);
INSERT INTO old_format.tally VALUES (1, 3600000, 1795867200000, 3, 1, 'Unregistered', 1);
INSERT INTO old_format.tally VALUES (1, 60000, 1795869960000, 4, 3, 'buried', 1);
INSERT INTO old_format.tally VALUES (1, 3600000, 1795867200000, 4, 3, 'buried', 1);
INSERT INTO old_format.tally VALUES (1, 60000, 1795869960000, 2, 3, 'cancelled', 1);
INSERT INTO old_format.tally VALUES (1, 3600000, 1795867200000, 2, 3, 'cancelled', 1);
SELECT pg_catalog.setval('old_format.app_id_seq', 1, true);
SELECT pg_catalog.setval('old_format.audit_number_seq', 1, true);
SELECT pg_catalog.setval('old_format.campaign_id_seq', 1, false);
SELECT pg_catalog.setval('old_format.fence', 17, true);
SELECT pg_catalog.setval('old_format.payload_id_seq', 1, false);
SELECT pg_catalog.setval('old_format.slot', 4, true);
SELECT pg_catalog.setval('old_format.version', 11, true);
ALTER TABLE ONLY old_format.app_count
    ADD CONSTRAINT app_count_pkey PRIMARY KEY (app, slot);
ALTER TABLE ONLY old_format.app
    ADD CONSTRAINT app_name_key UNIQUE (name);
ALTER TABLE ONLY old_format.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (id);
ALTER TABLE ONLY old_format.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (number);
ALTER TABLE ONLY old_format.campaign_count
    ADD CONSTRAINT campaign_count_pkey PRIMARY KEY (campaign, slot);
ALTER TABLE ONLY old_format.campaign_failure
    ADD CONSTRAINT campaign_failure_pkey PRIMARY KEY (campaign, line);
ALTER TABLE ONLY old_format.campaign_line
    ADD CONSTRAINT campaign_line_pkey PRIMARY KEY (campaign, line);
ALTER TABLE ONLY old_format.campaign_outcome
    ADD CONSTRAINT campaign_outcome_pkey PRIMARY KEY (campaign, slot, kind, reason);
ALTER TABLE ONLY old_format.campaign
    ADD CONSTRAINT campaign_pkey PRIMARY KEY (id);
ALTER TABLE ONLY old_format.campaign_refusal
    ADD CONSTRAINT campaign_refusal_pkey PRIMARY KEY (campaign, line);
ALTER TABLE ONLY old_format.campaign
    ADD CONSTRAINT campaign_uuid_key UNIQUE (uuid);
ALTER TABLE ONLY old_format.content
    ADD CONSTRAINT content_pkey PRIMARY KEY (app, job);
ALTER TABLE ONLY old_format.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (app, job);
ALTER TABLE ONLY old_format.dedupe
    ADD CONSTRAINT dedupe_pkey PRIMARY KEY (app, key);
ALTER TABLE ONLY old_format.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (app, job, number);
ALTER TABLE ONLY old_format.finished
    ADD CONSTRAINT finished_pkey PRIMARY KEY (app, id);
ALTER TABLE ONLY old_format.gone
    ADD CONSTRAINT gone_pkey PRIMARY KEY (app, token);
ALTER TABLE ONLY old_format.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (app, id);
ALTER TABLE ONLY old_format.latest
    ADD CONSTRAINT latest_pkey PRIMARY KEY (app, key);
ALTER TABLE ONLY old_format.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (fence);
ALTER TABLE ONLY old_format.machine
    ADD CONSTRAINT machine_pkey PRIMARY KEY (boot);
ALTER TABLE ONLY old_format.payload
    ADD CONSTRAINT payload_pkey PRIMARY KEY (id);
ALTER TABLE ONLY old_format.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (id);
ALTER TABLE ONLY old_format.record
    ADD CONSTRAINT record_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY old_format.request
    ADD CONSTRAINT request_pkey PRIMARY KEY (app, key);
ALTER TABLE ONLY old_format.tally
    ADD CONSTRAINT tally_pkey PRIMARY KEY (app, span, begin, slot, kind, reason);
CREATE INDEX audit_app ON old_format.audit USING btree (app, number);
CREATE INDEX campaign_app ON old_format.campaign USING btree (app, id);
CREATE UNIQUE INDEX campaign_key ON old_format.campaign USING btree (app, key) WHERE (key IS NOT NULL);
CREATE INDEX content_collapse ON old_format.content USING btree (((app)::bigint), "substring"(encode(push, 'escape'::text), '"collapse_id":"((?:[^"\\]|\\[0-7]|\\\\(?:\\\\|[^\\]))*)"'::text), job) WHERE (POSITION(('\x22636f6c6c617073655f696422'::bytea) IN (push)) > 0);
CREATE INDEX content_target ON old_format.content USING btree (get_byte(sha256(target), 0), job, SUBSTRING(sha256(target) FROM 2 FOR 4));
CREATE INDEX dedupe_until ON old_format.dedupe USING btree (until);
CREATE INDEX finished_campaign ON old_format.finished USING btree (campaign, number) WHERE (campaign IS NOT NULL);
CREATE UNIQUE INDEX finished_number ON old_format.finished USING btree (((app)::bigint), number);
CREATE INDEX finished_rare ON old_format.finished USING btree (app, outcome, number) WHERE (outcome <> 0);
CREATE INDEX finished_reason ON old_format.finished USING btree (app, reason, number) WHERE (reason IS NOT NULL);
CREATE UNIQUE INDEX gone_number ON old_format.gone USING btree (((app)::bigint), number);
CREATE INDEX job_held ON old_format.job USING btree (campaign, line) WHERE is_held;
CREATE INDEX job_released ON old_format.job USING btree (campaign) WHERE (is_waiting AND (campaign IS NOT NULL));
CREATE INDEX job_waiting ON old_format.job USING btree (app, priority, due, id, expires) WHERE is_waiting;
CREATE INDEX latest_until ON old_format.latest USING btree (until);
CREATE INDEX request_until ON old_format.request USING btree (until);
