"""A push service with two apps in front of a mock; the webhook of the second fails. Everything is on this machine.

With arguments, it runs a command with three more arguments: the address of the service, an API key and a device token. It ends with the
exit code of the command.
"""
import base64
import datetime
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "scripts" / "lib"))

from ports import free_port  # noqa: E402

PUSHSEND = os.environ["PUSHSEND_BINARY"]
PUSHSERVE = os.environ.get("PUSHSERVE_BINARY") or os.path.join(os.path.dirname(PUSHSEND), "pushserve")
TOKEN = "0f" * 32
PATIENCE = 300


class FailingHook(http.server.BaseHTTPRequestHandler):
    """Answers 503 to every event."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(503)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Service:
    """
    - more: lines for the configuration.
    - database: where the queue is, if not in a file of the folder.
    """

    def __init__(self, folder, more="", database="queue.sqlite"):
        self.folder = folder
        self.state = folder / "mock"
        self.mock = self.start(
            "mock", [PUSHSEND, "mock", "--port", "0", "--console-port", "0", "--channel-ports", "0,0", "--quiet", "--set", "future_tolerance=400000s", "--state", str(self.state)])
        self.until(lambda: subprocess.run([PUSHSEND, "mock", "ready", "--state", str(self.state)], capture_output=True).returncode == 0, "the mock is ready")
        running = json.loads((self.state / "running.json").read_text())
        self.counted_day = self.push_earlier(running)
        (folder / "export.token").write_text("token\n")
        self.hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FailingHook)
        threading.Thread(target=self.hook.serve_forever, daemon=True).start()
        secrets = folder / "hook.secrets"
        secrets.write_text("whsec_" + base64.b64encode(bytes(range(32))).decode() + "\n")
        os.chmod(secrets, 0o600)
        server = f"""
    environment: {{host: localhost, port: {running["port"]}, ca: {self.state / "ca.pem"}}}
    key: {{file: {running["keyFile"]}, id: {running["keyID"]}, team: {running["teamID"]}}}
"""
        (folder / "pushserve.yaml").write_text(f"""
listen: 127.0.0.1:{free_port()}
database: {database}
webhooks: {{allow: [127.0.0.1]}}
{more}
apps:
  shop:{server}    topic: com.example.app
    delivery: {{token_file: export.token}}
  chat:{server}    topic: com.example.chat
    webhook: {{url: "http://127.0.0.1:{self.hook.server_address[1]}/hook", secrets_file: {secrets}}}
""")
        os.chmod(folder / "pushserve.yaml", 0o600)
        self.serve, self.url = self.run("serve")
        self.admin = self.key("admin", "shop,chat")
        self.reader = self.key("read")

    def run(self, name, **environment):
        """Starts a worker. Returns its process and its address."""
        command = [PUSHSERVE, "run", "--json", "--config", str(self.folder / "pushserve.yaml")]
        process = self.start(name, command, **environment)
        self.until(lambda: (self.folder / f"{name}.out").read_text().endswith("\n"), "the service is ready")
        return process, json.loads((self.folder / f"{name}.out").read_text())["url"]

    def end(self, is_killed=False):
        """Ends the service, as an update does, or as a crash."""
        (self.serve.kill if is_killed else self.serve.terminate)()
        self.serve.wait(PATIENCE)

    def again(self):
        """Starts the service again, on the same port."""
        self.serve, _ = self.run("serve")

    def push_earlier(self, running):
        """Sends two pushes on a day that Apple counts already, not through the service. Returns the day."""
        day = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=3)
        for now in [day.strftime("%Y-%m-%dT%H:%M:%SZ"), "system"]:
            request = urllib.request.Request(
                f"http://127.0.0.1:{running['consolePort']}/v1/clock", data=json.dumps({"now": now}).encode(), method="PUT",
                headers={"content-type": "application/json"})
            urllib.request.urlopen(request, timeout=PATIENCE).close()
            for text in ["One", "Two"] if now != "system" else []:
                subprocess.run(
                    [PUSHSEND, "send", TOKEN, "--mock", "--state", str(self.state), "--topic", "com.example.app", "-m", text],
                    capture_output=True, check=True)
        return day.strftime("%Y-%m-%d")

    def start(self, name, command, **environment):
        with open(self.folder / f"{name}.out", "w", encoding="utf-8") as out, open(self.folder / f"{name}.err", "w", encoding="utf-8") as errors:
            return subprocess.Popen(command, stdout=out, stderr=errors, cwd=self.folder, env={**os.environ, **environment})

    def stop(self):
        for process in [self.serve, self.mock]:
            process.terminate()
        for process in [self.serve, self.mock]:
            process.wait(PATIENCE)
        self.hook.shutdown()

    def command(self, *arguments):
        done = subprocess.run([PUSHSERVE, *arguments, "--config", str(self.folder / "pushserve.yaml")], capture_output=True, text=True, check=True)
        return done.stdout

    def key(self, scope, apps="shop", name=""):
        return json.loads(self.command("key", "create", "--app", apps, "--scope", scope, "--name", name, "--json"))["key"]

    def ask(self, method, path, body=None, key=None, headers=None):
        headers = {"content-type": "application/json", **({"authorization": f"bearer {key}"} if key else {}), **(headers or {})}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read() or "null"), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or "null"), error.headers

    def upload(self, path, lines):
        """Sends lines to a campaign."""
        request = urllib.request.Request(
            self.url + path, data=lines.encode(), method="POST",
            headers={"content-type": "application/x-ndjson", "authorization": f"bearer {self.admin}"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.loads(answer.read())

    def push(self, token=TOKEN, wait=True, **more):
        body = {"app": "shop", "token": token, "payload": {"aps": {"alert": "Hello"}}, **more}
        status, answer, _ = self.ask("POST", "/v1/notifications" + ("?wait=60s" if wait else ""), body, self.admin)
        assert status in [200, 202], answer
        if wait and status == 202:
            # On a busy machine, a push can take longer than a request may wait.
            path = f"/v1/notifications/{answer['id']}"
            self.until(lambda: self.ask("GET", path, key=self.admin)[1]["state"] == "finished", "the push has its outcome")
        return answer["id"]

    @staticmethod
    def until(condition, why):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, why
            time.sleep(0.05)


def main():
    with tempfile.TemporaryDirectory() as folder:
        service = Service(pathlib.Path(folder))
        try:
            return subprocess.run([*sys.argv[1:], service.url, service.key("send,read"), TOKEN], timeout=PATIENCE).returncode
        finally:
            service.stop()


if __name__ == "__main__":
    sys.exit(main())
