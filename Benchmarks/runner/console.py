"""What the console costs: its requests while pushes are sent, and its searches in a queue with many finished jobs."""
import contextlib
import http.client
import sqlite3
import statistics
import threading
import time

from . import pushservice
from .processes import Void, current_memory, peak_memory, reset_peak_memory
from .servers import HOST
from .service_rows import Found, figure

CONSOLES = 3
# What an open page asks for, by the seconds between two requests: the status in every view, then the overview and the outcomes, as if
# both were open.
REQUESTS = [
    (3, "/v1/status"), (15, "/v1/webhooks"), (10, "/v1/statistics?by=minute"), (10, "/v1/statistics?by=app"),
    (2.5, "/v1/results?order=newest&limit=50"), (10, "/v1/statistics?by=minute"), (10, "/v1/statistics?by=reason"),
]
PUSHES_A_SECOND = 10_000
TOKEN = "00" * 31 + "01"
SEARCHES = {
    "a device token": f"/v1/notifications?token={TOKEN}&limit=60",
    "a token without pushes": f"/v1/notifications?token={'ab' * 32}&limit=60",
    "the newest outcomes": "/v1/results?order=newest&limit=50",
    "outcomes of a seldom reason": "/v1/results?order=newest&limit=50&reason=Unregistered&app=shop",
    "outcomes counted by minute": "/v1/statistics?by=minute",
    "the audit": "/v1/audit?limit=100",
}


def consoles(workspace, plan):
    """The CPU of three consoles in a second, as a part of that of 10,000 pushes."""
    with pushservice.service(workspace) as server:
        load = pushservice.load(workspace, [server], pushservice.array(100, 100), plan.arrays, 100, 16)
        idle = cpu_of(server, plan.looking, 0)
        looked = cpu_of(server, plan.looking, CONSOLES)
    part = max(looked - idle, 0) / (PUSHES_A_SECOND * load.cpu / load.pushes)
    return {"CPU of a second": Found(looked - idle, note=f"{part:.1%} of 10,000 pushes")}


