"""Compares the outcomes of the service with what the mock got."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter

from programs import Complaint


def settled(service, key, ids, seconds):
    """Waits until each acknowledged job has its outcome. Returns the jobs by id."""
    jobs, end = {}, time.monotonic() + seconds
    while True:
        open_ids = [id for id in ids if id not in jobs]
        if not open_ids:
            return jobs
        if time.monotonic() > end:
            raise Complaint(f"{len(open_ids)} jobs have no outcome after {seconds} s, for example {open_ids[0]}.")
        for app in {ids[id][0] for id in open_ids}:
            of_app = [id for id in open_ids if ids[id][0] == app]
            for start in range(0, len(of_app), 100):
                part = of_app[start : start + 100]
                items = get(service, key, app, part)
                missing = set(part) - {item["id"] for item in items}
                if missing:
                    raise Complaint(f"{len(missing)} acknowledged jobs do not exist, for example {missing.pop()}.")
                jobs.update({item["id"]: item for item in items if item["state"] == "finished"})
        time.sleep(0.2)


def get(service, key, app, ids):
    query = urllib.parse.urlencode({"app": app, "ids": ",".join(ids), "limit": len(ids)})
    request = urllib.request.Request(
        f"{service.url}/v1/notifications?{query}", headers={"authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["items"]
    except urllib.error.HTTPError as error:
        raise Complaint(f"GET /v1/notifications gave {error.code}: {error.read()[:500]}") from None


def check(jobs, ids, requests, interrupted):
    of_token = Counter(token for _, token in ids.values())
    for token, count in of_token.items():
        if count > 1:
            raise Complaint(f"The push to {token} has {count} jobs.")
    tries = Counter(request["apns_id"].lower() for request in requests if "apns_id" in request)
    accepted = Counter(request["apns_id"].lower() for request in requests if request.get("status") == 200)
    strangers = set(tries) - set(ids)
    if strangers:
        # A push can be in the queue without an answer only until its request is repeated, and each was.
        raise Complaint(f"The mock got {len(strangers)} pushes that nobody posted, for example {strangers.pop()}.")
    for id, job in jobs.items():
        app, kind = ids[id][0], job["outcome"]["kind"]
        if tries[id] > 1:
            if app == "once":
                raise Complaint(f"The job {id} is at-most-once and was sent {tries[id]} times.")
            if tries[id] - 1 > len(interrupted[id]):
                raise Complaint(f"The job {id} was sent {tries[id]} times, but {len(interrupted[id])} of its tries were killed.")
        if kind == "accepted" and accepted[id] == 0:
            raise Complaint(f"The job {id} is accepted, but the mock did not accept it.")
        if kind in ("not_sent", "rejected") and accepted[id] > 0:
            raise Complaint(f"The job {id} is {kind}, but the mock accepted it.")
        if kind in ("not_sent", "rejected"):
            raise Complaint(f"The job {id} is {kind}: {job['outcome']}. Nothing in this test causes that.")
        if kind == "unknown" and app == "least":
            raise Complaint(f"The job {id} is at-least-once and ended as unknown.")
        if kind == "unknown" and not interrupted[id]:
            raise Complaint(f"The job {id} is unknown, but no kill interrupted it.")


def say(jobs, requests, interrupted, rounds):
    kinds = Counter(job["outcome"]["kind"] for job in jobs.values())
    tries = Counter(request["apns_id"] for request in requests if "apns_id" in request)
    repeated = sum(count - 1 for count in tries.values())
    print(
        f"{rounds} kills: {len(jobs)} acknowledged jobs, each with one outcome: "
        + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        + f". The kills interrupted {sum(map(len, interrupted.values()))} tries; {repeated} pushes were sent again, all of them "
        "at-least-once.")
