"""One row of the table: a service with a queue of its own, a key that must not notice the attack, and what is measured."""

import multiprocessing
import resource
import secrets
import statistics
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from complaint import Complaint, until
from kill_test import reconcile
from kill_test.programs import Service, Workers

from . import clients
from .measuring import measure

# `shop` is attacked. The key of `other` must not notice it.
APPS = {"shop": "at_most_once", "other": "at_most_once"}
MIB = 1 << 20
# How much more memory than when it idles the service may take, in bytes. At twice as much, the attack is ended.
MOST_MEMORY = 512 * MIB
# How much the service may allocate at all, so that it does not take the memory of this machine, in bytes.
MOST_ADDRESSES = 8 << 30
# The longest median of a post of another key, and the longest answer to /livez, in seconds.
MOST_LATENCY, MOST_LIVEZ = 0.05, 1.0
# How long another key may wait for outcomes after the attack, in seconds. A refused outcome is tried again after 30 s. It only ends
# a wait for what does not come, on the slowest machine, too.
SETTLING = 180
WORKERS = {"file": 1, "postgres": 2}

spawning = multiprocessing.get_context("spawn")


@dataclass
class Figures:
    """What was measured; `None` where there is nothing to measure."""

    memory: int | None = None
    latency: float | None = None
    livez: float | None = None
    lost: int | None = None
    deaths: int = 0


class Watch(threading.Thread):
    """Looks at the memory of all workers, and starts a worker that ended again, as systemd does."""

    def __init__(self, workers):
        super().__init__(daemon=True)
        self.workers, self.ends, self.deaths, self.failure = workers, threading.Event(), 0, None
        self.idle = {worker.name: memory(worker.process.pid)[0] for worker in workers}
        self.most = 0

    @property
    def is_over(self):
        return self.most > 2 * MOST_MEMORY or self.failure is not None

    def run(self):
        while not self.ends.wait(0.05):
            for worker in self.workers:
                self.look_at(worker)

    def look_at(self, worker):
        if worker.process.poll() is not None:
            self.deaths += 1
            try:
                worker.start()
            except Complaint as failure:
                self.failure = failure
                self.ends.set()
        try:
            self.most = max(self.most, memory(worker.process.pid)[1] - self.idle[worker.name])
        except OSError:
            pass


