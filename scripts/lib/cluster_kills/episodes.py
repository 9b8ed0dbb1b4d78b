"""When there was trouble, and which tries it may have interrupted."""

import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from kill_test.programs import Complaint

from fleet import WINDOW

# How long before a trouble a try can have begun whose outcome was not stored yet, and how long after it, in milliseconds.
BEFORE, AFTER = 3000, 1000


@dataclass
class Episode:
    kind: str
    begun: int
    ended: int
    # The number of workers whose pushes it may interrupt.
    workers: int
    acknowledged: int
    seen: str

    def has(self, moment):
        return self.begun - BEFORE <= moment <= self.ended + AFTER


class Episodes:
    def __init__(self):
        self.all = []

    def play(self, kind, trouble, ground):
        begun, acknowledged = now(), ground.posting.acknowledged
        seen, workers = trouble(ground)
        ground.require_progress()
        self.all.append(Episode(kind, begun, now(), workers, ground.posting.acknowledged - acknowledged, seen))
        return seen

    def assign(self, moments):
        """For each moment at which a try began, the episode that interrupted the try, or None.

        Episodes can overlap, so several may have interrupted a try. It goes to the episode that ends first and has room: an episode can
        interrupt `workers * WINDOW` tries. If none has room, it goes to the last one, and `require_few` reports it.
        """
        room = {id(episode): episode.workers * WINDOW for episode in self.all}
        found = {}
        for index in sorted(range(len(moments)), key=lambda index: moments[index]):
            possible = [episode for episode in self.all if episode.has(moments[index])]
            free = [episode for episode in possible if room[id(episode)] > 0]
            chosen = min(free, key=lambda episode: episode.ended) if free else (possible[-1] if possible else None)
            if chosen:
                room[id(chosen)] -= 1
            found[index] = chosen
        return [found[index] for index in range(len(moments))]

    def interruptions(self, jobs, requests, history):
        """For each job, the episodes in which one of its tries may have been interrupted.

        A try counts if another try followed it, or if its job ended as unknown. `history` gives the history of a job, for those that
        the mock never got.
        """
        tries = defaultdict(list)
        for request in requests:
            tries[request.apns_id].append(request.time)
        interrupted = []
        for id, job in jobs.items():
            moments = sorted(tries[id])
            is_unknown = job["outcome"]["kind"] == "unknown"
            moments = moments if is_unknown else moments[:-1]
            if is_unknown and not moments:
                moments = [milliseconds(event["at"]) for event in history(id) if event["event"] == "started"]
            interrupted += [(id, moment) for moment in moments]
        found = defaultdict(list)
        for (id, _), episode in zip(interrupted, self.assign([moment for _, moment in interrupted])):
            if episode:
                found[id].append(episode)
        return found

    def require_few(self, interruptions):
        """A trouble interrupts at most what its workers may have in flight."""
        for episode in self.all:
            count = self.interrupted(episode, interruptions)
            if count > episode.workers * WINDOW:
                raise Complaint(
                    f"The trouble {episode.kind} ({episode.seen}) interrupted {count} tries. {episode.workers} workers have at most "
                    f"{episode.workers * WINDOW} in flight.")

    @staticmethod
    def interrupted(episode, interruptions):
        return sum(episode is each for of_job in interruptions.values() for each in of_job)


def now():
    return int(time.time() * 1000)


def milliseconds(text):
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)
