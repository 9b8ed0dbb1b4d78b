"""Measures pushserve: its queue alone, and the way from HTTP to Apple's answer."""
import contextlib
import os
import re
import shutil
import time
from dataclasses import dataclass, field

from . import console, postgres, postgres_rows, pushservice
from .disk import syncs
from .processes import measured
from .service_rows import Found, Row, figure, percentiles, timing
from .service_table import Figure, shown

# The row queue-aged takes minutes for ten million jobs.
AGED_LIMIT_SECONDS = 3600


@dataclass
class Plan:
    """The size of the runs."""
    rounds: int = 3
    jobs: int = 100_000
    arrays: int = 1_000
    streams: int = 40_000
    singles: int = 40_000
    latencies: int = 500
    syncs: int = 500
    aged: tuple = (1_000_000, 2_000_000)
    sample: int = 100_000
    # The seconds in which consoles are open, the searches of each kind, and the most jobs of the device that is exported.
    looking: int = 30
    looks: int = 20
    exported: int = 1_000_000
    # The rows of PostgreSQL.
    postgres: postgres_rows.Plan = field(default_factory=postgres_rows.Plan)


QUICK = Plan(rounds=1, jobs=2_000, arrays=10, streams=200, singles=200, latencies=10, syncs=10, aged=(1_000, 2_000), sample=500,
             looking=1, looks=1, postgres=postgres_rows.QUICK)


# --- The rows

def rows():
    return [
        Row("disk", "how long the disk takes to store 4 KiB durably: fdatasync",
            [figure("disk", "median", "time"), figure("disk", "99 %", "time")], disk),
        Row("queue-enqueue", "jobs taken in by one process, durably, 300 bytes of payload",
            [figure("queue-enqueue", name) for name in ENQUEUES], enqueue),
        Row("queue-work", "claim, start and complete, durably, by one process",
            [figure("queue-work", name, at_least=100_000 if "together" in name else None) for name in WORKS], work),
        Row("queue-search", "jobs taken in by one process, with the indexes of searches and without",
            with_base(*(figure("queue-search", name) for name in INDEXES)), indexes),
        Row("http-arrays", "arrays of 100 pushes over 16 connections, until the outcomes are stored",
            [figure("http-arrays", name, at_least=25_000) for name in ARRAYS], arrays),
        Row("http-replacing", "the same arrays, whose pushes replace each other: two to each of 50 devices, in each request",
            [figure("http-replacing", name) for name in ARRAYS], replacing),
        Row("http-streams", "one stream of lines on one connection, from a generator, until the outcomes are stored",
            [figure("http-streams", name, at_least=4_000) for name in STREAMS], streams),
        Row("http-single", "single pushes over 64 connections",
            [figure("http-single", "answered", at_least=8_000), figure("http-single", "outcome stored")], singles),
        Row("http-idle", "one push at a time, from the POST to Apple's answer",
            [figure("http-idle", "median", "time"), figure("http-idle", "99 %", "time", at_most=0.05)], idle),
        Row("http-consoles", "three consoles that ask for the overview and the outcomes",
            [figure("http-consoles", "CPU of a second", "time")], console.consoles),
        Row("http-search", "what the console searches, with many finished jobs", console.search_figures(), console.searches),
        Row("queue-aged", "the queue with finished jobs that are kept", [], None),
    ]


def names():
    return [row.name for row in rows()] + postgres_rows.NAMES


ENQUEUES = {
    "requests of 500": ("500",), "requests of 1000": ("1000",), "requests of 1000, one payload": ("1000", "--shared"),
}
WORKS = {
    "groups of 500, together": ("500",), "groups of 1000, together": ("1000",),
    "groups of 1000, in turn": ("1000", "--in-turn"),
}
ARRAYS = {"one payload": 1, "100 payloads": 100}
INDEXES = {"without indexes of searches": False, "with them": True}
STREAMS = {"a line in each chunk": 1, "100 lines in each chunk": 100}


def disk(workspace, plan):
    return percentiles(syncs(workspace.path("sync"), plan.syncs))


def enqueue(workspace, plan):
    return {name: queue_load(workspace, "enqueue", plan.jobs, *options) for name, options in ENQUEUES.items()}


def work(workspace, plan):
    return {name: queue_load(workspace, "work", plan.jobs, *options) for name, options in WORKS.items()}


def with_base(base, line):
    line.base, line.base_words, line.least_of_base = base, "without", 0.95
    return [base, line]


def indexes(workspace, plan):
    return {name: queue_load(workspace, "enqueue", plan.jobs, "1000", is_searched=found) for name, found in INDEXES.items()}


def queue_load(workspace, kind, count, *options, is_searched=True):
    with new_folder(workspace) as folder:
        if not is_searched:
            command = [workspace.binary("QueueLoad"), "enqueue", f"{folder}/queue.sqlite", "1", "1"]
            measured(command, 1, lambda text: timing(text, "enqueue"))
            console.empty_search_indexes(f"{folder}/queue.sqlite")
        command = [workspace.binary("QueueLoad"), kind, f"{folder}/queue.sqlite", str(count), *options]
        text, _ = measured(command, count, lambda text: timing(text, kind))
    return timing(text, kind)


