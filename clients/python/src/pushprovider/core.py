"""Requests, retries and errors, which the clients of the service and of the mock share.

An operation is written once. It returns a `Call`, and the client runs it: `PushService` at once, `AsyncPushService` with `await`.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass, field, replace
from typing import (
    TYPE_CHECKING, Any, Awaitable, Callable, Dict, Generator, Generic, Mapping, Optional, TypeVar, Union, overload,
)
from urllib.parse import quote, urlsplit

import httpx

from .types import Problem, read

CHECK = "Check the address, and whether the server runs."

T = TypeVar("T")
Client = TypeVar("Client", bound="BaseClient")
if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")


class PushError(Exception):
    """A request that failed. The problem document says why: `code` is for programs, `detail` and `remedy` are for people.

    Without an answer, `status` is 0 and `code` is "no_answer". With `idempotency_key`, if there is one, you can repeat the call.
    """

    idempotency_key: Optional[str] = None

    def __init__(self, problem: Problem, retry_after: Optional[float] = None) -> None:
        self.problem, self.retry_after = problem, retry_after
        self.status, self.code, self.detail = problem.status, problem.code, problem.detail
        self.field, self.remedy = problem.field, problem.remedy
        words = [f"{problem.status or ''} {problem.code}:".strip(), problem.detail]
        words += [f"({problem.field})"] if problem.field else []
        super().__init__(" ".join(words + ([problem.remedy] if problem.remedy else [])))

    def __reduce__(self) -> Any:
        return type(self), (self.problem,), self.__dict__


@dataclass
class Call(Generic[T]):
    """A request, and what reads its answer."""

    method: str
    path: str
    answer: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Dict[str, str] = field(default_factory=dict)
    #: Whether the request can be sent again if it may have been carried out already.
    repeatable: Optional[bool] = None
    #: How much longer than usual the answer may take, in seconds.
    longer: float = 0
    #: Which answers that are no success are read nevertheless.
    accepts: Callable[[httpx.Response], bool] = lambda response: False
    #: Reads the answer instead of `answer`.
    reader: Optional[Callable[[httpx.Response], T]] = None
    #: What the call returns, or another call that tells, if a retry is refused because an earlier request was carried out.
    done: Callable[[PushError], Any] = lambda error: None

    def request(self) -> Dict[str, Any]:
        headers, content = dict(self.headers), None
        if isinstance(self.body, bytes):
            content = self.body
        elif self.method not in ("GET", "DELETE"):
            content = json.dumps({} if self.body is None else self.body, ensure_ascii=False).encode()
            headers["content-type"] = "application/json"
        return {"headers": headers, "content": content, "params": {k: _text(v) for k, v in self.query.items() if v is not None}}

    def read(self, response: httpx.Response) -> T:
        if self.reader:
            return self.reader(response)
        if self.answer is Any:
            return _decoded(response)  # type: ignore[no-any-return]
        return read(self.answer, response.json()) if self.answer and response.content else None  # type: ignore[return-value]

    def may_repeat(self, error: PushError, was_sent: bool) -> bool:
        safe = self.repeatable
        if safe is None:
            safe = self.method != "POST" or "idempotency-key" in self.headers
        if error.status == 0:
            return safe or not was_sent
        if error.status == 409:
            return error.code == "idempotency_in_progress"
        return error.status == 429 or (safe and error.status in (502, 503, 504))


def _decoded(response: httpx.Response) -> Any:
    kind = response.headers.get("content-type", "").split(";")[0]
    if kind.startswith("text/") or kind in ("application/x-pem-file", "application/x-ndjson"):
        return response.text
    return response.json() if response.content and kind.endswith("json") else response.content or None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def duration(seconds: float) -> str:
    return f"{int(seconds)}s" if seconds == int(seconds) else f"{round(seconds * 1000)}ms"


def path(*parts: Any) -> str:
    return "".join("/" + quote(str(part), safe="") for part in parts)


if TYPE_CHECKING:

    class _Method(Generic[P, T]):
        @overload
        def __get__(self, client: SyncClient, owner: Any = None) -> Callable[P, T]: ...
        @overload
        def __get__(self, client: AsyncClient, owner: Any = None) -> Callable[P, Awaitable[T]]: ...
        @overload
        def __get__(self, client: BaseClient, owner: Any = None) -> Callable[P, Any]: ...
        def __get__(self, client: Any, owner: Any = None) -> Any: ...

    def operation(build: Callable[Concatenate[Any, P], Call[T]]) -> _Method[P, T]:
        """A method that builds a call: it returns the answer in a `SyncClient`, and an awaitable in an `AsyncClient`."""
        ...

else:
    from functools import wraps

    def operation(build):
        @wraps(build)
        def method(self, *arguments, **named):
            return self._run(build(self, *arguments, **named))

        return method


class BaseClient:
    def __init__(
        self, url: str, key: Optional[str], timeout: float, retries: int, longest_pause: float, trust_env: bool = True
    ) -> None:
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise ValueError("The key contains a character that no key has, such as a line break. Strip what you read from a file.")
        self._url = url.rstrip("/")
        self._timeout, self._retries, self._longest_pause = timeout, retries, longest_pause
        self._options: Dict[str, Any] = {"follow_redirects": False, "trust_env": trust_env, "auth": _bearer(key) if key else None}

    @property
    def url(self) -> str:
        return self._url

    def __repr__(self) -> str:
        parts = urlsplit(self._url)
        return f"<{type(self).__name__} {parts.scheme}://{parts.hostname}:{parts.port}>"

    def _run(self, call: Call[T]) -> Any:
        raise NotImplementedError

    def _attempts(self, call: Call[Any]) -> Generator[Union[float, Call[Any]], Any, Any]:
        """Yields a call to send, and gets the answer or an error; or yields a pause in seconds."""
        for attempt in range(self._retries + 1):
            got: Union[httpx.Response, Exception] = yield call
            error, cause = _error(got, call), got if isinstance(got, Exception) else None
            if error is None and isinstance(got, httpx.Response):
                try:
                    return call.read(got)
                except (ValueError, TypeError, LookupError) as wrong:
                    problem = Problem(status=got.status_code, code="bad_answer", detail="The answer isn't one of this API.", remedy=CHECK)
                    error, cause = PushError(problem), wrong
            assert error
            error.idempotency_key = call.headers.get("idempotency-key")
            done = call.done(error) if attempt else None
            if isinstance(done, Call):
                return (yield from self._attempts(done))
            if done or (attempt and error.status == 404 and call.method == "DELETE" and not call.answer):
                return done
            was_sent = not isinstance(got, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
            pause = error.retry_after
            if pause is None:
                pause = min(0.2 * 2**attempt, self._longest_pause) * random.uniform(0.5, 1)
            if attempt == self._retries or not call.may_repeat(error, was_sent) or pause > self._longest_pause:
                raise error from cause
            yield pause
        raise AssertionError

    def _arguments(self, call: Call[T]) -> Dict[str, Any]:
        timeout = httpx.Timeout(self._timeout, connect=min(5.0, self._timeout), read=self._timeout + call.longer)
        return {"method": call.method, "url": self._url + call.path, "timeout": timeout, **call.request()}


class SyncClient(BaseClient):
    def __init__(self, *arguments: Any, transport: Optional[httpx.BaseTransport] = None, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._http = httpx.Client(transport=transport, **self._options)

    def _run(self, call: Call[T]) -> T:
        attempts = self._attempts(call)
        got: Union[httpx.Response, Exception, None] = None
        try:
            while True:
                step = attempts.send(got)
                if isinstance(step, Call):
                    try:
                        got = self._request(step)
                    except httpx.TransportError as error:
                        got = error
                else:
                    time.sleep(step)
                    got = None
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _request(self, call: Call[Any]) -> httpx.Response:
        # The time limit of httpx is one for each read.
        end, content = time.monotonic() + self._timeout + call.longer, bytearray()
        with self._http.stream(**self._arguments(call)) as response:
            for part in response.iter_bytes():
                content += part
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("it took too long")
        headers = [pair for pair in response.headers.multi_items() if pair[0] != "content-encoding"]
        return httpx.Response(response.status_code, headers=headers, content=bytes(content))

    def close(self) -> None:
        self._http.close()

    def __enter__(self: Client) -> Client:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


class AsyncClient(BaseClient):
    def __init__(self, *arguments: Any, transport: Optional[httpx.AsyncBaseTransport] = None, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._http = httpx.AsyncClient(transport=transport, **self._options)

    async def _run(self, call: Call[T]) -> T:
        attempts = self._attempts(call)
        got: Union[httpx.Response, Exception, None] = None
        try:
            while True:
                step = attempts.send(got)
                if isinstance(step, Call):
                    try:
                        got = await asyncio.wait_for(self._http.request(**self._arguments(step)), self._timeout + step.longer)
                    except httpx.TransportError as error:
                        got = error
                    except asyncio.TimeoutError:
                        got = httpx.ReadTimeout("it took too long")
                else:
                    await asyncio.sleep(step)
                    got = None
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self: Client) -> Client:
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.aclose()


def _bearer(key: str) -> Callable[[httpx.Request], httpx.Request]:
    """The key is in no attribute, so that no `repr` and no debugger's list of attributes shows it."""

    def add(request: httpx.Request) -> httpx.Request:
        request.headers["authorization"] = "Bearer " + key
        return request

    return add


def _error(got: Union[httpx.Response, Exception], call: Call[Any]) -> Optional[PushError]:
    if not isinstance(got, httpx.Response):
        detail = f"The server didn't answer: {got or type(got).__name__}."
        return PushError(Problem(code="no_answer", detail=detail, remedy=CHECK))
    if got.is_success or call.accepts(got):
        return None
    try:
        # The last line of a stream says why it was stopped.
        problem = json.loads(got.content.strip().split(b"\n")[-1])
        problem = replace(read(Problem, problem.get("problem", problem)), status=got.status_code)
    except (ValueError, AttributeError, TypeError):
        problem = Problem(status=got.status_code, code="http_status", detail="The answer has no description.")
    after = got.headers.get("retry-after", "")
    return PushError(problem, float(after) if after.isdigit() else None)
