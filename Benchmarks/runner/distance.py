"""Measures a distant network: one connection compared with the limit of its streams and its window, and the pool that chooses
its own size compared with the best fixed number of connections.

The mock simulates the distance: it delays everything that it sends. The window of a connection is 65 535 bytes, as in HTTP/2.
"""
import re
from dataclasses import dataclass

from . import servers
from .processes import Void, measured
from .senders import STREAMS
from .servers import HOST
from .workspace import DEVICE_TOKEN

WINDOW = 65_535
ROUND_TRIPS = (20, 50, 150)
SIZES = (300, 1500, 4000)
FIXED = (1, 2, 4, 8)
MOST = FIXED[-1]
AIM = 0.9


@dataclass
class Cell:
    round_trip: int
    size: int
    possible: float
    rates: dict
    grown: float
    connections: int
    changes: int
    limit: str

    @property
    def one(self):
        return self.rates[1] / self.possible

    @property
    def best(self):
        return max(self.rates, key=self.rates.get)

    @property
    def automatic(self):
        return self.grown / self.rates[self.best]

    @property
    def reached(self):
        return self.one >= AIM and self.automatic >= AIM


def measure(workspace, seconds, round_trips=ROUND_TRIPS, sizes=SIZES):
    cells = []
    for round_trip in round_trips:
        options = ("--quiet", "--auth", "any", "--limit", "none", "--round-trip", f"{round_trip}ms")
        with servers.mock(workspace, *options) as server:
            for size in sizes:
                workspace.progress.say(f"{round_trip} ms, {size} bytes")
                cells.append(cell(workspace, server, round_trip, size, seconds))
    return cells


def cell(workspace, server, round_trip, size, seconds):
    # All measurements count notifications for the same time.
    rates = {number: load(workspace, server, size, 2 + seconds, 2, number, number)["rate"] for number in FIXED}
    grown = load(workspace, server, size, 3 * seconds, 2 * seconds, 1, MOST)
    possible = min(STREAMS, WINDOW / size) / (round_trip / 1000)
    return Cell(round_trip, size, possible, rates, grown["rate"], grown["connections"], grown["changes"], grown["limit"])


def load(workspace, server, size, seconds, after, least, most):
    command = [workspace.binary("SendLoad"), HOST, str(server.port), server.authority, server.key, DEVICE_TOKEN, "1", "1",
               str(size), "--sequence", f"--connections={least}", f"--most-connections={most}", "--loops=2",
               f"--seconds={seconds}", f"--after={after}"]
    text, _ = measured(command, 1, lambda text: finding(text) is not None)
    found = finding(text)
    return {"rate": int(found[1]), "connections": int(found[4]), "changes": int(found[5]), "limit": found[6]}


def finding(text):
    return re.search(r"rate ([1-9]\d*), failed (0) (.*), connections (\d+), changes (\d+), limit (\w*)", text)


# --- As a table

BEGIN = "<!-- figures of scripts/bench --distance -->"
END = "<!-- end of the figures of --distance -->"

HEADS = ["round trip", "bytes", "one connection", "of what is possible", "fixed " + ", ".join(map(str, FIXED)),
         "automatic", "of the best fixed", "connections", "changes", "limit"]


def cells_of(cell):
    return [f"{cell.round_trip} ms", f"{cell.size}", f"{cell.rates[1]:,}/s", f"{cell.one:.2f}",
            ", ".join(f"{rate:,}" for rate in cell.rates.values()), f"{cell.grown:,}/s", f"{cell.automatic:.2f}",
            f"{cell.connections}", f"{cell.changes}", cell.limit]


def human(cells):
    lines = [HEADS] + [cells_of(cell) for cell in cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADS))]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths)) for line in lines)


def markdown(cells):
    lines = [HEADS, ["---"] * len(HEADS)] + [cells_of(cell) for cell in cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
