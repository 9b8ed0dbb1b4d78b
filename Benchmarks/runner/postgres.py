"""A PostgreSQL of one or three nodes for the rows of the service: `scripts/lib/cluster` starts and ends it.

Its files are in TMPDIR, or in /tmp: as the user postgres, it cannot always read the folder of the clone.
"""
import contextlib
import os
import sys

from cluster import nodes as cluster_nodes
from cluster.cluster import Cluster
from cluster.processes import Owner, status, with_children
from complaint import Complaint

from .processes import Void
from .service_table import spaced

ALL_NODES = (1, 3)
# As deploy/compose has it. The small default of the cluster is for small disks, and makes a checkpoint every few seconds.
LOG_SIZE = "1GB"


def missing(nodes):
    """Why there cannot be a PostgreSQL with this number of nodes, as a sentence. `None` if there can."""
    if sys.platform != "linux":
        return "The rows of PostgreSQL need Linux."
    try:
        cluster_nodes.programs_folder()
        Owner()
        if nodes > 1:
            cluster_nodes.patroni_command()
            cluster_nodes.etcd_program()
    except Complaint as error:
        return str(error)
    return None


def program(name):
    """The path of a program of PostgreSQL, or `None` if it is not there."""
    path = cluster_nodes.programs_folder() / name
    return str(path) if path.exists() else None


@contextlib.contextmanager
def server(nodes):
    """A new cluster. The role's password is in PGPASSWORD, so that no command line has it."""
    before = os.environ.get("PGPASSWORD")
    try:
        with Cluster.new(nodes) as cluster:
            os.environ["PGPASSWORD"] = cluster.passwords["pushserve"]
            try:
                yield Server(cluster, nodes)
            finally:
                os.environ.pop("PGPASSWORD")
                if before is not None:
                    os.environ["PGPASSWORD"] = before
    except Complaint as error:
        raise Void(str(error)) from error


class Server:
    def __init__(self, cluster, nodes):
        self.cluster, self.nodes, self.count = cluster, nodes, 0
        for node in cluster.nodes:
            node.sql(f"ALTER SYSTEM SET max_wal_size = '{LOG_SIZE}'")
            node.sql("SELECT pg_reload_conf()")
        self.primary = cluster.wait_until_ready()

    @property
    def folder(self):
        return str(self.cluster.folder)

    @contextlib.contextmanager
    def queue(self):
        """A new schema. It is dropped at the end."""
        self.count += 1
        schema = Schema(self, f"bench_{self.count}")
        # Each measurement begins at the same distance from the last checkpoint.
        self.sql("CHECKPOINT")
        try:
            yield schema
        finally:
            self.sql(f"DROP SCHEMA IF EXISTS {schema.name} CASCADE")

    def sql(self, text, limit=300):
        return self.primary.sql(text, database="pushserve", timeout=limit)

    def cpu_seconds(self):
        """The CPU that PostgreSQL has used on all nodes. A process that has ended is counted by the one that started it."""
        return sum(map(cpu_of_family, filter(None, (node.server() for node in self.cluster.nodes))))


class Schema:
    """A schema with a queue, or with tables of a row."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in server.cluster.nodes)
        self.address = f"postgres://pushserve@{hosts}/pushserve?schema={name}"

    def environment(self):
        """What makes a program of PostgreSQL use the schema, on the primary."""
        return {**os.environ, "PGHOST": "127.0.0.1", "PGPORT": str(self.server.primary.port), "PGUSER": "pushserve",
                "PGDATABASE": "pushserve", "PGOPTIONS": f"-c search_path={self.name}"}

    def size(self):
        """The size of all tables and indexes, in bytes."""
        return int(self.server.sql(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class "
            f"WHERE relkind = 'r' AND relnamespace = '{self.name}'::regnamespace"))


class Cost:
    """What the server does from now on: CPU seconds, and bytes of its log."""

    def __init__(self, server):
        self.server, self.cpu, self.log = server, server.cpu_seconds(), self.position(server)

    @staticmethod
    def position(server):
        return int(server.sql("SELECT pg_current_wal_lsn() - '0/0'"))

    def cpu_each(self, count):
        return (self.server.cpu_seconds() - self.cpu) / count

    def log_each(self, count):
        return f"{spaced((self.position(self.server) - self.log) / count)} bytes of WAL each"


def cpu_of_family(process):
    ticks = 0
    for member in with_children(process):
        fields = status(member)
        if fields:
            # Its own time, and that of its children that have ended.
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")

