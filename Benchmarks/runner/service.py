"""Measures pushserve: its queue alone, and the way from HTTP to Apple's answer."""
import contextlib
import os
import re
import shutil
import statistics
import time
from dataclasses import dataclass

from . import pushservice
from .processes import measured
from .service_table import Figure, shown

# The row queue-aged takes minutes for ten million jobs.
AGED_LIMIT_SECONDS = 3600


@dataclass
class Plan:
    """The size of the runs."""
    rounds: int = 3
    jobs: int = 100_000
    arrays: int = 1_000
    singles: int = 40_000
    latencies: int = 500
    syncs: int = 500
    aged: tuple = (1_000_000, 2_000_000)
    sample: int = 100_000


QUICK = Plan(rounds=1, jobs=2_000, arrays=10, singles=200, latencies=10, syncs=10, aged=(1_000, 2_000), sample=500)


class Row:
    """A row of the table. `once` measures all its figures once: values and CPU by the name of the figure."""

    def __init__(self, name, title, figures, once):
        self.name, self.title, self.figures, self.once = name, title, figures, once


def figure(row, what, unit="rate", **aims):
    return Figure(row, what, unit, **aims)


# --- The rows

def rows():
    return [
        Row("disk", "how long the disk takes to store 4 KiB durably: fdatasync",
            [figure("disk", "median", "time"), figure("disk", "99 %", "time")], disk),
        Row("queue-enqueue", "jobs taken in by one process, durably, 300 bytes of payload",
            [figure("queue-enqueue", name) for name in ENQUEUES], enqueue),
        Row("queue-work", "claim, start and complete, durably, by one process",
            [figure("queue-work", name, at_least=100_000 if "together" in name else None) for name in WORKS], work),
        Row("http-arrays", "arrays of 100 pushes over 16 connections, until the outcomes are stored",
            [figure("http-arrays", name, at_least=25_000) for name in ARRAYS], arrays),
        Row("http-single", "single pushes over 64 connections",
            [figure("http-single", "answered", at_least=8_000), figure("http-single", "outcome stored")], singles),
        Row("http-idle", "one push at a time, from the POST to Apple's answer",
            [figure("http-idle", "median", "time"), figure("http-idle", "99 %", "time", at_most=0.05)], idle),
        Row("queue-aged", "the queue with finished jobs that are kept", [], None),
    ]


ENQUEUES = {
    "requests of 500": ("500",), "requests of 1000": ("1000",), "requests of 1000, one payload": ("1000", "--shared"),
}
WORKS = {
    "groups of 500, together": ("500",), "groups of 1000, together": ("1000",),
    "groups of 1000, in turn": ("1000", "--in-turn"),
}
ARRAYS = {"one payload": 1, "100 payloads": 100}


def disk(place, plan):
    times = []
    path = place.path("sync")
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        for _ in range(plan.syncs):
            os.write(file, bytes(4096))
            begun = time.monotonic()
            os.fdatasync(file)
            times.append(time.monotonic() - begun)
    finally:
        os.close(file)
        os.unlink(path)
    return percentiles(times)


def enqueue(place, plan):
    return {name: queue_load(place, "enqueue", plan.jobs, *options) for name, options in ENQUEUES.items()}


def work(place, plan):
    return {name: queue_load(place, "work", plan.jobs, *options) for name, options in WORKS.items()}


def queue_load(place, kind, count, *options):
    with new_folder(place) as folder:
        command = [place.binary("QueueLoad"), kind, f"{folder}/queue.sqlite", str(count), *options]
        text, _ = measured(command, count, lambda text: timing(text, kind))
    return timing(text, kind)


def timing(text, kind):
    found = re.search(rf"{kind}: nanoseconds each: (\d+) cpu: (\d+)", text)
    return found and (1e9 / max(int(found[1]), 1), int(found[2]) / 1e9)


def arrays(place, plan):
    found = {}
    for name, payloads in ARRAYS.items():
        with pushservice.service(place) as server:
            pushes = 100 * plan.arrays
            body = pushservice.array(100, payloads)
            load = pushservice.load(place, server, body, plan.arrays, pushes, min(16, plan.arrays))
            found[name] = (pushes / load.accepted, load.cpu / pushes, load.memory)
    return found


def singles(place, plan):
    with pushservice.service(place) as server:
        load = pushservice.load(place, server, pushservice.entry(1, 0), plan.singles, plan.singles, min(64, plan.singles))
    return {"answered": (plan.singles / load.answered, None),
            "outcome stored": (plan.singles / load.accepted, load.cpu / plan.singles, load.memory)}


def idle(place, plan):
    with pushservice.service(place) as server:
        # The first ones open the connection to Apple.
        pushservice.latencies(server, 5)
        return percentiles(pushservice.latencies(server, plan.latencies))


def percentiles(times):
    ordered = sorted(times)
    late = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return {"median": (statistics.median(ordered), None), "99 %": (late, None)}


def aged(place, plan):
    """The rates after each number of finished jobs, as figures, and the size of the files."""
    with new_folder(place) as folder:
        file = f"{folder}/queue.sqlite"
        command = [place.binary("QueueLoad"), "aged", file, "1000", str(plan.sample), *map(str, plan.aged)]
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
def new_folder(place):
    """A folder for one database."""
    path = place.path(f"queue-{time.monotonic_ns()}")
    os.mkdir(path)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def measure(places, plan, wanted):
    """Measures rows with the programs of the first place, and in turns with those of the second one if there is one."""
    figures = []
    for row in rows():
        if row.name not in wanted:
            continue
        places[0].progress.say(f"{row.name}: {row.title}")
        load = os.getloadavg()[0]
        figures += measure_aged(places, plan) if row.name == "queue-aged" else measure_row(row, places, plan)
        for line in figures:
            line.load = line.load or load
    return figures


def measure_row(row, places, plan):
    for number in range(plan.rounds):
        turns = list(enumerate(places))
        for index, place in turns if number % 2 == 0 else reversed(turns):
            found = row.once(place, plan)
            for line in row.figures:
                value, cpu, *memory = found[line.what]
                (line.values if index == 0 else line.others).append(value)
                if cpu is not None:
                    (line.cpu if index == 0 else line.others_cpu).append(cpu)
                if memory and index == 0:
                    line.memory = max(line.memory, memory[0])
        places[0].progress.say(f"{row.name}: {number + 1} of {plan.rounds}: "
                               + ", ".join(f"{line.what} {shown(line, line.values[-1])}" for line in row.figures))
    return row.figures


def measure_aged(places, plan):
    figures = aged(places[0], plan)
    for other in places[1:]:
        for line, theirs in zip(figures, aged(other, plan)):
            line.others, line.others_cpu = theirs.values, theirs.cpu
    return figures
