"""Posts pushes to a service that is killed again and again; `scripts/service-kills` explains it and is the only caller.

    service_kills PUSHSEND PUSHSERVE FOLDER SEED ROUNDS

It knows the HTTP API and the commands of the programs, and nothing of the queue. If a promise is broken, it prints the seed and the
folder, and ends with 1.
"""

import random
import shutil
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True

import reconcile  # noqa: E402
from posting import Posting  # noqa: E402
from programs import Complaint, Mock, Service, make_key  # noqa: E402

APPS = {"once": "at_most_once", "least": "at_least_once"}
# The longest time until every job has its outcome after the last kill, in seconds.
SETTLING = 180


def main():
    pushsend, pushserve, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    seed, rounds = int(sys.argv[4]), int(sys.argv[5])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    place = folder / str(seed)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        play(pushsend, pushserve, place, random.Random(seed), rounds)
    except Complaint as complaint:
        print(f"\nseed {seed} failed: {complaint}\nIts folder is {place}.", file=sys.stderr, flush=True)
        sys.exit(1)
    shutil.rmtree(place)


def play(pushsend, pushserve, place, chance, rounds):
    mock = Mock(pushsend, place)
    service = Service(pushserve, place, mock, APPS)
    posting = None
    try:
        key = make_key(pushserve, service.config, APPS)
        service.start()
        posting = Posting(service, key, chance.getrandbits(32), list(APPS))
        posting.start()
        # The tries that each kill interrupted: the number of the try of each job that was being sent.
        interrupted = defaultdict(set)
        for number in range(1, rounds + 1):
            time.sleep(chance.choice([0.02, 0.1, 0.3, 1.0, 2.0]) * chance.uniform(0.5, 1.5))
            service.kill()
            for job in service.started_jobs(APPS):
                interrupted[job["id"]].add(job["attempts"])
            service.start()
            print(f"kill {number:4}: {posting.acknowledged} pushes acknowledged so far", flush=True)
        time.sleep(1)
        posting.stop()
        jobs = reconcile.settled(service, key, posting.ids(), SETTLING)
        service.stop()
        mock.stop()
        reconcile.check(jobs, posting.ids(), mock.requests(), interrupted)
        reconcile.say(jobs, mock.requests(), interrupted, rounds)
    finally:
        if posting:
            posting.abandon()
        service.abandon()
        mock.stop()


main()
