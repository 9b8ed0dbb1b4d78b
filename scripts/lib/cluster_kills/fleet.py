"""The workers: several services with one queue."""

import random
import signal
import threading
import time

from cluster.proxy import Line
from complaint import Complaint
from kill_test.machine import Machine
from kill_test.programs import Service, Workers

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
        settings = [f"limits: {{rate_per_key: 1000000/s, start_window: {WINDOW}}}"]
        database = f"{cluster.uri(self.line.ports)}?sslmode=disable&gssencmode=disable"
        super().__init__(pushserve, folder, name, database, mock, apps, self.machine.environment, settings)
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


class Fleet(Workers):
    """All workers. It answers as one service does: each request goes to any worker that runs."""

    def __init__(self, count, pushserve, folder, cluster, mock, apps, seed):
        super().__init__(Worker(number, pushserve, folder, cluster, mock, apps, seed) for number in range(1, count + 1))
        self.chance, self.lock = random.Random(seed), threading.Lock()

    @property
    def url(self):
        with self.lock:
            return self.chance.choice([worker for worker in self if worker.takes_requests] or self).url

    def make_key(self, scopes):
        return self[0].make_key(scopes)

    def get(self, path, key):
        """Asks one worker after the other, as while the database fails over none can answer."""
        for attempt in range(60):
            try:
                return self[attempt % len(self)].get(path, key)
            except (Complaint, OSError):
                if attempt == 59:
                    raise
            time.sleep(0.5)

    def require_running(self):
        for worker in self:
            if worker.takes_requests:
                worker.require_running()
