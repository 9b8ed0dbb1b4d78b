import asyncio
import copy
import json
import os
import pathlib
import pickle
import re
import time
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Tuple

import httpx
import pytest

from pushprovider import AsyncMock, AsyncPushService, Cancelled, Mock, Push, PushError, PushService, WebhookError, verify_webhook

from .conftest import hello

LATER = {"status": 503, "code": "queue_unavailable", "detail": "The queue can't be used at the moment."}


def answering(*answers: Any, **options: Any) -> "tuple[PushService, List[httpx.Request]]":
    """A client whose server gives these answers: a status with headers, or an exception."""
    requests: List[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        given = answers[min(len(requests), len(answers)) - 1]
        if isinstance(given, Exception):
            raise given
        status, headers, body = given
        return httpx.Response(status, headers=headers, json=body)

    return PushService("http://service.example", "psk_secret", transport=httpx.MockTransport(answer), **options), requests


def test_a_retry_has_the_same_key() -> None:
    failures: List[Any] = [(503, {"retry-after": "0"}, LATER), httpx.ReadTimeout("slow"), httpx.ConnectError("refused")]
    for failure in failures:
        service, requests = answering(failure, (202, {}, {"id": "1", "result": "queued"}))
        assert service.send(hello()).id == "1"
        keys = [request.headers["idempotency-key"] for request in requests]
        assert len(keys) == 2 and len(set(keys)) == 1
    assert service.send(hello()).id and requests[-1].headers["idempotency-key"] not in keys


def test_a_push_to_a_user_has_an_answer_for_each_device() -> None:
    answer = {"items": [{"id": "1", "result": "queued"}, {"id": "2", "result": "queued"}], "devices": 2}
    service, requests = answering((202, {}, answer))
    sent = service.send_to_user(Push({"aps": {}}, user="42"))
    assert sent.devices == 2 and [each.id for each in sent.items] == ["1", "2"]
    assert json.loads(requests[0].content) == {"user": "42", "payload": {"aps": {}}}
    with pytest.raises(ValueError, match="send_to_user"):
        service.send(Push({"aps": {}}, user="42"))
    assert len(requests) == 1


def test_an_error_has_what_repeats_the_call() -> None:
    service, requests = answering(httpx.ConnectError("refused"), retries=0)
    with pytest.raises(PushError) as caught:
        service.send(hello())
    assert caught.value.idempotency_key == requests[0].headers["idempotency-key"]
    assert pickle.loads(pickle.dumps(caught.value)).__dict__ == copy.copy(caught.value).__dict__ == caught.value.__dict__


def test_a_retry_is_not_refused_for_what_the_first_request_did() -> None:
    lost, finished = httpx.ReadError("closed"), {"code": "already_finished", "outcome": "not_sent"}
    service, _ = answering(lost, (404, {}, {"code": "not_found"}))
    service.forget_gone_token("0f0f")
    service, _ = answering(lost, (409, {}, finished))
    assert service.cancel("1") == Cancelled("1", "cancelled")
    for started_at, state in (("2030-01-01T00:00:00Z", "finished"), (None, "cancelled")):
        service, _ = answering(lost, (409, {}, {"code": "campaign_state"}), (200, {}, {"state": state, "started_at": started_at}))
        if started_at:
            assert service.start_campaign("1").state == "finished"
        else:
            with pytest.raises(PushError, match="campaign_state"):
                service.start_campaign("1")
    service, _ = answering((404, {}, {"code": "not_found"}))
    with pytest.raises(PushError, match="not_found"):
        service.forget_gone_token("0f0f")


def test_an_answer_of_something_else_is_an_error() -> None:
    for content in (b"<html>", b"\xff", b'{"id": 1}'):
        requests: List[httpx.Request] = []

        def answer(request: httpx.Request, content: bytes = content) -> httpx.Response:
            requests.append(request)
            return httpx.Response(200, content=content)

        service = PushService("http://service.example", "psk", transport=httpx.MockTransport(answer))
        with pytest.raises(PushError, match="bad_answer") as caught:
            service.erase("0f0f")
        assert (caught.value.status, len(requests)) == (200, 1)


def test_a_slow_answer_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for second in (20, 40):
                monkeypatch.setattr(time, "monotonic", lambda: second)
                yield b" "
            raise AssertionError("The client reads on.")

    monkeypatch.setattr(time, "monotonic", lambda: 0)
    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=Slow()))
    service = PushService("http://service.example", "psk", retries=0, transport=transport)
    with pytest.raises(PushError, match="no_answer"):
        service.status()


