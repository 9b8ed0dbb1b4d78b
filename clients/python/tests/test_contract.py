"""Each operation of the OpenAPI documents is called against the real programs, and the types know each member of its answer."""

import json
import os
import pathlib
import re
import uuid
from dataclasses import fields, is_dataclass
from typing import Any, Dict, Iterator, List, Optional, Set, get_args, get_origin, get_type_hints

import pytest

from pushprovider import Mock, Notification, Page, Push, PushError, PushService
from pushprovider.core import Call
from pushprovider.mock import MockOperations
from pushprovider.service import Operations

from .conftest import hello

ROOT = pathlib.Path(os.environ.get("PUSHPROVIDER_ROOT", pathlib.Path(__file__).parents[3]))


class Document:
    def __init__(self, name: str, target: str) -> None:
        self.name, self.called = name, set()  # type: str, Set[str]
        self.json: Dict[str, Any] = json.loads((ROOT / f"Sources/OpenAPI/{target}/openapi.json").read_text())
        lines = (ROOT / "clients/contract/not-offered.txt").read_text().splitlines()
        self.not_offered = {line.split()[1] for line in lines if line.startswith(name + " ")}

    def note(self, call: "Call[Any]") -> None:
        """Notes the operation of a call, and compares its answer's type with the document."""
        for template, verbs in self.json["paths"].items():
            if call.method.lower() in verbs and re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), call.path):
                operation = verbs[call.method.lower()]
                if call.path == template or operation["operationId"] not in self.not_offered:
                    break
        else:
            raise AssertionError(f"{call.method} {call.path} isn't in the document")
        self.called.add(operation["operationId"])
        for status in ("200", "201", "202"):
            content = operation["responses"].get(status, {}).get("content", {}).get("application/json")
            if content and call.answer not in (None, Any):
                self.compare(call.answer, content["schema"])

    def compare(self, kind: Any, schema: Dict[str, Any]) -> None:
        while "$ref" in schema:
            schema = self.json["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        if "oneOf" in schema:
            choices = [each for each in schema["oneOf"] if ("Items" in str(each)) == (get_origin(kind) is not None)]
            return self.compare(kind, choices[0])
        made: Any = get_origin(kind) or kind
        arguments = get_args(kind)
        if type(None) in arguments:
            return self.compare(arguments[0], schema)
        if made is tuple:
            return self.compare(arguments[0], schema["items"])
        if not is_dataclass(made):
            return None
        title = made.__name__  # type: ignore[union-attr]
        hints = get_type_hints(made)
        for name, member in schema.get("properties", {}).items():
            if (title, name) in OF_PAGES:
                continue
            assert name in hints, f"{title} lacks {name}"
            if name == "items" and arguments:
                self.compare(arguments[0], member["items"])
            else:
                self.compare(hints[name], member)

    def assert_complete(self) -> None:
        names = {operation["operationId"] for verbs in self.json["paths"].values() for operation in verbs.values()}
        assert names - self.called - self.not_offered == set(), "These are neither offered nor in clients/contract/not-offered.txt."
        assert self.called & self.not_offered == set()
        assert self.not_offered - names == set()


OF_PAGES = {("Page", name) for name in ("total", "kept", "dropped_through", "counts", "scenario")}


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dict[type, Document]]:
    documents: Dict[type, Document] = {Operations: Document("service", "PushService"), MockOperations: Document("mock", "MockConsole")}
    for operations, client in ((Operations, PushService), (MockOperations, Mock)):
        run, document = client._run, documents[operations]

        def _run(self: Any, call: "Call[Any]", run: Any = run, document: Document = document) -> Any:
            document.note(call)
            return run(self, call)

        monkeypatch.setattr(client, "_run", _run)
    yield documents


def ended(service: PushService, id: Optional[str]) -> None:
    assert any(result.id == id for result in service.results(follow=True))


