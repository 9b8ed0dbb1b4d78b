"""A PostgreSQL of one node, or of three nodes under Patroni, in a folder of its own and on free ports."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from complaint import Complaint, until
from ports import free_ports

from .nodes import Etcd, Node, PatroniNode
from .processes import Owner

# The longest time until a new cluster takes writes, and until it does again after a failure, in seconds.
READY = 300
# After so many seconds, a standby that doesn't follow the primary will not do so by itself.
STUCK = 60
ACCOUNTS = ["postgres", "replicator", "rewinder", "pushserve"]


class Cluster:
    """Use it as `with Cluster.new(nodes=3) as cluster:`. When the block ends, or this process, all of it ends."""

    def __init__(self, folder):
        self.folder, self.owner = Path(folder), Owner()
        try:
            plan = json.loads((self.folder / "cluster.json").read_text())
        except OSError:
            raise Complaint(f"{folder} isn't the folder of a cluster.") from None
        self.has_small_disks, self.passwords = plan["small_disks"], plan["passwords"]
        ports = iter(plan["ports"])
        if plan["nodes"] == 1:
            self.etcd, self.nodes = [], [Node(self, 1, next(ports))]
        else:
            numbers = range(1, plan["nodes"] + 1)
            self.etcd = [Etcd(self, number, next(ports), next(ports)) for number in numbers]
            self.nodes = [PatroniNode(self, number, next(ports), next(ports)) for number in numbers]
        self.guard = None

    @classmethod
    def new(cls, nodes, small_disks=False):
        """A new folder for a cluster. Passwords are made for it, and are in files that only its user can read."""
        # Short, because the path of a socket may have 107 bytes; and the user postgres must be able to enter it.
        folder = Path(tempfile.mkdtemp(prefix="pushserve-cluster.", dir=os.environ.get("TMPDIR", "/tmp")))
        plan = {
            "nodes": nodes, "small_disks": small_disks, "ports": free_ports(1 if nodes == 1 else 4 * nodes),
            "passwords": {account: secrets.token_urlsafe(18) for account in ACCOUNTS},
        }
        owner = Owner()
        owner.give(folder, 0o700)
        owner.write(folder / "cluster.json", json.dumps(plan))
        cluster = cls(folder)
        owner.write(folder / "uri", cluster.uri() + "\n")
        return cluster

    def uri(self, ports=None, account="pushserve"):
        """The connection URI with all nodes. With ports, it has these instead: those of a proxy."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports or [node.port for node in self.nodes])
        return f"postgres://{account}:{self.passwords[account]}@{hosts}/pushserve"

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # --- Start and end

    def start(self):
        """Returns when the cluster takes writes and has the role and the database."""
        self.start_guard()
        for node in self.nodes:
            node.prepare(self.has_small_disks)
        self.start_nodes()
        primary = self.wait_until_whole()
        primary.sql(f"CREATE ROLE pushserve LOGIN PASSWORD '{self.passwords['pushserve']}'")
        primary.sql("CREATE DATABASE pushserve OWNER pushserve")

    def start_guard(self):
        """A process that ends the cluster and removes its folder when this one ends, also if it is killed: it sees the end of a pipe
        that only this one holds."""
        command = [sys.executable, str(Path(__file__).parent), "guard", str(self.folder)]
        self.guard = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def stop(self):
        """Ends every process. The guard then removes the folder, which can take some seconds on a busy disk."""
        for node in self.nodes:
            node.stop()
        for member in self.etcd:
            member.kill()
        for node in self.nodes:
            node.unmount()
        if self.guard:
            self.guard.stdin.close()
        else:
            self.remove()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def keep_logs(self, folder):
        """Copies the logs, for a person who looks for the cause of a failure."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        for log in self.folder.glob("*.log"):
            shutil.copy(log, folder)

    # --- Questions

    def node(self, name):
        for node in self.nodes:
            if node.name == name:
                return node
        raise Complaint(f"There is no node {name}; there are {', '.join(node.name for node in self.nodes)}.")

    def roles(self):
        """The role of each node that runs: leader, sync_standby or replica. A cluster of one node has a leader only."""
        if len(self.nodes) == 1:
            return {node.name: "leader" for node in self.nodes if node.takes_writes()}
        seen = filter(None, (node.members() for node in self.nodes))
        # The answer of a node that is frozen or was separated can be old. The others agree.
        answers = [
            {member["name"]: member["role"] for member in members if member["state"] in ("running", "streaming")} for members in seen]
        return max(answers, key=answers.count, default={})

    def leader(self):
        """The primary, if there is one that takes writes."""
        for name, role in self.roles().items():
            if role == "leader" and self.node(name).takes_writes():
                return self.node(name)
        return None

    def timeline(self):
        """The time line of the primary. Each fail-over begins another one."""

        def of_the_leader():
            leader = self.leader()
            try:
                return leader and int(leader.sql("SELECT pg_walfile_name(pg_current_wal_lsn())", timeout=5)[:8], 16)
            except Complaint:
                return None

        return until(of_the_leader, "There is no primary", READY)

    def wait_until_ready(self, other_than=None):
        """Waits for a primary whose commits a standby gets. Returns the primary; with `other_than`, a new one."""
        since = {}

        def is_ready():
            leader = self.leader()
            if not leader or leader is other_than:
                since.clear()
                return None
            if len(self.nodes) == 1 or "sync_standby" in self.roles().values():
                return leader
            self.remake_standbys(leader, since)
            return None

        return until(is_ready, "There is no primary with a synchronous standby", READY)

    def synchronous_standby(self):
        """The standby that the primary waits for."""

        def standby():
            return next((self.node(name) for name, role in self.roles().items() if role == "sync_standby"), None)

        return until(standby, "There is no synchronous standby", READY)

    def wait_until_whole(self):
        """Waits until every node is a part of the cluster again: the primary sends its log to all others. Returns the primary.

        A trouble before that is a second failure at the same time: commits can then wait for a minute, or for ever.
        """
        times, since = 0, {}

        def is_whole():
            nonlocal times
            leader = self.wait_until_ready()
            # A node that comes back follows the primary for a moment before Patroni sees that it must be rewound.
            times = times + 1 if self.is_followed(leader) else 0
            if times == 0:
                self.remake_standbys(leader, since)
            time.sleep(0.5)
            return leader if times >= (4 if len(self.nodes) > 1 else 1) else None

        return until(is_whole, "Not every node came back", READY)

    def is_followed(self, leader):
        """Whether all other nodes get the log of this one, in its time line."""
        if len(self.nodes) == 1:
            return True
        members = [member for member in (leader.members() or []) if member["state"] in ("running", "streaming")]
        try:
            standbys = self.standbys_without_log(leader)
        except Complaint:
            return False
        return not standbys and len(members) == len(self.nodes) and len({member.get("timeline") for member in members}) == 1

    def standbys_without_log(self, leader):
        """The other nodes that do not get the log of this one."""
        followers = leader.sql("SELECT application_name FROM pg_stat_replication WHERE state = 'streaming'", timeout=5).split()
        return [node for node in self.nodes if node is not leader and node.name not in followers]

    def remake_standbys(self, leader, since):
        """Lets the standbys that do not get the log copy the primary anew, as an operator does, a minute after it became the primary.
        `since` has its name and when that was, or when they last did.

        The standby that became the primary can have less of the log than another one, of what nobody was told that it is stored.
        pg_rewind, before PostgreSQL 16, and Patroni can leave the other one as it is, and then it never follows.
        """
        now = time.monotonic()
        if leader.name not in since:
            since.clear()
        if len(self.nodes) == 1 or now < since.setdefault(leader.name, now) + STUCK:
            return
        try:
            standbys = self.standbys_without_log(leader)
        except Complaint:
            return
        since[leader.name] = now
        for node in standbys:
            # A frozen one would hear of it when it goes on.
            if node.members() is not None:
                node.remake()

    # --- Trouble

    def kill_leader(self):
        """kill -9 of the primary, as if its machine had lost its power. Returns it."""
        node = self.wait_until_ready()
        node.kill()
        return node

    def start_nodes(self):
        """Starts what does not run, and continues what was frozen."""
        for member in self.etcd:
            member.start(self.etcd)
        for node in self.nodes:
            node.free_disk()
            node.thaw()
            node.start()
