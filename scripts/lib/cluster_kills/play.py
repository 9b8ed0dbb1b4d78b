"""Posts pushes to several workers with one queue, which are in trouble again and again, and so is their PostgreSQL."""

import random
import sys
from pathlib import Path

from cluster.cluster import Cluster
from kill_test import reconcile, rounds
from kill_test.programs import Mock
from kill_test.rounds import APPS

from .episodes import Episodes
from .fleet import LEASE, Fleet
from .troubles import FAIL_OVER, KINDS, OF_A_CLUSTER

WORKERS = 3
# The longest time until another job has its outcome after the last trouble: a lease must end first. In seconds.
SETTLING = 180 + LEASE


class Ground(rounds.Ground):
    pauses = (0.3, 1.0, 2.0, 4.0)
    patience = 300

    def __init__(self, pushsend, pushserve, folder, seed, cluster):
        self.pushsend, self.pushserve, self.folder, self.seed = pushsend, pushserve, folder, seed
        self.chance, self.cluster = random.Random(seed), cluster
        # How long it took until pushes were accepted again, for each kind of failure of the primary, in seconds.
        self.gaps = {}

    def begin(self):
        # As far away as Apple, so that there are always pushes in flight.
        self.mock = Mock(self.pushsend, self.folder, options=["--console-port", "0", "--round-trip", "150ms"])
        self.service = self.fleet = Fleet(WORKERS, self.pushserve, self.folder, self.cluster, self.mock, APPS, self.seed)
        super().begin()

    def any_worker(self):
        return self.chance.choice(self.fleet)

    def history(self, id):
        return self.fleet.get(f"/v1/notifications/{id}?history=true", self.reader)["history"]


def main(pushsend, pushserve, folder, seed, count, kinds, nodes):
    kinds = [kind for kind in (kinds.split(",") if kinds else KINDS) if nodes != "1" or kind not in OF_A_CLUSTER]
    if "full-disk" in kinds and not rounds.can_mount(Path(folder)):
        print("full-disk is left out: this user can't mount a small disk.", flush=True)
        kinds.remove("full-disk")
    if not kinds:
        sys.exit("cluster-kills: no kind of trouble is left.")
    with (rounds.run_folder(Path(folder), seed, f"seed {seed}") as run_folder,
          Cluster.new(int(nodes), small_disks="full-disk" in kinds) as cluster):
        print(f"PostgreSQL takes writes: {cluster.roles()}", flush=True)
        ground = Ground(pushsend, pushserve, run_folder, int(seed), cluster)
        with rounds.ending(ground, lambda: cluster.keep_logs(run_folder)):
            play(ground, int(count), kinds)


def play(ground, count, kinds):
    ground.begin()
    ground.require_progress()
    episodes = Episodes(ground)

    def play_one(kind):
        ground.pause()
        return episodes.play(kind, KINDS[kind], fails_over=kind in FAIL_OVER)

    rounds.play(ground, count, kinds, play_one)
    posted, jobs = ground.settle(SETTLING)
    episodes.look()
    found = episodes.interruptions(jobs, ground.mock.requests())
    print(f"{episodes.tries} tries had no outcome; {episodes.untroubled} of them were during no trouble.", flush=True)
    ground.fleet.stop()
    ground.mock.stop()
    reconcile.check(jobs, posted, ground.mock.requests(), lambda id: found[id])
    episodes.require_few()
    reconcile.say(jobs, ground.mock.requests(), episodes.all)
    for failure, seconds in sorted(ground.gaps.items()):
        print(f"{failure}: pushes were accepted again after {min(seconds):.1f} to {max(seconds):.1f} s.")