def cpu_of(server, seconds, count):
    """The CPU seconds of the service in each second with open consoles."""
    used, ends = pushservice.cpu_of([server]), time.monotonic() + seconds
    failures = []
    threads = [threading.Thread(target=look, args=(server, pause, path, ends, failures)) for pause, path in REQUESTS for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(max(ends - time.monotonic(), 0))
    if failures:
        raise failures[0]
    return (pushservice.cpu_of([server]) - used) / seconds


def look(server, pause, path, ends, failures):
    connection = http.client.HTTPConnection(HOST, server.port, timeout=pushservice.PATIENCE)
    try:
        while time.monotonic() < ends:
            ask(connection, server, path)
            time.sleep(max(min(pause, ends - time.monotonic()), 0))
    except Void as void:
        failures.append(void)
    finally:
        connection.close()


def ask(connection, server, path):
    try:
        connection.request("GET", path, headers=server.headers)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise Void(f"{path} is not answered: {error}") from error
    if answer.status != 200:
        raise Void(f"{path} is answered with {answer.status}: {body[:200]}")
    return body


# --- Searches

EXPORT = "export of a device"


def search_figures():
    figures = []
    for what in SEARCHES:
        few, many = figure("http-search", f"{what}, few jobs", "time"), figure("http-search", what, "time", at_most=0.05)
        many.base, many.base_words = few, "few"
        figures += [few, many]
    return [*figures, figure("http-search", EXPORT, "time")]


def searches(workspace, plan):
    """The times of searches with the first and the last number of finished jobs of `plan.aged`, and an export of one device, which has a
    tenth of them, or `plan.exported`."""
    found = {}
    for count, suffix in [(plan.aged[0], ", few jobs"), (plan.aged[-1], "")]:
        file = workspace.path(f"search-{count}-{time.monotonic_ns()}.sqlite")
        with pushservice.services(workspace, file, 1, scopes="send,admin") as [server]:
            pushservice.load(workspace, [server], f"[{pushservice.entry(1, 0)}]", 1, 1, 1)
        of_device = min(count // 10, plan.exported)
        fill(file, count, of_device)
        with pushservice.services(workspace, file, 1, scopes="send,admin") as [server]:
            connection = http.client.HTTPConnection(HOST, server.port, timeout=pushservice.PATIENCE)
            for what, path in SEARCHES.items():
                found[f"{what}{suffix}"] = Found(statistics.median(timed(connection, server, path) for _ in range(plan.looks)))
            if not suffix:
                found[EXPORT] = export(connection, server, of_device)
            connection.close()
    return found


def timed(connection, server, path):
    begun = time.monotonic()
    ask(connection, server, path)
    return time.monotonic() - begun


def export(connection, server, least):
    reset_peak_memory(server.pid)
    before, begun, lines = current_memory(server.pid), time.monotonic(), 0
    connection.request("GET", f"/v1/export?token={TOKEN}", headers=server.headers)
    answer = connection.getresponse()
    while part := answer.read(1 << 20):
        lines += part.count(b"\n")
    if lines < least:
        raise Void(f"an export of {least} jobs has {lines} lines")
    grown = (peak_memory(server.pid) or 0) - before
    return Found(time.monotonic() - begun, note=f"{lines:,} lines; the memory grew by {grown:.0f} MiB".replace(",", " "))


def fill(file, count, of_device):
    """Adds finished jobs before the only one, as copies of it: some of them to the same device, and one in a thousand rejected."""
    rejected, is_same = "n % 1000 = 0", f"n % {count // of_device} = 0"
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        # A job takes the place of its number in the order of ids and of outcomes.
        database.execute("CREATE TEMP TABLE number AS WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each "
                         f"WHERE n < {count}) SELECT n FROM each")
        for table in ("job", "result"):
            database.execute(f"UPDATE {table} SET sequence = sequence + {count}")
        database.execute(f"UPDATE clock SET sequence = sequence + {count}")
        copy(database, "job", id=f"job.id - ({count} - n + 1) * 1000", tag="abs(random()) >> 8", sequence="n",
             reason=f"iif({rejected}, 'Unregistered', NULL)", outcome=f"iif({rejected}, 1, 0)")
        copy(database, "result", job=f"result.job - ({count} - n + 1) * 1000", sequence="n", outcome=f"iif({rejected}, 1, 0)")
        other = {"target": "randomblob(32)", "bucket": "abs(random()) % 16", "mark": "abs(random()) % 4294967296"}
        copy(database, "content", job=f"content.job - ({count} - n + 1) * 1000",
             **{name: f"iif({is_same}, content.{name}, {value})" for name, value in other.items()})
        database.execute(f"UPDATE app SET kept = kept + {count}, accepted = accepted + {count - count // 1000}, "
                         f"rejected = rejected + {count // 1000}")
        database.execute(f"UPDATE payload SET uses = uses + {count}")


def copy(database, table, **own):
    """Copies the only row of a table once for each number, with values of its own."""
    columns = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
    if unknown := own.keys() - columns:
        raise Void(f"the table {table} has no column {', '.join(unknown)}")
    values = ", ".join(own.get(name, f"{table}.{name}") for name in columns)
    database.execute(f"INSERT INTO {table} SELECT {values} FROM number, (SELECT * FROM {table} LIMIT 1) AS {table}")


# --- The indexes of searches

# Those that an enqueue or an outcome must keep, and their tables.
SEARCH_INDEXES = {"content_collapse": "content (job)", "job_reason": "job (id)", "job_campaign_outcome": "job (id)"}


def empty_search_indexes(file):
    """Leaves the indexes of searches without an entry."""
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        # An earlier version has fewer.
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'index'").fetchall():
            if name in SEARCH_INDEXES:
                database.execute(f"DROP INDEX {name}")
                database.execute(f"CREATE INDEX {name} ON {SEARCH_INDEXES[name]} WHERE 0")
