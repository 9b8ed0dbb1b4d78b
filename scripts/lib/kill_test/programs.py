"""The mock and the service as processes, reached only at 127.0.0.1."""

import http.client
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

from complaint import Complaint, until
from ports import free_port

# The longest time until a program is ready, in seconds.
READY = 180


def ask(url, method, path, key=None, body=b"", seconds=60, reads=True, takes_a_part=False, **fields):
    """The status, the body and the header fields of one answer. The status is `None` without an answer; a part of one can count as one."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=seconds)
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    if key:
        fields["authorization"] = f"Bearer {key}"
    try:
        connection.request(method, path, body=body, headers={"content-type": "application/json", **fields})
        answer = connection.getresponse()
        return answer.status, answer.read() if reads else b"", dict(answer.headers)
    except http.client.IncompleteRead as cut:
        return (answer.status if takes_a_part else None), cut.partial, {}
    except (OSError, http.client.HTTPException):
        return None, b"", {}
    finally:
        connection.close()


def later(**duration):
    """The time after this duration, as the API takes it."""
    return (datetime.now(timezone.utc) + timedelta(**duration)).strftime("%Y-%m-%dT%H:%M:%SZ")


def run(program, *words, **how):
    """Runs a command to its end. Returns what it printed."""
    ended = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=READY, **how)
    if ended.returncode != 0:
        raise Complaint(f"{Path(program).name} {' '.join(words[:2])} ended with {ended.returncode}: {ended.stderr}")
    return ended


class Program:
    """A program that runs until it is stopped, and says on its standard output when it is ready."""

    process = None

    def __init__(self, name, folder, environment):
        self.name, self.folder, self.environment = name, folder, environment
        self.log = folder / f"{name}.log"

    def begin(self, words, output):
        """Starts it. Returns its ready line."""
        begun = output.stat().st_size if output.exists() else 0
        with open(output, "ab") as out, open(self.log, "ab") as errors:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=self.environment)

        def ready():
            for line in output.read_bytes()[begun:].decode(errors="replace").splitlines():
                if '"event":"ready"' in line:
                    return json.loads(line)
            if self.process.poll() is not None:
                raise Complaint(
                    f"The {self.name} ended with {self.process.returncode} before it was ready. Its messages are in {self.log}.")
            return None

        return until(ready, f"The {self.name} wasn't ready", READY)

    def end(self):
        """SIGTERM. Returns the exit code."""
        self.process.terminate()
        try:
            return self.process.wait(READY)
        except subprocess.TimeoutExpired:
            self.abandon()
            raise Complaint(f"The {self.name} didn't end within {READY} seconds of SIGTERM.") from None

    def abandon(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Request(NamedTuple):
    """A push as it came to the mock, with the status of the answer, and its time in milliseconds since 1970."""

    apns_id: str
    status: int
    time: int


class Mock(Program):
    """A `pushsend mock`. Its output has a line for each request."""

    def __init__(self, pushsend, folder, environment=None, options=("--console-port", "0")):
        super().__init__("mock", folder, environment)
        self.pushsend, self.options = pushsend, options
        self.state, self.output = folder / "mock", folder / "mock.jsonl"
        self.read, self.known = 0, []
        self.start()

    def start(self, *options):
        """Starts it. After a stop, it has the same state folder, and continues its output."""
        words = [self.pushsend, "mock", "--json", "--port", "0", "--state", str(self.state), *self.options, *options]
        self.ready = self.begin(words, self.output)

    def refuse_key(self):
        """From now on, every push gets 403. Returns the number of the fault."""
        fault = {"steps": [{"answer": {"status": 403, "reason": "InvalidProviderToken"}}]}
        return self.fault(json.dumps(fault)).strip()

    def remove_fault(self, number):
        self.fault("--remove", number)

    def fault(self, *words):
        return run(self.pushsend, "mock", "fault", *words, "--state", str(self.state)).stdout

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
        self.end()


class Service(Program):
    """A `pushserve run` that is killed and started again. It has the same port each time.

    `apps` are those of its configuration, with their kinds of delivery, and `settings` other lines of it. Their Apple is the mock.
    """

    def __init__(self, pushserve, folder, name, database, mock, apps, environment=None, settings=("limits: {rate_per_key: 1000000/s}",)):
        super().__init__(name, folder, {**(environment or os.environ), "PUSHSERVE_LISTEN": f"127.0.0.1:{free_port()}"})
        self.pushserve, self.database, self.mock, self.apps, self.settings = pushserve, database, mock, apps, settings
        self.config = folder / f"{name}.yaml"
        self.url, self.runs = None, 0
        self.configure()

    def configure(self, host="localhost"):
        """Writes its configuration."""
        ready = self.mock.ready
        lines = [f"database: {self.database}", *self.settings, "apps:"]
        for name, delivery in self.apps.items():
            lines += [
                f"  {name}:",
                f"    environment: {{host: {host}, port: {ready['port']}, ca: {ready['ca_file']}}}",
                f"    key: {{file: {ready['key_file']}, id: {ready['key_id']}, team: {ready['team_id']}}}",
                "    topic: com.example.app",
                f"    delivery: {delivery}",
            ]
        # It can have the password of a database.
        self.config.touch(0o600)
        self.config.write_text("\n".join(lines) + "\n")

    def start(self):
        self.runs += 1
        words = [self.pushserve, "run", "--json", "--config", str(self.config)]
        self.url = self.begin(words, self.folder / f"{self.name}-{self.runs}.ready")["url"]

    def kill(self):
        self.require_running()
        # Not what else ends with it: it can start again.
        Program.abandon(self)

    def require_running(self):
        if self.process.poll() is not None:
            raise Complaint(f"The {self.name} ended by itself with {self.process.returncode}: see {self.name}.log.")

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def reloads(self):
        """How often the service has read its configuration again."""
        return self.log.read_bytes().count(b"The configuration was reloaded.")

    def started_jobs(self):
        """The jobs that were being sent when the service was killed."""
        jobs = []
        for app in self.apps:
            after = []
            while True:
                ended = self.command("queue", "list", "--json", "--state", "started", "--limit", "1000", "--app", app, *after)
                jobs += map(json.loads, ended.stdout.splitlines())
                more = re.search(r"--after (\S+)", ended.stderr)
                if not more:
                    break
                after = ["--after", more[1]]
        return jobs

    def make_key(self, scopes, apps=None):
        """A key for these apps; for all of them, if none is named."""
        words = [word for app in apps or self.apps for word in ("--app", app)]
        ended = self.command("key", "create", "--json", "--scope", scopes, *words)
        return json.loads(ended.stdout)["key"]

    def revoke(self, key):
        self.command("key", "revoke", key.split("_")[1])

    def command(self, *words):
        return run(self.pushserve, *words, "--config", str(self.config), env=self.environment)

    def status_of(self, path):
        """The status of the answer to GET; `None` without one."""
        self.require_running()
        return ask(self.url, "GET", path, seconds=30)[0]

    def get(self, path, key):
        """The object of an answer. A machine with much else to do can be too slow for one, and is asked again."""
        end = time.monotonic() + READY
        while True:
            status, text, _ = ask(self.url, "GET", path, key)
            if status == 200:
                return json.loads(text)
            if not (status == 503 and b'"too_slow"' in text) or time.monotonic() > end:
                raise Complaint(f"GET {path[:40]} gave {status}: {text[:500]}")

    def stop(self):
        status = self.end()
        if status != 0:
            raise Complaint(f"After SIGTERM, the {self.name} ended with {status}: see {self.name}.log.")


class Workers(list):
    """Several services with one queue."""

    def start(self):
        for worker in self:
            worker.start()

    def stop(self):
        for worker in self:
            worker.stop()

    def abandon(self):
        for worker in self:
            worker.abandon()
