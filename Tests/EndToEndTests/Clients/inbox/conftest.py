"""What the browser tests share: one mock with its phones for each file of tests, and one browser for all.

scripts/test runs them through InboxPageTests.swift. By hand:
    PUSHSEND_BINARY=.build/debug/pushsend .build/venv/bin/python -m pytest Tests/EndToEndTests/Clients/inbox
"""
import pathlib
import shutil

import pytest

from browser import Browser
from mock import Mock

ROOT = pathlib.Path(__file__).parents[4]


@pytest.fixture(scope="session")
def browser():
    browser = Browser()
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def mock(tmp_path_factory):
    mock = Mock(tmp_path_factory.mktemp("mock"))
    yield mock
    mock.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Keeps a picture of what a failed test saw."""
    report = yield
    if report.failed and call.when == "call" and "browser" in item.funcargs:
        folder = ROOT / ".build" / "inbox-failures"
        folder.mkdir(parents=True, exist_ok=True)
        item.funcargs["browser"].driver.save_screenshot(str(folder / f"{item.name.replace('/', '-')}.png"))
    return report


@pytest.fixture
def page(browser, mock):
    """The inbox, read anew. At the end, the browser must not have complained of anything."""
    browser.watch()
    browser.open(mock.url)
    yield browser
    complaints = browser.complaints()
    browser.leave()
    assert complaints == []


@pytest.fixture(scope="session")
def pictures():
    """Where the pictures are kept, to be looked at."""
    folder = ROOT / ".build" / "inbox-pictures"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
