"""Commands for a PostgreSQL of one or of three nodes on this machine.

    scripts/lib/cluster run [--nodes 1|3] [--small-disks]

starts it, prints a line of JSON with its folder and with the file that has its connection URI, and runs until Ctrl-C. It then ends
every process and removes the folder. The other commands act on a cluster that runs:

    roles FOLDER              which node is the leader, the synchronous standby, a replica
    wait FOLDER [--not NODE]  waits for a primary that takes writes, other than NODE; prints its name
    kill-leader FOLDER        kill -9 of the primary: PostgreSQL and Patroni; prints its name
    kill-manager FOLDER NODE  kill -9 of Patroni alone
    freeze FOLDER NODE        stops all processes of a node, as when its machine hangs
    kill-etcd FOLDER NUMBER   kill -9 of a member of etcd
    fill-disk FOLDER NODE     fills the disk of a node; only with --small-disks, which needs root
    heal FOLDER               starts what was killed, continues what was frozen, empties the full disk, and waits

Nothing of it listens on other addresses than 127.0.0.1, and the data are gone when it ends.
"""

import argparse
import json
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cluster.cluster import Cluster, wait_for_writes  # noqa: E402
from cluster.processes import ClusterError  # noqa: E402


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ignore_signals():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def end(*_):
    # A second Ctrl-C does not disturb the end.
    ignore_signals()
    sys.exit(0)


def run(arguments):
    for number in SIGNALS:
        signal.signal(number, end)
    with Cluster.new(arguments.nodes, arguments.small_disks) as cluster:
        ready = {"event": "ready", "folder": str(cluster.folder), "uri_file": str(cluster.folder / "uri"), "nodes": arguments.nodes}
        print(json.dumps(ready), flush=True)
        while True:
            signal.pause()


def guard(arguments):
    """Waits for the end of the process that started it, which is the end of its standard input."""
    ignore_signals()
    cluster = Cluster(arguments.folder)
    sys.stdin.read()
    cluster.stop()


def roles(arguments):
    for name, role in sorted(Cluster(arguments.folder).roles().items()):
        print(name, role)


def wait(arguments):
    cluster = Cluster(arguments.folder)
    print(cluster.wait_until_ready(other_than=arguments.other_than and cluster.node(arguments.other_than)).name)


def kill_leader(arguments):
    print(Cluster(arguments.folder).kill_leader().name)


def kill_manager(arguments):
    Cluster(arguments.folder).node(arguments.node).kill_manager()


def freeze(arguments):
    Cluster(arguments.folder).node(arguments.node).freeze()


def kill_etcd(arguments):
    Cluster(arguments.folder).etcd[arguments.number - 1].kill()


def fill_disk(arguments):
    Cluster(arguments.folder).node(arguments.node).fill_disk()


def heal(arguments):
    cluster = Cluster(arguments.folder)
    cluster.start_nodes()
    cluster.wait_until_whole()
    wait_for_writes(cluster)


def read_arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/lib/cluster", usage=argparse.SUPPRESS, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", help=argparse.SUPPRESS)

    def command(name, action, *words):
        new = commands.add_parser(name)
        new.set_defaults(action=action)
        for word in words:
            new.add_argument(word, type=int if word == "number" else str)
        return new

    starting = command("run", run)
    starting.add_argument("--nodes", type=int, choices=[1, 3], default=3)
    starting.add_argument("--small-disks", action="store_true")
    command("guard", guard, "folder")
    command("roles", roles, "folder")
    command("wait", wait, "folder").add_argument("--not", dest="other_than")
    command("kill-leader", kill_leader, "folder")
    command("kill-manager", kill_manager, "folder", "node")
    command("freeze", freeze, "folder", "node")
    command("kill-etcd", kill_etcd, "folder", "number")
    command("fill-disk", fill_disk, "folder", "node")
    command("heal", heal, "folder")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    try:
        arguments.action(arguments)
    except ClusterError as error:
        print(f"cluster: {error}", file=sys.stderr)
        sys.exit(1)


main()
