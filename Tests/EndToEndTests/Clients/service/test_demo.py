"""scripts/demo-service --stay: the console has something to show everywhere, and Ctrl-C ends all of it."""
import os
import pathlib
import re
import signal
import subprocess

import pytest

from browser import MIDDLE, NARROW, WIDE
from service import PATIENCE, PUSHSEND
from test_service_page import go, log_in

ROOT = pathlib.Path(__file__).parents[4]
VIEWS = ["overview", "outcomes", "outcomes?dead=1", "waiting", "waiting?app=cab", "campaigns", "webhooks", "keys", "audit"]


class Demo:
    def __init__(self, folder):
        # A shell does not trap a signal that was ignored when it began.
        self.process = subprocess.Popen(
            [ROOT / "scripts/demo-service", "--stay", "--programs", os.path.dirname(PUSHSEND)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env={**os.environ, "TMPDIR": str(folder)}, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        said = ""
        for line in self.process.stdout:
            said += line
            if line.startswith("Ctrl-C"):
                break
        assert "Ctrl-C" in said, said
        self.url = re.search(r"^The console: (.*)$", said, re.M)[1]
        self.admin = re.search(r"^A key to log in with: (.*)$", said, re.M)[1]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.mark.skipif(any(not os.path.exists(f"/usr/bin/{name}") for name in ["openssl", "bash"]), reason="needs openssl")
def test_the_demonstration_fills_every_view_and_ends_with_ctrl_c(browser, tmp_path):
    demo = Demo(tmp_path)
    # Not those of the other tests, which may have run before.
    pictures = ROOT / ".build" / "service-pictures-of-many"
    pictures.mkdir(parents=True, exist_ok=True)
    try:
        browser.watch()
        browser.driver.get(demo.url)
        browser.driver.delete_all_cookies()
        log_in(browser, demo, demo.admin)
        browser.until("document.documentElement.dataset.ready === 'true'", "the page is open")
        for words in ["The webhook of chat has failed since", "cab is paused", "The certificate of shop ends in", "3 dead letters", "scores is late by", "of scores failed in the last hour"]:
            browser.until_text(".needs h2", words)
        for view in VIEWS:
            browser.size(WIDE)
            go(browser, f"#/{view}")
            assert browser.count(".page .nothing") == 0, view
            for size in [WIDE, MIDDLE, NARROW]:
                browser.size(size)
                assert browser.script("return document.documentElement.scrollWidth <= innerWidth && document.querySelector('#work').scrollWidth <= document.querySelector('#work').clientWidth"), (view, size)
                browser.picture(pictures, f"many-{view.replace('?', '-')}-{size[0]}")
        browser.size(WIDE)
        go(browser, "#/campaigns")
        browser.until_text(".camps tr", "Running")
        browser.leave()
        assert demo.process.poll() is None
        assert browser.complaints() == []
    finally:
        browser.size(WIDE)
        status = demo.end()
    assert status == 0
    assert list(tmp_path.glob("pushserve-demo.*")) == []
