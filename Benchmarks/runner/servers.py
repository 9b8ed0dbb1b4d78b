"""The servers of the benchmarks. Each uses a free port of 127.0.0.1, and is stopped in every case."""
import contextlib
import json
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

from ports import free_port

from .processes import end

HOST = "127.0.0.1"
# A server that starts no sooner hangs.
START_SECONDS = 180


@dataclass
class Server:
    port: int
    pid: int
    # The file of the CA, the file of the signing key, and a provider token that the server accepts.
    authority: str
    key: str
    jwt: str
    state: str = ""


@contextlib.contextmanager
def nghttpd(workspace, *options):
    port = free_port()
    documents = workspace.path("docs") if workspace.answers_succeed else workspace.path("nothing")
    command = ["nghttpd", "-a", HOST, "-m", "1000", *options, "-d", documents, str(port),
               workspace.path("server.key"), workspace.path("server.crt")]
    with started(workspace, command, "nghttpd") as (job, _):
        wait_until(job, lambda: accepts(port), "nghttpd")
        yield Server(port, job.pid, workspace.path("server.crt"), workspace.path("key.p8"), workspace.jwt)


@contextlib.contextmanager
def mock(workspace, *options):
    """`pushsend mock` with its default options, but on a free port. Its output goes to a file."""
    state = new_state(workspace)
    command = [workspace.binary("pushsend"), "mock", "--port", "0", "--state", state, *options]
    with mock_of(workspace, state, command) as server:
        yield server


@contextlib.contextmanager
def mock_with_readers(workspace):
    """The mock while tests use its API: four times a second, a page of pushes, a count, the connections, and a wait that holds."""
    with mock(workspace, "--quiet", "--console-port", "0") as server:
        with open(f"{server.state}/running.json", encoding="utf-8") as file:
            api = f"http://{HOST}:{json.load(file)['consolePort']}/v1"
        over = threading.Event()
        reader = threading.Thread(target=use_api, args=(api, over))
        reader.start()
        try:
            yield server
        finally:
            over.set()
            reader.join()


def use_api(api, over):
    while not over.wait(0.25):
        for path, body in (("pushes?limit=100&order=newest", None), ("pushes/count?q=status:200", None),
                           ("connections?open=true", None), ("pushes/assert", b'{"at_least": 1}')):
            request = urllib.request.Request(f"{api}/{path}", data=body, headers={"content-type": "application/json"})
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(request, timeout=20).read()


@contextlib.contextmanager
def silent_mock(workspace):
    """The same mock without a log."""
    state = new_state(workspace)
    with mock_of(workspace, state, [workspace.binary("SilentMock"), state]) as server:
        yield server


def new_state(workspace):
    """A new state folder. Several mocks run at a time, and each needs its own folder."""
    return workspace.path(f"mock-{time.monotonic_ns()}")


@contextlib.contextmanager
def mock_of(workspace, state, command):
    with started(workspace, command, "the mock") as (job, log):
        port = wait_until(job, lambda: port_in(log), "the mock")
        key = f"{state}/AuthKey_MOCKKEY123.p8"
        signing = [workspace.binary("pushsend"), "jwt", "--key", key, "--team-id", "MOCKTEAM12"]
        jwt = subprocess.run(signing, check=True, capture_output=True, text=True).stdout.strip()
        yield Server(port, job.pid, f"{state}/ca.pem", key, jwt, state)


@contextlib.contextmanager
def started(workspace, command, name):
    log = workspace.path(f"server-{time.monotonic_ns()}.log")
    with open(log, "w", encoding="utf-8") as file:
        try:
            job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        except FileNotFoundError as error:
            raise SystemExit(f"bench: {name} cannot be started: {error}") from error
        try:
            yield job, log
        finally:
            end(job)


def wait_until(job, ready, name):
    for _ in range(START_SECONDS * 20):
        found = ready()
        if found:
            return found
        if job.poll() is not None:
            break
        time.sleep(0.05)
    raise SystemExit(f"bench: {name} did not start.")


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def port_in(log):
    """The port in the output of a mock, as a URL or as JSON."""
    with open(log, encoding="utf-8") as file:
        found = re.search(r'"port":(\d+)|https://[\w.]+:(\d+)', file.read())
    return found and int(found[1] or found[2])
