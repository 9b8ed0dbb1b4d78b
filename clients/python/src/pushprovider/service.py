"""The client of the service, `pushserve`."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from dataclasses import replace
from itertools import islice
from typing import (
    Any, AsyncIterable, AsyncIterator, Callable, Dict, Generator, Iterable, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union,
)

import httpx

from .core import AsyncClient, BaseClient, Call, PushError, SyncClient, duration, operation, path
from .types import (
    Accepted, Campaign, Cancelled, CancelledAll, GoneToken, Notification, Page, Problem, Push, Redriven, ReportLine, Statistics, Status, TestedWebhook,
    Upload, Webhook, members, read,
)

T = TypeVar("T")
#: A `Push`, or a mapping with the same members.
AnyPush = Union[Push, Mapping[str, Any]]

#: How many pushes or lines one request of a stream has, and how many refusals `upload` keeps.
BATCH, KEPT_REFUSALS = 500, 1000


def _new_key() -> str:
    return str(uuid.uuid4())


def _lines(values: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in values)


def _answers(response: httpx.Response) -> List[Any]:
    return [json.loads(line) for line in response.content.split(b"\n") if line.strip()]


def _is_refused_stream(response: httpx.Response) -> bool:
    """Each line of a stream was refused, and the answers say why."""
    return response.status_code == 422 and "ndjson" in response.headers.get("content-type", "")


class Operations(BaseClient):
    """What the service can do, the same for `PushService` and `AsyncPushService`."""

    # --- Pushes

    @operation
    def send(
        self, push: AnyPush, *, wait: Optional[float] = None, idempotency_key: Optional[str] = None, validate_only: bool = False
    ) -> Call[Accepted]:
        """Sends a push. When this returns, the push is on the disk of the service.

        With `wait`, the service waits for the outcome for so many seconds, at most 60. If it comes in time, the answer has it in
        `notification`. Each call has an idempotency key of its own, so a retry sends nothing twice; give one to repeat a call.
        """
        body = members(push)
        if "user" in body:
            raise ValueError("A user can have several devices: use send_to_user, whose answer has an item for each.")
        return self._send(body, Accepted, wait, idempotency_key, validate_only)

    @operation
    def send_to_user(
        self, push: AnyPush, *, idempotency_key: Optional[str] = None, validate_only: bool = False
    ) -> Call[Page[Accepted]]:
        """Sends a push to all devices of its `user`: `devices` is their number, and `items` has an answer for each."""
        return self._send(members(push), Page[Accepted], None, idempotency_key, validate_only)

    @operation
    def send_all(
        self, pushes: Sequence[AnyPush], *, idempotency_key: Optional[str] = None, validate_only: bool = False
    ) -> Call[Page[Accepted]]:
        """Sends up to 1000 pushes, all or none of them: if one is invalid, `PushError.problem.problems` names each invalid one."""
        return self._send([members(push) for push in pushes], Page[Accepted], None, idempotency_key, validate_only)

    def _send(self, body: Any, answer: Any, wait: Optional[float], key: Optional[str], only: bool) -> Call[Any]:
        query = {"wait": duration(wait) if wait else None, "validate_only": only or None}
        return Call("POST", "/v1/notifications", answer, query, body, {"idempotency-key": key or _new_key()}, longer=wait or 0)

    def _send_lines(self, pushes: Sequence[Mapping[str, Any]]) -> Call[List[Any]]:
        headers = {"content-type": "application/x-ndjson"}
        return Call("POST", "/v1/notifications", None, {}, _lines(pushes), headers, True, 60, _is_refused_stream, _answers)

    @operation
    def notification(self, id: str, *, app: Optional[str] = None, history: bool = False) -> Call[Notification]:
        return Call("GET", "/v1/notifications" + path(id), Notification, {"app": app, "history": history or None})

    @operation
    def notifications(
        self, *, ids: Optional[Iterable[str]] = None, outcome: Optional[str] = None, state: Optional[str] = None,
        token: Optional[str] = None, collapse_id: Optional[str] = None, dedupe_key: Optional[str] = None,
        due_before: Optional[str] = None, app: Optional[str] = None, limit: Optional[int] = None, after: Optional[str] = None,
        alerts: Optional[bool] = None,
    ) -> Call[Page[Notification]]:
        """Lists notifications by one of ids, outcome and state, or finds those with a token, a collapse id or a dedupe key."""
        query = {
            "ids": ",".join(ids) if ids is not None else None, "outcome": outcome, "state": state, "token": token, "collapse_id": collapse_id,
            "dedupe_key": dedupe_key, "due_before": due_before, "app": app, "limit": limit, "after": after, "alerts": alerts}
        return Call("GET", "/v1/notifications", Page[Notification], query)

    @operation
    def cancel(self, id: str, *, app: Optional[str] = None) -> Call[Cancelled]:
        def done(error: PushError) -> Optional[Cancelled]:
            return Cancelled(id, "cancelled") if (error.code, error.problem.outcome) == ("already_finished", "not_sent") else None

        return Call("DELETE", "/v1/notifications" + path(id), Cancelled, {"app": app}, done=done)

    @operation
    def cancel_all(self, /, *, app: Optional[str] = None, suspected: bool = False, **matching: Any) -> Call[CancelledAll]:
        """Cancels all waiting pushes of an app, or those that match `token`, `collapse_id` and `due_before`, and returns how many.

        With `dry_run=True`, it only counts them. The service refuses `None`: a value that is missing by mistake must not mean everything.
        """
        body = {"suspected": True, **matching} if suspected else matching
        return Call("POST", "/v1/notifications/cancel", CancelledAll, {"app": app}, body)

    # --- Results

    @operation
    def results_page(
        self, *, after: Optional[str] = None, app: Optional[str] = None, limit: Optional[int] = None
    ) -> Call[Page[Notification]]:
        """Outcomes after a cursor, in the order in which they were stored. Iterate over `results` instead."""
        return Call("GET", "/v1/results", Page[Notification], {"after": after, "app": app, "limit": limit})

    @operation
    def newest_results(
        self, *, outcome: Optional[str] = None, reason: Optional[str] = None, campaign: Optional[str] = None,
        since: Optional[str] = None, before: Optional[str] = None, app: Optional[str] = None, limit: Optional[int] = None,
        after: Optional[str] = None, alerts: Optional[bool] = None,
    ) -> Call[Page[Notification]]:
        """The newest outcomes first. `after` is the `next` of the previous page, so `each` reads them all."""
        filters = {"outcome": outcome, "reason": reason, "campaign": campaign}
        query = {**filters, "since": since, "before": after or before, "app": app, "limit": limit, "alerts": alerts}
        return Call("GET", "/v1/results", Page[Notification], {"order": "newest", **query})

    @operation
    def statistics(self, *, since: Optional[str] = None, by: Optional[str] = None, app: Optional[str] = None) -> Call[Statistics]:
        """Outcomes counted by "reason", "app" or "minute", of the last hour or since a time."""
        return Call("GET", "/v1/statistics", Statistics, {"since": since, "by": by, "app": app})

    @operation
    def dead_letters(
        self, *, app: Optional[str] = None, limit: Optional[int] = None, after: Optional[str] = None, alerts: Optional[bool] = None
    ) -> Call[Page[Notification]]:
        return Call("GET", "/v1/dead-letters", Page[Notification], {"app": app, "limit": limit, "after": after, "alerts": alerts})

    @operation
    def redrive(self, ids: Sequence[str], *, app: Optional[str] = None, ttl: Optional[str] = None) -> Call[Page[Redriven]]:
        body = {"ids": list(ids), **({"ttl": ttl} if ttl else {})}
        return Call("POST", "/v1/dead-letters/redrive", Page[Redriven], {"app": app}, body, repeatable=True)

    @operation
    def gone_tokens(
        self, *, app: Optional[str] = None, limit: Optional[int] = None, after: Optional[str] = None
    ) -> Call[Page[GoneToken]]:
        return Call("GET", "/v1/gone-tokens", Page[GoneToken], {"app": app, "limit": limit, "after": after})

    @operation
    def forget_gone_token(self, token: str, *, app: Optional[str] = None) -> Call[None]:
        return Call("DELETE", "/v1/gone-tokens" + path(token), None, {"app": app})

    # --- What is kept of a device token

    @operation
    def export(self, token: str, *, app: Optional[str] = None) -> Call[List[Dict[str, Any]]]:
        """Everything that is kept of a device token: a JSON object for each notification, and for each app that has it as gone."""
        return Call("GET", "/v1/export", None, {"token": token, "app": app}, longer=60, reader=_answers)

    @operation
    def erase(self, token: str, *, app: Optional[str] = None) -> Call[int]:
        """Erases everything that concerns a device token, and returns how many notifications that were."""
        query = {"token": token, "app": app}
        return Call("DELETE", "/v1/notifications", None, query, longer=60, reader=lambda answer: int(answer.json()["erased"]))

    # --- Campaigns

    @operation
    def make_campaign(
        self, name: str, /, *, payload: Optional[Mapping[str, Any]] = None, rate: Optional[float] = None, app: Optional[str] = None,
        idempotency_key: Optional[str] = None, **settings: Any,
    ) -> Call[Campaign]:
        """Makes a draft. `settings` are the other members of NewCampaign: audience, topic, push_type, starts_at, ..."""
        body = {"name": name, "payload": payload, "rate": rate, "app": app, **settings}
        body = {member: value for member, value in body.items() if value is not None}
        return Call("POST", "/v1/campaigns", Campaign, {}, body, {"idempotency-key": idempotency_key or _new_key()})

    def _add_lines(self, id: str, lines: Sequence[Mapping[str, Any]], first: int, app: Optional[str]) -> Call[Campaign]:
        """With the number of its first line, the request can be repeated: the service ignores lines that it has."""
        headers, query = {"content-type": "application/x-ndjson"}, {"from": first, "app": app}
        return Call("POST", f"/v1/campaigns{path(id)}/lines", Campaign, query, _lines(lines), headers, repeatable=True, longer=60)

    @operation
    def campaign(self, id: str, *, app: Optional[str] = None) -> Call[Campaign]:
        return Call("GET", "/v1/campaigns" + path(id), Campaign, {"app": app})

    @operation
    def campaigns(
        self, *, app: Optional[str] = None, limit: Optional[int] = None, after: Optional[str] = None
    ) -> Call[Page[Campaign]]:
        return Call("GET", "/v1/campaigns", Page[Campaign], {"app": app, "limit": limit, "after": after})

    @operation
    def change_rate(self, id: str, rate: Optional[float], *, app: Optional[str] = None) -> Call[Campaign]:
        return Call("PATCH", "/v1/campaigns" + path(id), Campaign, {"app": app}, {"rate": rate})

    @operation
    def start_campaign(
        self, id: str, *, app: Optional[str] = None, open: bool = False, unfilled: bool = False
    ) -> Call[Campaign]:
        def done(error: PushError) -> Optional[Call[Campaign]]:
            def started(answer: httpx.Response) -> Campaign:
                campaign: Campaign = read(Campaign, answer.json())
                if not campaign.started_at:
                    raise error
                return campaign

            again = Call("GET", "/v1/campaigns" + path(id), None, {"app": app}, reader=started)
            return again if error.code == "campaign_state" else None

        return replace(self._step(id, "start", app, open=open or None, unfilled=unfilled or None), done=done)

    @operation
    def close_campaign(self, id: str, *, app: Optional[str] = None) -> Call[Campaign]:
        return self._step(id, "close", app)

    @operation
    def pause_campaign(self, id: str, *, app: Optional[str] = None) -> Call[Campaign]:
        return self._step(id, "pause", app)

    @operation
    def resume_campaign(self, id: str, *, app: Optional[str] = None) -> Call[Campaign]:
        return self._step(id, "resume", app)

    @operation
    def cancel_campaign(self, id: str, *, app: Optional[str] = None) -> Call[Campaign]:
        return self._step(id, "cancel", app)

    def _step(self, id: str, step: str, app: Optional[str], **query: Any) -> Call[Campaign]:
        return Call("POST", f"/v1/campaigns{path(id)}/{step}", Campaign, {"app": app, **query}, repeatable=True)

    @operation
    def report_page(
        self, id: str, *, after: int = 0, limit: int = 1000, only_failures: bool = False, app: Optional[str] = None
    ) -> Call[List[ReportLine]]:
        """Lines after another one: pass its `after` if it has one, otherwise its `line`. Iterate over `report` instead."""
        query = {"after": after, "limit": limit, "only": "failures" if only_failures else None, "app": app}
        return Call(
            "GET", f"/v1/campaigns{path(id)}/report", None, query, longer=60,
            reader=lambda answer: [read(ReportLine, line) for line in _answers(answer)])

    # --- Apps

    @operation
    def pause_app(self, name: str, *, reason: Optional[str] = None) -> Call[None]:
        """The status and the audit show the reason to other people."""
        return Call("POST", f"/v1/apps{path(name)}/pause", None, {}, {"reason": reason} if reason else None, repeatable=True)

    @operation
    def resume_app(self, name: str) -> Call[None]:
        return Call("POST", f"/v1/apps{path(name)}/resume", repeatable=True)

    @operation
    def status(self, *, app: Optional[str] = None) -> Call[Status]:
        return Call("GET", "/v1/status", Status, {"app": app})

    @operation
    def webhooks(self, *, app: Optional[str] = None) -> Call[Page[Webhook]]:
        return Call("GET", "/v1/webhooks", Page[Webhook], {"app": app})

    @operation
    def test_webhook(self, app: str) -> Call[TestedWebhook]:
        """Posts a test event, and waits for the answer."""
        return Call("POST", f"/v1/webhooks{path(app)}/test", TestedWebhook, repeatable=True, longer=60)

    @operation
    def retry_webhook(self, app: str) -> Call[None]:
        """Posts the events that wait after a failure now."""
        return Call("POST", f"/v1/webhooks{path(app)}/retry", repeatable=True)

    @operation
    def ready(self) -> Call[bool]:
        """Whether the service can store a push. Raises `PushError` if it can't."""
        return Call("GET", "/readyz", reader=lambda answer: True)

    @operation
    def request(self, method: str, path: str, /, *, body: Any = None, **query: Any) -> Call[Any]:
        """Any other request of the API. Returns decoded JSON, otherwise text or bytes. A POST isn't repeated unless it got 429."""
        return Call(method, path, Any, query, body)

    # --- Streams, in steps: each yields calls, and gets their answers

    def _stream(self, pushes: Sequence[AnyPush], first: int, made: Dict[int, Accepted]) -> Generator[Call[List[Any]], List[Any], None]:
        """A batch of a stream, which puts the answers into `made`. Each push has a dedupe key, so that a batch can be repeated when its
        answers were lost."""
        lines = [{**push, "dedupe_key": push.get("dedupe_key") or _new_key()} for push in map(members, pushes)]
        waiting = list(range(len(lines)))
        while waiting:
            answers = yield self._send_lines([lines[index] for index in waiting])
            stopped: Dict[str, Any] = {"code": "stream_stopped", "detail": "The service ended the stream."}
            for answer in answers:
                if 0 < answer.get("line", 0) <= len(waiting):
                    index = waiting[answer["line"] - 1]
                    made[index] = replace(read(Accepted, answer), line=first + index)
                elif answer.get("result") == "stopped":
                    stopped = answer["problem"]
            left = [index for index in waiting if index not in made]
            if len(left) == len(waiting):
                raise PushError(read(Problem, stopped))
            waiting = left

    def _uploaded(self, before: Optional[Upload], now: Optional[Upload]) -> Upload:
        now = now or Upload()
        if before is None:
            return now
        unfilled = tuple(each for each in before.unfilled if each in now.unfilled)
        kept = (before.refusals + now.refusals)[:KEPT_REFUSALS]
        counts = {name: getattr(before, name) + getattr(now, name) for name in ("accepted", "repeated", "refused", "doubled")}
        doubled = (before.doubled_lines + now.doubled_lines)[:100]
        return replace(now, refusals=kept, doubled_lines=doubled, unfilled=unfilled, **counts)


