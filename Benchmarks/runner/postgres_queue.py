"""Measures the queue in PostgreSQL alone, with one process of QueueLoad or several."""
import os
import re

from . import postgres, together
from .disk import syncs
from .processes import Void, measured
from .service_rows import Found, percentiles, timing, workers_word

GROUP = 1000
HALF_GROUP = "1 worker, groups of 500"


def disk(_, plan, server):
    return percentiles(syncs(os.path.join(server.folder, "sync"), plan.syncs))


def enqueues(plan):
    options = {"requests of 500": (500, 1), "requests of 1000": (1000, 1), "requests of 1000, one payload": (1000, 1, "--shared")}
    return {**options, f"requests of 1000, {plan.workers[-1]} processes": (1000, plan.workers[-1])}


def enqueue(workspace, plan, server):
    found = {}
    for name, (size, processes, *options) in enqueues(plan).items():
        with server.queue() as queue:
            share = plan.jobs // processes
            command = [workspace.binary("QueueLoad"), "enqueue", queue.address, str(share), str(size), *options]
            with together.started(workspace, [command] * processes) as group:
                cost = postgres.Cost(server)
                texts = group.run()
            timings = [timing(text, "enqueue") for text in texts]
            jobs = share * processes
            found[name] = Found(
                jobs / max(share / rate for rate, _ in timings), sum(cpu for _, cpu in timings) / processes,
                server_cpu=cost.cpu_each(jobs), note=cost.log_each(jobs))
    return found


def work(workspace, plan, server):
    found = {workers_word(count): drained(workspace, plan, server, count, GROUP) for count in plan.workers}
    return {**found, HALF_GROUP: drained(workspace, plan, server, 1, 500)}


def drained(workspace, plan, server, workers, group):
    """Several processes work on one queue until it is empty."""
    with server.queue() as queue:
        fill(workspace, queue, plan.jobs)
        command = [workspace.binary("QueueLoad"), "drain", queue.address, str(group)]
        with together.started(workspace, [command] * workers) as processes:
            cost = postgres.Cost(server)
            texts = processes.run()
        counts = [int(re.search(r"jobs: (\d+)", text)[1]) for text in texts]
        if sum(counts) != plan.jobs:
            raise Void(f"{sum(counts)} jobs were done instead of {plan.jobs}")
        timings = [timing(text, "drain") for text in texts]
        seconds = max(count / rate for count, (rate, _) in zip(counts, timings))
        cpu = sum(count * each for count, (_, each) in zip(counts, timings)) / plan.jobs
        shares = tuple(count / seconds for count in counts) if workers > 1 else ()
        return Found(plan.jobs / seconds, cpu, server_cpu=cost.cpu_each(plan.jobs), shares=shares, note=cost.log_each(plan.jobs))


def fill(workspace, queue, count):
    command = [workspace.binary("QueueLoad"), "enqueue", queue.address, str(count), "1000"]
    measured(command, count, lambda text: timing(text, "enqueue"))
