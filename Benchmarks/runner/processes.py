"""One process, measured: how long it took, what it used, and whether it did what it was for."""
import contextlib
import os
import select
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

# Longer than any run takes on a machine that is busy: what is not over by then hangs.
LIMIT_SECONDS = 300
# The peak of a process is read while it lives. What `wait4` tells is no less than the peak of the runner itself.
LOOK_SECONDS = 0.05


class Void(Exception):
    """A run that did not do all of what it was for. No figure of its row counts."""


@dataclass
class Run:
    """What was done so many times, how long it took, and what was used for it. `None` is what was not measured."""
    count: int
    seconds: float
    cpu: float | None = None
    memory: float | None = None

    @property
    def rate(self):
        return self.count / self.seconds

    @property
    def each(self):
        return self.seconds / self.count

    @property
    def cpu_each(self):
        return None if self.cpu is None else self.cpu / self.count


def measured(arguments, count, succeeded, environment=None):
    """Runs a process to its end: its output, and what it used. Void where `succeeded` does not like the output."""
    with tempfile.TemporaryFile("w+") as output:
        begun = time.monotonic()
        child = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            memory = watch(child.pid, begun + LIMIT_SECONDS, arguments[0])
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - begun
            child.returncode = os.waitstatus_to_exitcode(status)
        finally:
            end(child)
        output.seek(0)
        text = output.read()
    name = os.path.basename(arguments[0])
    if child.returncode != 0:
        raise Void(f"{name} ended with {child.returncode}: {last_line(text)}")
    if not succeeded(text):
        raise Void(f"{name} had failures: {last_line(text)}")
    return text, Run(count, seconds, usage.ru_utime + usage.ru_stime, memory)


def watch(pid, deadline, name):
    """Waits until a process has ended; its peak memory in MiB, where the system tells it."""
    if not hasattr(os, "pidfd_open"):
        return None
    handle, memory = os.pidfd_open(pid), None
    try:
        while not select.select([handle], [], [], LOOK_SECONDS)[0]:
            memory = peak_memory(pid) or memory
            if time.monotonic() > deadline:
                raise Void(f"{os.path.basename(name)} was not over after {LIMIT_SECONDS} seconds")
    finally:
        os.close(handle)
    return memory


def peak_memory(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM:")), None)
    except OSError:
        return None


def cpu_seconds(pid):
    """What a process that goes on has used so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class CPUSamples:
    """What a server uses in a second, from the middle of a run: between two looks at it."""

    def __init__(self, pid, begin, seconds):
        self.pid, self.begin, self.seconds, self.used = pid, begin, seconds, 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        # A server that has ended is noticed by who sends to it.
        with contextlib.suppress(OSError):
            self.over.wait(self.begin)
            first = cpu_seconds(self.pid)
            self.over.wait(self.seconds)
            self.used = cpu_seconds(self.pid) - first

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        if error[0]:
            self.over.set()
        self.thread.join()

    def each_second(self):
        return self.used / self.seconds


def end(process):
    """Ends a process, gently first; does nothing when it has ended."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else "it said nothing"


def allocations(arguments, succeeded, preload):
    """How many times a process allocates, from its start to its end."""
    with tempfile.NamedTemporaryFile("r") as file:
        environment = {**os.environ, "LD_PRELOAD": preload, "ALLOCATIONS_FILE": file.name}
        measured(arguments, 1, succeeded, environment)
        written = file.read()
    if not written.strip():
        raise Void(f"{os.path.basename(arguments[0])} did not say what it allocates")
    return int(written)
