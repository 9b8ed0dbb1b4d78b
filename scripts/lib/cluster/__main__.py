"""Commands for a PostgreSQL of one or of three nodes on this machine.

    scripts/lib/cluster run [--nodes 1|3]

starts it, prints a line of JSON with its folder and with the file that has its connection URI, and runs until Ctrl-C. It then ends
every process and removes the folder. The other commands act on a cluster that runs:

    wait FOLDER [--not NODE]  waits for a primary that takes writes, other than NODE; prints its name
    kill-leader FOLDER        kill -9 of the primary: PostgreSQL and Patroni; prints its name

Nothing of it listens on other addresses than 127.0.0.1, and the data are gone when it ends.
"""

import argparse
import json
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cluster.cluster import Cluster  # noqa: E402
from complaint import Complaint  # noqa: E402


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
    with Cluster.new(arguments.nodes) as cluster:
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


def wait(arguments):
    cluster = Cluster(arguments.folder)
    print(cluster.wait_until_ready(other_than=arguments.other_than and cluster.node(arguments.other_than)).name)


def kill_leader(arguments):
    print(Cluster(arguments.folder).kill_leader().name)


def read_arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/lib/cluster", usage=argparse.SUPPRESS, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", help=argparse.SUPPRESS)

    added = {}
    for action in (run, guard, wait, kill_leader):
        added[action] = commands.add_parser(action.__name__.replace("_", "-"))
        added[action].set_defaults(action=action)
        if action is not run:
            added[action].add_argument("folder")
    added[run].add_argument("--nodes", type=int, choices=[1, 3], default=3)
    added[wait].add_argument("--not", dest="other_than")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    try:
        arguments.action(arguments)
    except Complaint as error:
        print(f"cluster: {error}", file=sys.stderr)
        sys.exit(1)


main()