def test_a_key_with_a_line_break_is_refused_and_not_shown() -> None:
    for key in ("psk_secret\nabc", "psk_secret\n", "psk_sécret"):
        with pytest.raises(ValueError, match="line break") as caught:
            PushService("http://service.example", key)
        assert key not in str(caught.value)


def test_what_may_have_happened_is_not_repeated() -> None:
    failures: List[Any] = [(503, {}, LATER), httpx.ReadError("closed")]
    for failure in failures:
        service, requests = answering(failure)
        with pytest.raises(PushError):
            service.request("POST", "/v1/something", body={})
        assert len(requests) == 1
    service, requests = answering((429, {"retry-after": "0"}, {**LATER, "status": 429}), (200, {}, {}))
    service.request("POST", "/v1/something", body={})
    assert len(requests) == 2


def test_retries_are_bounded() -> None:
    service, requests = answering((503, {"retry-after": "0"}, LATER), retries=2)
    with pytest.raises(PushError):
        service.status()
    assert len(requests) == 3
    service, requests = answering((503, {"retry-after": "3600"}, LATER))
    with pytest.raises(PushError) as caught:
        service.status()
    assert len(requests) == 1 and caught.value.retry_after == 3600


def test_retry_after_is_waited_for() -> None:
    service, _ = answering((503, {"retry-after": "1"}, LATER), (200, {}, {"version": "1"}))
    before = time.monotonic()
    assert service.status().version == "1"
    assert time.monotonic() - before >= 1


def test_a_redirect_is_not_followed() -> None:
    service, requests = answering((307, {"location": "http://elsewhere.example/"}, {}))
    with pytest.raises(PushError, match="307"):
        service.status()
    assert len(requests) == 1


def test_nothing_secret_is_shown() -> None:
    service, _ = answering(httpx.ConnectError("refused"), retries=0)
    with pytest.raises(PushError) as caught:
        service.send(hello())
    shown = repr(service) + repr(vars(service)) + repr(hello()) + repr(caught.value) + str(caught.value)
    assert "psk_secret" not in shown and "5f3ad1c0" not in shown and "Hello" not in shown


def test_an_error_has_the_problem_document(service: PushService) -> None:
    with pytest.raises(PushError) as caught:
        service.send(Push({"aps": {"badge": "3"}}, token="0f0f"))
    error = caught.value
    assert (error.status, error.code, error.field) == (422, "payload_refused", "/payload/aps/badge")
    assert error.remedy and error.remedy in str(error) and error.problem.findings[0].rule == "badge-number"


def test_an_array_names_each_invalid_push(service: PushService) -> None:
    with pytest.raises(PushError) as caught:
        service.send_all([hello(), Push({"aps": {"badge": "3"}}, token="0f0f")])
    assert caught.value.problem.problems[0].field == "/1/payload/aps/badge"


def test_a_repeated_call_sends_nothing_twice(service: PushService, apns_mock: Mock) -> None:
    ids = {service.send(hello(), idempotency_key="order-1").id for _ in range(3)}
    assert len(ids) == 1
    apns_mock.wait("body:Hello", exactly=1)


def test_a_stream_is_read_no_faster_than_it_is_stored(service: PushService) -> None:
    taken = 0

    def source() -> Iterator[Any]:
        nonlocal taken
        for number in range(25):
            taken += 1
            yield {"token": "x"} if number == 3 else hello(number)

    answers = service.send_stream(source(), batch=10)
    first = next(answers)
    assert (first.line, first.result, taken) == (1, "queued", 10)
    rest = list(answers)
    assert [each.line for each in rest] == list(range(2, 26))
    assert [each.line for each in rest if each.result == "invalid"] == [4] and rest[2].problem


def test_a_stream_of_refused_lines_answers_each(service: PushService) -> None:
    assert [each.result for each in service.send_stream([{"token": "x"}, {"token": "y"}])] == ["invalid", "invalid"]


