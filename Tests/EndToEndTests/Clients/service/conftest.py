"""What the tests of the service's page share: one service, and one browser, that of the inbox's tests.

scripts/test runs them through ServicePageTests.swift. By hand:
    PUSHSEND_BINARY=.build/debug/pushsend .build/venv/bin/python -m pytest Tests/EndToEndTests/Clients/service
"""
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inbox"))

from browser import Browser  # noqa: E402
from service import Service  # noqa: E402

ROOT = pathlib.Path(__file__).parents[4]


@pytest.fixture(scope="session")
def browser():
    browser = Browser()
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("service"))
    yield service
    service.stop()


@pytest.fixture(scope="session")
def pictures():
    """Where the pictures are kept, to be looked at."""
    folder = ROOT / ".build" / "service-pictures"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
