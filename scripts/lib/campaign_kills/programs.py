"""The programs of a campaign: the mock, and the runs of `pushsend batch`."""

import json
import resource
import signal
import subprocess
import time
from pathlib import Path

import kill_test.programs
from complaint import Complaint

# Seconds after which a program counts as hung. Every normal step is faster.
PATIENCE = 600


class Mock(kill_test.programs.Mock):
    """A mock that logs each request. For other faults, it starts again with the same state folder and log."""

    def __init__(self, program, folder, options):
        super().__init__(program, folder, options=["--limit", "none", *options])

    def start_again(self, faults=()):
        self.stop()
        self.start(*(word for fault in faults for word in ("--fault", fault.json())))

    def all_requests(self):
        """The requests that arrived, in this order. Call this only while no run is active."""
        with self.output.open("rb") as log:
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
        raise Complaint(f"A run didn't end within {PATIENCE} seconds.")

    def errors(self):
        return self.errors_path.read_text(errors="replace")


def size(path):
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0
