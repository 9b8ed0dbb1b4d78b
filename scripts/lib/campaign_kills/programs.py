"""The programs of a campaign: the mock, and the runs of `pushsend batch`."""

import json
import resource
import signal
import subprocess
import time
from pathlib import Path

# Seconds after which a program counts as hung. Every normal step is faster.
PATIENCE = 600


class Complaint(Exception):
    """Something differs from docs/batch.md."""


class Mock:
    """A mock that logs each request. For other faults, it starts again with the same state folder and log."""

    def __init__(self, program, folder, options):
        self.program = program
        self.folder = folder
        self.options = options
        self.log = folder / "mock.jsonl"
        self.process = None

    def start(self, faults=()):
        self.stop()
        before = self.ready_count()
        command = [self.program, "mock", "--json", "--port", "0", "--state", str(self.folder / "mock"), "--limit", "none"]
        command += self.options
        for fault in faults:
            command += ["--fault", fault.json()]
        with self.log.open("ab") as log, (self.folder / "mock.errors").open("ab") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=errors)
        deadline = time.monotonic() + PATIENCE
        while self.ready_count() == before:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Complaint(f"The mock did not start: {(self.folder / 'mock.errors').read_text()}")
            time.sleep(0.01)

    def ready_count(self):
        return self.log.read_bytes().count(b'"event":"ready"') if self.log.exists() else 0

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Complaint(f"The mock did not end within {PATIENCE} seconds of SIGTERM.") from None
        finally:
            self.process = None

    def requests(self):
        """The requests that arrived, in this order. Call this only while no run is active."""
        with self.log.open("rb") as log:
            said = [json.loads(line) for line in log]
        return [line for line in said if line["event"] == "request"]


class Run:
    """One run of the command. Its output and `errors` are complete when it has ended."""

    def __init__(self, command, folder, file_size=None):
        self.output_path = folder / "run.output"
        self.errors_path = folder / "run.errors"

        def prepare():
            # A script that a shell runs in the background ignores Ctrl-C, and its children inherit this. They must not.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if file_size:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

        # The limit of the file size also applies to these two files; they stay short.
        with self.output_path.open("wb") as output, self.errors_path.open("wb") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                            preexec_fn=prepare, cwd=folder)
        self.begun = time.monotonic()

    def wait_for(self, moment, results, expected_bytes):
        """Waits until the run reaches this moment, or ends."""
        kind, value = moment
        while self.process.poll() is None:
            if time.monotonic() - self.begun > PATIENCE:
                self.hang()
            if kind == "seconds" and time.monotonic() - self.begun >= value:
                return
            if kind == "share" and size(results) >= value * expected_bytes:
                return
            time.sleep(0.001)

    def kill(self):
        self.process.kill()
        return self.end()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self):
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.hang()

    def hang(self):
        self.process.kill()
        self.process.wait()
        raise Complaint(f"A run did not end within {PATIENCE} seconds.")

    def errors(self):
        return self.errors_path.read_text(errors="replace")


def size(path):
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0
