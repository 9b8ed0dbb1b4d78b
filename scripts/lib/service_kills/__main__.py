"""Posts pushes to a service that is in trouble again and again; `scripts/service-kills` explains it and is the only caller.

    service_kills PUSHSEND PUSHSERVE FOLDER SEED ROUNDS TROUBLES [--ignore-sync]

It knows the HTTP API and the commands of the programs, and nothing of the queue. If a promise is broken, it prints the seed and the
folder, and ends with 1.
"""

import random
import signal
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kill_test import reconcile, rounds  # noqa: E402
from kill_test.machine import Machine  # noqa: E402
from kill_test.posting import Posting  # noqa: E402
from kill_test.programs import Mock, Service, until, write_config  # noqa: E402
from kill_test.rounds import APPS  # noqa: E402
from troubles import KINDS  # noqa: E402

# The longest time until another job has its outcome after the last kill, in seconds.
SETTLING = 180


class Ground(rounds.Ground):
    pauses = (0.02, 0.1, 0.3, 1.0, 2.0)

    def __init__(self, pushsend, pushserve, folder, chance):
        self.chance = chance
        database = folder / "pushserve.sqlite"
        self.machine = Machine(folder, database)
        self.mock = Mock(pushsend, folder, self.machine.environment)
        config = folder / "pushserve.yaml"
        write_config(config, database, self.mock, APPS)
        self.service = Service(pushserve, folder, config, APPS, self.machine.with_disk())
        # The tries that each kill interrupted: the number of the try of each job that was being sent.
        self.interrupted = defaultdict(set)

    def begin(self):
        self.reader = self.service.make_key("read")
        self.service.start()
        self.posting = Posting(self.service, self.service.make_key("send"), self.chance.getrandbits(32), list(APPS))
        self.posting.start()

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

    def require_progress(self):
        """The mock takes pushes again."""
        before = self.mock.count(200)

        def is_there():
            self.service.require_running()
            return self.mock.count(200) > before

        until(is_there, "No push was accepted after the trouble")

    def interruptions(self):
        return sum(map(len, self.interrupted.values()))


def main():
    pushsend, pushserve, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    seed, count, kinds = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6].split(",")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with rounds.run_folder(folder, seed) as run_folder:
        ground = Ground(pushsend, pushserve, run_folder, random.Random(seed))
        try:
            if "--ignore-sync" in sys.argv:
                ground.machine.ignore_sync()
            play(ground, count, kinds)
        finally:
            ground.abandon()


def play(ground, count, kinds):
    ground.begin()
    done = defaultdict(list)

    def play_one(kind):
        acknowledged, interrupted = ground.posting.acknowledged, ground.interruptions()
        ground.pause()
        seen = KINDS[kind](ground)
        ground.require_progress()
        done[kind].append(
            reconcile.Round(ground.posting.acknowledged - acknowledged, ground.interruptions() - interrupted, seen))
        return seen

    rounds.play(ground, count, kinds, play_one)
    posted, jobs = ground.settle(SETTLING)
    ground.service.stop()
    ground.mock.stop()
    reconcile.check(jobs, posted, ground.mock.requests(), lambda id: len(ground.interrupted[id]))
    reconcile.say(jobs, ground.mock.requests(), done)


main()
