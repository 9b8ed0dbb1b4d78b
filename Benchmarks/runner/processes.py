"""Runs and measures one process: its time, its resources, and whether it did its task."""
import contextlib
import os
import select
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

# Seconds after which a process counts as hung and its run is void. Even on a busy machine, every run is faster.
LIMIT_SECONDS = 300
# Seconds between two readings of the peak memory. It is read while the process runs, because the value from `wait4` is at least
# the peak of the runner itself.
LOOK_SECONDS = 0.05


class Void(Exception):
    """A run that did not complete its task. No figure of its row counts."""


class Failures(Void):
    """A process that ended by itself, and whose output shows failures."""

    def __init__(self, name, output):
        super().__init__(f"{name} had failures: {last_line(output)}")
        self.output = output


@dataclass
class Run:
    """The number of repetitions, the time, and the resources of a run. `None` means not measured."""
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


def measured(arguments, count, succeeded, environment=None, limit=LIMIT_SECONDS):
    """Runs a process to its end, for `limit` seconds at most. Returns its output and its resources. The run is void if `succeeded`
    rejects the output."""
    with tempfile.TemporaryFile("w+") as output:
        begun = time.monotonic()
        child = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            memory = watch(child.pid, begun, limit, arguments[0])
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
        raise Failures(name, text)
    return text, Run(count, seconds, usage.ru_utime + usage.ru_stime, memory)


def watch(pid, begun, limit, name):
    """Waits until a process has ended. Returns its peak memory in MiB if the system reports it."""
    if not hasattr(os, "pidfd_open"):
        return None
    handle, memory = os.pidfd_open(pid), None
    try:
        while not select.select([handle], [], [], LOOK_SECONDS)[0]:
            memory = peak_memory(pid) or memory
            if time.monotonic() > begun + limit:
                raise Void(f"{os.path.basename(name)} did not end within {limit} seconds")
    finally:
        os.close(handle)
    return memory


def peak_memory(pid, name="VmHWM"):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith(f"{name}:")), None)
    except OSError:
        return None


def current_memory(pid):
    return peak_memory(pid, "VmRSS") or 0


def reset_peak_memory(pid):
    """The peak is that of what follows."""
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def cpu_seconds(pid):
    """The CPU seconds that a running process has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class CPUSamples:
    """The CPU seconds that a server uses per second, between two moments in the middle of a run."""

    def __init__(self, pid, begin, seconds):
        self.pid, self.begin, self.seconds, self.used = pid, begin, seconds, 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        # If the server has ended, the sender reports it.
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
    """Stops a process with SIGTERM, and after ten seconds with SIGKILL. Does nothing if it has ended."""
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
    return lines[-1].strip()[:300] if lines else "it printed nothing"


def allocations(arguments, succeeded, preload):
    """The number of allocations of a process, from its start to its end."""
    with tempfile.NamedTemporaryFile("r") as file:
        environment = {**os.environ, "LD_PRELOAD": preload, "ALLOCATIONS_FILE": file.name}
        measured(arguments, 1, succeeded, environment)
        written = file.read()
    if not written.strip():
        raise Void(f"{os.path.basename(arguments[0])} did not write its number of allocations")
    return int(written)
