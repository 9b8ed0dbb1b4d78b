"""What another key notices of an attack. It is measured in a process of its own."""

import random
import signal
import threading
import time

from kill_test.posting import THREADS, Posting
from kill_test.programs import ask

# The time between two posts of a thread, in seconds. All threads together post 20 pushes a second.
PACE = 0.4
# The time between two requests for /livez, in seconds.
LIVEZ_PACE = 0.1


class Stopwatch:
    """When things were due, and how long each took from then on. What waits too long counts, as a queue of requests behind it would."""

    def __init__(self, pace):
        self.pace, self.taken, self.open = pace, [], {}

    def begin(self, who, at):
        self.open[who] = at

    def end(self, who):
        at = self.open.pop(who)
        self.taken.append((at, time.monotonic() - at))

    def report(self):
        """For what was done, and for what still waits, or waits behind it: the moment when it was due, and how long it took."""
        now, waiting = time.monotonic(), []
        for at in list(self.open.values()):
            while at < now:
                waiting.append((at, now - at))
                at += self.pace
        return list(self.taken), waiting


class Innocent(Posting):
    """Posts single pushes of one app at a steady pace."""

    def __init__(self, urls, key, seed, app):
        super().__init__(lambda: random.choice(urls), key, seed, [app])
        self.watch = Stopwatch(PACE)

    def run(self, number):
        due = time.monotonic() + PACE * number / THREADS
        while not self.ends.wait(max(0, due - time.monotonic())):
            self.watch.begin(number, due)
            self.post("one", self.apps[0], [self.push(self.apps[0])])
            if not self.gives_up.is_set():
                self.watch.end(number)
            due += PACE


def look_at_health(url, watch, ends):
    while not ends.wait(LIVEZ_PACE):
        watch.begin(url, time.monotonic())
        while ask(url, "GET", "/livez", seconds=30)[0] != 200 and not ends.is_set():
            time.sleep(0.05)
        watch.end(url)


def measure(pipe, urls, key, seed, app):
    """The main function of the process. It ends with its parent, or after a number has come: how long it may wait for answers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    posting, health, ends = Innocent(urls, key, seed, app), Stopwatch(LIVEZ_PACE), threading.Event()
    posting.start()
    for url in urls:
        threading.Thread(target=look_at_health, args=(url, health, ends), daemon=True).start()
    patience = pipe.recv()
    (lives, waiting_lives), (posts, waiting_posts) = health.report(), posting.watch.report()
    ends.set()
    posting.ends.set()
    end = time.monotonic() + patience
    for thread in posting.threads:
        thread.join(max(0, end - time.monotonic()))
    posting.abandon()
    pipe.send({
        "livez": lives + waiting_lives, "posts": posts, "waiting": waiting_posts, "ids": list(posting.ids()),
        "refusals": posting.refusals})