def memory(process):
    """How much memory a process has, and the most that it ever had, in bytes."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    # A process that ends has none.
    return tuple(int(fields.get(name, "0").split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))


class Worker(Service):
    """A service that cannot take the memory of this machine."""

    def start(self):
        super().start()
        resource.prlimit(self.process.pid, resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))


class Ground:
    def __init__(self, pushserve, folder, name, mock, cluster, is_quick, judges_times):
        self.pushserve, self.folder, self.name, self.mock = pushserve, folder, name, mock
        self.node = cluster and cluster.nodes[0]
        self.cluster, self.is_quick, self.judges_times = cluster, is_quick, judges_times
        self.engine = "postgres" if cluster else "file"
        # The limits of the configuration: the default ones.
        self.limits = ""
        # How long a flood lasts, in seconds.
        self.seconds = 3 if is_quick else 15
        self.workers, self.watch, self.measuring, self.report = Workers(), None, None, None
        folder.mkdir(parents=True, mode=0o700)

    def size(self, quick, long):
        return quick if self.is_quick else long

    # --- Start

    def make_queue(self, options=""):
        """An empty database, and the first worker, which does not run yet. Its first command makes the tables."""
        if self.cluster:
            self.sql(f'CREATE DATABASE "{self.name}" OWNER pushserve {options}', "postgres")
        self.workers = Workers(self.service(number) for number in range(1, WORKERS[self.engine] + 1))

    @property
    def database(self):
        if self.cluster:
            return f"{self.cluster.uri().rsplit('/', 1)[0]}/{self.name}"
        return self.folder / "pushserve.sqlite"

    def service(self, name, database=None):
        """A service with another address, and with the same queue or another one."""
        settings = [f"limits: {{{self.limits}}}"]
        return Worker(self.pushserve, self.folder, f"worker-{name}", database or self.database, self.mock, APPS, settings=settings)

    def start(self):
        self.make_queue()
        self.key = self.workers[0].make_key("send,read", ["shop"])
        self.other_key = self.workers[0].make_key("send,read", ["other"])
        self.workers.start()

    def begin(self):
        """From now on, the other key posts, and all is measured."""
        self.pipe, theirs = spawning.Pipe()
        self.measuring = spawning.Process(
            target=measure, args=(theirs, self.urls, self.other_key, secrets.randbits(32), "other"), daemon=True)
        self.measuring.start()
        # The connections to Apple are open, and nothing is done for the first time.
        time.sleep(1)
        self.watch = Watch(self.workers)
        self.watch.start()
        self.begun = time.monotonic()

    @property
    def urls(self):
        return [worker.url for worker in self.workers]

    # --- Attacks

    def run(self, function, *words, seconds=None, meanwhile=None, after=0):
        """Runs a function in a process with a lower priority. Ends it when the service takes far too much memory. Returns its result."""
        pipe, theirs = spawning.Pipe()
        process = spawning.Process(target=clients.run, args=(theirs, function, *words), daemon=True)
        process.start()
        end = time.monotonic() + (seconds or 6 * self.seconds)
        try:
            if meanwhile:
                time.sleep(after)
                meanwhile()
            while time.monotonic() < end and process.is_alive() and not self.watch.is_over:
                if pipe.poll(0.05):
                    break
            return pipe.recv() if pipe.poll() else {}
        finally:
            process.kill()
            process.join()

    def flood(self, data, connections, seconds=None, meanwhile=None, **how):
        """Runs a flood. Calls `meanwhile` after half of its time."""
        seconds, how = seconds or self.seconds, (how.get("reads", False), how.get("reopens", False), how.get("sources", 1))
        return self.run(clients.flood, self.urls, data, connections, seconds, *how, meanwhile=meanwhile, after=seconds / 2)

    def ask(self, method, path, key=None, body=b"", **how):
        return clients.ask(self.urls[-1], method, path, key or self.key, body, **how)

    def wait(self, seconds):
        """Returns earlier when the service takes far too much memory."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.watch.is_over:
            time.sleep(0.05)

    def until(self, condition, seconds, complaint):
        """Returns how long it took."""
        begun = time.monotonic()
        until(condition, complaint, seconds)
        return time.monotonic() - begun

    def sql(self, text, database=None, seconds=60):
        return self.node.sql(text, database or self.name, seconds)

    @contextmanager
    def held(self, text, user="postgres"):
        """Runs SQL beside the workers. Its transaction is open, with the locks that it takes, from the beginning of the block to its end."""
        words = (f"SET application_name = 'holder'; BEGIN; {text}; SELECT pg_sleep(3600);", self.name, 3700)

        def hold():
            try:
                self.node.sql(*words, user)
            except Complaint:
                # The end of the block has ended its connection.
                pass

        thread = threading.Thread(target=hold, daemon=True)
        thread.start()
        of_holder = "FROM pg_stat_activity WHERE application_name = 'holder'"
        self.until(
            lambda: self.sql(f"SELECT count(*) {of_holder} AND wait_event = 'PgSleep'") == "1", SETTLING, "no lock was granted")
        try:
            yield
        finally:
            self.sql(f"SELECT pg_terminate_backend(pid) {of_holder}")
            thread.join(SETTLING)

    def disk(self):
        """How many bytes the queue has on the disk."""
        if self.cluster:
            return int(self.sql(f"SELECT pg_database_size('{self.name}')"))
        return sum(path.stat().st_size for path in self.folder.glob("pushserve.sqlite*"))

    def written(self):
        """How many bytes were written to the disk so far."""
        if self.cluster:
            return int(self.sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"))
        fields = dict(line.split(": ") for line in Path(f"/proc/{self.workers[0].process.pid}/io").read_text().splitlines())
        return int(fields["write_bytes"])

    # --- The end

    def stop_measuring(self, patience=SETTLING):
        """The other key posts nothing more."""
        if self.report is None and self.measuring:
            self.pipe.send(patience)
            self.report = self.pipe.recv()
            self.measuring.join()
            if self.report["refusals"]:
                raise Complaint(f"The other key was refused: {self.report['refusals'][0]}")

    def figures(self, serves, reconciles):
        """Ends the measurement. Where the other key need not be served, it has no latency; where its outcomes need not be there, none is
        looked for."""
        figures = Figures()
        if not self.watch:
            return figures
        self.stop_measuring(SETTLING if reconciles else 1)
        figures.memory, figures.deaths = self.watch.most, self.watch.deaths
        if serves:
            posts = self.report["posts"] + self.report["waiting"]
            figures.latency = statistics.median([took for at, took in posts if at >= self.begun] or [0])
            figures.livez = max([took for at, took in self.report["livez"] if at >= self.begun], default=0)
        if reconciles:
            figures.lost = self.lost(self.report["ids"])
        return figures

    def lost(self, ids):
        """How many acknowledged pushes of the other key do not have one outcome, or were not accepted once by the mock."""
        end = time.monotonic() + SETTLING
        while True:
            try:
                outcomes = list(reconcile.results(self.workers[0], self.other_key, "other"))
            except (Complaint, OSError):
                outcomes = []
            times = Counter(item["id"] for item in outcomes)
            accepted = {item["id"] for item in outcomes if item["outcome"]["kind"] == "accepted"}
            sent = Counter(request.apns_id for request in self.mock.requests() if request.status == 200)
            lost = [id for id in ids if times[id] != 1 or id not in accepted or sent[id] != 1]
            if not lost or time.monotonic() > end:
                return len(lost)
            time.sleep(0.3)

    def abandon(self):
        if self.watch:
            self.watch.ends.set()
            self.watch.join()
        if self.measuring:
            self.measuring.kill()
        self.workers.abandon()
        if self.cluster:
            try:
                self.sql(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)', "postgres")
            except Complaint:
                pass
