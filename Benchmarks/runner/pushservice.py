"""The service under load: starts a mock and one pushserve or several, posts pushes with h2load, and waits for the outcomes."""
import contextlib
import http.client
import json
import os
import re
import subprocess
import threading
import time
from dataclasses import dataclass

from .processes import Void, cpu_seconds, measured, peak_memory
from .servers import HOST, free_port, mock, started, wait_until

# Seconds without another outcome after which a run is void.
PATIENCE = 120
# Seconds between two looks at the metrics. More looks would take a part of the processor.
LOOK_SECONDS = 0.05
PAYLOAD_BYTES = 300
PATH = "/v1/notifications"


@dataclass
class Service:
    port: int
    metrics: int
    pid: int
    mock_pid: int
    key: str

    @property
    def url(self):
        return f"http://{HOST}:{self.port}{PATH}"

    @property
    def headers(self):
        return {"authorization": f"Bearer {self.key}", "content-type": "application/json"}


@contextlib.contextmanager
def service(workspace):
    """A service with a new database in a file, and a mock that answers without a delay."""
    with services(workspace, "pushserve.sqlite", 1) as [server]:
        yield server


@contextlib.contextmanager
def services(workspace, database, count, scopes="send,read,admin", more=""):
    """Services with one database, and a mock that answers without a delay. `more` are further lines of the configuration."""
    folder = workspace.path(f"service-{time.monotonic_ns()}")
    os.mkdir(folder)
    with mock(workspace, "--quiet") as apple, contextlib.ExitStack() as stack:
        configs = [write_config(folder, number, database, apple, more) for number in range(count)]
        key = make_key(workspace, configs[0][0], scopes)
        yield [stack.enter_context(worker(workspace, *config, apple, key)) for config in configs]


@contextlib.contextmanager
def worker(workspace, config, metrics, apple, key):
    command = [workspace.binary("pushserve"), "run", "--json", "--config", config]
    with started(workspace, command, "the service") as (job, log):
        port = wait_until(job, lambda: port_of(log), "the service")
        yield Service(port, metrics, job.pid, apple.pid, key)
        if job.poll() is not None:
            raise Void(f"the service ended by itself with {job.returncode}")


