"""The client of the mock, `pushsend mock`, for tests."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

import httpx

from .core import AsyncClient, BaseClient, Call, PushError, SyncClient, duration, operation, path
from .types import (
    Clock, Device, FaultCount, Matches, MockPush, Namespace, Page, Scenario, SentPush, Setup, Violation, read,
)

#: What `pushsend mock exec` sets: docs/mock.md#environment-variables.
VARIABLES = (
    "APNS_URL", "APNS_HOST", "APNS_PORT", "APNS_CA", "APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC", "MOCK_URL",
    "PUSHSEND_STATE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE")


class MockOperations(BaseClient):
    # --- Pushes: a search is described in docs/mock-api.md, for example 'title:Hello topic:com.example.*'

    def _expect(self, verb: str, query: Union[str, Sequence[str]], within: Optional[float], terms: Mapping[str, Any]) -> Call[List[MockPush]]:
        body: Dict[str, Any] = {"query": query} if isinstance(query, str) else {"in_order": list(query)}
        body.update({name: value for name, value in terms.items() if value is not None})
        if within is not None:
            body["within"] = duration(within)
        return Call(
            "POST", f"/v1/pushes/{verb}", None, {}, body, repeatable=True, longer=(within or 10) + 5,
            accepts=lambda answer: answer.status_code == 409, reader=_expected)

    @operation
    def wait(
        self, query: Union[str, Sequence[str]] = "", *, within: float = 5, at_least: Optional[int] = None, exactly: Optional[int] = None,
        after: Optional[int] = None,
    ) -> Call[List[MockPush]]:
        """Waits for pushes that match, and returns them. Fails the test with the nearest pushes if they do not come.

        Several searches must match one after the other.
        """
        return self._expect("wait", query, within, {"at_least": at_least, "exactly": exactly, "after": after})

    @operation
    def assert_pushed(
        self, query: Union[str, Sequence[str]] = "", *, at_least: Optional[int] = None, exactly: Optional[int] = None,
        after: Optional[int] = None,
    ) -> Call[List[MockPush]]:
        """The same as `wait` for pushes that have arrived already."""
        return self._expect("assert", query, None, {"at_least": at_least, "exactly": exactly, "after": after})

    @operation
    def assert_nothing_pushed(self, query: str = "", *, within: float = 0, after: Optional[int] = None) -> Call[List[MockPush]]:
        """Fails the test if a matching push arrived, or arrives within so many seconds."""
        return self._expect("wait" if within else "assert", query, within or None, {"none": True, "after": after})

    @operation
    def assert_no_violations(self) -> Call[None]:
        """Fails the test if a client broke a rule of APNs, also one that APNs doesn't enforce. Rules that are only a guess don't count."""
        return Call("GET", "/v1/violations", query={"limit": 1000}, reader=_no_violations)

    @operation
    def pushes(
        self, query: str = "", *, limit: Optional[int] = None, after: Optional[int] = None, order: Optional[str] = None
    ) -> Call[Page[MockPush]]:
        return Call("GET", "/v1/pushes", Page[MockPush], {"q": query, "limit": limit, "after": after, "order": order})

    @operation
    def push(self, number: int) -> Call[MockPush]:
        return Call("GET", "/v1/pushes" + path(number), MockPush)

    @operation
    def latest(self, query: str = "") -> Call[MockPush]:
        return Call("GET", "/v1/pushes/latest", MockPush, {"q": query})

    @operation
    def count(self, query: str = "") -> Call[int]:
        return Call("GET", "/v1/pushes/count", None, {"q": query}, reader=lambda answer: int(answer.json()["count"]))

    @operation
    def clear(self) -> Call[None]:
        return Call("DELETE", "/v1/pushes")

    @operation
    def violations(
        self, *, id: Optional[str] = None, limit: Optional[int] = None, after: Optional[int] = None
    ) -> Call[Page[Violation]]:
        return Call("GET", "/v1/violations", Page[Violation], {"id": id, "limit": limit, "after": after})

    @operation
    def send(self, token: str, payload: str, /, **headers: Any) -> Call[SentPush]:
        """Sends a push to the mock itself, signed with its key. `headers`: topic, push_type, priority, expiration, collapse_id."""
        return Call("POST", "/v1/send", SentPush, {}, {"token": token, "payload": payload, **headers})

    # --- Faults, devices, clock, settings

    @operation
    def inject(
        self, *steps: Any, when: Optional[Mapping[str, Any]] = None, times: Optional[int] = None, at: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Call[int]:
        """Injects a fault, and returns its id: `inject({"answer": {"status": 503}}, times=1)`. docs/mock-api.md#failure-injection has all steps."""
        fault = {"steps": list(steps), "when": when, "times": times, "at": at, "name": name}
        body = {member: value for member, value in fault.items() if value is not None}
        return Call("POST", "/v1/faults", None, {}, body, reader=lambda answer: int(answer.json()["ids"][0]))

    @operation
    def faults(self) -> Call[Page[FaultCount]]:
        return Call("GET", "/v1/faults", Page[FaultCount])

    @operation
    def fault(self, id: int) -> Call[FaultCount]:
        return Call("GET", "/v1/faults" + path(id), FaultCount)

    @operation
    def remove_fault(self, id: int) -> Call[None]:
        return Call("DELETE", "/v1/faults" + path(id))

    @operation
    def remove_faults(self) -> Call[None]:
        return Call("DELETE", "/v1/faults")

    @operation
    def set_device(self, token: str, /, **device: Any) -> Call[Device]:
        """Registers or changes a device: `state` ("unregistered"), `online`, `notifications`, `topics`, `environment`, `since`."""
        return Call("PUT", "/v1/devices" + path(token), Device, {}, device)

    @operation
    def device(self, token: str) -> Call[Device]:
        return Call("GET", "/v1/devices" + path(token), Device)

    @operation
    def devices(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> Call[Page[Device]]:
        return Call("GET", "/v1/devices", Page[Device], {"limit": limit, "after": after})

    @operation
    def remove_device(self, token: str) -> Call[None]:
        return Call("DELETE", "/v1/devices" + path(token))

    @operation
    def remove_devices(self) -> Call[None]:
        return Call("DELETE", "/v1/devices")

    @operation
    def play(self, scenario: Union[str, Mapping[str, Any]]) -> Call[Scenario]:
        """Plays a scenario: "apns-outage", "throttled", ... or your own."""
        return Call("PUT", "/v1/scenario", Scenario, {}, {"name": scenario} if isinstance(scenario, str) else scenario)

    @operation
    def end_scenario(self) -> Call[None]:
        return Call("DELETE", "/v1/scenario")

    @operation
    def clock(self) -> Call[Clock]:
        return Call("GET", "/v1/clock", Clock)

    @operation
    def set_clock(self, now: Union[str, float], *, stopped: Optional[bool] = None) -> Call[Clock]:
        return Call("PUT", "/v1/clock", Clock, {}, {"now": now, "stopped": stopped})

    @operation
    def advance_clock(self, by: str) -> Call[Clock]:
        return Call("POST", "/v1/clock/advance", Clock, {}, {"by": by})

    @operation
    def settings(self) -> Call[Dict[str, Any]]:
        return Call("GET", "/v1/settings", Any)

    @operation
    def change_settings(self, /, **settings: Any) -> Call[Dict[str, Any]]:
        return Call("PATCH", "/v1/settings", Any, {}, settings)

    # --- The mock itself

    @operation
    def setup(self) -> Call[Setup]:
        return Call("GET", "/v1/setup", Setup)

    @operation
    def key_pem(self) -> Call[str]:
        """The private key that signs provider tokens for this mock, a .p8."""
        return Call("GET", "/v1/key.p8", reader=lambda answer: answer.text)

    @operation
    def reset(self) -> Call[None]:
        return Call("POST", "/v1/reset", repeatable=True)

    @operation
    def make_namespace(self, name: str, /, **options: Any) -> Call[Namespace]:
        """A part of the mock with its own port, log, devices and faults, for tests that run at the same time. See `in_namespace`."""
        return Call("POST", "/v1/namespaces", Namespace, {}, {"name": name, **options})

    @operation
    def delete_namespace(self, name: str) -> Call[None]:
        return Call("DELETE", "/v1/namespaces" + path(name))

    @operation
    def request(self, method: str, path: str, /, *, body: Any = None, **query: Any) -> Call[Any]:
        """Any other request of the API: phones, connections, keys. Returns decoded JSON, otherwise text or bytes."""
        return Call(method, path, Any, query, body)

    def _arguments(self, call: Call[Any]) -> Dict[str, Any]:
        arguments = super()._arguments(call)
        if self._namespace:
            arguments["url"] = self._url + f"/v1/namespaces{path(self._namespace)}" + call.path[len("/v1") :]
        return arguments

    _namespace: Optional[str] = None


class Mock(MockOperations, SyncClient):
    """A mock that runs at `url`. `start` starts one."""

    def __init__(
        self, url: str, *, access_token: Optional[str] = None, namespace: Optional[str] = None, timeout: float = 10,
        environment: Optional[Mapping[str, str]] = None,
    ) -> None:
        super().__init__(url, access_token, timeout, 2, 5.0, False)
        self._namespace, self._process = namespace, None  # type: Optional[str], Optional[subprocess.Popen[str]]
        self._delete: Optional[Callable[[], None]] = None
        #: APNS_URL, APNS_CA and the other variables of `pushsend mock exec`, for the program under test.
        self.environment: Dict[str, str] = dict(environment or {})
        # The token is in no attribute.
        self._part: Callable[[str], Mock] = lambda name: Mock(url, access_token=access_token, namespace=name)

    @classmethod
    def start(cls, *options: str, program: Optional[str] = None, timeout: float = 30) -> Mock:
        """Takes the mock of MOCK_URL, or else starts one within `timeout` seconds. It ends with `close`, and with this process.

        `options` are those of `pushsend mock exec`; with options, it always starts a new one.
        """
        token = os.environ.get("PUSHSEND_MOCK_TOKEN")
        if os.environ.get("MOCK_URL") and not options:
            found = {name: os.environ[name] for name in VARIABLES if name in os.environ}
            return cls(os.environ["MOCK_URL"], access_token=token, environment=found)
        program = program or os.environ.get("PUSHSEND_BINARY", "pushsend")
        # The mock ends with its command, and `cat` ends when its input is closed: also if this process is killed.
        script = "printf '%s\\n' " + " ".join(f'"${name}"' for name in VARIABLES) + "; exec cat"
        try:
            process = subprocess.Popen(
                [program, "mock", "exec", *options, "--", "sh", "-c", script],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={k: v for k, v in os.environ.items() if k != "MOCK_URL"})
        except FileNotFoundError:
            raise RuntimeError(f"There is no {program}. Install pushsend, or set PUSHSEND_BINARY or MOCK_URL.") from None
        output, values = process.stdout, []  # type: Any, List[str]
        reader = threading.Thread(target=lambda: values.extend(output.readline().rstrip("\n") for _ in VARIABLES), daemon=True)
        reader.start()
        reader.join(timeout)
        variables = dict(zip(VARIABLES, values))
        if not variables.get("SSL_CERT_FILE"):
            process.kill()
            raise RuntimeError(f"The mock didn't start: {program} ended with status {process.wait()}. Its message is on standard error.")
        mock = cls(variables["MOCK_URL"], access_token=token, environment=variables)
        mock._process = process
        return mock

    def in_namespace(self, name: str, **options: Any) -> Mock:
        """Makes a namespace, and returns a client of it, whose `environment` names its port. `close`, or `with`, deletes the namespace."""
        self.make_namespace(name, **options)
        part = self._part(name)
        setup = part.setup()
        part.environment = {**self.environment, "APNS_URL": setup.url, "APNS_HOST": setup.host, "APNS_PORT": str(setup.port)}
        part._delete = lambda: self.delete_namespace(name)
        return part

    def close(self) -> None:
        super().close()
        if self._delete:
            with contextlib.suppress(PushError):  # The mock has ended, or the namespace was deleted.
                self._delete()
        if self._process and self._process.stdin:
            self._process.stdin.close()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:  # A forked process has the input open, too.
                self._process.terminate()
                self._process.wait()


class AsyncMock(MockOperations, AsyncClient):
    """The same for asyncio: `AsyncMock(mock.url)` for a mock that `Mock.start` has started."""

    def __init__(self, url: str, *, access_token: Optional[str] = None, namespace: Optional[str] = None, timeout: float = 10) -> None:
        super().__init__(url, access_token, timeout, 2, 5.0, False)
        self._namespace = namespace


def _expected(response: httpx.Response) -> List[MockPush]:
    answer = response.json()
    if response.status_code != 409:
        return list(read(Matches, answer).matches)
    lines = [answer["detail"]]
    lines += ["  it matched: " + _described(push) for push in answer.get("matches", ())[:5]]
    for miss in answer.get("near_misses", ()):
        lines.append("  near: " + _described(miss["push"]))
        lines += [f"      expected {each.get('expected')}, found {each.get('found', 'nothing')}" for each in miss["differences"]]
    raise AssertionError("\n".join(lines))


def _no_violations(response: httpx.Response) -> None:
    items = [each for each in read(Page[Violation], response.json()).items if each.confidence != "?"]
    if items:
        lines = [f"  {each.id} (push {each.push}): {each.fact} {each.detail or ''}" for each in items[:5]]
        raise AssertionError("\n".join([f"Clients broke rules of APNs ({len(items)}):", *lines]))


def _described(push: Mapping[str, Any]) -> str:
    token = push.get("token", "")
    short = token if len(token) <= 12 else f"{token[:8]}…{token[-4:]}"
    what = push.get("reason") or push.get("push_type", "")
    return f"{push['number']}  {push['status']}  {what}  {push.get('topic', '')}  {short}  {push.get('payload', '')[:200]}"
