"""Measures the inbox in the same PostgreSQL as the queue: what a call costs, rows a second into the queue, and the time from a commit to
Apple's answer."""
import contextlib
import http.client
import json
import re
import subprocess
import time

from . import postgres, pushservice, usual
from .processes import Void, cpu_seconds, peak_memory
from .service_rows import Found, percentiles
from .servers import HOST

# Transactions of the user: each inserts an order, and a push.
TABLES = """
    SET ROLE pushserve;
    CREATE TABLE {schema}.plain (LIKE {schema}.inbox INCLUDING ALL);
    CREATE TABLE {schema}.orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text NOT NULL);
"""
TRANSACTION = "BEGIN;\nINSERT INTO orders (note) VALUES ('two cups');\n{};\nCOMMIT;\n"
STATEMENTS = {"plain insert": "INSERT INTO plain (app, push) VALUES ('shop', '{}')", "call": "SELECT enqueue('shop', '{}')"}
CLIENTS = (1, 8, 16)
# The disk is slow for seconds at a time: both statements take turns.
TURNS = 5


def costs(workspace, plan, server):
    found = {}
    with server.queue() as queue:
        install(workspace, queue)
        server.sql(TABLES.format(schema=queue.name))
        scripts = {name: TRANSACTION.format(statement.format(pushservice.entry(1, 1))) for name, statement in STATEMENTS.items()}
        for clients in CLIENTS:
            runs = {name: [] for name in scripts}
            for _ in range(TURNS):
                for name, script in scripts.items():
                    runs[name].append(usual.pgbench(workspace, plan, server, queue, script, clients))
            found |= {f"{name}, {clients}": sorted(of_name)[TURNS // 2] for name, of_name in runs.items()}
    return found


def install(workspace, queue):
    for words in (["install"], ["grant", "--role", "pushserve", "--app", "shop"]):
        command = [workspace.binary("pushserve"), "inbox", *words, "--database", queue.address]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise Void(f"pushserve inbox {words[0]} ended with {ended.returncode}: {ended.stderr.strip()}")


@contextlib.contextmanager
def service(workspace, server):
    with server.queue() as queue:
        install(workspace, queue)
        more = f"inbox: {{database: '{queue.address}', poll: 20ms}}\n"
        with pushservice.services(workspace, queue.address, 1, more=more) as [started]:
            yield queue, started


def measure(workspace, plan, server):
    found = costs(workspace, plan, server)
    with service(workspace, server) as (queue, started):
        moved = rate(queue, started, plan.inbox_rows)
    with service(workspace, server) as (queue, started):
        latencies(queue, started, 5)
        return {**found, "rows moved": moved, **percentiles(latencies(queue, started, plan.latencies))}


def rate(queue, started, rows):
    """Rows that one transaction commits. The app is paused, so that nothing is sent in the meantime."""
    connection = http.client.HTTPConnection(HOST, started.port)
    connection.request("POST", "/v1/apps/shop/pause", headers=started.headers)
    if connection.getresponse().status != 204:
        raise Void("the app cannot be paused")
    connection.close()
    push = pushservice.entry(0, 0).replace(f"{0:064x}", "%s")
    queue.server.sql(f"INSERT INTO {queue.name}.inbox (app, push) "
                     f"SELECT 'shop', format('{push}', lpad(to_hex(n), 64, '0'))::json FROM generate_series(1, {rows}) n", limit=3600)
    begun, used, last, changed = time.monotonic(), cpu_seconds(started.pid), 0, time.monotonic()
    while (count := moved(started)) < rows:
        if count != last:
            last, changed = count, time.monotonic()
        if time.monotonic() - changed > pushservice.PATIENCE:
            raise Void(f"only {count} of {rows} rows were moved")
        time.sleep(pushservice.LOOK_SECONDS)
    took, memory = time.monotonic() - begun, peak_memory(started.pid) or 0
    return Found(rows / took, (cpu_seconds(started.pid) - used) / rows, memory, note=f"{memory:.0f} MiB")


def moved(started):
    found = re.search(r'^pushserve_inbox_moved_total\{app="shop"\} (\d+)', pushservice.metrics(started), re.M)
    return int(found[1]) if found else 0


def latencies(queue, started, count):
    """Commits one push after the other, and asks for its outcome until it is there. Returns the seconds of each."""
    times = []
    connection = http.client.HTTPConnection(HOST, started.port, timeout=pushservice.PATIENCE)
    command = [postgres.program("psql") or "psql", "-XqtA", "-v", "ON_ERROR_STOP=1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=queue.environment()) as psql:
        for number in range(count):
            psql.stdin.write(f"SELECT enqueue('shop', '{pushservice.entry(number + 1, number)}');\n")
            psql.stdin.flush()
            path = f"{pushservice.PATH}/{psql.stdout.readline().strip()}"
            begun = time.monotonic()
            while not (kind := outcome(connection, path, started.headers)):
                if time.monotonic() - begun > pushservice.PATIENCE:
                    raise Void("a push has no outcome")
                time.sleep(0.0005)
            times.append(time.monotonic() - begun)
            if kind != "accepted":
                raise Void(f"a push was not accepted but {kind}")
        psql.stdin.close()
    connection.close()
    return times


def outcome(connection, path, headers):
    """`None` if the push has none yet, or the queue does not have it."""
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = json.load(answer)
    if answer.status not in (200, 404):
        raise Void(f"the service answers {answer.status}: {body}")
    return (body.get("outcome") or {}).get("kind")
