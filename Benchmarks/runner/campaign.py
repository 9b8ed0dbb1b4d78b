"""Measures a campaign from a file: the cost of a million lines, and how soon a run continues after a kill.

The server is nghttpd, which accepts everything, so that the sender is the limit.
"""
import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

from . import senders
from .processes import Void, end, measured
from .servers import nghttpd
from .workspace import DEVICE_TOKEN, SMALL

MEMORY_AIM = 64
LOOK_SECONDS = 0.01


@dataclass
class Campaign:
    """The figures of one number of lines."""
    lines: int
    seconds: float
    cpu: float
    # The largest peak of three runs: the whole run, the run after a kill, and the run that found nothing to do.
    memory: float
    journal: int
    results: int
    # The time of the same command after the campaign, until it reports that nothing is left.
    finished: float
    # After a kill in the middle: the time until the next result, and the number of unknown lines.
    resumed: float
    unknown: int

    @property
    def reached(self):
        return self.memory <= MEMORY_AIM and self.journal <= 16 * self.lines


# --- The lines of a campaign

def tokens(count):
    """Only a device token in each line. All lines share one payload."""
    return (f"{DEVICE_TOKEN}\n" for _ in range(count))


def variables(count):
    """Values for the placeholders of `TEMPLATE`."""
    return (f'{{"token":"{DEVICE_TOKEN}","vars":{encoded(values(number))}}}\n' for number in range(count))


def payloads(count):
    """A different payload in each line. All have the size that h2load sends."""
    return (f'{{"token":"{DEVICE_TOKEN}","payload":{own_payload(number)}}}\n' for number in range(count))


NAMES = ("Anna", "Björn", "Chloé", "Dmitri", "Eve", "Fatima", "Giuseppe")

TEMPLATE = (
    '{"aps":{"alert":{"title":"Order {{order}}","body":"Hello {{name|there}}, your order leaves our warehouse today."},'
    '"badge":"{{badge}}","sound":"default","thread-id":"orders"},"order":"{{order}}","shop":"example"}')


def values(number):
    return {"name": NAMES[number % len(NAMES)], "order": number * 7919 % 900_000 + 100_000, "badge": number % 40}


def own_payload(number):
    of_line = values(number)
    alert = {"title": f"Order {of_line['order']}", "body": f"Hello {of_line['name']}, your order leaves today."}
    aps = {"alert": alert, "badge": of_line["badge"], "sound": "default", "thread-id": f"order-{of_line['order']}"}
    payload = {"aps": aps, "order": of_line["order"], "url": f"https://example.com/o/{of_line['order']}", "note": ""}
    missing = SMALL - len(encoded(payload).encode())
    return encoded({**payload, "note": "x" * missing})


def encoded(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def measure(workspace, counts):
    with nghttpd(workspace) as server:
        return [campaign(workspace, server, count) for count in counts]


def write_lines(workspace, count, kind=tokens):
    """Writes the file of a campaign. Every line has the same device token, because nghttpd knows only this one."""
    path = workspace.path(f"{kind.__name__}-{count}.{'txt' if kind is tokens else 'jsonl'}")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(kind(count))
    return path


def campaign(workspace, server, count):
    folder = workspace.path("campaign")
    sender = senders.batch(workspace, server, write_lines(workspace, count), folder)
    workspace.progress.say(f"{count:,} lines")
    text, run = measured(sender.command, count, sender.succeeded)
    sizes = [os.path.getsize(os.path.join(folder, name)) for name in ("journal", "results.jsonl")]
    again = [part for part in sender.command if part != "--restart"]
    begun = time.monotonic()
    done = subprocess.run(again, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    finished = time.monotonic() - begun
    if done.returncode != 0:
        raise Void(f"the second run of the command ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    workspace.progress.say(f"{count:,} lines, killed in the middle")
    shutil.rmtree(folder)
    resumed, second = killed(sender.command, again, folder, count, sizes[1] // 2)
    shutil.rmtree(folder)
    memory = max([run.memory] + [peak_memory(summary) for summary in (last_summary(done.stdout), second)])
    return Campaign(
        count, run.seconds, run.cpu, memory, sizes[0], sizes[1], finished, resumed, second["unknown"])


def last_summary(text):
    return json.loads(text.splitlines()[-1])


def peak_memory(summary):
    return summary["peak_memory"] / 2**20


def killed(command, again, folder, count, half):
    """Kills a run after half of its results, and finishes the campaign with another run."""
    results = os.path.join(folder, "results.jsonl")
    job = start(command)
    try:
        wait_for(lambda: size(results) >= half, job)
        job.send_signal(signal.SIGKILL)
        job.wait()
    finally:
        end(job)
    before = size(results)
    begun = time.monotonic()
    job = start(again)
    try:
        wait_for(lambda: size(results) > before, job)
        resumed = time.monotonic() - begun
        text, _ = job.communicate()
    finally:
        end(job)
    summary = last_summary(text)
    total = summary["before"] + summary["accepted"] + summary["unknown"]
    if job.returncode != 0 or total != count:
        raise Void(f"after a kill, {total} of {count} lines have an outcome")
    return resumed, summary


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True)


def wait_for(condition, job):
    while not condition():
        if job.poll() is not None:
            raise Void(f"a campaign ended with {job.returncode} before the expected moment")
        time.sleep(LOOK_SECONDS)


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


# --- As a table

BEGIN = "<!-- figures of scripts/bench --campaign -->"
END = "<!-- end of the figures of --campaign -->"

HEADS = ["lines", "time", "CPU each", "peak MiB", "journal, bytes a line", "results MiB", "again, when finished",
         "after a kill", "unknown then"]


def cells_of(run):
    return [f"{run.lines:,}", f"{run.seconds:.1f} s", f"{run.cpu / run.lines * 1e6:.1f} us", f"{run.memory:.0f}",
            f"{run.journal / run.lines:.1f}", f"{run.results / 2**20:,.0f}", f"{run.finished * 1000:.0f} ms",
            f"{run.resumed * 1000:.0f} ms", f"{run.unknown:,}"]


def human(runs):
    lines = [HEADS] + [cells_of(run) for run in runs]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADS))]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths)) for line in lines)


def markdown(runs):
    lines = [HEADS, ["---"] * len(HEADS)] + [cells_of(run) for run in runs]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
