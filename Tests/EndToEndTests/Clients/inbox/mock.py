"""A running `pushsend mock`, what sends to it, and its REST API."""
import contextlib
import json
import os
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import httpx

import phones

PUSHSEND = os.environ["PUSHSEND_BINARY"]
TOKEN = "8830b988" * 8


class Mock:
    def __init__(self, folder, *flags, has_phones=True, access_token=None):
        self.folder = folder
        self.environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        self.access_token = access_token
        environment = {**self.environment, **({"PUSHSEND_MOCK_TOKEN": access_token} if access_token else {})}
        if has_phones:
            file = folder / "phones.json"
            file.write_text(json.dumps([phones.DESK, phones.QA]))
            flags = (*flags, "--phones", str(file))
        self.process = subprocess.Popen(
            [PUSHSEND, "mock", "--port", "0", "--console-port", "0", "--json", "--state", str(folder / "state"), *flags],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        ready = json.loads(self.process.stdout.readline())
        self.url = ready["console_url"]
        self.endpoint = ready["endpoint"]
        self.ca = ready["ca_file"]
        # The lines of the requests must be read, or the mock waits for their reader.
        self.reader = subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=300)
        self.reader.wait(timeout=300)

    # Sending

    def send(self, token=TOKEN, *flags, topic="com.example.chat", fails=False):
        """Sends with pushsend, as a developer would."""
        done = subprocess.run(
            [PUSHSEND, "send", token, "--mock", "--state", str(self.folder / "state"), "--topic", topic, *flags],
            env=self.environment, capture_output=True, text=True, timeout=300)
        assert fails or done.returncode == 0, done.stdout + done.stderr
        return self.total()

    def channel(self, verb, *arguments, topic):
        """Manages a broadcast channel with pushsend, or sends to it. Returns what it prints."""
        done = subprocess.run(
            [PUSHSEND, "channel", verb, *arguments, "--mock", "--state", str(self.folder / "state"), "--topic", topic],
            env=self.environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    @contextlib.contextmanager
    def connection(self):
        """A client whose connection stays open."""
        with httpx.Client(http2=True, verify=ssl.create_default_context(cafile=self.ca), trust_env=False) as client:
            yield lambda body: client.post(f"https://{self.endpoint}/3/device/{TOKEN}", content=body, headers=self.fields())

    def fields(self):
        token = subprocess.run(
            [PUSHSEND, "jwt", "--mock", "--state", str(self.folder / "state")], env=self.environment, capture_output=True, text=True,
            check=True, timeout=300).stdout.strip()
        return {"authorization": f"bearer {token}", "apns-topic": "com.example.app", "apns-push-type": "alert"}

    def post(self, body, headers=None, path=f"/3/device/{TOKEN}"):
        """Sends any bytes, as no good sender would. Returns the number of the push."""
        fields = {**self.fields(), **(headers or {})}
        with httpx.Client(http2=True, verify=ssl.create_default_context(cafile=self.ca), trust_env=False) as client:
            client.post(f"https://{self.endpoint}{path}", content=body, headers=fields)
        return self.total()

    def burst(self, count, title="Many"):
        """Sends many pushes on one connection."""
        fields = self.fields()
        body = json.dumps({"aps": {"alert": {"title": title, "body": "x"}}}).encode()
        with httpx.Client(http2=True, verify=ssl.create_default_context(cafile=self.ca), trust_env=False) as client:
            for _ in range(count):
                client.post(f"https://{self.endpoint}/3/device/{TOKEN}", content=body, headers=fields)
        return self.total()

    def shell(self, command):
        """Runs a command of the page, as if it were pasted into a terminal. The user has no mock in the default folder."""
        done = subprocess.run(
            ["sh", "-c", f'pushsend() {{ "{PUSHSEND}" "$@"; }}\n{command}'], env=self.environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    # The API

    def api(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        fields = {**({"content-type": "application/json"} if data is not None else {}), **(headers or {})}
        if self.access_token:
            fields.setdefault("authorization", f"bearer {self.access_token}")
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=fields)
        with urllib.request.urlopen(request, timeout=300) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def refusal(self, method, path, headers, body=None):
        """The status of a request that is refused."""
        try:
            self.api(method, path, body, headers)
        except urllib.error.HTTPError as error:
            return error.code
        return None

    def total(self):
        return self.api("GET", "/v1/pushes?limit=1&order=newest")["total"]

    def count(self):
        """The number of pushes since the last reset."""
        return self.api("GET", "/v1/pushes/summary")["counts"]["all"]

    def push(self, number):
        return self.api("GET", f"/v1/pushes/{number}")

    def reset(self):
        self.api("POST", "/v1/reset", {})
