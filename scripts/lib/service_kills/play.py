"""Posts pushes to a service that is in trouble again and again."""

import random
from collections import defaultdict
from pathlib import Path

from kill_test import reconcile, rounds
from kill_test.machine import Machine
from kill_test.programs import Mock, Service
from kill_test.rounds import APPS

from .troubles import KINDS

# The longest time until another job has its outcome after the last kill, in seconds.
SETTLING = 180


class Ground(rounds.Ground):
    pauses = (0.02, 0.1, 0.3, 1.0, 2.0)

    def __init__(self, pushsend, pushserve, folder, chance):
        self.chance = chance
        database = folder / "pushserve.sqlite"
        self.machine = Machine(folder, database)
        self.mock = Mock(pushsend, folder, self.machine.environment)
        self.service = Service(pushserve, folder, "service", database, self.mock, APPS, self.machine.with_disk())
        # The tries that each kill interrupted: the number of the try of each job that was being sent.
        self.interrupted = defaultdict(set)
        self.jumps = []

    def kill_and_start(self, meanwhile=lambda: None):
        self.service.kill()
        result = meanwhile()
        for job in self.service.started_jobs():
            self.interrupted[job["id"]].add(job["attempts"])
        self.service.start()
        return result

    def states(self):
        self.service.require_running()
        return {app["state"] for app in self.service.get("/v1/status", self.reader)["apps"]}

    def interruptions(self):
        return sum(map(len, self.interrupted.values()))


def main(pushsend, pushserve, folder, seed, count, kinds, *options):
    with (rounds.run_folder(Path(folder), seed, f"seed {seed}") as run_folder,
          rounds.ending(Ground(pushsend, pushserve, run_folder, random.Random(int(seed)))) as ground):
        if "--ignore-sync" in options:
            ground.machine.ignore_sync()
        play(ground, int(count), kinds.split(",") if kinds else list(KINDS))


def play(ground, count, kinds):
    ground.begin()
    done = []

    def play_one(kind):
        acknowledged, interrupted = ground.posting.acknowledged, ground.interruptions()
        ground.pause()
        seen = KINDS[kind](ground)
        ground.require_progress()
        done.append(
            reconcile.Round(kind, seen, ground.posting.acknowledged - acknowledged, ground.interruptions() - interrupted))
        return seen

    rounds.play(ground, count, kinds, play_one)
    posted, jobs = ground.settle(SETTLING)
    ground.service.stop()
    ground.mock.stop()
    reconcile.check(jobs, posted, ground.mock.requests(), lambda id: len(ground.interrupted[id]), ground.jumps)
    reconcile.say(jobs, ground.mock.requests(), done)
