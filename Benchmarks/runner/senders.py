"""The command line of each sender, and the check of its output that nothing failed.

All senders send the same headers: the provider token, topic, push type and priority. Some clients add more headers.
"""
import json
import re
import shutil
from dataclasses import dataclass

from .servers import HOST
from .workspace import DEVICE_TOKEN, SMALL, TOPIC

STREAMS = 1000


@dataclass
class Load:
    """The load of a run: the number of notifications, their size, the number of connections, and the number of threads."""
    count: int
    size: int = SMALL
    connections: int = 1
    loops: int = 1


@dataclass
class Sender:
    """A command, and a function that checks its output."""
    command: list
    succeeded: object


def headers(jwt):
    fields = {"authorization": f"bearer {jwt}", "apns-topic": TOPIC, "apns-push-type": "alert", "apns-priority": "10"}
    return [part for name, value in fields.items() for part in ("-H", f"{name}: {value}")]


def url(server, host=HOST):
    return f"https://{host}:{server.port}/3/device/{DEVICE_TOKEN}"


def all_accepted(count):
    return lambda text: re.search(rf"accepted {count}, failed 0\b", text) is not None


# --- Senders of this project

def send(workspace, server, load, *options):
    """Calls `send` from one task for each stream of the connections. With --sequence, uses `outcomes(of:)`."""
    command = [workspace.binary("SendLoad"), HOST, str(server.port), server.authority, server.key, DEVICE_TOKEN,
               str(load.count), str(STREAMS * load.connections), str(load.size),
               f"--connections={load.connections}", f"--loops={load.loops}", *options]
    return Sender(command, all_accepted(load.count))


def step(workspace, name, count, *arguments):
    return Sender([workspace.binary("Steps"), name, str(count), *arguments], lambda text: nanoseconds(text) is not None)


def lint(workspace, side, size, count):
    return Sender([workspace.binary("LintLoad"), side, str(size), str(count)], lambda text: nanoseconds(text) is not None)


def nanoseconds(text):
    found = re.search(r"nanoseconds each: (\d+)", text)
    return found and int(found[1])


def pushsend(workspace, server):
    command = [workspace.binary("pushsend"), "send", DEVICE_TOKEN, "--mock", "--state", server.state, "--topic", TOPIC,
               "--payload", workspace.payload(SMALL)]
    return Sender(command, lambda text: re.search("^accepted ", text, re.MULTILINE) is not None)


def batch(workspace, server, lines, folder, connections=1, template=None):
    """A campaign from a file, with results and journal. Lines without a payload use the template."""
    command = [workspace.binary("pushsend"), "batch", lines, "--out", folder, "--restart", "--json",
               "--endpoint", f"{HOST}:{server.port}", "--cacert", server.authority, "--key", server.key,
               "--key-id", "BENCHKEY01", "--team-id", "BENCHTEAM1", "--topic", TOPIC, "--push-type", "alert",
               "--priority", "10", "--payload", template or workspace.payload(SMALL), "--connections", str(connections)]
    return Sender(command, batch_succeeded)


def batch_succeeded(text):
    """Every line was accepted: the summary is the last line on standard output."""
    found = re.search(r'^\{.*\}$', text, re.MULTILINE)
    if not found:
        return False
    summary = json.loads(found[0])
    failed = ("rejected", "not_sent", "unknown", "invalid", "left")
    return summary["finished"] and summary["accepted"] > 0 and not any(summary[name] for name in failed)


# --- Senders to compare with

def h2load(workspace, server, load):
    command = ["h2load", "-n", str(load.count), "-c", str(load.connections), "-t", str(load.loops), *h2load_request(
        workspace, server, load)]
    return Sender(command, lambda text: f"{load.count} succeeded, 0 failed, 0 errored, 0 timeout" in text)


def h2load_for(workspace, server, seconds, warm_up):
    """Sends for a fixed time. Failures in the warm-up do not count: the mock allows only one stream until the sender has
    authenticated."""
    command = ["h2load", "-D", str(seconds), f"--warm-up-time={int(warm_up * 1000)}ms", "-c", "1", "-t", "1",
               *h2load_request(workspace, server, Load(0))]
    return Sender(command, lambda text: requests_done(text) > 0 and " 0 failed, 0 errored, 0 timeout" in text)


def requests_done(text):
    found = re.search(r"(\d+) done, (\d+) succeeded", text)
    return int(found[1]) if found and found[1] == found[2] else 0


def only_refused_streams(text):
    """Whether the only failures of h2load are streams that the server reset. An answer with another status is not "errored", and the
    requests of a lost connection are not "done"."""
    found = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, 0 timeout", text)
    if not found:
        return False
    done, succeeded, failed, errored = map(int, found.groups())
    return failed == errored and done == succeeded + failed


def h2load_request(workspace, server, load):
    return ["-m", str(STREAMS), "-d", workspace.payload(load.size), *headers(server.jwt), url(server)]


def curl(workspace, server):
    command = ["curl", "--http2", "--cacert", server.authority, *headers(server.jwt), "-d",
               f"@{workspace.payload(SMALL)}", "-s", "-w", "%{http_version} %{http_code}", url(server, "localhost")]
    return Sender(command, lambda text: text == "2 200")


def aioapns(workspace, server, load):
    return peer(workspace, [workspace.python, workspace.peer("aioapns_load.py")], server, load, server.key)


def httpx(workspace, server, load):
    return peer(workspace, [workspace.python, workspace.peer("httpx_load.py")], server, load, server.jwt)


def node(workspace, server, load):
    return peer(workspace, [shutil.which("node"), workspace.peer("node_load.js")], server, load, server.jwt)


def peer(workspace, program, server, load, credentials):
    command = [*program, HOST, str(server.port), server.authority, credentials, DEVICE_TOKEN, str(load.count),
               str(STREAMS), workspace.payload(load.size)]
    return Sender(command, all_accepted(load.count))
