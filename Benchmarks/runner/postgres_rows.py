"""The rows of PostgreSQL: the queue alone with one worker or several, the usual pattern, and the way from HTTP to Apple's answer."""
from dataclasses import dataclass
from functools import partial

from . import postgres, postgres_inbox, postgres_queue, postgres_service, usual
from .service_rows import Row, figure, workers_word

NAMES = ["pg-disk", "pg-enqueue", "pg-work", "pg-usual", "pg-http-arrays", "pg-http-single", "pg-http-idle", "pg-http-half",
         "pg-inbox", "pg-aged"]
# The aims for one worker with groups of 1000, and for the pushes of an idle service.
WORK_AIMS = {1: 40_000, 3: 30_000}
IDLE_AIM_SECONDS = 0.1
# The aims for rows of an inbox: a call beside a plain insert, into the queue, and from the commit to Apple's answer.
CALL_AIM, INBOX_AIM, INBOX_AIM_SECONDS = 0.83, 20_000, 0.05
# Another worker must not slow the others down. So much less is within the noise of a shared machine.
LEAST_OF_ONE = 0.95


@dataclass
class Plan:
    """The size of the runs."""
    nodes: tuple = postgres.ALL_NODES
    rounds: int = 3
    workers: tuple = (1, 2, 4)
    jobs: int = 100_000
    # Clients of the usual pattern, each of which has one connection, and the seconds of a run.
    clients: tuple = (1, 4, 16)
    usual_seconds: int = 3
    usual_jobs: int = 100_000
    arrays: int = 500
    singles: int = 10_000
    latencies: int = 300
    latency_workers: tuple = (1, 4)
    # How long the load of pg-http-half lasts.
    half_seconds: int = 8
    inbox_rows: int = 200_000
    syncs: int = 500
    aged: int = 2_000_000
    sample: int = 100_000


QUICK = Plan(nodes=(1,), rounds=1, workers=(2,), jobs=2_000, clients=(2,), usual_seconds=1, usual_jobs=20_000, arrays=10,
             singles=100, latencies=10, latency_workers=(2,), half_seconds=1, inbox_rows=1_000, syncs=10, aged=2_000, sample=1_000)


def rows(server, plan):
    """The rows for a server. Their figures have its number of nodes."""
    found = [
        row("pg-disk", "how long the disk of the databases takes to store 4 KiB durably: fdatasync",
            postgres_queue.disk, percentile_figures("pg-disk"), plan),
        row("pg-enqueue", "jobs taken in by one process or several, durably, 300 bytes of payload", postgres_queue.enqueue,
            [figure("pg-enqueue", name) for name in postgres_queue.enqueues(plan)], plan),
        row("pg-work", "claim, start and complete, durably, by one process or several", postgres_queue.work,
            worker_figures("pg-work", plan, at_least=WORK_AIMS[server.nodes]) + [figure("pg-work", postgres_queue.HALF_GROUP)], plan),
        row("pg-usual", "the usual pattern, one job in each transaction, by pgbench", usual.measure,
            [figure("pg-usual", name) for name in usual.names(plan)], plan),
        row("pg-http-arrays", f"arrays of {postgres_service.ARRAY} pushes over 16 connections, until the outcomes are stored",
            postgres_service.arrays, worker_figures("pg-http-arrays", plan), plan),
        row("pg-http-single", "single pushes over 64 connections, until the outcomes are stored", postgres_service.singles,
            worker_figures("pg-http-single", plan), plan),
        row("pg-http-idle", "one push at a time, from the POST to Apple's answer", postgres_service.idle,
            latency_figures("pg-http-idle", plan, at_most=IDLE_AIM_SECONDS), plan),
        row("pg-http-half", "the same at half of the load that pg-http-arrays reaches", postgres_service.half,
            latency_figures("pg-http-half", plan), plan, rounds=1),
        row("pg-inbox", "calls of an inbox beside plain inserts, by pgbench; its rows into the queue of the same server; and one row at a time "
            "from the commit to Apple's answer", postgres_inbox.measure,
            [*call_figures(), figure("pg-inbox", "rows moved", at_least=INBOX_AIM),
             *percentile_figures("pg-inbox", at_most=INBOX_AIM_SECONDS)], plan),
        row("pg-aged", "rates and latency with finished jobs that are kept", postgres_service.aged, aged_figures(plan), plan, rounds=1),
    ]
    for each in found:
        each.once = partial(each.once, server=server)
        for line in each.figures:
            line.nodes = server.nodes
    return found


def row(name, title, once, figures, plan, rounds=None):
    return Row(name, title, figures, lambda workspace, _, server: once(workspace, plan, server), rounds or plan.rounds)


def worker_figures(name, plan, **aims):
    """A figure for each number of workers. The first one has the aims, and the others are compared with it."""
    first, *others = [figure(name, workers_word(count), **(aims if count == 1 else {})) for count in plan.workers]
    for line in others:
        line.base, line.base_words, line.least_of_base = first, "one worker", LEAST_OF_ONE
    return [first, *others]


def call_figures():
    found = []
    for clients in postgres_inbox.CLIENTS:
        plain, call = (figure("pg-inbox", f"{name}, {clients}") for name in postgres_inbox.STATEMENTS)
        call.base, call.base_words, call.least_of_base = plain, "a plain insert", CALL_AIM
        found += [plain, call]
    return found


def percentile_figures(name, prefix="", **aims):
    return [figure(name, f"{prefix}median", "time"), figure(name, f"{prefix}99 %", "time", **aims)]


def latency_figures(name, plan, **aims):
    return [line for count in plan.latency_workers for line in percentile_figures(name, f"{workers_word(count)}, ", **aims)]


def aged_figures(plan):
    """The figures at the start, and those with many finished jobs, which are compared with them."""
    groups = []
    for count in postgres_service.aged_numbers(plan):
        suffix = f", {postgres_service.finished_word(count)}"
        groups.append([figure("pg-aged", f"enqueue{suffix}"), figure("pg-aged", f"work{suffix}"),
                       *[figure("pg-aged", f"{what}{suffix}", "time") for what in ("median", "99 %")]])
    for line, first in zip(groups[-1], groups[0]):
        line.base, line.base_words = first, "the start"
    return [line for group in groups for line in group]
