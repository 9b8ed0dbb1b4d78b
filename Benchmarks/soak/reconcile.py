"""Compares each outcome of the sender with the log of the mock for the same notification."""
from collections import defaultdict


def complaints(reports):
    """A sentence for each notification where the two sides disagree."""
    *outcomes, (_, sent) = reports.sender.lines
    *requests, (_, arrived, _) = reports.mock.lines
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
            found.append(f"{apns_id} is {kind} {' '.join(words)}: {problem}; the mock logged {arrivals[apns_id]}")
    if len(seen) != int(sent):
        found.append(f"{sent} notifications were sent, but {len(seen)} have an outcome")
    if len(requests) != int(arrived):
        found.append(f"the mock counted {arrived} requests, but printed {len(requests)}")
    for apns_id in arrivals.keys() - seen:
        found.append(f"{apns_id} arrived, but the sender did not send it")
    return found


def taken(arrivals):
    return [arrival for arrival in arrivals if arrival[0] == 200]


def problem_of_accepted(arrivals, _):
    if len(taken(arrivals)) > 1:
        return "it was accepted twice"
    return None if any(answered for _, _, answered in taken(arrivals)) else "the mock has not answered 200"


def problem_of_rejected(arrivals, words):
    if taken(arrivals):
        return "the mock has accepted it"
    answers = [f"{status} {reason}" for status, reason, answered in arrivals if answered]
    # A connection may end after the status and before the reason.
    wanted = " ".join(words)
    if answers and (answers[-1] == wanted or wanted == f"{answers[-1].split()[0]} -"):
        return None
    return "the mock answered something else"


def problem_of_not_sent(arrivals, _):
    """The mock may only have refused it, or rejected it with a temporary error."""
    for status, reason, answered in arrivals:
        if status == 200 or status in (400, 410):
            return "the mock has given a final answer"
    return None


def problem_of_unknown(arrivals, _):
    return "it was accepted twice" if len(taken(arrivals)) > 1 else None


PROBLEMS = {
    "accepted": problem_of_accepted,
    "rejected": problem_of_rejected,
    "not-sent": problem_of_not_sent,
    "unknown": problem_of_unknown,
}