def test_a_broken_stream_repeats_its_batch_with_the_same_dedupe_keys() -> None:
    bodies: List[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        if len(bodies) == 1:
            raise httpx.ReadError("closed")
        given = {2: [{"line": 1, "id": "1", "result": "queued"}, {"result": "stopped", "problem": LATER}]}
        lines = given.get(len(bodies), [{"line": 1, "id": "2", "result": "duplicate"}])
        content = "".join(json.dumps(each) + "\n" for each in lines)
        return httpx.Response(202, headers={"content-type": "application/x-ndjson"}, text=content)

    with PushService("http://service.example", "psk", transport=httpx.MockTransport(answer)) as service:
        answers = list(service.send_stream([hello(1), hello(2)]))
    assert [(each.line, each.id) for each in answers] == [(1, "1"), (2, "2")]
    assert bodies[0] == bodies[1] and bodies[2] == bodies[0].split(b"\n")[1] + b"\n"


def test_answers_of_a_stopped_stream_can_have_gaps() -> None:
    bodies: List[List[Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append([json.loads(line)["collapse_id"] for line in request.content.splitlines()])
        lines: List[Dict[str, Any]] = [{"line": 1, "id": "x", "result": "queued"}, {"line": 2, "id": "y", "result": "queued"}]
        if len(bodies) == 1:  # The queue of the second push's app is full.
            lines = [{"line": 1, "id": "a", "result": "queued"}, {"line": 3, "id": "c", "result": "queued"}]
            lines.append({"result": "stopped", "problem": LATER})
        content = "".join(json.dumps(each) + "\n" for each in lines[: len(bodies[-1]) + 1])
        return httpx.Response(202, headers={"content-type": "application/x-ndjson"}, text=content)

    with PushService("http://service.example", "psk", transport=httpx.MockTransport(answer)) as service:
        answers = list(service.send_stream([hello(collapse_id=name) for name in "abcd"]))
    assert bodies == [["a", "b", "c", "d"], ["b", "d"]]
    assert [(each.line, each.id) for each in answers] == [(1, "a"), (2, "x"), (3, "c"), (4, "y")]


def test_answers_that_are_known_come_before_the_error() -> None:
    bodies: List[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        if len(bodies) % 2 == 0:
            return httpx.Response(503, json=LATER)
        lines = [{"line": 2, "id": "b", "result": "queued"}, {"result": "stopped", "problem": LATER}]
        text = "\n".join(json.dumps(each) for each in lines)
        return httpx.Response(202, headers={"content-type": "application/x-ndjson"}, text=text)

    transport, found = httpx.MockTransport(answer), []
    pushes = [{"token": "0f0f", "dedupe_key": None}] * 3

    async def run() -> None:
        async with AsyncPushService("http://service.example", "psk", retries=0, transport=transport) as service:
            async for each in service.send_stream(pushes):
                found.append((each.line, each.id))

    with pytest.raises(PushError, match="queue_unavailable"):
        asyncio.run(run())
    with PushService("http://service.example", "psk", retries=0, transport=transport) as service:
        with pytest.raises(PushError, match="queue_unavailable"):
            for each in service.send_stream(pushes):
                found.append((each.line, each.id))
    assert found == [(2, "b"), (2, "b")]
    keys = [json.loads(line)["dedupe_key"] for line in bodies[0].splitlines()]
    assert all(keys) and len(set(keys)) == 3


def test_lists_continue_where_the_service_says() -> None:
    service, requests = answering((200, {}, {"line": 1, "after": 9}), (200, {}, None))
    assert [line.after for line in service.report("1")] == [9]
    assert requests[1].url.params["after"] == "9"
    pages = [{"items": [], "next": "c_1"}, {"items": [{"id": "1"}], "next": "c_2"}, {"items": [], "next": "c_2"}]
    service, requests = answering(*((200, {}, page) for page in pages))
    assert [each.id for each in service.each(service.newest_results)] == ["1"]
    assert [request.url.params.get("before") for request in requests] == [None, "c_1", "c_2"]


def test_what_is_missing_by_mistake_does_not_mean_everything() -> None:
    service, requests = answering((200, {}, {"cancelled": 1, "unknown": 0}), (200, {}, {"items": [], "next": None}))
    assert service.cancel_all(app="shop", collapse_id="order-1", token=None).cancelled == 1
    assert json.loads(requests[0].content) == {"collapse_id": "order-1", "token": None}
    service.notifications(ids=[])
    assert requests[1].url.params["ids"] == ""


def test_an_upload_has_what_no_batch_has_a_value_for() -> None:
    batches = [{"upload": {"accepted": 1, "unfilled": unfilled}} for unfilled in (["a", "b"], ["b", "c"])]
    service, _ = answering(*((200, {}, batch) for batch in batches))
    total = service.upload("1", [{"token": "0f0f"}] * 2, batch=1)
    assert (total.accepted, total.unfilled) == (2, ("b",))


def test_results_continue_after_a_cursor(service: PushService) -> None:
    ids = [str(service.send(hello(number), wait=10).id) for number in range(3)]
    results = service.results()
    seen = [result.id for result in results]
    assert set(ids) <= set(seen) and not results.gap
    last = service.send(hello(), wait=10)
    after = [result.id for result in service.results(results.cursor)]
    assert last.id in after and not set(after) & set(seen)


def test_an_upload_continues_where_it_was_interrupted(service: PushService) -> None:
    draft = service.make_campaign("Many")
    lines = [{"token": f"5f3ad1c07b9e42{number:02x}", "payload": {"aps": {"alert": "x"}}} for number in range(30)]
    assert service.upload(draft.id, lines[:12], batch=5).accepted == 12
    total = service.upload(draft.id, lines, batch=10)
    assert (total.repeated, total.accepted, total.next_line) == (12, 18, 31)


def test_asyncio(service: PushService, apns_mock: Mock) -> None:
    async def run() -> None:
        async def source() -> AsyncIterator[Push]:
            for number in range(3):
                yield hello(number, text="async")

        url, key = os.environ["PUSHSERVE_URL"], os.environ["PUSHSERVE_API_KEY"]
        async with AsyncPushService(url, key) as service, AsyncMock(apns_mock.url) as mock:
            arrived = asyncio.ensure_future(mock.wait("body:async", exactly=4, within=10))
            assert (await service.send(hello(text="async"), wait=10)).notification
            assert [each.result async for each in service.send_stream(source(), batch=2)] == ["queued"] * 3
            assert len(await arrived) == 4
            results = service.results()
            seen = [each async for each in results]
            assert seen and results.cursor and not results.gap
            draft = await service.make_campaign("Async", payload={"aps": {"alert": "{{name}}"}})
            assert (await service.upload(draft.id, [{"token": "0f0f", "name": "Ann"}] * 3, batch=2)).accepted == 3
            await service.start_campaign(draft.id)
            assert [each async for each in service.watch(draft.id, every=0.1)][-1].has_ended
            assert len([each async for each in service.report(draft.id)]) == 3
            assert draft.id in [each.id async for each in service.each(service.campaigns, limit=1)]
            with pytest.raises(PushError, match="not_found"):
                await service.request("GET", "/v1/nothing")
            with pytest.raises(AssertionError):
                await mock.assert_pushed("body:none")

    asyncio.run(run())


def test_the_lines_to_paste_run(service: PushService, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    for block in blocks:
        compile(block, "README.md", "exec")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key.txt").write_text(os.environ["PUSHSERVE_API_KEY"] + "\n")
    names: Dict[str, Any] = {}
    exec(blocks[0].replace("http://127.0.0.1:8080", os.environ["PUSHSERVE_URL"]), names)
    assert names["sent"].notification.outcome.kind == "accepted"


def messages() -> List[Dict[str, Any]]:
    with open(os.environ["WEBHOOK_MESSAGES"]) as lines:
        return [json.loads(line) for line in lines if line.endswith("\n")]


OTHER = "whsec_" + "b3Ro" * 8


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_b3RoZXI=", OTHER + "!", OTHER + "b"])
def test_a_secret_that_cannot_be_used_says_nothing_about_the_message(secret: str) -> None:
    for secrets in ([OTHER, secret], []):
        with pytest.raises(ValueError, match="whsec_"):
            verify_webhook(b"{}", {}, secrets)


def test_a_message_of_the_service_is_verified(service: PushService) -> None:
    sent = service.send(hello(), wait=10)
    deadline = time.monotonic() + 10
    while not any(str(sent.id) in each["body"] for each in messages()) and time.monotonic() < deadline:
        time.sleep(0.05)
    message = next(each for each in messages() if str(sent.id) in each["body"])
    body, headers, secret = message["body"].encode(), message["headers"], os.environ["WEBHOOK_SECRET"]
    event = verify_webhook(body, headers, [OTHER, secret])
    assert (event.type, event.data.id, event.id) == ("notification.accepted", sent.id, "msg_" + str(sent.id))
    changes: List[Tuple[int, Callable[[], object]]] = [
        (400, lambda: verify_webhook(body + b" ", headers, secret)),
        (400, lambda: verify_webhook(body, headers, OTHER)),
        (400, lambda: verify_webhook(body, {**headers, "webhook-id": "msg_other"}, secret)),
        (425, lambda: verify_webhook(body, headers, secret, now=time.time() + 301)),
        (400, lambda: verify_webhook(body, {}, secret)),
    ]
    for status, change in changes:
        with pytest.raises(WebhookError) as caught:
            change()
        assert caught.value.status == status and secret not in str(caught.value)
