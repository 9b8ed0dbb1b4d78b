"""The workers: several services with one queue."""

import random
import signal
import threading
import time

from cluster.proxy import Line
from complaint import Complaint
from kill_test.machine import Machine
from kill_test.programs import Service, write_config

# A crash of a worker leaves at most this number of pushes unknown, or sent again.
WINDOW = 100
# After this time without a sign of a worker, the others take its jobs, in seconds.
LEASE = 60


class Worker(Service):
    """One service, with a clock and with connections to the database of its own."""

    def __init__(self, number, pushserve, folder, cluster, mock, apps, seed):
        self.line = Line([node.port for node in cluster.nodes], seed * 10 + number)
        name = f"worker-{number}"
        self.machine = Machine(folder, None, name)
        config = folder / f"{name}.yaml"
        database = cluster.uri(self.line.ports)
        write_config(config, database, mock, apps, f"rate_per_key: 1000000/s, start_window: {WINDOW}")
        super().__init__(pushserve, folder, config, apps, self.machine.environment, name)
        self.takes_requests = False

    def start(self):
        super().start()
        self.takes_requests = True

    def kill(self):
        self.takes_requests = False
        super().kill()

    def stop(self):
        self.takes_requests = False
        super().stop()

    def freeze(self):
        self.takes_requests = False
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)
        self.takes_requests = True

    def abandon(self):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
        super().abandon()
        self.line.stop()


class Fleet:
    """All workers. It answers as one service does: each request goes to any worker that runs."""

    def __init__(self, count, pushserve, folder, cluster, mock, apps, seed):
        self.chance, self.lock = random.Random(seed), threading.Lock()
        self.workers = [Worker(number, pushserve, folder, cluster, mock, apps, seed) for number in range(1, count + 1)]

    @property
    def url(self):
        with self.lock:
            ready = [worker for worker in self.workers if worker.takes_requests] or self.workers
            return self.chance.choice(ready).url

    def start(self):
        for worker in self.workers:
            worker.start()

    def make_key(self, scopes):
        return self.workers[0].make_key(scopes)

    def get(self, path, key):
        """Asks one worker after the other, as while the database fails over none can answer."""
        for attempt in range(60):
            worker = self.workers[attempt % len(self.workers)]
            try:
                return worker.get(path, key)
            except (Complaint, OSError):
                if attempt == 59:
                    raise
            time.sleep(0.5)

    def require_running(self):
        for worker in self.workers:
            worker.require_running()

    def stop(self):
        for worker in self.workers:
            worker.stop()

    def abandon(self):
        for worker in self.workers:
            worker.abandon()