class PushService(Operations, SyncClient):
    """A client of the service at `url`, with an API key. It can be shared between threads."""

    def __init__(
        self, url: str, key: str, *, timeout: float = 30, retries: int = 3, longest_pause: float = 60,
        transport: Optional[httpx.BaseTransport] = None,
    ) -> None:
        super().__init__(url, key, timeout, retries, longest_pause, transport=transport)

    def send_stream(self, pushes: Iterable[AnyPush], *, batch: int = BATCH) -> Iterator[Accepted]:
        """Sends any number of pushes, and yields an answer for each, in their order. An invalid one does not stop the others.

        The iterable is read no faster than the service stores: the next `batch` of pushes only when the last one is answered. An error comes
        after the answers that are known; the `line` of each tells which push it is for.
        """
        first, source = 1, iter(pushes)
        while chosen := list(islice(source, batch)):
            made: Dict[int, Accepted] = {}
            error = self._drive(self._stream(chosen, first, made))
            yield from (made[index] for index in sorted(made))
            if error:
                raise error
            first += len(chosen)

    def _drive(self, steps: Generator[Call[Any], Any, None]) -> Optional[PushError]:
        try:
            call = next(steps)
            while True:
                call = steps.send(self._run(call))
        except StopIteration:
            return None
        except PushError as error:
            return error

    def results(self, after: Optional[str] = None, *, app: Optional[str] = None, follow: bool = False) -> Results:
        return Results(self, after, app, follow)

    def each(self, operation: Callable[..., Page[T]], **query: Any) -> Iterator[T]:
        """Each entry of all pages: `service.each(service.gone_tokens)`."""
        while True:
            page = operation(**query)
            yield from page.items
            if page.next is None or (not page.items and page.next == query.get("after")):
                return
            query["after"] = page.next

    def upload(
        self, id: str, lines: Iterable[Mapping[str, Any]], *, first: int = 1, batch: int = BATCH, app: Optional[str] = None
    ) -> Upload:
        """Adds lines to a campaign. To continue after an interruption, call it again with the same lines."""
        total: Optional[Upload] = None
        source = iter(lines)
        while chosen := list(islice(source, batch)):
            answer: Campaign = self._run(self._add_lines(id, chosen, first, app))
            total = self._uploaded(total, answer.upload)
            first += len(chosen)
        return total or Upload(next_line=first)

    def watch(self, id: str, *, every: float = 1, app: Optional[str] = None) -> Iterator[Campaign]:
        """The campaign now and each time that `every` seconds have passed, until it has ended."""
        while True:
            campaign = self.campaign(id, app=app)
            yield campaign
            if campaign.has_ended:
                return
            time.sleep(every)

    def report(self, id: str, *, only_failures: bool = False, after: int = 0, app: Optional[str] = None) -> Iterator[ReportLine]:
        while page := self.report_page(id, after=after, only_failures=only_failures, app=app):
            yield from page
            after = page[-1].after or page[-1].line


