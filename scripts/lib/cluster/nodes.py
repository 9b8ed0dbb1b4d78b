"""The nodes of a cluster: PostgreSQL alone, or PostgreSQL under Patroni."""

import functools
import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

from complaint import Complaint, until

from .processes import Daemon, continue_family, kill_family, start_time, stop_family

# What the queue needs, and what lets three nodes run on a small machine.
SETTINGS = {
    "autovacuum_naptime": "5s",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "max_wal_size": "256MB",
    "synchronous_commit": "on",
    # Shared memory in the data folder: nothing stays in the system after kill -9.
    "dynamic_shared_memory_type": "mmap",
}
# More of them for replication and fail-over.
SETTINGS_OF_A_CLUSTER = {
    "max_wal_senders": "8",
    "max_replication_slots": "8",
    "wal_log_hints": "on",
    # How much WAL a standby may have missed when it comes back. Its slot on a new primary does not keep older WAL.
    "wal_keep_size": "512MB",
    # A standby whose primary has ended asks for the next one five times a second.
    "wal_retrieve_retry_interval": "200ms",
}
# The size of a small disk in bytes, for tests that fill it.
SMALL_DISK = 2 << 30


def programs_folder():
    """The folder with initdb and postgres."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -float(path.parent.name))
    found = shutil.which("initdb", path=os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")]))
    if not found:
        raise Complaint("PostgreSQL is missing. Run scripts/setup --for cluster.")
    return Path(found).resolve().parent


@functools.cache
def patroni_command():
    """The words that start Patroni, and the folder with its newer version that scripts/setup has installed, if there is one.

    Before 3.0.3, a primary that was frozen and goes on takes the leader key away from the new one, and acknowledged rows are lost:
    https://github.com/patroni/patroni/pull/2689. Debian 12 has 3.0.2. Its package has what the newer version needs.
    """
    program = shutil.which("patroni")
    newer = Path(__file__).resolve().parents[3] / ".build/patroni"
    if program and (newer / "patroni").is_dir():
        with open(program) as script:
            python = script.readline().removeprefix("#!").split()[0]
        return [python, "-m", "patroni"], newer
    if program:
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[-1:]
        if version and tuple(int(part) for part in version[0].split(".")[:3]) >= (3, 0, 3):
            return [program], None
    raise Complaint("Patroni 3.0.3 or newer is missing. Run scripts/setup --for cluster.")


def etcd_program():
    program = shutil.which("etcd", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not program:
        raise Complaint("etcd is missing. Run scripts/setup --for cluster.")
    return program


class Node:
    """PostgreSQL without a cluster manager."""

    # Settings for one test only.
    more_settings = {}

    def __init__(self, cluster, number, port):
        self.name, self.port, self.owner = f"node{number}", port, cluster.owner
        self.root, self.folder = cluster.folder, cluster.folder / f"node{number}"
        self.data = self.folder / "data"
        self.passwords = cluster.passwords
        self.daemon = Daemon(self.name, self.root, self.owner)

    def prepare(self, has_small_disk):
        self.folder.mkdir()
        if has_small_disk:
            mounted = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "pushserve-cluster", self.folder], capture_output=True, text=True)
            if mounted.returncode != 0:
                raise Complaint(f"A small disk can't be mounted: {mounted.stderr.strip()}")
        self.owner.give(self.folder, 0o700)

    def start(self):
        if not self.data.exists():
            self.owner.run(
                [programs_folder() / "initdb", "--pgdata", self.data, "--username", "postgres", "--encoding", "UTF8", "--locale",
                 "C.UTF-8", "--data-checksums", "--auth-local", "trust", "--auth-host", "scram-sha-256"], self.root)
        settings = {
            **SETTINGS, **self.more_settings, "listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": str(self.root)}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [programs_folder() / "postgres", "-D", self.data, *words]

        def begins():
            # While a process of a killed server still ends, a new server refuses to start on the same data.
            self.daemon.start(command)
            time.sleep(0.3)
            return self.daemon.process()

        until(begins, f"{self.name} doesn't start", 30)

    # --- Questions

    def server(self):
        """The id of the process that started all others of the server; nothing if it does not run."""
        try:
            process = int((self.data / "postmaster.pid").read_text().split("\n")[0])
        except (OSError, ValueError):
            return None
        # The file of a killed server stays, and another process can have its id later.
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return None
        return process if str(self.data).encode() in words and start_time(process) else None

    def sql(self, text, database="postgres", timeout=30, user="postgres"):
        """Runs SQL as the superuser, or as another user, over the socket in the folder. Returns what it prints."""
        return self.owner.run(
            [programs_folder() / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", self.root, "-p", self.port, "-U", user,
             "-d", database], self.root, text, timeout)

    def takes_writes(self):
        try:
            return self.server() is not None and self.sql("SELECT NOT pg_is_in_recovery()", timeout=5) == "t"
        except Complaint:
            return False

    # --- Trouble

    def kill(self):
        """kill -9, as if the machine had lost its power: the server with all its processes, and the manager."""
        self.daemon.kill()
        self.kill_server()

    def kill_server(self):
        """kill -9 of the server alone."""
        process = self.server()
        if process:
            kill_family(process)

    def freeze(self):
        """Nothing of it runs any more, but its connections stay open."""
        for process in self.processes():
            stop_family(process)

    def thaw(self):
        for process in self.processes():
            continue_family(process)

    def processes(self):
        return [process for process in {self.daemon.process(), self.server()} if process]

    def fill_disk(self):
        if not self.folder.is_mount():
            raise Complaint(f"{self.name} has no small disk.")
        with open(self.folder / "ballast", "ab", buffering=0) as ballast:
            try:
                while ballast.write(bytes(1 << 20)):
                    pass
            except OSError:
                pass

    def free_disk(self):
        (self.folder / "ballast").unlink(missing_ok=True)

    # --- The end

    def stop(self):
        """Ends all of it, at once: the data are no longer needed."""
        self.kill()
        self.remove_shared_memory()

    def remove_shared_memory(self):
        """A server that was killed leaves a segment of some bytes. Its number is in the seventh line."""
        try:
            segment = (self.data / "postmaster.pid").read_text().split("\n")[6].split()[1]
        except (OSError, IndexError):
            return
        subprocess.run(["ipcrm", "--shmem-id", segment], capture_output=True)

    def unmount(self):
        if self.folder.is_mount():
            subprocess.run(["umount", "--lazy", self.folder], capture_output=True)


class PatroniNode(Node):
    """PostgreSQL under Patroni, which elects the primary with the other nodes and etcd."""

    def __init__(self, cluster, number, port, rest_port):
        super().__init__(cluster, number, port)
        self.rest_port, self.etcd = rest_port, cluster.etcd
        self.config = self.root / f"{self.name}.json"

    def start(self):
        # JSON is YAML, too.
        self.owner.write(self.config, json.dumps(self.settings(), indent=1))
        command, newer = patroni_command()
        # The user of the server may not enter the folder of this clone.
        copy = self.root / "patroni"
        if newer and not copy.exists():
            shutil.copytree(newer, copy)
        self.daemon.start([*command, self.config], PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1")

    def settings(self):
        address = f"127.0.0.1:{self.port}"
        rest = f"127.0.0.1:{self.rest_port}"
        accounts = {
            role: {"username": name, "password": self.passwords[name]}
            for role, name in [("superuser", "postgres"), ("replication", "replicator"), ("rewind", "rewinder")]}
        return {
            "scope": "pushserve",
            "name": self.name,
            "restapi": {"listen": rest, "connect_address": rest},
            "etcd3": {"hosts": [member.client for member in self.etcd]},
            "bootstrap": {
                "dcs": {
                    # A primary that is silent for this many seconds is replaced.
                    "ttl": 5,
                    "loop_wait": 1,
                    "retry_timeout": 2,
                    "maximum_lag_on_failover": 1 << 20,
                    # A server that was killed is not started again in its place: a standby takes over at once.
                    "primary_start_timeout": 0,
                    # Without etcd, the primary goes on as long as it reaches all other nodes.
                    "failsafe_mode": True,
                    # A commit is acknowledged when a standby has it; without a standby, never.
                    "synchronous_mode": True,
                    "synchronous_mode_strict": True,
                    "postgresql": {
                        "use_pg_rewind": True, "use_slots": True, "parameters": {**SETTINGS, **SETTINGS_OF_A_CLUSTER}},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
            },
            "postgresql": {
                "listen": address,
                "connect_address": address,
                "bin_dir": str(programs_folder()),
                "data_dir": str(self.data),
                "pgpass": str(self.root / f"{self.name}.pgpass"),
                "parameters": {"unix_socket_directories": str(self.root)},
                # A new standby does not wait for the next checkpoint.
                "basebackup": [{"checkpoint": "fast"}],
                "authentication": accounts,
                "pg_hba": [
                    "local all all trust",
                    "host replication replicator 127.0.0.1/32 scram-sha-256",
                    "host all all 127.0.0.1/32 scram-sha-256",
                ],
            },
        }

    def remake(self):
        """Lets a standby remove its data and copy those of the primary, unless it does so already."""
        asked = urllib.request.Request(f"http://127.0.0.1:{self.rest_port}/reinitialize", b"{}", method="POST")
        try:
            urllib.request.urlopen(asked, timeout=2).close()
        except OSError:
            pass

    def members(self):
        """The state of the cluster as this node sees it; nothing without an answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.rest_port}/cluster", timeout=2) as answer:
                return json.load(answer)["members"]
        except (OSError, ValueError, KeyError):
            return None


class Etcd(Daemon):
    """A member of the store in which the nodes agree on their primary. The last one without a majority does not end after SIGTERM."""

    def __init__(self, cluster, number, client_port, peer_port):
        self.name = f"etcd{number}"
        self.client, self.peer = f"127.0.0.1:{client_port}", f"127.0.0.1:{peer_port}"
        super().__init__(self.name, cluster.folder, cluster.owner)

    def start(self, members):
        client, peer = f"http://{self.client}", f"http://{self.peer}"
        super().start([
            etcd_program(), "--name", self.name, "--data-dir", self.folder / self.name, "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", ",".join(f"{member.name}=http://{member.peer}" for member in members),
            "--initial-cluster-state", "new", "--initial-cluster-token", "pushserve", "--logger", "zap", "--log-outputs", "stderr"])
