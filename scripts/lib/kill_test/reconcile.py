"""Compares the outcomes of the service with what the mock got."""

import time
import urllib.parse
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from complaint import Complaint


@dataclass
class Round:
    """One trouble: how many pushes were acknowledged meanwhile, and how many tries it interrupted."""

    kind: str
    seen: str
    acknowledged: int
    interrupted: int


def settled(service, key, ids, seconds):
    """Waits until each acknowledged job has its outcome: as long as some job gets one within the seconds. Returns the jobs by id."""
    jobs, end = {}, time.monotonic() + seconds
    while True:
        open_ids = [id for id in ids if id not in jobs]
        if not open_ids:
            return jobs
        if time.monotonic() > end:
            raise Complaint(f"{len(open_ids)} jobs have no outcome, and none got one in {seconds} s, for example {open_ids[0]}.")
        for app in {ids[id].app for id in open_ids}:
            of_app = [id for id in open_ids if ids[id].app == app]
            for start in range(0, len(of_app), 100):
                part = of_app[start : start + 100]
                query = urllib.parse.urlencode({"app": app, "ids": ",".join(part), "limit": len(part)})
                items = service.get(f"/v1/notifications?{query}", key)["items"]
                missing = set(part) - {item["id"] for item in items}
                if missing:
                    raise Complaint(f"{len(missing)} acknowledged jobs don't exist, for example {missing.pop()}.")
                jobs.update({item["id"]: item for item in items if item["state"] == "finished"})
        if len(jobs) > len(ids) - len(open_ids):
            end = time.monotonic() + seconds
        time.sleep(0.2)


def check(jobs, ids, requests, interruptions, jumps=()):
    """Compares jobs with requests. `interruptions` is a function: how many tries of a job may have been interrupted by trouble. `jumps` are
    the moments at which the clock was set back."""
    for name, count in Counter(posted.name for posted in ids.values()).items():
        if count > 1:
            raise Complaint(f"The push {name} has {count} jobs.")
    # Apple does nothing with a push that it refuses for the key, so such a try is none.
    tries = Counter(request.apns_id for request in requests if request.status != 403)
    accepted = Counter(request.apns_id for request in requests if request.status == 200)
    strangers = set(tries) - set(ids)
    if strangers:
        # A push can be in the queue without an answer only until its request is repeated, and each was.
        raise Complaint(f"The mock got {len(strangers)} pushes that nobody posted, for example {strangers.pop()}.")
    newest = check_order(ids, requests, jumps)
    for id, job in jobs.items():
        app, kind = ids[id].app, job["outcome"]["kind"]
        if tries[id] > 1:
            if app == "once":
                raise Complaint(f"The job {id} is at-most-once and was sent {tries[id]} times.")
            if tries[id] - 1 > interruptions(id):
                raise Complaint(f"The job {id} was sent {tries[id]} times, but {interruptions(id)} of its tries were interrupted.")
        if kind == "accepted" and accepted[id] == 0:
            raise Complaint(f"The job {id} is accepted, but the mock didn't accept it.")
        if kind in ("not_sent", "rejected") and accepted[id] > 0:
            raise Complaint(f"The job {id} is {kind}, but the mock accepted it.")
        is_replaced = is_superseded(job)
        if is_replaced and id == newest.get(ids[id].place, id):
            raise Complaint(f"The job {id} is superseded, but there is no newer push with its collapse id.")
        if kind in ("not_sent", "rejected") and not is_replaced:
            raise Complaint(f"The job {id} is {kind}: {job['outcome']}. Nothing in this test causes that.")
        if kind == "unknown" and app == "least" and not is_replaced:
            raise Complaint(f"The job {id} is at-least-once and ended as unknown.")
        if kind == "unknown" and not interruptions(id):
            raise Complaint(f"The job {id} is unknown, but nothing interrupted it.")


def is_superseded(job):
    """Whether a newer push replaced it. After a try that may have reached Apple, it stays unknown."""
    return job["outcome"].get("reason") == "superseded" and job["outcome"]["kind"] in ("not_sent", "unknown")


class Jump(NamedTuple):
    """The clock was set back, and an older push can have the greater id: between which times, and how many requests the mock had before."""

    begun: float
    ended: float
    requests: int