def arrays(workspace, plan):
    return posted_arrays(workspace, plan, lambda payloads: pushservice.array(100, payloads))


def replacing(workspace, plan):
    # Requests come side by side, so that now and then a newer push overtakes an older one, which is then not sent.
    return posted_arrays(workspace, plan, lambda payloads: pushservice.array(100, payloads, devices=50), ("accepted", "not_sent"))


def posted_arrays(workspace, plan, array, ends=("accepted",)):
    found = {}
    for name, payloads in ARRAYS.items():
        with pushservice.service(workspace) as server:
            load = pushservice.load(workspace, [server], array(payloads), plan.arrays, 100, 16, ends)
            found[name] = Found(load.pushes / load.accepted, load.cpu / load.pushes, load.memory)
    return found


def streams(workspace, plan):
    found = {}
    for name, lines in STREAMS.items():
        with pushservice.service(workspace) as server:
            load = pushservice.stream(server, plan.streams, lines, 100)
            found[name] = Found(load.pushes / load.accepted, load.cpu / load.pushes, load.memory)
    return found


def singles(workspace, plan):
    with pushservice.service(workspace) as server:
        load = pushservice.load(workspace, [server], pushservice.entry(1, 0), plan.singles, 1, 64)
    return {"answered": Found(load.pushes / load.answered),
            "outcome stored": Found(load.pushes / load.accepted, load.cpu / load.pushes, load.memory)}


def idle(workspace, plan):
    with pushservice.service(workspace) as server:
        # The first ones open the connection to Apple.
        pushservice.latencies([server], 5)
        return percentiles(pushservice.latencies([server], plan.latencies))


def aged(workspace, plan):
    """The rates after each number of finished jobs, as figures, and the size of the files."""
    with new_folder(workspace) as folder:
        file = f"{folder}/queue.sqlite"
        command = [workspace.binary("QueueLoad"), "aged", file, "1000", str(plan.sample), *map(str, plan.aged)]
        text, _ = measured(command, 1, lambda text: "finished" in text, limit=AGED_LIMIT_SECONDS)
        size = sum(os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder))
    figures, first = [], {}
    for line in text.splitlines():
        finished = int(re.match(r"finished (\d+)", line)[1])
        for kind in ("enqueue", "work"):
            rate, cpu = timing(line, kind)
            ratio = rate / first.setdefault(kind, rate)
            what = f"{kind}, {finished / 1e6:g} million finished"
            figures.append(Figure("queue-aged", what, "rate", [rate], [cpu], note=f"{ratio:.2f} of the first"))
    figures[-1].note += f"; {size / 2**20:,.0f} MiB".replace(",", " ")
    return figures


# --- Measuring

@contextlib.contextmanager
def new_folder(workspace):
    """A folder for one database."""
    path = workspace.path(f"queue-{time.monotonic_ns()}")
    os.mkdir(path)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def measure(workspaces, plan, wanted):
    """Measures rows with the programs of the first workspace, and in turns with those of the second one if there is one."""
    figures = []
    for row in rows():
        if row.name not in wanted:
            continue
        begin = begin_row(row, workspaces)
        # The time of these rows is that of their databases.
        rounds = 1 if row.name == "http-search" else plan.rounds
        found = measure_aged(workspaces, plan) if row.name == "queue-aged" else measure_row(row, workspaces, plan, rounds)
        figures += begin(found)
    return figures + measure_postgres(workspaces, plan.postgres, wanted)


def measure_postgres(workspaces, plan, wanted):
    """The rows of PostgreSQL with each number of nodes: first all with one, then all with three."""
    names = [name for name in postgres_rows.NAMES if name in wanted]
    figures = []
    for nodes in plan.nodes if names else ():
        workspaces[0].progress.say(f"starting PostgreSQL with {nodes} node{'s' if nodes > 1 else ''}")
        with postgres.server(nodes) as server:
            for row in postgres_rows.rows(server, plan):
                if row.name in names:
                    begin = begin_row(row, workspaces)
                    figures += begin(measure_row(row, workspaces, plan, row.rounds))
    return sorted(figures, key=lambda line: names.index(line.row))


def begin_row(row, workspaces):
    """Says the name of the row, and notes the load of the machine before it. The result adds this load to the figures."""
    workspaces[0].progress.say(f"{row.name}: {row.title}")
    load = os.getloadavg()[0]

    def add(figures):
        for line in figures:
            line.load = load
        return figures

    return add


def measure_row(row, workspaces, plan, rounds):
    for number in range(rounds):
        turns = list(enumerate(workspaces))
        for index, workspace in turns if number % 2 == 0 else reversed(turns):
            found = row.once(workspace, plan)
            for line in row.figures:
                line.add(Found(*found[line.what]), is_other=index > 0)
        workspaces[0].progress.say(f"{row.name}: {number + 1} of {rounds}: "
                                   + ", ".join(f"{line.what} {shown(line, line.values[-1])}" for line in row.figures))
    return row.figures


def measure_aged(workspaces, plan):
    figures = aged(workspaces[0], plan)
    for other in workspaces[1:]:
        for line, theirs in zip(figures, aged(other, plan)):
            line.others, line.others_cpu = theirs.values, theirs.cpu
    return figures