class _Results:
    def __init__(self, service: Any, after: Optional[str], app: Optional[str], follow: bool) -> None:
        self.cursor, self.gap = after, False
        self._service, self._app, self._follow = service, app, follow

    def _note(self, page: Page[Notification]) -> bool:
        """Notes a page. Returns whether it is the last one."""
        self.gap = self.gap or page.gap
        if not page.items:
            self.cursor = str(page.next)
        return not page.items and not self._follow


class Results(_Results):
    """Iterates over outcomes. Store `cursor` after each one, and begin with it the next time.

    It ends after the last outcome there is; with `follow`, it waits for more. `gap` becomes true if outcomes were deleted before you
    read them.
    """

    def __iter__(self) -> Iterator[Notification]:
        while True:
            page: Page[Notification] = self._service.results_page(after=self.cursor, app=self._app)
            if self._note(page):
                return
            for item in page.items:
                self.cursor = item.cursor
                yield item
            if not page.items:
                time.sleep(1)


class AsyncResults(_Results):
    """The same for `async for`."""

    async def __aiter__(self) -> AsyncIterator[Notification]:
        while True:
            page: Page[Notification] = await self._service.results_page(after=self.cursor, app=self._app)
            if self._note(page):
                return
            for item in page.items:
                self.cursor = item.cursor
                yield item
            if not page.items:
                await asyncio.sleep(1)


