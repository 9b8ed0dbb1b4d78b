"""Commits and rolls back orders with pushes while workers, connections and PostgreSQL are killed.

The table of orders is the truth: each of its rows has the id of its push, from the same transaction. At the end each must have one
outcome beside it, the mock must have got no push that is not in it, and none twice.
"""

import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from cluster.cluster import Cluster
from complaint import Complaint, until
from kill_test import rounds
from kill_test.programs import Mock, Service, Workers, run

APPS = {"shop": "at_most_once"}
CLIENTS = 6


class Pace(NamedTuple):
    """How the clients order."""
    # The number of transactions of one connection.
    transactions: int
    # The share of transactions that stay open for a while.
    waiting: float
    # The pauses between troubles, in seconds.
    pauses: tuple


# With the usual pace, the clients commit 150 times a second.
USUAL, FAST = Pace(20, 0.1, (0.02, 0.1, 0.3, 1)), Pace(300, 0.003, (0.1, 1, 5, 10))
LONG_RUN = 50_000
# The longest time until each order has its outcome after the last trouble, in seconds, without a millisecond for each commit.
SETTLING = 300
# The database, the longest time of a script in seconds, and the role.
AS_SERVICE = ("pushserve", 600, "pushserve")
LEVELS = ("READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")


class Orders:
    """Clients that order, each with connections of its own."""

    def __init__(self, node, seed, pace):
        self.node, self.pace, self.is_ending = node, pace, threading.Event()
        self.threads = [threading.Thread(target=self.place, args=(number, random.Random(seed * 100 + number)))
                        for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def place(self, number, chance):
        count = 0
        while not self.is_ending.is_set():
            # A transaction may fail, and those behind it go on.
            script = ["\\set ON_ERROR_STOP off"]
            for _ in range(self.pace.transactions):
                count += 1
                script += self.transaction(chance, f"client_{number}_{count}")
            try:
                self.node.sql("\n".join(script), *AS_SERVICE)
            except Complaint:
                # The server, or its connection, was killed.
                pass

    def transaction(self, chance, name):
        token = f"{chance.getrandbits(256):064x}"
        push = f'{{"token":"{token}","payload":{{"aps":{{"alert":"{name}"}}}}}}'
        order = f"INSERT INTO orders SELECT pushserve.enqueue('shop', '{push}');"
        lines = [f"BEGIN ISOLATION LEVEL {chance.choice(LEVELS)};"]
        if chance.random() < 0.3:
            lines += ["SAVEPOINT here;", order, "ROLLBACK TO SAVEPOINT here;"]
        lines.append(order)
        if chance.random() < self.pace.waiting:
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

    def abandon(self):
        self.is_ending.set()


class Ground(rounds.Ground):
    def __init__(self, pushsend, pushserve, folder, seed, commits, cluster):
        self.chance, self.cluster, self.uri = random.Random(seed), cluster, cluster.uri()
        self.pace = FAST if commits > LONG_RUN else USUAL
        self.pauses = self.pace.pauses
        self.settling = SETTLING + commits / 1000
        self.mock = Mock(pushsend, folder)
        # A file takes one worker.
        self.is_file = seed % 2 == 0
        # Of the seeds with a queue in PostgreSQL, every second has it in another database than the inbox.
        is_apart = seed % 4 == 3
        if is_apart:
            cluster.nodes[0].sql("CREATE DATABASE queue OWNER pushserve")
        queue = self.uri.removesuffix("/pushserve") + "/queue" if is_apart else self.uri
        database = folder / "pushserve.sqlite" if self.is_file else f"{queue}?schema=queue"
        for words in (["install"], ["grant", "--role", "pushserve", "--app", "shop"]):
            run(pushserve, "inbox", *words, "--database", self.uri)
        self.sql("CREATE TABLE orders (push uuid PRIMARY KEY)")
        settings = ["limits: {rate_per_key: 1000000/s}", f"inbox: {{database: {self.uri}, poll: 20ms, outcomes: all}}"]
        self.service = Workers(
            Service(pushserve, folder, f"worker-{number}", database, self.mock, APPS, settings=settings)
            for number in range(1 if self.is_file else 3))

    def sql(self, script):
        return self.cluster.nodes[0].sql(script, *AS_SERVICE)

    def begin(self, seed):
        self.service.start()
        self.posting = Orders(self.cluster.nodes[0], seed, self.pace)

    def trouble(self):
        kind = self.chance.choice(("worker", "connections", "postgres"))
        if kind == "worker":
            for worker in self.chance.sample(self.service, self.chance.randint(1, len(self.service))):
                worker.kill()
                worker.start()
        elif kind == "connections":
            self.cluster.nodes[0].sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND random() < 0.7"
                " AND backend_type = 'client backend'")
        else:
            # Deletions that were not synced are lost.
            self.cluster.nodes[0].kill_server()
            self.cluster.start_nodes()
            self.cluster.wait_until_ready()
        return kind

    def committed(self):
        return int(self.sql("SELECT count(*) FROM orders"))

    def settle(self):
        self.posting.stop()
        # A client that was killed between PREPARE and its end has left the decision to the operator.
        for name in self.sql("SELECT gid FROM pg_prepared_xacts").split():
            self.sql(f"{self.chance.choice(('COMMIT', 'ROLLBACK'))} PREPARED '{name}'")
        missing = "SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT FROM pushserve.outcome WHERE id = push)"
        end = time.monotonic() + self.settling
        while int(self.sql(missing)) > 0 and time.monotonic() < end:
            time.sleep(0.5)
        until(lambda: self.sql("SELECT count(*) FROM pushserve.inbox") == "0", "The inbox isn't empty")
        self.service.stop()
        self.mock.stop()
        orders = set(self.sql("SELECT push FROM orders").split())
        outcomes = dict(line.split("|") for line in self.sql("SELECT id, outcome FROM pushserve.outcome").split())
        sent = Counter(request.apns_id for request in self.mock.requests())
        return orders, outcomes, sent


def main(pushsend, pushserve, folder, *numbers):
    seed, count, commits = map(int, numbers)
    cluster = Cluster.new(1)
    cluster.nodes[0].more_settings = {"max_prepared_transactions": "50", "max_connections": "200"}
    with (rounds.run_folder(Path(folder), str(seed), f"seed {seed}") as run_folder, cluster,
          rounds.ending(Ground(pushsend, pushserve, run_folder, seed, commits, cluster), lambda: cluster.keep_logs(run_folder)) as ground):
        ground.begin(seed)
        kinds = Counter()
        while sum(kinds.values()) < count or ground.committed() < commits:
            ground.pause()
            kinds[ground.trouble()] += 1
        check(*ground.settle(), kinds, "a SQLite file" if ground.is_file else "PostgreSQL, three workers")


def check(orders, outcomes, sent, kinds, queue):
    lost = [id for id in orders if id not in outcomes or (outcomes[id] == "accepted" and not sent[id])]
    phantom = [id for id in {*outcomes, *sent} if id not in orders]
    doubled = [id for id, count in sent.items() if count > 1]
    troubles = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    print(f"The queue: {queue}. Troubles: {troubles}. Outcomes: {dict(Counter(outcomes.values()))}.")
    print(f"{len(orders)} commits: lost {len(lost)}, phantom {len(phantom)}, doubled {len(doubled)}.", flush=True)
    if not orders or lost or phantom or doubled:
        raise Complaint(f"For example {(lost + phantom + doubled)[:3]}")
