"""When there was trouble, and which tries it may have interrupted."""

import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from complaint import Complaint
from kill_test.reconcile import Round

from .fleet import LEASE, WINDOW

# How long after its end a trouble can still interrupt a try, in milliseconds.
AFTER = 1000


@dataclass
class Episode(Round):
    begun: int
    ended: int
    # The number of workers whose pushes it may interrupt.
    workers: int

    def may_interrupt(self, attempt):
        """Whether some of it was while the outcome of a try was not stored, and at most a lease after the try began.

        An outcome is stored later than that only if an earlier trouble delays it. Then that trouble counts.
        """
        latest = min(attempt.ended, attempt.begun + LEASE * 1000 + AFTER)
        return self.begun <= latest and attempt.begun <= self.ended + AFTER


class Try(NamedTuple):
    """A try that has no outcome. It ended when another try of its job began, or when its job was stored as unknown."""

    id: str
    begun: int
    ended: int


class Episodes:
    def __init__(self, ground):
        self.ground, self.all = ground, []
        # How many tries had no outcome, and how many of them no trouble can have interrupted.
        self.tries = self.untroubled = 0
        self.looked, self.timeline = now(), ground.cluster.timeline()

    def play(self, kind, trouble, fails_over):
        self.look()
        begun, acknowledged = now(), self.ground.posting.acknowledged
        seen, workers = trouble(self.ground)
        self.ground.require_progress()
        self.all.append(Episode(kind, seen, self.ground.posting.acknowledged - acknowledged, 0, begun, now(), workers))
        self.look(caused=1 if fails_over else 0)
        return seen

    def look(self, caused=0):
        """Notes fail-overs since the last look that no trouble has caused: on a slow machine, a primary can lose its lease.

        Each one may interrupt what all workers have in flight.
        """
        looked, timeline = now(), self.ground.cluster.timeline()
        for _ in range(timeline - self.timeline - caused):
            self.all.append(Episode("no trouble", "1 fail-over", 0, 0, self.looked, now(), len(self.ground.fleet)))
        self.looked, self.timeline = looked, timeline

    def assign(self, tries):
        """For each try without an outcome, the episode that interrupted it, or None.

        Episodes can overlap, and the outcome of a try can be missing for long, so several may have interrupted it. It goes to the
        episode that ends first and has room: an episode can interrupt `workers * WINDOW` tries. If none has room, another try may have to
        move. If that does not help, it goes to the last one, and `require_few` reports it.
        """
        possible = [sorted((each for each in self.all if each.may_interrupt(one)), key=lambda each: each.ended) for one in tries]
        held = {id(episode): set() for episode in self.all}
        found = [None] * len(tries)

        def place(index, asked):
            """Finds an episode for a try, and if need be another one for a try that is there."""
            for episode in possible[index]:
                if id(episode) in asked:
                    continue
                asked.add(id(episode))
                there = held[id(episode)]
                if len(there) < episode.workers * WINDOW or any(place(other, asked) for other in list(there)):
                    put(index, episode)
                    return True
            return False

        def put(index, episode):
            if found[index]:
                held[id(found[index])].discard(index)
            held[id(episode)].add(index)
            found[index] = episode

        for index in sorted(range(len(tries)), key=lambda index: tries[index].begun):
            if not place(index, set()) and possible[index]:
                put(index, possible[index][-1])
        return found

    def interruptions(self, jobs, requests):
        """Counts the tries that each episode may have interrupted. Returns how many were those of each job.

        A try counts if another try followed it, or if its job ended as unknown. The history of a job tells about tries that the mock never
        got.
        """
        moments = defaultdict(list)
        for request in requests:
            moments[request.apns_id].append(request.time)
        tries = []
        for id, job in jobs.items():
            begun = sorted(moments[id])
            if job["outcome"]["kind"] == "unknown":
                begun = begun or [milliseconds(event["at"]) for event in self.ground.history(id) if event["event"] == "started"]
                # Both clocks are only about the same.
                ends = [*begun[1:], max(begun[-1:] + [milliseconds(job["finished_at"])])]
            else:
                ends = begun[1:]
            tries += [Try(id, *both) for both in zip(begun, ends)]
        assigned = self.assign(tries)
        self.tries, self.untroubled = len(tries), assigned.count(None)
        for episode in filter(None, assigned):
            episode.interrupted += 1
        return Counter(one.id for one, episode in zip(tries, assigned) if episode)

    def require_few(self):
        """A trouble interrupts at most what its workers may have in flight."""
        for episode in self.all:
            if episode.interrupted > episode.workers * WINDOW:
                raise Complaint(
                    f"The trouble {episode.kind} ({episode.seen}) interrupted {episode.interrupted} tries. "
                    f"{episode.workers} workers have at most {episode.workers * WINDOW} in flight.")


def now():
    return int(time.time() * 1000)


def milliseconds(text):
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)
