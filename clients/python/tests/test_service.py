import asyncio
import json
import os
import pathlib
import re
import time
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List

import httpx
import pytest

from pushprovider import AsyncMock, AsyncPushService, Mock, Push, PushError, PushService, WebhookError, verify_webhook

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


def test_a_report_continues_behind_a_further_device() -> None:
    service, requests = answering((200, {}, {"line": 7, "after": 99}), (200, {}, {"line": 8}), (200, {}, None))
    assert [each.line for each in service.report("1")] == [7, 8]
    assert [request.url.params["after"] for request in requests] == ["0", "99", "8"]


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

        url, key = os.environ["PUSHSERVE_URL"], os.environ["PUSHSERVE_KEY"]
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
    (tmp_path / "key.txt").write_text(os.environ["PUSHSERVE_KEY"] + "\n")
    names: Dict[str, Any] = {}
    exec(blocks[0].replace("http://127.0.0.1:8080", os.environ["PUSHSERVE_URL"]), names)
    assert names["sent"].notification.outcome.kind == "accepted"


def messages() -> List[Dict[str, Any]]:
    with open(os.environ["WEBHOOK_MESSAGES"]) as lines:
        return [json.loads(line) for line in lines if line.endswith("\n")]


def test_a_message_of_the_service_is_verified(service: PushService) -> None:
    sent = service.send(hello(), wait=10)
    deadline = time.monotonic() + 10
    while not any(str(sent.id) in each["body"] for each in messages()) and time.monotonic() < deadline:
        time.sleep(0.05)
    message = next(each for each in messages() if str(sent.id) in each["body"])
    body, headers, secret = message["body"].encode(), message["headers"], os.environ["WEBHOOK_SECRET"]
    event = verify_webhook(body, headers, ["whsec_b3RoZXI=", secret])
    assert (event.type, event.data.id, event.id) == ("notification.accepted", sent.id, "msg_" + str(sent.id))
    changes: List[Callable[[], object]] = [
        lambda: verify_webhook(body + b" ", headers, secret),
        lambda: verify_webhook(body, headers, "whsec_b3RoZXI="),
        lambda: verify_webhook(body, {**headers, "webhook-id": "msg_other"}, secret),
        lambda: verify_webhook(body, headers, secret, now=time.time() + 301),
        lambda: verify_webhook(body, {}, secret),
    ]
    for change in changes:
        with pytest.raises(WebhookError) as caught:
            change()
        assert secret not in str(caught.value)
