"""Holds each outcome that the sender was told against what the mock has written down of the same notification."""
from collections import defaultdict


def complaints(told):
    """A sentence for each notification where the two sides disagree."""
    *outcomes, (_, sent) = told.sender.lines
    *requests, (_, arrived, _) = told.mock.lines
    found = []
    arrivals = defaultdict(list)
    for apns_id, status, reason, answered in requests:
        arrivals[apns_id].append((int(status), reason, answered == "1"))
    seen = set()
    for apns_id, kind, *words in outcomes:
        if apns_id in seen:
            found.append(f"{apns_id} has two outcomes")
        seen.add(apns_id)
        problem = PROBLEMS[kind](arrivals[apns_id], words)
        if problem:
            found.append(f"{apns_id} is {kind} {' '.join(words)}: {problem}; the mock has {arrivals[apns_id]}")
    if len(seen) != int(sent):
        found.append(f"{sent} were sent, and {len(seen)} have an outcome")
    if len(requests) != int(arrived):
        found.append(f"the mock has counted {arrived} requests, and told of {len(requests)}")
    for apns_id in arrivals.keys() - seen:
        found.append(f"{apns_id} arrived, and nobody sent it")
    return found


def taken(arrivals):
    return [arrival for arrival in arrivals if arrival[0] == 200]


def problem_of_accepted(arrivals, _):
    if len(taken(arrivals)) > 1:
        return "it was taken twice"
    return None if any(answered for _, _, answered in taken(arrivals)) else "the mock has not answered 200"


def problem_of_rejected(arrivals, words):
    if taken(arrivals):
        return "the mock has taken it"
    answers = [f"{status} {reason}" for status, reason, answered in arrivals if answered]
    # A connection may have ended behind the status and before the reason.
    wanted = " ".join(words)
    return None if answers and (answers[-1] == wanted or wanted == f"{answers[-1].split()[0]} -") else "it was not so"


def problem_of_not_sent(arrivals, _):
    """Refused each time, or rejected in a way that may pass."""
    for status, reason, answered in arrivals:
        if status == 200 or status in (400, 410):
            return "the mock has dealt with it"
    return None


def problem_of_unknown(arrivals, _):
    return "it was taken twice" if len(taken(arrivals)) > 1 else None


PROBLEMS = {
    "accepted": problem_of_accepted,
    "rejected": problem_of_rejected,
    "not-sent": problem_of_not_sent,
    "unknown": problem_of_unknown,
}
