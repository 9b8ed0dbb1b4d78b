"""The mock and the service as processes, reached only at 127.0.0.1."""

import http.client
import json
import re
import signal
import subprocess
import time
import urllib.parse
from typing import NamedTuple

from ports import free_port

# The longest time until a program is ready, in seconds.
READY = 180


class Complaint(Exception):
    """A broken promise, or a program that does not do what it should."""


def until(condition, complaint, seconds=READY):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Complaint(f"{complaint}, in {seconds} s.")
        time.sleep(0.05)
    return value


def ask(url, method, path, key=None, body=b"", seconds=60, reads=True, **fields):
    """The status, the body and the header fields of one answer. The status is `None` without an answer."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=seconds)
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    if key:
        fields["authorization"] = f"Bearer {key}"
    try:
        connection.request(method, path, body=body, headers={"content-type": "application/json", **fields})
        answer = connection.getresponse()
        return answer.status, answer.read() if reads else b"", dict(answer.headers)
    except (OSError, http.client.HTTPException):
        return None, b"", {}
    finally:
        connection.close()


def ready_line(process, file, name, begun=0):
    """The line of a program's output, after `begun` bytes, that says that it is ready."""
    end = time.monotonic() + READY
    while time.monotonic() < end:
        for line in file.read_bytes()[begun:].decode(errors="replace").splitlines():
            if '"event":"ready"' in line:
                return json.loads(line)
        if process.poll() is not None:
            raise Complaint(f"{name} ended with {process.returncode} before it was ready. Its messages are beside {file}.")
        time.sleep(0.02)
    raise Complaint(f"{name} was not ready after {READY} s.")


class Request(NamedTuple):
    """A push as it came to the mock, with the status of the answer, and its time in milliseconds since 1970."""

    apns_id: str
    status: int
    time: int


class Mock:
    """A `pushsend mock`. Its output has a line for each request."""

    def __init__(self, pushsend, folder, environment, options=("--console-port", "0")):
        self.pushsend, self.state = pushsend, folder / "mock"
        self.output, self.log = folder / "mock.jsonl", folder / "mock.log"
        self.environment, self.options = environment, options
        self.read, self.known, self.process = 0, [], None
        self.start()

    def start(self, *options):
        """Starts it. After a stop, it has the same state folder, and continues its output."""
        begun = self.output.stat().st_size if self.output.exists() else 0
        with open(self.output, "ab") as output, open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.pushsend, "mock", "--json", "--port", "0", "--state", str(self.state), *self.options, *options],
                stdin=subprocess.DEVNULL, stdout=output, stderr=log, env=self.environment)
        self.ready = ready_line(self.process, self.output, "The mock", begun)

    def refuse_key(self):
        """From now on, every push gets 403. Returns the number of the fault."""
        fault = {"steps": [{"answer": {"status": 403, "reason": "InvalidProviderToken"}}]}
        return self.fault(json.dumps(fault)).strip()

    def remove_fault(self, number):
        self.fault("--remove", number)

    def fault(self, *words):
        ended = subprocess.run(
            [self.pushsend, "mock", "fault", *words, "--state", str(self.state)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
        if ended.returncode != 0:
            raise Complaint(f"mock fault ended with {ended.returncode}: {ended.stderr}")
        return ended.stdout

    def count(self, status):
        return sum(request.status == status for request in self.requests())

    def requests(self):
        """The requests so far. Only what is new is read: the log grows long."""
        with open(self.output, "rb") as output:
            output.seek(self.read)
            text = output.read()
        whole = text[: text.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in map(json.loads, whole.splitlines()):
            if line.get("event") == "request" and "apns_id" in line:
                self.known.append(Request(line["apns_id"].lower(), line.get("status"), line["time_ms"]))
        return self.known

    def stop(self):
        """Before it ends, the mock reads everything that is in its sockets."""
        self.process.terminate()
        try:
            self.process.wait(READY)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Complaint(f"The mock did not end within {READY} seconds of SIGTERM.") from None


def write_config(path, database, mock, apps, limits="rate_per_key: 1000000/s"):
    """Writes a configuration with these apps and their kinds of delivery, whose Apple is the mock."""
    ready = mock.ready
    lines = [f"database: {database}", f"limits: {{{limits}}}", "apps:"]
    for name, delivery in apps.items():
        lines += [
            f"  {name}:",
            f"    environment: {{host: localhost, port: {ready['port']}, ca: {ready['ca_file']}}}",
            f"    key: {{file: {ready['key_file']}, id: {ready['key_id']}, team: {ready['team_id']}}}",
            "    topic: com.example.app",
            f"    delivery: {delivery}",
        ]
    # It can have the password of a database.
    path.touch(0o600)
    path.write_text("\n".join(lines) + "\n")


class Service:
    """A `pushserve run` that is killed and started again. It has the same port each time."""

    def __init__(self, pushserve, folder, config, apps, environment, name="service"):
        self.pushserve, self.folder, self.config, self.apps, self.name = pushserve, folder, config, apps, name
        self.environment = {**environment, "PUSHSERVE_LISTEN": f"127.0.0.1:{free_port()}"}
        self.process, self.url, self.runs = None, None, 0

    def start(self):
        self.runs += 1
        output = self.folder / f"{self.name}-{self.runs}.ready"
        with open(output, "wb") as out, open(self.folder / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.pushserve, "run", "--json", "--config", str(self.config)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=log, env=self.environment)
        self.url = ready_line(self.process, output, f"The {self.name}")["url"]

    def kill(self):
        self.require_running()
        self.process.kill()
        self.process.wait()

    def require_running(self):
        if self.process.poll() is not None:
            raise Complaint(f"The {self.name} ended by itself with {self.process.returncode}: see {self.name}.log.")

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def started_jobs(self):
        """The jobs that were being sent when the service was killed."""
        jobs = []
        for app in self.apps:
            after = []
            while True:
                ended = self.command(
                    "queue", "list", "--json", "--state", "started", "--limit", "1000", "--app", app,
                    "--config", str(self.config), *after)
                jobs += map(json.loads, ended.stdout.splitlines())
                more = re.search(r"--after (\S+)", ended.stderr)
                if not more:
                    break
                after = ["--after", more[1]]
        return jobs

    def make_key(self, scopes, apps=None):
        """A key for these apps; for all of them, if none is named."""
        words = [word for app in apps or self.apps for word in ("--app", app)]
        ended = self.command("key", "create", "--json", "--scope", scopes, "--config", str(self.config), *words)
        return json.loads(ended.stdout)["key"]

    def revoke(self, key):
        self.command("key", "revoke", key.split("_")[1], "--config", str(self.config))

    def command(self, *words):
        ended = subprocess.run(
            [self.pushserve, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180,
            env=self.environment)
        if ended.returncode != 0:
            raise Complaint(f"{' '.join(words[:2])} ended with {ended.returncode}: {ended.stderr}")
        return ended

    def status_of(self, path):
        """The status of the answer to GET; `None` without one."""
        self.require_running()
        return ask(self.url, "GET", path, seconds=30)[0]

    def get(self, path, key):
        status, text, _ = ask(self.url, "GET", path, key)
        if status != 200:
            raise Complaint(f"GET {path[:40]} gave {status}: {text[:500]}")
        return json.loads(text)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(180)
        except subprocess.TimeoutExpired:
            raise Complaint(f"The {self.name} did not end within three minutes after SIGTERM.") from None
        if status != 0:
            raise Complaint(f"After SIGTERM, the {self.name} ended with {status}: see {self.name}.log.")

    def abandon(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
