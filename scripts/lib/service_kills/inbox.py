"""Commits and rolls back orders with pushes while workers, connections and PostgreSQL are killed; `scripts/service-kills --inbox` explains
it and is the only caller.

    inbox.py PUSHSEND PUSHSERVE FOLDER SEED ROUNDS COMMITS

The table of orders is the truth: each of its rows has the id of its push, from the same transaction. At the end each must have one
outcome beside it, the mock must have got no push that is not in it, and none twice.
"""

import glob
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kill_test import rounds  # noqa: E402
from kill_test.programs import Complaint, Mock, Service, until, write_config  # noqa: E402
from ports import free_port  # noqa: E402

APPS = {"shop": "at_most_once"}
CLIENTS = 6
# The number of transactions of one connection.
TRANSACTIONS = 20
# The longest time until each order has its outcome after the last trouble, in seconds.
SETTLING = 300
LEVELS = ("READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")


class Postgres:
    """A server in a folder of its own, which is killed and started again."""

    def __init__(self, folder):
        self.programs = (sorted(glob.glob("/usr/lib/postgresql/*/bin/")) or [""])[-1]
        self.folder, self.port = folder, free_port()
        self.data = folder / "data"
        folder.mkdir()
        self.user = []
        if os.getuid() == 0:
            self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
            subprocess.run(["chown", "postgres", folder], check=True)
            # The user of the server must be able to enter the folder.
            for parent in (folder, *folder.parents):
                if not parent.stat().st_mode & 0o001 and parent.stat().st_uid == 0:
                    parent.chmod(parent.stat().st_mode | 0o011)
        self.run("initdb", "-D", self.data, "-U", "owner", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        self.start()

    def run(self, program, *words):
        # pg_ctl leaves the server with its output, so no pipe waits for its end.
        with open(self.folder / "commands.log", "ab") as log:
            subprocess.run(
                [*self.user, self.programs + program, *map(str, words)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd="/", check=True)

    def start(self):
        options = f"-p {self.port} -h 127.0.0.1 -k {self.data} -c max_prepared_transactions=50 -c max_connections=200"
        self.run("pg_ctl", "start", "-w", "-t", "120", "-s", "-D", self.data, "-l", self.data / "log", "-o", options)

    def kill(self):
        """All processes of the server end at once. Deletions that were not synced are lost."""
        self.run("pg_ctl", "stop", "-m", "immediate", "-w", "-s", "-D", self.data)

    def uri(self, schema=""):
        return f"postgres://owner@127.0.0.1:{self.port}/postgres{schema}"

    def psql(self, script, check=True):
        """What a script prints. Without `check`, its statements may fail."""
        ended = subprocess.run(
            ["psql", "-XqtA", "-v", f"ON_ERROR_STOP={int(check)}", self.uri()], input=script, capture_output=True, text=True,
            timeout=600)
        if check and ended.returncode != 0:
            raise Complaint(f"psql ended with {ended.returncode}: {ended.stderr}")
        return ended.stdout


class Orders:
    """Clients that order, each with connections of its own."""

    def __init__(self, postgres, seed):
        self.postgres, self.is_ending = postgres, threading.Event()
        self.threads = [threading.Thread(target=self.place, args=(number, random.Random(seed * 100 + number)))
                        for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def place(self, number, chance):
        count = 0
        while not self.is_ending.is_set():
            script = []
            for _ in range(TRANSACTIONS):
                count += 1
                script += self.transaction(chance, f"client_{number}_{count}")
            self.postgres.psql("\n".join(script), check=False)

    @staticmethod
    def transaction(chance, name):
        token = f"{chance.getrandbits(256):064x}"
        push = f'{{"token":"{token}","payload":{{"aps":{{"alert":"{name}"}}}}}}'
        order = f"INSERT INTO orders SELECT pushserve.enqueue('shop', '{push}');"
        lines = [f"BEGIN ISOLATION LEVEL {chance.choice(LEVELS)};"]
        if chance.random() < 0.3:
            lines += ["SAVEPOINT here;", order, "ROLLBACK TO SAVEPOINT here;"]
        lines.append(order)
        if chance.random() < 0.1:
            lines.append(f"SELECT pg_sleep({chance.uniform(0, 0.8):.3f});")
        draw = chance.random()
        if draw < 0.25:
            return [*lines, "ROLLBACK;"]
        if draw < 0.35:
            end = chance.choice(("COMMIT", "ROLLBACK"))
            return [*lines, f"PREPARE TRANSACTION '{name}';", f"{end} PREPARED '{name}';"]
        return [*lines, "COMMIT;"]

    def stop(self):
        self.is_ending.set()
        for thread in self.threads:
            thread.join()


class Ground(rounds.Ground):
    pauses = (0.02, 0.1, 0.3, 1.0)

    def __init__(self, pushsend, pushserve, folder, seed):
        self.chance = random.Random(seed)
        self.postgres = Postgres(folder / "postgres")
        self.mock = Mock(pushsend, folder, dict(os.environ))
        # A file takes one worker.
        self.is_file = seed % 2 == 0
        database = folder / "pushserve.sqlite" if self.is_file else self.postgres.uri("?schema=queue")
        config = folder / "pushserve.yaml"
        write_config(config, database, self.mock, APPS)
        with open(config, "a") as file:
            file.write(f"inbox: {{database: {self.postgres.uri()}, poll: 20ms, outcomes: all}}\n")
        for words in (["install"], ["grant", "--role", "owner", "--app", "shop"]):
            subprocess.run(
                [pushserve, "inbox", *words, "--database", self.postgres.uri()], stdin=subprocess.DEVNULL, check=True,
                stdout=subprocess.DEVNULL)
        self.postgres.psql("CREATE TABLE orders (push uuid PRIMARY KEY)")
        self.workers = [
            Service(pushserve, folder, config, APPS, dict(os.environ), f"worker-{number}")
            for number in range(1 if self.is_file else 3)
        ]
        self.orders = None

    def begin(self, seed):
        for worker in self.workers:
            worker.start()
        self.orders = Orders(self.postgres, seed)

    def trouble(self):
        kind = self.chance.choice(("worker", "connections", "postgres"))
        if kind == "worker":
            for worker in self.chance.sample(self.workers, self.chance.randint(1, len(self.workers))):
                worker.kill()
                worker.start()
        elif kind == "connections":
            self.postgres.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND random() < 0.7"
                " AND backend_type = 'client backend'", check=False)
        else:
            self.postgres.kill()
            self.postgres.start()
        return kind

    def committed(self):
        return int(self.postgres.psql("SELECT count(*) FROM orders"))

    def settle(self):
        self.orders.stop()
        # A client that was killed between PREPARE and its end has left the decision to the operator.
        for name in self.postgres.psql("SELECT gid FROM pg_prepared_xacts").split():
            self.postgres.psql(f"{self.chance.choice(('COMMIT', 'ROLLBACK'))} PREPARED '{name}'")
        missing = "SELECT count(*) FROM orders WHERE push NOT IN (SELECT id FROM pushserve.outcome)"
        end = time.monotonic() + SETTLING
        while int(self.postgres.psql(missing)) > 0 and time.monotonic() < end:
            time.sleep(0.5)
        until(lambda: self.postgres.psql("SELECT count(*) FROM pushserve.inbox").strip() == "0", "The inbox is not empty")
        for worker in self.workers:
            worker.stop()
        self.mock.stop()
        orders = set(self.postgres.psql("SELECT push FROM orders").split())
        outcomes = dict(line.split("|") for line in self.postgres.psql("SELECT id, outcome FROM pushserve.outcome").split())
        sent = Counter(request.apns_id for request in self.mock.requests())
        return orders, outcomes, sent

    def abandon(self):
        if self.orders:
            self.orders.is_ending.set()
        for worker in self.workers:
            worker.abandon()
        self.mock.stop()
        self.postgres.kill()


def main():
    pushsend, pushserve, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    seed, count, commits = map(int, sys.argv[4:7])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with rounds.run_folder(folder, seed, subprocess.CalledProcessError) as run_folder:
        ground = Ground(pushsend, pushserve, run_folder, seed)
        try:
            ground.begin(seed)
            kinds = Counter()
            while sum(kinds.values()) < count or ground.committed() < commits:
                ground.pause()
                kinds[ground.trouble()] += 1
            check(*ground.settle(), kinds, "a SQLite file" if ground.is_file else "PostgreSQL, three workers")
        finally:
            ground.abandon()


def check(orders, outcomes, sent, kinds, queue):
    lost = [id for id in orders if id not in outcomes or (outcomes[id] == "accepted" and not sent[id])]
    phantom = [id for id in {*outcomes, *sent} if id not in orders]
    doubled = [id for id, count in sent.items() if count > 1]
    troubles = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    print(f"The queue: {queue}. Troubles: {troubles}. Outcomes: {dict(Counter(outcomes.values()))}.")
    print(f"{len(orders)} commits: lost {len(lost)}, phantom {len(phantom)}, doubled {len(doubled)}.", flush=True)
    if not orders or lost or phantom or doubled:
        raise Complaint(f"For example {(lost + phantom + doubled)[:3]}")


if __name__ == "__main__":
    main()
