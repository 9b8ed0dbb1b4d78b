-- Made by scripts/lib/queue-fixture. The API key of its app: psk_b1caf7c7_AOiGrbJpfltGhUgjWBu8wTF8UiPjutm6pOhxv1T0hQo
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
INSERT INTO old_format.content VALUES (1, '01a21e24-328c-71b4-9397-d0e9580bfe6b', '\x00a100000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, 'welcome-1');
INSERT INTO old_format.content VALUES (1, '01a21e24-32e4-7396-92e6-8bea7fe39210', '\x009904100000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-73b9-9f90-e0def7aaa626', '\x00b100000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-73b9-9ff0-6b9f0ef86cc6', '\x00b200000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-73b9-a024-7201ee8c5bbf', '\x00c100000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a21e26-0590-7749-afae-6a3b33bfd9ca', '\x00d100000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a21e26-0590-7749-afdc-3d7db020fd82', '\x00d200000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a21e26-0590-7749-b00b-c0d2138176f2', '\x00d300000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', '\x7b226e616d65223a2022416461227d', '\x7b22617073223a207b22616c657274223a202248656c6c6f207b7b6e616d657d7d227d7d', NULL, 'waiting-3');
INSERT INTO old_format.content VALUES (1, '01a21e24-343b-72bf-9339-50a1d9070b20', '\x00e100000000000000000000000000000000000000000000000000000000000000', '\x7b226279223a36303639337d', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.dead_letter VALUES (1, '0371b58b-6800-73b9-9f90-e0def7aaa626', NULL);
INSERT INTO old_format.dedupe VALUES (1, 'welcome-1', '01a21e24-328c-71b4-9397-d0e9580bfe6b', 1795888418444);
INSERT INTO old_format.dedupe VALUES (1, 'waiting-3', '01a21e26-0590-7749-b00b-c0d2138176f2', 1795888418857);
INSERT INTO old_format.finished VALUES (1, '01a21e24-328c-71b4-9397-d0e9580bfe6b', 770703361, 0, 200, 1, 0, false, 1, 0, 1, 1795802018444, 140737488355327, 1795802018444, 1795802018481, 1795802018505, 1795802018506, NULL, 'a9264901-5991-b388-8f76-f660f3834fa2', NULL, NULL, NULL, NULL);
INSERT INTO old_format.finished VALUES (1, '01a21e24-32e4-7396-92e6-8bea7fe39210', 776994817, 1, 410, 1, 0, false, 1, 0, 3, 1795802018532, 140737488355327, 1795802018532, 1795802018543, 1795802018554, 1795802018554, 1795197218552, NULL, NULL, NULL, 'Unregistered', 'The device token is no longer active for this topic. The app was removed, or has a new token. Stop sending to this token, unless the app registered it again after the timestamp of this answer.');
INSERT INTO old_format.finished VALUES (1, '0371b58b-6800-73b9-9f90-e0def7aaa626', 781189121, 3, NULL, 1, 0, false, 0, 0, 0, 3786912000000, 140737488355327, 1795802018576, NULL, 1795802018765, 1795802018766, NULL, NULL, NULL, NULL, 'buried', 'Buried by an operator.');
INSERT INTO old_format.finished VALUES (1, '0371b58b-6800-73b9-9ff0-6b9f0ef86cc6', 785383425, 3, NULL, 1, 0, false, 0, 0, 0, 3786912000000, 140737488355327, 1795802018810, NULL, 1795802018824, 1795802018824, NULL, NULL, NULL, NULL, 'cancelled', NULL);
INSERT INTO old_format.gone VALUES (1, '9904100000000000000000000000000000000000000000000000000000000000', 1795197218552, 776994818);
INSERT INTO old_format.job VALUES (1, '0371b58b-6800-73b9-a024-7201ee8c5bbf', true, false, 0, 0, 0, false, false, false, 0, 0, 0, 3786912000000, 140737488355327, 1795802018836, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21e26-0590-7749-afae-6a3b33bfd9ca', true, false, 0, 1, 0, false, false, false, 0, 0, 0, 1795802138000, 140737488355327, 1795802018854, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21e26-0590-7749-afdc-3d7db020fd82', true, false, 0, 2, 0, false, false, false, 0, 0, 0, 1795802138000, 3786912000000, 1795802018854, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21e26-0590-7749-b00b-c0d2138176f2', true, false, 0, 1, 0, false, false, false, 0, 0, 0, 1795802138000, 140737488355327, 1795802018854, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21e24-343b-72bf-9339-50a1d9070b20', false, false, 2, 1, 0, false, true, false, 1, 0, 8, 1795802018875, 140737488355327, 1795802018875, 1795802018891, NULL, NULL);
INSERT INTO old_format.lease VALUES (8, 'worker', 1795802078884, 1, '{1}', '{01a21e24-343b-72bf-9339-50a1d9070b20}');
INSERT INTO old_format.machine VALUES ('00000000-0000-0000-0000-000000000001', 1795788007952, 1795802017924);
INSERT INTO old_format.queue VALUES (1, 2, 1795802017924, 0, '1', 0, 0);
INSERT INTO old_format.record VALUES ('api_key', 'b1caf7c7', '\x7b2261707073223a5b2273686f70225d2c2263726561746564223a313739353830323031373930352c226e616d65223a22222c2273636f706573223a5b2261646d696e225d2c22736861323536223a2265633930323966613637616664336131633764613066616666376438363066363233626337303836613737373566316339626262393561376662646563653539227d', 1);
INSERT INTO old_format.request VALUES (1, 'accepted-1', '\xfaa9b9c66ca7bfd4887c9c179f9753579d56aec2364cfe191ebdadc1fa00540e', 1, 0, 1795888418444, '\x0001a21e24328c71b49397d0e9580bfe6b');
INSERT INTO old_format.request VALUES (1, 'waiting-1', '\x061d94f8bd4f9ce1bdd472e24099f23cdc8922b8bfdd8f292ad3248e377dbd97', 1, 0, 1795888418857, '\x0001a21e2605907749afae6a3b33bfd9ca0001a21e2605907749afdc3d7db020fd820001a21e2605907749b00bc0d2138176f2');
SELECT pg_catalog.setval('old_format.app_id_seq', 1, true);
SELECT pg_catalog.setval('old_format.campaign_id_seq', 1, false);
SELECT pg_catalog.setval('old_format.fence', 8, true);
SELECT pg_catalog.setval('old_format.payload_id_seq', 1, false);
SELECT pg_catalog.setval('old_format.slot', 4, true);
SELECT pg_catalog.setval('old_format.version', 4, true);
ALTER TABLE ONLY old_format.app_count
    ADD CONSTRAINT app_count_pkey PRIMARY KEY (app, slot);
ALTER TABLE ONLY old_format.app
    ADD CONSTRAINT app_name_key UNIQUE (name);
ALTER TABLE ONLY old_format.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (id);
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
CREATE INDEX campaign_app ON old_format.campaign USING btree (app, id);
CREATE UNIQUE INDEX campaign_key ON old_format.campaign USING btree (app, key) WHERE (key IS NOT NULL);
CREATE INDEX content_target ON old_format.content USING brin (target bytea_bloom_ops) WITH (autosummarize='on', pages_per_range='64');
CREATE INDEX dedupe_until ON old_format.dedupe USING btree (until);
CREATE UNIQUE INDEX finished_number ON old_format.finished USING btree (((app)::bigint), number);
CREATE INDEX finished_rare ON old_format.finished USING btree (app, outcome, number) WHERE (outcome <> 0);
CREATE UNIQUE INDEX gone_number ON old_format.gone USING btree (((app)::bigint), number);
CREATE INDEX job_held ON old_format.job USING btree (campaign, line) WHERE is_held;
CREATE INDEX job_released ON old_format.job USING btree (campaign) WHERE (is_waiting AND (campaign IS NOT NULL));
CREATE INDEX job_waiting ON old_format.job USING btree (app, priority, due, id, expires) WHERE is_waiting;
CREATE INDEX latest_until ON old_format.latest USING btree (until);
CREATE INDEX request_until ON old_format.request USING btree (until);