class AsyncPushService(Operations, AsyncClient):
    """The same as `PushService` for asyncio."""

    def __init__(
        self, url: str, key: str, *, timeout: float = 30, retries: int = 3, longest_pause: float = 60,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        super().__init__(url, key, timeout, retries, longest_pause, transport=transport)

    async def send_stream(
        self, pushes: Union[Iterable[AnyPush], AsyncIterable[AnyPush]], *, batch: int = BATCH
    ) -> AsyncIterator[Accepted]:
        first = 1
        async for chosen in _batches(pushes, batch):
            made: Dict[int, Accepted] = {}
            error = await self._drive(self._stream(chosen, first, made))
            for index in sorted(made):
                yield made[index]
            if error:
                raise error
            first += len(chosen)

    async def _drive(self, steps: Generator[Call[Any], Any, None]) -> Optional[PushError]:
        try:
            call = next(steps)
            while True:
                call = steps.send(await self._run(call))
        except StopIteration:
            return None
        except PushError as error:
            return error

    def results(self, after: Optional[str] = None, *, app: Optional[str] = None, follow: bool = False) -> AsyncResults:
        return AsyncResults(self, after, app, follow)

    async def each(self, operation: Callable[..., Any], **query: Any) -> AsyncIterator[Any]:
        while True:
            page = await operation(**query)
            for item in page.items:
                yield item
            if page.next is None or (not page.items and page.next == query.get("after")):
                return
            query["after"] = page.next

    async def upload(
        self, id: str, lines: Union[Iterable[Mapping[str, Any]], AsyncIterable[Mapping[str, Any]]], *, first: int = 1,
        batch: int = BATCH, app: Optional[str] = None,
    ) -> Upload:
        total: Optional[Upload] = None
        async for chosen in _batches(lines, batch):
            answer = await self._run(self._add_lines(id, chosen, first, app))
            total = self._uploaded(total, answer.upload)
            first += len(chosen)
        return total or Upload(next_line=first)

    async def watch(self, id: str, *, every: float = 1, app: Optional[str] = None) -> AsyncIterator[Campaign]:
        while True:
            campaign = await self.campaign(id, app=app)
            yield campaign
            if campaign.has_ended:
                return
            await asyncio.sleep(every)

    async def report(
        self, id: str, *, only_failures: bool = False, after: int = 0, app: Optional[str] = None
    ) -> AsyncIterator[ReportLine]:
        while page := await self.report_page(id, after=after, only_failures=only_failures, app=app):
            for line in page:
                yield line
            after = page[-1].after or page[-1].line


async def _batches(source: Union[Iterable[T], AsyncIterable[T]], size: int) -> AsyncIterator[List[T]]:
    chosen: List[T] = []
    if isinstance(source, AsyncIterable):
        async for each in source:
            chosen.append(each)
            if len(chosen) == size:
                yield chosen
                chosen = []
    else:
        iterator = iter(source)
        while whole := list(islice(iterator, size)):
            yield whole
    if chosen:
        yield chosen
