"""The service under load: starts a mock and a pushserve, posts pushes with h2load, and waits for the outcomes."""
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
PATIENCE = 30
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
def service(place):
    """A service with a new database, and a mock that answers without a delay."""
    folder = place.path(f"service-{time.monotonic_ns()}")
    os.mkdir(folder)
    with mock(place, "--quiet") as apple:
        metrics = free_port()
        config = write_config(folder, apple, metrics)
        key = json.loads(subprocess.run(
            [place.binary("pushserve"), "key", "create", "--json", "--all-apps", "--scope", "send,read", "--config",
             config], check=True, capture_output=True, text=True).stdout)["key"]
        command = [place.binary("pushserve"), "run", "--json", "--config", config]
        with started(place, command, "the service") as (job, log):
            port = wait_until(job, lambda: port_of(log), "the service")
            yield Service(port, metrics, job.pid, apple.pid, key)
            if job.poll() is not None:
                raise Void(f"the service ended by itself with {job.returncode}")


def write_config(folder, apple, metrics):
    """Without the usual limit of a key, which is far below what is measured."""
    path = os.path.join(folder, "pushserve.yaml")
    text = f"""listen: {HOST}:{free_port()}
metrics: {HOST}:{metrics}
database: pushserve.sqlite
limits: {{rate_per_key: 1000000/s}}
apps:
  shop:
    environment: {{host: localhost, port: {apple.port}, ca: {apple.authority}}}
    key: {{file: {apple.key}, team: MOCKTEAM12}}
    topic: com.example.app
"""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path


def port_of(log):
    with open(log, encoding="utf-8") as file:
        found = re.search(r'"event":"ready".*?"port":(\d+)|"port":(\d+).*?"event":"ready"', file.read())
    return found and int(found[1] or found[2])


# --- Pushes

def entry(number, payload):
    """A push to a device token of its own. Pushes with the same number of the payload share the payload."""
    start = f'{{"aps":{{"alert":{{"title":"Order {payload}","body":"'
    body = start + "x" * (PAYLOAD_BYTES - len(start) - 4) + '"}}}'
    return f'{{"token":"{number:064x}","payload":{body}}}'


def array(count, payloads):
    return "[" + ",".join(entry(number + 1, number % payloads) for number in range(count)) + "]"


def post(place, server, body, requests, connections):
    """Posts the same body many times with h2load over HTTP/1.1. Returns the seconds from the first to the last answer."""
    path = place.path(f"body-{time.monotonic_ns()}.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(body)
    fields = [part for name, value in server.headers.items() for part in ("-H", f"{name}: {value}")]
    command = ["h2load", "--h1", "-n", str(requests), "-c", str(connections), "-t", "1", "-d", path, *fields, server.url]
    text, run = measured(command, requests, lambda text: f"{requests} succeeded, 0 failed, 0 errored, 0 timeout" in text)
    found = re.search(r"finished in ([\d.]+)(us|ms|s|m)", text)
    return float(found[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[found[2]] if found else run.seconds


@dataclass
class Load:
    """What a load cost: the seconds until all was answered, and until all had an outcome, and the CPU of the service."""
    answered: float
    accepted: float
    cpu: float
    memory: float


def load(place, server, body, requests, pushes, connections):
    """Posts `requests` bodies, and waits until Apple has accepted all `pushes`, and the service has stored it."""
    failure = []

    def send():
        try:
            answered.append(post(place, server, body, requests, connections))
        except Void as void:
            failure.append(void)

    before, used, begun, answered = accepted(server), cpu_seconds(server.pid), time.monotonic(), []
    sender = threading.Thread(target=send)
    sender.start()
    try:
        wait_for_outcomes(server, before + pushes, failure)
        ended = time.monotonic()
    finally:
        sender.join()
    if failure:
        raise failure[0]
    return Load(answered[0], ended - begun, cpu_seconds(server.pid) - used, peak_memory(server.pid) or 0)


def wait_for_outcomes(server, wanted, failure):
    (last, changed) = (0, time.monotonic())
    while (count := accepted(server)) < wanted and not failure:
        if count != last:
            (last, changed) = (count, time.monotonic())
        if time.monotonic() - changed > PATIENCE:
            raise Void(f"only {count} of {wanted} pushes were accepted")
        time.sleep(LOOK_SECONDS)
    if count > wanted:
        raise Void(f"{count} pushes were accepted, and only {wanted} were posted")


def accepted(server):
    """How many pushes Apple has accepted, by the metrics of the service."""
    connection = http.client.HTTPConnection(HOST, server.metrics, timeout=PATIENCE)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    others = re.findall(r'^pushserve_outcomes_total\{.*outcome="(?:rejected|unknown|not_sent)"\} ([1-9]\d*)', text, re.M)
    if others:
        raise Void(f"{others} pushes were not accepted")
    found = re.search(r'^pushserve_outcomes_total\{.*outcome="accepted"\} (\d+)', text, re.M)
    return int(found[1]) if found else 0


def latencies(server, count):
    """Posts one push after the other, and waits for the outcome of each. Returns the seconds of each."""
    connection = http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE)
    times = []
    try:
        for number in range(count):
            body = entry(number + 1, number)
            begun = time.monotonic()
            connection.request("POST", f"{PATH}?wait=10s", body, server.headers)
            answer = json.load(connection.getresponse())
            times.append(time.monotonic() - begun)
            if answer.get("notification", {}).get("outcome", {}).get("kind") != "accepted":
                raise Void(f"a push was not accepted within 10 s: {answer.get('result')}")
    finally:
        connection.close()
    return times
