"""Measures the usual pattern of a queue in PostgreSQL, one job in each transaction, with pgbench: a client that is not ours."""
import re

from . import postgres
from .processes import Void, measured
from .service_rows import Found

TABLE = """
    SET ROLE pushserve;
    CREATE SCHEMA {schema};
    CREATE TABLE {schema}.job (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, app text NOT NULL, token text NOT NULL, payload text NOT NULL,
        run_at timestamptz NOT NULL DEFAULT now());
    CREATE INDEX job_run_at ON {schema}.job (run_at, id);
    INSERT INTO {schema}.job (app, token, payload)
        SELECT 'shop', lpad(to_hex(number), 64, 'a'), rpad('', 300, 'x') FROM generate_series(1, {count}) number;
    RESET ROLE;
    VACUUM ANALYZE {schema}.job;
"""
SCRIPTS = {
    "enqueue": "INSERT INTO job (app, token, payload) VALUES ('shop', lpad('', 64, 'a'), rpad('', 300, 'x'));\n",
    "work": """BEGIN;
SELECT id, token, payload FROM job WHERE run_at <= now() ORDER BY run_at, id LIMIT 1 FOR UPDATE SKIP LOCKED \\gset
DELETE FROM job WHERE id = :id;
COMMIT;
""",
}


def names(plan):
    kinds = {"enqueue": "enqueue", "claim and delete": "work"}
    return {f"{words}, {clients} connection{'s' if clients > 1 else ''}": (kind, clients)
            for words, kind in kinds.items() for clients in plan.clients}


def measure(workspace, plan, server):
    return {name: load(workspace, plan, server, kind, clients) for name, (kind, clients) in names(plan).items()}


def load(workspace, plan, server, kind, clients):
    with server.queue() as schema:
        server.sql(TABLE.format(schema=schema.name, count=plan.usual_jobs if kind == "work" else 0))
        return pgbench(workspace, plan, server, schema, SCRIPTS[kind], clients)


def pgbench(workspace, plan, server, schema, script, clients):
    """Runs a script again and again, with so many clients."""
    program = postgres.program("pgbench")
    if not program:
        raise Void("pgbench is missing. It is a part of PostgreSQL: on Debian, of the package postgresql")
    path = workspace.path("pgbench.sql")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    command = [program, "--no-vacuum", "--protocol=prepared", f"--client={clients}", "--jobs=1", f"--time={plan.usual_seconds}",
               f"--file={path}"]
    cost = postgres.Cost(server)
    text, run = measured(command, 1, lambda text: re.search(r"failed transactions: 0 ", text), schema.environment())
    count = int(re.search(r"transactions actually processed: (\d+)", text)[1])
    rate = float(re.search(r"tps = ([\d.]+)", text)[1])
    return Found(rate, run.cpu / count, server_cpu=cost.cpu_each(count), note=cost.log_each(count))
