"""The tests run under clients/contract/with-service, against the real programs."""

import os
import time
from typing import Iterator, List, Tuple, Type

import pytest

import pushprovider.types
from pushprovider import Push, PushService


@pytest.fixture(autouse=True)
def every_member_is_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A member of an answer that a type lacks fails the test."""
    found: List[Tuple[str, List[str]]] = []

    def unknown(kind: Type[object], members: List[str]) -> None:
        rest = [each for each in members if (kind.__name__, each) not in LEFT_OUT]
        if rest:
            found.append((kind.__name__, rest))

    monkeypatch.setattr(pushprovider.types, "unknown", unknown)
    yield
    assert not found


LEFT_OUT = {("Page", name) for name in ("total", "kept", "dropped_through", "counts")}


@pytest.fixture
def service() -> Iterator[PushService]:
    with PushService(os.environ["PUSHSERVE_URL"], os.environ["PUSHSERVE_API_KEY"]) as client:
        yield client
        # Pushes on their way would arrive in the next test.
        while any(client.status().apps[0].counts[name] for name in ("waiting", "leased", "started")):
            time.sleep(0.02)


def hello(digit: int = 6, text: str = "Hello", **members: object) -> Push:
    return Push({"aps": {"alert": text}}, token=f"5f3ad1c07b9e42{digit:02x}", **members)  # type: ignore[arg-type]
