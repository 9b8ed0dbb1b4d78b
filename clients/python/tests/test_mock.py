import os
import pathlib
import signal
import subprocess
import sys

import pytest

from pushprovider import Mock, PushError, PushService

from .conftest import hello

pytest_plugins = "pytester"


def test_a_failure_shows_the_nearest_pushes(service: PushService, apns_mock: Mock) -> None:
    service.send(hello(text="Hallo"), wait=10)
    with pytest.raises(AssertionError) as caught:
        apns_mock.wait("body:Hello", within=0.1)
    assert 'matched "body:Hello"' in str(caught.value) and "expected body:Hello, found Hallo" in str(caught.value)
    with pytest.raises(AssertionError, match="expected none"):
        apns_mock.assert_nothing_pushed("body:Hallo")


def test_a_broken_rule_is_shown(apns_mock: Mock) -> None:
    # What APNs does with an expiration in the past is only a guess.
    apns_mock.send("0f0f", "{}", topic="com.example.app", push_type="alert", expiration=1)
    assert [each.confidence for each in apns_mock.violations().items] == ["?"]
    apns_mock.assert_no_violations()
    assert apns_mock.send("0f0f", "{}", topic="com.example.app", push_type="alert", collapse_id="x" * 65).status == 400
    with pytest.raises(AssertionError, match="rules of APNs"):
        apns_mock.assert_no_violations()


def test_a_wrong_search_is_an_error(apns_mock: Mock) -> None:
    with pytest.raises(PushError) as caught:
        apns_mock.wait("titel:Hello")
    assert caught.value.status == 400 and caught.value.remedy


def test_the_fixture_begins_anew_and_sets_the_variables(apns_mock: Mock) -> None:
    assert apns_mock.count() == 0 and os.environ["APNS_URL"].endswith(str(apns_mock.setup().port))


def test_each_namespace_has_its_own_variables(apns_mock: Mock) -> None:
    for _ in range(2):
        with apns_mock.in_namespace("of-python") as part:
            assert part.environment["APNS_URL"].endswith(":" + part.environment["APNS_PORT"])
            assert int(part.environment["APNS_PORT"]) == part.setup().port != apns_mock.setup().port
            assert part.request("GET", "/v1/phones")["items"]


def test_what_is_not_json_is_text_or_bytes(apns_mock: Mock) -> None:
    assert apns_mock.request("GET", "/v1/ca.pem").startswith("-----BEGIN") and apns_mock.request("GET", "/metrics")
    assert isinstance(apns_mock.request("GET", "/v1/client.p12"), bytes)


def test_pages_of_violations(apns_mock: Mock) -> None:
    for _ in range(2):
        apns_mock.send("0f0f", "{}", topic="com.example.app", push_type="alert", expiration=1)
    page = apns_mock.violations(limit=1)
    assert len(page.items) == 1 and len(apns_mock.violations(after=page.items[0].number).items) == 1


def test_variables_of_your_own_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOCK_URL")
    monkeypatch.setenv("APNS_KEY", "-----BEGIN\nAPNS_URL=x\nAAAA")
    mock = Mock.start()
    child = os.fork()  # It has the input of the mock open.
    if child == 0:
        signal.pause()
    try:
        assert mock.environment["APNS_URL"].startswith("https://") and "APNS_KEY" not in mock.environment
        assert os.path.exists(mock.environment["SSL_CERT_FILE"])
        mock.close()
        with pytest.raises(PushError, match="no_answer"):
            Mock(mock.url).count()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_mock_that_does_not_start_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.delenv("MOCK_URL")
    (tmp_path / "pushsend").write_text("#!/bin/sh\nexec cat\n")
    (tmp_path / "pushsend").chmod(0o700)
    with pytest.raises(RuntimeError, match="didn't start"):
        Mock.start(program=str(tmp_path / "pushsend"), timeout=0.1)


def test_a_mock_ends_with_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOCK_URL")
    script = "import time; from pushprovider import Mock; mock = Mock.start(); print(mock.url, flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    url = process.stdout.readline().strip()
    assert Mock(url).count() == 0
    process.send_signal(signal.SIGKILL)
    process.wait()
    while True:
        try:
            Mock(url).count()
        except PushError as error:
            assert error.code == "no_answer"
            return


def test_a_missing_program_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOCK_URL")
    with pytest.raises(RuntimeError, match="PUSHSEND_BINARY"):
        Mock.start(program="/nowhere/pushsend")


def test_the_plugin_starts_a_mock(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("MOCK_", "APNS_"))]:
        monkeypatch.delenv(name)
    pytester.makepyfile(
        """
        import os

        def test_a_push(apns_mock):
            apns_mock.send("0f0f", '{"aps":{"alert":"Hello"}}', topic=os.environ["APNS_TOPIC"])
            apns_mock.wait("body:Hello", exactly=1)

        def test_begins_anew(apns_mock):
            assert apns_mock.count() == 0
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=2)
