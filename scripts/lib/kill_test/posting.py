"""Posts pushes on several threads, and remembers what was acknowledged.

A request whose answer was lost is repeated with the same Idempotency-Key, or the same dedupe keys, until it is answered: its pushes
must not be in the queue twice.
"""

import itertools
import json
import random
import threading
import time
from collections import Counter
from typing import NamedTuple

from complaint import Complaint

from .programs import ask

THREADS = 8
# The share of pushes with a collapse id, how many devices they go to at a time, and after how many pushes these are others.
SHARE, DEVICES, TURN = 0.25, 8, 400


class Posted(NamedTuple):
    """An acknowledged push. With a collapse id, its device token occurs in several pushes, which replace each other."""

    app: str
    name: str
    token: str
    collapse_id: str | None
    # When its request was first sent, its place in the request, and when it was acknowledged.
    begun: float
    index: int
    acknowledged: float

    @property
    def place(self):
        return (self.app, self.token, self.collapse_id) if self.collapse_id else None


class Posting:
    def __init__(self, choose_url, key, seed, apps):
        """`choose_url` returns the URL of the service, or of one of several workers."""
        self.choose_url, self.key, self.apps = choose_url, key, apps
        self.seed = seed
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()
        # The push of each acknowledged id.
        self.known = {}
        self.refusals = []
        # How many answers had each status.
        self.statuses = Counter()
        self.ends = threading.Event()
        self.gives_up = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(THREADS)]

    @property
    def acknowledged(self):
        with self.lock:
            return len(self.known)

    def count(self, status):
        with self.lock:
            return self.statuses[status]

    def ids(self):
        with self.lock:
            return dict(self.known)

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        """Ends when every request is answered."""
        self.ends.set()
        for thread in self.threads:
            thread.join(120)
            if thread.is_alive():
                raise Complaint("A request wasn't answered within two minutes after the last kill.")
        if self.refusals:
            raise Complaint(f"A request was refused: {self.refusals[0]}")

    def abandon(self):
        self.ends.set()
        self.gives_up.set()

    def run(self, number):
        chance = random.Random(self.seed * 100 + number)
        while not self.ends.is_set():
            app = chance.choice(self.apps)
            form = chance.choice(["one", "array", "lines"])
            pushes = [self.push(app, chance) for _ in range(1 if form == "one" else chance.randint(1, 50))]
            self.post(form, app, pushes)
            time.sleep(chance.random() * 0.08)

    def push(self, app, chance=None):
        number = next(self.numbers)
        push = {"app": app, "payload": {"aps": {"alert": f"Push {number}"}}, "dedupe_key": f"push-{number}"}
        if chance and chance.random() < SHARE:
            token = f"{self.seed:016x}{number // TURN:024x}{chance.randrange(DEVICES) + 1:024x}"
            return {**push, "token": token, "collapse_id": "score"}
        return {**push, "token": f"{self.seed:016x}{number:024x}{0:024x}"}

    def post(self, form, app, pushes):
        """Posts until there is an answer."""
        begun = time.monotonic()
        if form == "lines":
            # Each has its dedupe key.
            body, headers = "".join(json.dumps(push) + "\n" for push in pushes), {"content_type": "application/x-ndjson"}
        else:
            body = json.dumps(pushes if form == "array" else pushes[0])
            headers = {"idempotency_key": pushes[0]["dedupe_key"]}
        while not self.gives_up.is_set():
            status, text, _ = ask(
                self.choose_url(), "POST", f"/v1/notifications?app={app}", self.key, body.encode(), 30, takes_a_part=True, **headers)
            text = text.decode(errors="replace")
            with self.lock:
                self.statuses[status] += 1
            if status == 202 or (form == "lines" and status == 200):
                if self.take(form, pushes, text, begun):
                    return
            elif status is not None and status not in (401, 409, 429, 503):
                self.refusals.append(f"{status} {text[:500]}")
                return
            time.sleep(0.05)

    def take(self, form, pushes, text, begun):
        """Notes the ids of an answer. Returns whether every push has one."""
        try:
            if form == "lines":
                whole = text[: text.rfind("\n") + 1]
                items = [(item["line"] - 1, item) for item in map(json.loads, whole.splitlines())]
            else:
                answer = json.loads(text)
                items = list(enumerate(answer["items"] if form == "array" else [answer]))
        except (ValueError, KeyError):
            return False
        with self.lock:
            for index, item in items:
                push = pushes[index]
                if item.get("result") not in ("queued", "duplicate"):
                    self.refusals.append(json.dumps(item))
                    continue
                # A repeated request may be answered in parts.
                if item["id"] not in self.known:
                    self.known[item["id"]] = Posted(
                        push["app"], push["dedupe_key"], push["token"], push.get("collapse_id"), begun, index, time.monotonic())
        return len(items) == len(pushes)
