"""Several processes of QueueLoad that begin at the same time."""
import contextlib
import subprocess

from .processes import LIMIT_SECONDS, Void, end, last_line
from .servers import wait_until


@contextlib.contextmanager
def started(workspace, commands):
    """Starts the commands, and returns when all have opened the queue. They begin with `run`."""
    processes = []
    try:
        for number, command in enumerate(commands):
            processes.append(Process(workspace, command, number))
        for process in processes:
            wait_until(process.job, process.is_ready, "QueueLoad")
        yield Group(processes)
    finally:
        for process in processes:
            process.stop()


class Group:
    def __init__(self, processes):
        self.processes = processes

    def run(self):
        """Lets all begin, and returns what each one prints."""
        for process in self.processes:
            process.begin()
        return [process.output() for process in self.processes]


class Process:
    def __init__(self, workspace, command, number):
        self.log = workspace.path(f"together-{number}.log")
        with open(self.log, "w", encoding="utf-8") as file:
            self.job = subprocess.Popen([*command, "--waits"], stdin=subprocess.PIPE, stdout=file, stderr=subprocess.STDOUT)

    def text(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def is_ready(self):
        if self.job.poll() is not None:
            raise Void(f"QueueLoad ended with {self.job.returncode}: {last_line(self.text())}")
        return self.text().startswith("ready")

    def begin(self):
        self.job.stdin.write(b"\n")
        self.job.stdin.flush()

    def output(self):
        try:
            status = self.job.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise Void(f"QueueLoad did not end within {LIMIT_SECONDS} seconds") from None
        if status != 0:
            raise Void(f"QueueLoad ended with {status}: {last_line(self.text())}")
        return self.text()

    def stop(self):
        end(self.job)
        self.job.stdin.close()
