"""What the rows of the service have in common: a row, what one measurement of a figure found, and the output of QueueLoad."""
import re
import statistics
from typing import NamedTuple

from .service_table import Figure


class Found(NamedTuple):
    """One measurement of a figure. `None` means not measured."""
    value: float
    # CPU seconds for each job, of the processes that use the queue.
    cpu: float | None = None
    # The peak in MiB.
    memory: float = 0
    # CPU seconds for each job, of all nodes of the database.
    server_cpu: float | None = None
    # The rate of each worker.
    shares: tuple = ()
    note: str = ""


class Row:
    """A row of the table. `once` measures all its figures once, and returns what it found by the name of the figure."""

    def __init__(self, name, title, figures, once, rounds=1):
        self.name, self.title, self.figures, self.once, self.rounds = name, title, figures, once, rounds


def figure(row, what, unit="rate", **aims):
    return Figure(row, what, unit, **aims)


def percentiles(times, note=""):
    ordered = sorted(times)
    late = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return {"median": Found(statistics.median(ordered), note=note), "99 %": Found(late)}


def timing(text, kind):
    """The jobs a second and the CPU seconds for each job, in the output of QueueLoad."""
    found = re.search(rf"{kind}: nanoseconds each: (\d+) cpu: (\d+)", text)
    return found and (1e9 / max(int(found[1]), 1), int(found[2]) / 1e9)


def workers_word(count):
    return f"{count} worker{'s' if count > 1 else ''}"


def with_prefix(prefix, found):
    return {f"{prefix}{name}": value for name, value in found.items()}
