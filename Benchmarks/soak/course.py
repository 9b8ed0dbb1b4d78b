"""Runs a soak: both processes, their output, and a sample of their resources each second."""
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field

# Seconds after which the wait for a process ends with an error. Every normal step is faster.
PATIENCE = 600
# The requests after which the log of the mock is full: it grows until then. See SoakMock.swift.
LOGGED = 5000


@dataclass
class Sample:
    """The resources of a process at one moment. `heap` is `None` if the C library does not report it."""
    memory: int
    heap: int | None
    descriptors: int
    threads: int


@dataclass
class Side:
    """One of the two processes: the lines of its output, and its samples."""
    name: str
    process: subprocess.Popen
    lines: list = field(default_factory=list)
    samples: list = field(default_factory=list)
    heap: int | None = None
    reader: threading.Thread | None = None

    def begin_reading(self):
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            if words[:2] == ["#", "heap"]:
                self.heap = int(words[2]) or None
            else:
                self.lines.append(words)

    def sample(self):
        """Takes a sample. Returns whether the process still runs."""
        folder = f"/proc/{self.process.pid}"
        try:
            with open(f"{folder}/status", encoding="ascii", errors="replace") as file:
                status = dict(line.split(":", 1) for line in file if ":" in line)
            memory, descriptors = int(status["VmRSS"].split()[0]) * 1024, len(os.listdir(f"{folder}/fd"))
        except (KeyError, OSError):
            # A process that has ended has no memory.
            return False
        self.samples.append(Sample(memory, self.heap, descriptors, int(status["Threads"])))
        return True

    def end(self):
        """Waits until the process has ended and all its output is read."""
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        if status != 0 or not self.lines or self.lines[-1][0] != "end":
            raise SystemExit(f"soak: {self.name} ended with {status}, after {len(self.lines)} lines.")


@dataclass
class Reports:
    """The output and the samples of both sides. The last line of each output begins with `end`."""
    mock: Side
    sender: Side


def build(root, configuration):
    command = [f"{root}/scripts/lib/swiftpm", "beside", "Benchmarks", "build", "-c", configuration]
    say("building the mock and the sender (the first time takes minutes)")
    for product in ("SoakMock", "SoakSend"):
        done = subprocess.run([*command, "--product", product], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, cwd=root)
        if done.returncode != 0:
            raise SystemExit(f"soak: building {product} failed:\n{done.stdout}{done.stderr}")
    return f"{root}/.build/{configuration}"


def run(binaries, seconds, seed):
    """Sends until the log of the mock is full, and then for this number of seconds. Both processes have ended when it returns, also after an error."""
    with tempfile.TemporaryDirectory(prefix="pushprovider-soak-") as folder:
        mock = started("the mock", [f"{binaries}/SoakMock", folder, str(seed)], stdin=subprocess.PIPE)
        sides = [mock]
        try:
            port = first_line(mock)[1]
            mock.begin_reading()
            sender = started("the sender", [
                f"{binaries}/SoakSend", port, f"{folder}/ca.pem", f"{folder}/AuthKey_MOCKKEY123.p8"], stdin=subprocess.PIPE)
            sides.append(sender)
            sender.begin_reading()
            fill(mock, sender)
            say(f"sending for {seconds} seconds")
            watch(mock, sender, seconds)
            sender.process.stdin.close()
            sender.end()
            mock.process.stdin.close()
            mock.end()
        finally:
            for side in sides:
                if side.process.poll() is None:
                    side.process.kill()
                    side.process.wait()
        return Reports(mock, sender)


def started(name, command, stdin=subprocess.DEVNULL):
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return Side(name, process)


def first_line(side):
    words = side.process.stdout.readline().split()
    if not words or words[0] != "port":
        raise SystemExit(f"soak: {side.name} did not start: {' '.join(words)}")
    return words


def fill(mock, sender):
    """Waits until the log of the mock is full, however slow the machine is: only later growth is a leak."""
    end = time.monotonic() + PATIENCE
    while len(mock.lines) < LOGGED and all(side.process.poll() is None for side in (mock, sender)):
        if time.monotonic() > end:
            raise SystemExit(f"soak: the mock got only {len(mock.lines)} requests in {PATIENCE} seconds.")
        time.sleep(0.1)


def watch(mock, sender, seconds):
    """Takes a sample of both processes each second while the sender sends."""
    begun = time.monotonic()
    for number in range(1, seconds + 1):
        time.sleep(max(0.0, begun + number - time.monotonic()))
        if sender.process.poll() is not None or not mock.sample() or not sender.sample():
            return
        if number % 60 == 0:
            last = [f"{side.name} {side.samples[-1].memory / 2**20:.1f} MiB" for side in (mock, sender)]
            say(f"{number // 60} min: {len(sender.lines)} outcomes, " + ", ".join(last))


def say(words):
    print(words, file=sys.stderr, flush=True)
