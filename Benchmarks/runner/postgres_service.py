"""Measures services with one queue in PostgreSQL: the way from HTTP to Apple's answer, and the queue with many finished jobs."""
import contextlib

from . import postgres, pushservice
from .postgres_queue import GROUP
from .processes import measured
from .service_rows import Found, percentiles, timing, with_prefix, workers_word
from .service_table import spaced

# Pushes of one request.
ARRAY = 100
# The row pg-aged takes minutes for some million jobs.
AGED_LIMIT_SECONDS = 3600


@contextlib.contextmanager
def fleet(workspace, server, workers):
    with server.queue() as queue, pushservice.services(workspace, queue.address, workers) as servers:
        # The first ones open the connections to Apple.
        pushservice.latencies(servers, 5 * workers)
        yield servers


def loaded(workspace, server, workers, body, requests, pushes, connections):
    with fleet(workspace, server, workers) as servers:
        cost = postgres.Cost(server)
        load = pushservice.load(workspace, servers, body, requests, pushes, connections)
        return Found(load.pushes / load.accepted, load.cpu / load.pushes, load.memory, cost.cpu_each(load.pushes),
                     note=f"{cost.log_each(load.pushes)}; {load.memory:.0f} MiB")


def arrays(workspace, plan, server):
    body = pushservice.array(ARRAY, ARRAY)
    return {workers_word(count): loaded(workspace, server, count, body, plan.arrays, ARRAY, 16) for count in plan.workers}


def singles(workspace, plan, server):
    body = pushservice.entry(1, 0)
    return {workers_word(count): loaded(workspace, server, count, body, plan.singles, 1, 64) for count in plan.workers}


def idle(workspace, plan, server):
    found = {}
    for count in plan.latency_workers:
        with fleet(workspace, server, count) as servers:
            found.update(with_prefix(f"{workers_word(count)}, ", percentiles(pushservice.latencies(servers, plan.latencies))))
    return found


def half(workspace, plan, server):
    found = {}
    for count in plan.latency_workers:
        with fleet(workspace, server, count) as servers:
            found.update(with_prefix(f"{workers_word(count)}, ", half_loaded(workspace, plan, servers)))
    return found


def half_loaded(workspace, plan, servers):
    """The latency of single pushes while arrays come in at half of the rate that the service can do."""
    body = pushservice.array(ARRAY, ARRAY)
    full = pushservice.load(workspace, servers, body, plan.arrays, ARRAY, 16)
    rate = full.pushes / full.accepted / 2
    requests = max(len(servers), round(rate / ARRAY * plan.half_seconds))
    connections = max(4, len(servers))
    before = pushservice.ended(servers[0])
    posting = pushservice.Posting(workspace, servers, body, requests, connections, f"--rps={rate / ARRAY / connections:.4f}")
    try:
        times = pushservice.latencies(servers, 1_000_000, posting.is_running)
    finally:
        posting.end()
    pushservice.wait_for_outcomes(servers[0], before + posting.requests * ARRAY + len(times), [])
    reached = posting.requests * ARRAY / max(posting.answered)
    return percentiles(times, f"at {spaced(reached)} pushes/s, {len(times)} measured")


# --- Many finished jobs

def aged_numbers(plan):
    return [plan.sample, plan.aged]


def finished_word(count):
    return f"{spaced(count)} finished"


def aged(workspace, plan, server):
    """The rates, and the latency of an idle service, at the start and with many finished jobs."""
    found, done = {}, 0
    with server.queue() as queue:
        cost = postgres.Cost(server)
        for finished in aged_numbers(plan):
            command = [workspace.binary("QueueLoad"), "aged", queue.address, str(GROUP), str(plan.sample), str(finished - done)]
            text, _ = measured(command, 1, lambda text: "finished" in text, limit=AGED_LIMIT_SECONDS)
            done = finished
            size, log = queue.size(), cost.log_each(done)
            suffix = f", {finished_word(finished)}"
            found[f"enqueue{suffix}"] = Found(*timing(text, "enqueue"))
            found[f"work{suffix}"] = Found(
                *timing(text, "work"), note=f"{spaced(size / 2**20)} MiB, {spaced(size / done)} bytes each; {log}")
            with pushservice.services(workspace, queue.address, 1) as servers:
                pushservice.latencies(servers, 5)
                times = percentiles(pushservice.latencies(servers, plan.latencies))
                found.update({f"{what}{suffix}": value for what, value in times.items()})
    return found