def test_each_operation_of_the_service(service: PushService, noted: Dict[type, Document]) -> None:
    assert service.ready()
    sent = service.send(hello(1, dedupe_key=str(uuid.uuid4())), wait=10)
    assert sent.notification and sent.notification.outcome and sent.notification.outcome.kind == "accepted"
    assert len(service.send_all([hello(2), hello(3)]).items) == 2
    assert [each.result for each in service.send_stream([hello(4), hello(5)])] == ["queued", "queued"]
    assert service.notification(str(sent.id), history=True).history
    assert service.notifications(ids=[str(sent.id)]).items[0].id == sent.id
    ended(service, sent.id)

    assert [each.id for each in service.notifications(token=str(hello(1).token), limit=1).items] == [sent.id]
    assert sent.id in [each.id for each in service.each(service.newest_results, outcome="accepted", limit=2)]
    assert service.statistics(by="minute").items[0].accepted >= 1 and service.statistics().by == "reason"
    assert service.webhooks().items[0].app == "shop" and service.test_webhook("shop").result == "taken"
    service.retry_webhook("shop")
    with pytest.raises(PushError) as caught:
        service.send_to_user({"user": "42", "payload": {"aps": {"alert": "Hello"}}})
    assert caught.value.code == "no_recipients"

    later = service.send(hello(6, deliver_at="2100-01-01T00:00:00Z"))
    assert service.cancel(str(later.id)).result == "cancelled"
    service.send(hello(6, deliver_at="2100-01-01T00:00:00Z"))
    assert service.cancel_all().cancelled >= 1

    gone = service.send(Push({"aps": {"alert": "x"}}, token="990410" + "0" * 58), wait=10)
    assert gone.notification and gone.notification.outcome and gone.notification.outcome.reason == "Unregistered"
    assert [each.token for each in service.each(service.gone_tokens)] == ["990410" + "0" * 58]
    service.forget_gone_token("990410" + "0" * 58)
    assert service.dead_letters().items == ()
    assert service.redrive([str(sent.id)]).items[0].result == "not_a_dead_letter"

    draft = service.make_campaign("Points", payload={"aps": {"alert": "{{name}}"}}, rate=1000, topic="com.example.app")
    upload = service.upload(draft.id, [{"token": "5f3ad1c07b9e4286", "name": "Ann", "ref": 1}, {"token": "x", "name": "Ben"}])
    assert (upload.accepted, upload.refused, upload.next_line) == (1, 1, 3)
    assert service.change_rate(draft.id, 500).rate == 500
    service.start_campaign(draft.id, open=True)
    assert service.pause_campaign(draft.id).state == "paused"
    service.resume_campaign(draft.id)
    service.close_campaign(draft.id)
    assert list(service.watch(draft.id, every=0.1))[-1].state == "finished"
    assert [(line.line, line.outcome) for line in service.report(draft.id)] == [(1, "accepted"), (2, "not_sent")]
    assert [line.line for line in service.report(draft.id, only_failures=True)] == [2]
    other = service.make_campaign("None")
    assert service.cancel_campaign(other.id).state in ("cancelling", "cancelled")
    assert {each.id for each in service.each(service.campaigns, limit=1)} >= {draft.id, other.id}
    assert service.campaign(draft.id).name == "Points"

    service.pause_app("shop")
    assert service.status().apps[0].state == "paused"
    service.resume_app("shop")
    token = str(hello(1).token)
    assert sent.id in [line.get("id") for line in service.export(token)]
    assert service.erase(token) >= 1 and service.export(token) == []
    noted[Operations].assert_complete()


def test_each_operation_of_the_mock(apns_mock: Mock, noted: Dict[type, Document]) -> None:
    mock = apns_mock
    assert mock.setup().port and "PRIVATE KEY" in mock.key_pem()
    assert mock.send("0f0f", '{"aps":{"alert":"Hello"}}', topic="com.example.app", push_type="alert").status == 200
    assert mock.wait("body:Hello", exactly=1)[0].token == "0f0f"
    assert mock.assert_pushed("body:Hello") == mock.wait(["body:Hello"])
    mock.assert_nothing_pushed("body:Other")
    mock.assert_no_violations()
    assert mock.violations().items == ()
    number = mock.latest().number
    assert mock.push(number).headers and mock.count() == 1 and mock.pushes("body:Hello").items[0].number == number
    mock.clear()

    fault = mock.inject({"answer": {"status": 503, "reason": "ServiceUnavailable"}}, times=2, name="down")
    assert mock.send("0f0f", '{"aps":{"alert":"Hello"}}', topic="com.example.app").status == 503
    assert mock.fault(fault).applied == 1 and len(mock.faults().items) == 1
    mock.remove_fault(fault)
    mock.remove_faults()

    assert mock.set_device("0f0f", state="unregistered").state == "unregistered"
    assert mock.device("0f0f").state == "unregistered" and len(mock.devices().items) == 1
    mock.remove_device("0f0f")
    mock.remove_devices()
    assert mock.play("throttled").name == "throttled"
    mock.end_scenario()
    assert mock.advance_clock("3h").is_moved and not mock.set_clock("system").is_moved and not mock.clock().is_moved
    assert mock.change_settings(unknown_tokens="reject")["unknown_tokens"] == mock.settings()["unknown_tokens"] == "reject"

    part = mock.in_namespace("team-" + uuid.uuid4().hex[:8])
    part.assert_nothing_pushed(within=0.1)
    mock.delete_namespace(str(part._namespace))
    mock.reset()
    noted[MockOperations].assert_complete()


def test_a_push_has_the_members_of_the_document() -> None:
    schemas = Document("service", "PushService").json["components"]["schemas"]
    assert {each.name for each in fields(Push)} == set(schemas["NewNotification"]["properties"])


def test_a_member_that_a_type_lacks_fails() -> None:
    document = Document("service", "PushService")
    document.json["components"]["schemas"]["Outcome"]["properties"]["weather"] = {"type": "string"}
    with pytest.raises(AssertionError, match="Outcome lacks weather"):
        document.note(Call("GET", "/v1/results", Page[Notification]))