def make_key(workspace, config, scopes):
    command = [workspace.binary("pushserve"), "key", "create", "--json", "--all-apps", "--scope", scopes, "--config", config]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Void(f"pushserve key create ended with {ended.returncode}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)["key"]


def write_config(folder, number, database, apple, more):
    """Without the usual limit of a key, which is far below what is measured. Returns the file, and the port of the metrics."""
    path, metrics = os.path.join(folder, f"pushserve-{number}.yaml"), free_port()
    text = f"""listen: {HOST}:0
metrics: {HOST}:{metrics}
database: {database}
limits: {{rate_per_key: 1000000/s}}
apps:
  shop:
    environment: {{host: localhost, port: {apple.port}, ca: {apple.authority}}}
    key: {{file: {apple.key}, team: MOCKTEAM12}}
    topic: com.example.app
{more}"""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path, metrics


def port_of(log):
    with open(log, encoding="utf-8") as file:
        found = re.search(r'"event":"ready".*?"port":(\d+)|"port":(\d+).*?"event":"ready"', file.read())
    return found and int(found[1] or found[2])


# --- Pushes

def entry(number, payload, more=""):
    """A push to a device token of its own. Pushes with the same number of the payload share the payload. `more` are further members."""
    start = f'{{"aps":{{"alert":{{"title":"Order {payload}","body":"'
    body = start + "x" * (PAYLOAD_BYTES - len(start) - 4) + '"}}}'
    return f'{{"token":"{number:064x}","payload":{body}{more}}}'


def array(count, payloads, devices=None):
    """Pushes to a device each; with a number of devices, pushes of each device share a collapse id."""
    more = ',"collapse_id":"score"' if devices else ""
    return "[" + ",".join(entry(number % (devices or count) + 1, number % payloads, more) for number in range(count)) + "]"


def post(workspace, server, body, requests, connections, *options):
    """Posts the same body many times with h2load over HTTP/1.1. Returns the seconds from the first to the last answer."""
    path = workspace.path(f"body-{time.monotonic_ns()}.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(body)
    fields = [part for name, value in server.headers.items() for part in ("-H", f"{name}: {value}")]
    command = ["h2load", "--h1", "-n", str(requests), "-c", str(connections), "-t", "1", "-d", path, *options, *fields, server.url]
    text, run = measured(command, requests, lambda text: f"{requests} succeeded, 0 failed, 0 errored, 0 timeout" in text)
    found = re.search(r"finished in ([\d.]+)(us|ms|s|m)", text)
    return float(found[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[found[2]] if found else run.seconds


@dataclass
class Load:
    """What a load cost: the seconds until all was answered, and until all had an outcome, and the CPU of the services."""
    pushes: int
    answered: float
    accepted: float
    cpu: float
    memory: float


def stream(server, pushes, lines, payloads):
    """Posts pushes as one stream of lines, with this number of lines in each HTTP chunk, as a generator of Python does with requests.
    Ends as `load` does."""
    before, used, begun = ended(server), cpu_of([server]), time.monotonic()
    parts = ("".join(entry(number + 1, number % payloads) + "\n" for number in range(first, min(first + lines, pushes))).encode()
             for first in range(0, pushes, lines))
    connection = http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE)
    try:
        # Answers for refused lines only, because nothing is read before all is sent.
        connection.request("POST", f"{PATH}?answers=refused", parts, encode_chunked=True,
                           headers=server.headers | {"content-type": "application/x-ndjson", "transfer-encoding": "chunked"})
        summary = json.loads(connection.getresponse().read().split(b"\n")[-2])
    except (OSError, http.client.HTTPException, ValueError, IndexError) as error:
        raise Void(f"the service does not answer a stream: {error}") from error
    finally:
        connection.close()
    answered = time.monotonic() - begun
    if summary.get("lines") != {"queued": pushes}:
        raise Void(f"the stream of {pushes} pushes ended with {summary}")
    wait_for_outcomes(server, before + pushes, [])
    return Load(pushes, answered, time.monotonic() - begun, cpu_of([server]) - used, peak_memory(server.pid) or 0)


class Posting:
    """Posts bodies to services in the background, as many to each of them."""

    def __init__(self, workspace, servers, body, requests, connections, *options):
        self.failure, self.answered = [], []
        share, of_each = -(-requests // len(servers)), max(1, connections // len(servers))
        self.requests = share * len(servers)
        words = (body, share, min(share, of_each), *options)
        self.threads = [threading.Thread(target=self.send, args=(workspace, server, *words)) for server in servers]
        for thread in self.threads:
            thread.start()

    def send(self, *words):
        try:
            self.answered.append(post(*words))
        except Void as void:
            self.failure.append(void)

    def is_running(self):
        return any(thread.is_alive() for thread in self.threads)

    def end(self):
        """Waits until all is answered."""
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure[0]


def load(workspace, servers, body, requests, pushes, connections, ends=("accepted",)):
    """Posts `requests` bodies with `pushes` pushes each, and waits until Apple has accepted all, and the services have stored it. Other
    outcomes than `ends` void the run."""
    before, used, begun = ended(servers[0], ends), cpu_of(servers), time.monotonic()
    posting = Posting(workspace, servers, body, requests, connections)
    pushes *= posting.requests
    try:
        wait_for_outcomes(servers[0], before + pushes, posting.failure, ends)
        end = time.monotonic()
    finally:
        posting.end()
    memory = max(peak_memory(server.pid) or 0 for server in servers)
    return Load(pushes, max(posting.answered), end - begun, cpu_of(servers) - used, memory)


def cpu_of(servers):
    return sum(cpu_seconds(server.pid) for server in servers)


def wait_for_outcomes(server, wanted, failure, ends=("accepted",)):
    (last, changed) = (0, time.monotonic())
    while (count := ended(server, ends)) < wanted and not failure:
        if count != last:
            (last, changed) = (count, time.monotonic())
        if time.monotonic() - changed > PATIENCE:
            raise Void(f"only {count} of {wanted} pushes were accepted")
        time.sleep(LOOK_SECONDS)
    if count > wanted:
        raise Void(f"{count} pushes were accepted, and only {wanted} were posted")


def ended(server, ends=("accepted",)):
    """How many pushes Apple has accepted, by the metrics of the service, or have another of these outcomes."""
    counts = dict.fromkeys(ends, 0)
    for outcome, count in re.findall(r'^pushserve_outcomes_total\{.*outcome="(\w+)"\} ([1-9]\d*)', metrics(server), re.M):
        if outcome not in ends:
            raise Void(f"{count} pushes were not accepted, but {outcome}")
        counts[outcome] += int(count)
    return sum(counts.values())


def metrics(server):
    connection = http.client.HTTPConnection(HOST, server.metrics, timeout=PATIENCE)
    try:
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException) as error:
        raise Void(f"the service does not answer: {error}") from error
    finally:
        connection.close()


def latencies(servers, count, goes_on=lambda: True):
    """Posts one push after the other, each to the next service, and waits for its outcome. Returns the seconds of each."""
    connections = [http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE) for server in servers]
    times = []
    try:
        while len(times) < count and goes_on():
            number = len(times) % len(servers)
            body = entry(len(times) + 1, len(times))
            begun = time.monotonic()
            connections[number].request("POST", f"{PATH}?wait=10s", body, servers[number].headers)
            answer = json.load(connections[number].getresponse())
            times.append(time.monotonic() - begun)
            if answer.get("notification", {}).get("outcome", {}).get("kind") != "accepted":
                raise Void(f"a push was not accepted within 10 s: {answer.get('result')}")
    except (OSError, http.client.HTTPException) as error:
        raise Void(f"the service does not answer: {error}") from error
    finally:
        for connection in connections:
            connection.close()
    return times