def check_order(ids, requests, jumps):
    """Pushes with one collapse id: none comes to the mock after a newer one was accepted. Returns the newest id of each place."""
    places, last = defaultdict(list), {}
    for id, posted in ids.items():
        if posted.place:
            places[posted.place].append(id)
    for number, request in enumerate(requests):
        last[request.apns_id] = number
    jumped = {place for place, of_place in places.items() for jump in jumps if spans(jump, of_place, ids, last)}
    if len(jumped) > len(places) / 2:
        raise Complaint(f"The clock was set back during {len(jumped)} of {len(places)} series of pushes that replace each other.")
    for place in places.keys() - jumped:
        check_ids(sorted(places[place]), ids)
    accepted = {}
    for request in requests:
        place = ids[request.apns_id].place if request.apns_id in ids else None
        if not place or place in jumped:
            continue
        newer = accepted.get(place, "")
        if request.apns_id < newer:
            raise Complaint(f"The push {request.apns_id} came to the mock after {newer}, which replaces it, was accepted.")
        if request.status == 200:
            accepted[place] = request.apns_id
    # Of a series with a jump, any push can be the newest.
    return {place: "" if place in jumped and len(of_place) > 1 else max(of_place) for place, of_place in places.items()}


def spans(jump, of_place, ids, last):
    """Whether pushes of a place were posted before a jump, and posted or sent after it."""
    return min(ids[id].begun for id in of_place) < jump.ended and (
        max(ids[id].acknowledged for id in of_place) > jump.begun or max(last.get(id, 0) for id in of_place) >= jump.requests)


def check_ids(ordered, ids):
    """The ids of a place say which push is newer: a later one of the request, or one that was posted when the other was acknowledged."""
    soonest, indexes = None, {}
    for id in reversed(ordered):
        posted = ids[id]
        if posted.index > indexes.get(posted.begun, posted.index):
            raise Complaint(f"The push {posted.name} has a smaller id than an earlier one of its request.")
        if soonest and soonest.acknowledged < posted.begun:
            raise Complaint(f"The push {posted.name} has a smaller id than {soonest.name}, which was acknowledged before it was posted.")
        indexes[posted.begun] = posted.index
        soonest = min(soonest or posted, posted, key=lambda each: each.acknowledged)


def results(service, key, app):
    """All outcomes of an app, in the order of the cursor."""
    after = {}
    while True:
        query = urllib.parse.urlencode({"app": app, "limit": 1000, **after})
        page = service.get(f"/v1/results?{query}", key)
        yield from page["items"]
        if not page["items"]:
            return
        after = {"after": page["next"]}


def check_results(service, key, apps, ids):
    """Reads all outcomes with a cursor, as a program does: each acknowledged job must be there once."""
    seen = Counter(item["id"] for app in apps for item in results(service, key, app))
    for id in ids:
        if seen[id] != 1:
            raise Complaint(f"The outcome of the job {id} is {seen[id]} times in /v1/results.")


def say(jobs, requests, rounds):
    """Prints a line for each kind of trouble, and the sums."""
    print(f"\n{'trouble':19}{'times':>6}{'acknowledged':>14}{'interrupted':>13}  seen")
    for kind in sorted({each.kind for each in rounds}):
        group = [each for each in rounds if each.kind == kind]
        print(
            f"{kind:19}{len(group):6}{sum(r.acknowledged for r in group):14}{sum(r.interrupted for r in group):13}  "
            + summed([r.seen for r in group]))
    kinds = Counter("superseded" if is_superseded(job) else job["outcome"]["kind"] for job in jobs.values())
    tries = Counter(request.apns_id for request in requests if request.status == 200)
    repeated = sum(count - 1 for count in tries.values())
    print(
        f"\n{len(jobs)} acknowledged jobs, each with one outcome: "
        + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        + f". {sum(r.interrupted for r in rounds)} tries were interrupted; {repeated} pushes were sent again, "
        "all of them at-least-once.")


def summed(texts):
    """The sum of texts that differ in their number; otherwise how often each occurs. A text can have several parts, with `; ` between them."""
    numbers, words = Counter(), Counter()
    for text in [part for text in texts for part in text.split("; ")]:
        first, _, rest = text.partition(" ")
        if first.isdigit():
            numbers[rest] += int(first)
        else:
            words[text] += 1
    return ", ".join([f"{number} {rest}" for rest, number in numbers.items()] + [f"{n} times {text}" for text, n in words.items()])
