-- Made by scripts/lib/queue-fixture. The API key of its app: psk_3h4ok5up_H-GDBXn_S-1471-G0Y0QosFejR4e3yiquXYuWtIGQvI
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
    job uuid NOT NULL
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
    remedy text
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
INSERT INTO old_format.content VALUES (1, '01a21d7a-534d-76a0-9c58-0baaa991fb65', '\x00a100000000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, 'welcome-1');
INSERT INTO old_format.content VALUES (1, '01a21d7a-5374-7069-8b5f-660a684e52cd', '\x009904100000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-7552-99ab-7ac54a2664a2', '\x00b100000000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-7552-99f8-452c8c745420', '\x00b200000000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '0371b58b-6800-7552-9a10-2b4c3684391f', '\x00c100000000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a21d7c-2548-7472-859a-09f84f79d5c8', '\x00d100000000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a21d7c-2548-7472-85e3-37cc443f5b6b', '\x00d200000000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.content VALUES (1, '01a21d7c-2548-7472-8612-0b7b5a640822', '\x00d300000000000000000000000000000000000000000000000000000000000000', '\x', '\x7b226e616d65223a2022416461227d', '\x7b22617073223a207b22616c657274223a202248656c6c6f207b7b6e616d657d7d227d7d', NULL, 'waiting-3');
INSERT INTO old_format.content VALUES (1, '01a21d7a-53ff-7481-99c1-907f140aa8bb', '\x00e100000000000000000000000000000000000000000000000000000000000000', '\x', NULL, '\x7b22617073223a207b22616c657274223a202248656c6c6f227d7d', NULL, NULL);
INSERT INTO old_format.dead_letter VALUES (1, '0371b58b-6800-7552-99ab-7ac54a2664a2', NULL);
INSERT INTO old_format.dedupe VALUES (1, 'welcome-1', '01a21d7a-534d-76a0-9c58-0baaa991fb65', 1795877285710);
INSERT INTO old_format.dedupe VALUES (1, 'waiting-3', '01a21d7c-2548-7472-8612-0b7b5a640822', 1795877285877);
INSERT INTO old_format.finished VALUES (1, '01a21d7a-534d-76a0-9c58-0baaa991fb65', 805306369, 0, 200, 1, 0, false, 1, 0, 1, 1795790885709, 140737488355327, 1795790885709, 1795790885727, 1795790885740, 1795790885741, NULL, 'c61df595-03a4-320a-0aba-61d45852ab78', NULL, NULL, NULL, NULL);
INSERT INTO old_format.finished VALUES (1, '01a21d7a-5374-7069-8b5f-660a684e52cd', 810549249, 1, 410, 1, 0, false, 1, 0, 3, 1795790885748, 140737488355327, 1795790885748, 1795790885754, 1795790885763, 1795790885764, 1795186085760, NULL, NULL, NULL, 'Unregistered', 'The device token is no longer active for this topic. The app was removed, or has a new token. Stop sending to this token, unless the app registered it again after the timestamp of this answer.');
INSERT INTO old_format.finished VALUES (1, '0371b58b-6800-7552-99ab-7ac54a2664a2', 814743553, 3, NULL, 1, 0, false, 0, 0, 0, 3786912000000, 140737488355327, 1795790885771, NULL, 1795790885830, 1795790885830, NULL, NULL, NULL, NULL, 'buried', 'Buried by an operator.');
INSERT INTO old_format.finished VALUES (1, '0371b58b-6800-7552-99f8-452c8c745420', 818937857, 3, NULL, 1, 0, false, 0, 0, 0, 3786912000000, 140737488355327, 1795790885855, NULL, 1795790885861, 1795790885861, NULL, NULL, NULL, NULL, 'cancelled', NULL);
INSERT INTO old_format.gone VALUES (1, '9904100000000000000000000000000000000000000000000000000000000000', 1795186085760, 810549250);
INSERT INTO old_format.job VALUES (1, '0371b58b-6800-7552-9a10-2b4c3684391f', true, false, 0, 0, 0, false, false, false, 0, 0, 0, 3786912000000, 140737488355327, 1795790885871, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21d7c-2548-7472-859a-09f84f79d5c8', true, false, 0, 1, 0, false, false, false, 0, 0, 0, 1795791005000, 140737488355327, 1795790885876, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21d7c-2548-7472-85e3-37cc443f5b6b', true, false, 0, 2, 0, false, false, false, 0, 0, 0, 1795791005000, 3786912000000, 1795790885876, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21d7c-2548-7472-8612-0b7b5a640822', true, false, 0, 1, 0, false, false, false, 0, 0, 0, 1795791005000, 140737488355327, 1795790885876, NULL, NULL, NULL);
INSERT INTO old_format.job VALUES (1, '01a21d7a-53ff-7481-99c1-907f140aa8bb', false, false, 2, 1, 0, false, true, false, 1, 0, 8, 1795790885887, 140737488355327, 1795790885887, 1795790885892, NULL, NULL);
INSERT INTO old_format.lease VALUES (8, 'worker', 1795790945889, 1, '{1}', '{01a21d7a-53ff-7481-99c1-907f140aa8bb}');
INSERT INTO old_format.machine VALUES ('00000000-0000-0000-0000-000000000001', 1795788007952, 1795790885400);
INSERT INTO old_format.queue VALUES (1, 1, 1795790885400, 0, '1', 0, 0);
INSERT INTO old_format.record VALUES ('api_key', '3h4ok5up', '\x7b2261707073223a5b2273686f70225d2c2263726561746564223a313739353739303838353338312c226e616d65223a22222c2273636f706573223a5b2261646d696e225d2c22736861323536223a2236373666653938653766303163306435393135353861353937323834653564333231656362303962623232343835313934626234656231376234336466383630227d', 1);
INSERT INTO old_format.request VALUES (1, 'accepted-1', '\xfaa9b9c66ca7bfd4887c9c179f9753579d56aec2364cfe191ebdadc1fa00540e', 1, 0, 1795877285710, '\x0001a21d7a534d76a09c580baaa991fb65');
INSERT INTO old_format.request VALUES (1, 'waiting-1', '\x6c3c4efe9774fc9e0a8eb1c3c555e54c5343ca98927a0b3cbb31680518b6f407', 1, 0, 1795877285877, '\x0001a21d7c25487472859a09f84f79d5c80001a21d7c2548747285e337cc443f5b6b0001a21d7c2548747286120b7b5a640822');
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
CREATE INDEX job_waiting ON old_format.job USING btree (app, priority, due, expires, id) WHERE is_waiting;
CREATE INDEX request_until ON old_format.request USING btree (until);
