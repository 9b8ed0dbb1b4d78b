"""The fixture `apns_mock`. pytest finds it by itself once the package is installed."""

from __future__ import annotations

from typing import Iterator

import pytest

from .mock import Mock


@pytest.fixture(scope="session")
def apns_mock_process() -> Iterator[Mock]:
    """One mock for all tests. Override it to start it with options: `Mock.start("--scenario", "throttled")`."""
    mock = Mock.start()
    yield mock
    mock.close()


@pytest.fixture
def apns_mock(apns_mock_process: Mock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mock]:
    """A mock of APNs as after its start. Its variables, such as APNS_URL and APNS_CA, are set for the test."""
    apns_mock_process.reset()
    for name, value in apns_mock_process.environment.items():
        monkeypatch.setenv(name, value)
    yield apns_mock_process
