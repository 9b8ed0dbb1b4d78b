"""The course of a kill test: the folder of a run, its troubles one after the other, and the outcomes at the end."""

import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

from complaint import Complaint, until

from . import reconcile
from .posting import Posting

APPS = {"once": "at_most_once", "least": "at_least_once"}


class Ground:
    """What the kinds of trouble work with. `service` answers as one service does."""

    # The pauses before and in a trouble, in seconds.
    pauses = ()
    # The longest time until pushes are accepted after a trouble, in seconds.
    patience = 180
    mock = service = posting = None

    def pause(self):
        time.sleep(self.chance.choice(self.pauses) * self.chance.uniform(0.5, 1.5))

    def begin(self):
        # The first command makes the tables.
        self.reader = self.service.make_key("read")
        self.service.start()
        self.posting = Posting(lambda: self.service.url, self.service.make_key("send"), self.chance.getrandbits(32), list(APPS))
        self.posting.start()

    def require_progress(self):
        """The mock accepts pushes, also some that were not acknowledged before."""
        before, acknowledged = self.mock.count(200), self.posting.acknowledged

        def is_there():
            self.service.require_running()
            return self.mock.count(200) > before and self.posting.acknowledged > acknowledged

        until(is_there, "No push was accepted after the trouble", self.patience)

    def abandon(self):
        if self.posting:
            self.posting.abandon()
        if self.service:
            self.service.abandon()
        if self.mock:
            self.mock.abandon()

    def settle(self, seconds):
        """Ends the posting. Returns the acknowledged pushes, and their jobs, when each has its outcome."""
        time.sleep(1)
        self.posting.stop()
        posted = self.posting.ids()
        jobs = reconcile.settled(self.service, self.reader, posted, seconds)
        reconcile.check_results(self.service, self.reader, APPS, posted)
        return posted, jobs


def can_mount(folder):
    mount_point = folder / "mount"
    mount_point.mkdir(parents=True, exist_ok=True)
    try:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount_point)],
                                 capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
    if mounted:
        subprocess.run(["umount", str(mount_point)], check=True)
    return mounted


@contextmanager
def run_folder(folder, name, title, hint=""):
    """The folder of a run. If a promise is broken, it stays, and the program ends with 1."""
    folder = folder / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.chmod(0o700)
    try:
        yield folder
    except (Complaint, subprocess.CalledProcessError) as complaint:
        print(f"\n{title} failed: {complaint}\nIts folder is {folder}.{hint}", file=sys.stderr, flush=True)
        sys.exit(1)
    shutil.rmtree(folder)


@contextmanager
def ending(ground, keep_logs=lambda: None):
    """However a run ends, so does all that it started. If a promise is broken, more logs are kept."""
    try:
        yield ground
    except Complaint:
        keep_logs()
        raise
    finally:
        ground.abandon()


def play(ground, rounds, kinds, play_one):
    """Plays troubles, each kind as often as the others. `play_one` plays one, and returns what was seen."""
    order = []
    for number in range(1, rounds + 1):
        order = order or ground.chance.sample(kinds, len(kinds))
        kind = order.pop()
        seen = play_one(kind)
        print(f"{number:4} {kind:18} {ground.posting.acknowledged} pushes acknowledged so far; {seen}", flush=True)
