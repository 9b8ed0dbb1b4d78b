"""Compares the folder of a campaign with the log of the mock, line by line."""

import json
from collections import Counter, defaultdict

from complaint import Complaint

from . import plan


def read_lines(path):
    """The complete lines of a file. A kill may leave an incomplete last line."""
    if not path.exists():
        return []
    content = path.read_bytes()
    return content[:content.rfind(b"\n") + 1].splitlines()


def lines_left(campaign, out):
    return campaign.lines - len(read_lines(out / "results.jsonl"))


def exit_codes(campaign, out):
    """The exit codes of docs/batch.md for a run that came to its end, from the files in the folder."""
    results = [json.loads(line) for line in read_lines(out / "results.jsonl")]
    if any(result["outcome"] == "unknown" for result in results):
        return (76,)
    if len(results) < campaign.lines or read_lines(out / "again.jsonl"):
        return (75,)
    # If again.jsonl was taken away, its lines may have been sent. This is not so if it was taken during the run.
    return (0, 75) if any(may_pass(result) for result in results) else (0,)


def may_pass(result):
    """Whether the same line can succeed later. Such a line is in again.jsonl."""
    if result["outcome"] == "not_sent":
        return result["reason"] not in ("invalid", "duplicate", "expired", "superseded")
    return result.get("final") is False


class Reconciliation:
    def __init__(self, course):
        self.course = course
        self.campaign = course.campaign
        self.results = {}
        self.requests = defaultdict(list)
        for request in course.mock.all_requests():
            self.requests[request["token"]].append(request)

    def check(self):
        """Checks everything, and returns the number of lines with each outcome."""
        self.check_files()
        self.read_results()
        for line in self.campaign.line_numbers:
            self.check_line(line, self.results[line], self.requests_of(line))
        self.check_order()
        self.check_unknown()
        self.check_lists()
        return Counter(
            "superseded" if result.get("reason") == "superseded" else result["outcome"] for result in self.results.values())

    def check_files(self):
        for path in self.course.disk.rglob("*"):
            if path.is_file() and path.name not in ("journal", "reserve") and b"\0" in path.read_bytes():
                raise Complaint(f"{path.name} has NUL bytes.")

    def read_results(self):
        content = (self.course.out / "results.jsonl").read_bytes()
        if not content.endswith(b"\n"):
            raise Complaint("The last line of results.jsonl is incomplete.")
        for written in content.splitlines():
            result = json.loads(written)
            line = result["line"]
            if line in self.results:
                raise Complaint(f"Line {line} is in results.jsonl twice: {self.results[line]} and {result}")
            if line not in self.campaign.line_numbers:
                raise Complaint(f"Line {line} is in results.jsonl, but not in the input.")
            self.results[line] = result
        if missing := [line for line in self.campaign.line_numbers if line not in self.results]:
            raise Complaint(f"{len(missing)} lines have no result, the first is {missing[0]}.")

    def requests_of(self, line):
        requests = self.requests[self.campaign.token(line)]
        if line not in self.campaign.firsts:
            return requests
        return [request for request in requests if plan.name_in(line) in request["payload"]]

    def check_order(self):
        """Lines that replace each other: none comes to the mock after a later one was accepted."""
        for first in set(self.campaign.firsts.values()):
            lines = [line for line, its in self.campaign.firsts.items() if its == first]
            accepted = 0
            for request in self.requests[self.campaign.token(first)]:
                line = next((line for line in lines if plan.name_in(line) in request["payload"]), None)
                if line is None:
                    raise Complaint(f"The device of the lines {lines} got the payload of another line.")
                if line < accepted:
                    raise self.complaint(line, self.results[line], self.requests[self.campaign.token(first)])(
                        f"it came to the mock after line {accepted}, which replaces it, was accepted")
                if request["status"] == 200:
                    accepted = line
            if self.results[max(lines)].get("reason") == "superseded":
                raise Complaint(f"Line {max(lines)} is superseded, and no later line replaces it.")

    def check_line(self, line, result, requests):
        accepted = [request for request in requests if request["status"] == 200]
        complain = self.complaint(line, result, requests)
        self.check_identity(line, result, requests, complain)
        if len(accepted) > self.most_accepted():
            raise complain(f"it was accepted {len(accepted)} times")
        if len({request["apns_id"] for request in accepted}) > 1:
            raise complain("it was accepted with several apns-ids")
        outcome = result["outcome"]
        if result.get("reason") == "superseded" and line not in self.campaign.firsts:
            raise complain("no other line replaces it")
        if line in self.campaign.invalid_lines and result.get("reason") != "invalid":
            raise complain("it is invalid")
        if outcome == "accepted":
            self.check_accepted(result, accepted, complain)
        elif outcome == "rejected":
            self.check_rejected(result, requests, complain)
        if outcome in ("rejected", "not_sent") and accepted and not self.campaign.at_least_once:
            raise complain("the mock has accepted it")

    def most_accepted(self):
        if not self.campaign.at_least_once:
            return 1
        # After a lost connection or answer, the client itself sends the notification again, at most five times.
        return self.course.runs * (5 if self.course.loses else 1)

    def check_identity(self, line, result, requests, complain):
        if "ref" in result and str(result["ref"]) != str(line):
            raise complain("its ref belongs to another line")
        if line not in self.campaign.invalid_lines and result["token"] != self.campaign.token(line):
            raise complain("its device token belongs to another line")
        if self.campaign.form != "tokens" and any(plan.name_in(line) not in request["payload"] for request in requests):
            raise complain("its device got the payload of another line")

    def check_accepted(self, result, accepted, complain):
        answered = [request for request in accepted if request.get("answered", True)]
        if not any(request["apns_id"] == result["apns_id"] for request in answered):
            raise complain("no request with its apns-id was answered with 200")

    def check_rejected(self, result, requests, complain):
        last = requests[-1] if requests else {}
        if (last.get("status"), last.get("reason")) != (result["status"], result.get("reason")):
            raise complain("the last answer of the mock is different")

    def complaint(self, line, result, requests):
        def made(text):
            history = "\n".join(f"    {request['number']}: connection {request['connection']}, status {request['status']} "
                                f"{request.get('reason', '')} {request.get('fault_name', '')} "
                                f"answered {request.get('answered', True)} apns-id {request.get('apns_id')}"
                                for request in requests)
            return Complaint(f"Line {line}: {text}.\n    {json.dumps(result)}\n{history}")
        return made

    def check_unknown(self):
        unknown = [result for result in self.results.values() if result["outcome"] == "unknown"]
        interrupted = [result for result in unknown if result["reason"] == "interrupted"]
        most = self.campaign.window * self.course.kills
        if len(interrupted) > most:
            raise Complaint(f"{len(interrupted)} lines are unknown after {self.course.kills} kills: more than {most}.")
        # What a later line replaces isn't resent, and may have been sent.
        alone = [result for result in interrupted if not self.is_replaced(result["line"])]
        if alone and self.campaign.at_least_once:
            raise Complaint(f"{len(alone)} lines are unknown after a kill, in spite of --at-least-once.")
        if len(unknown) > len(interrupted) and not self.course.loses:
            other = next(result for result in unknown if result["reason"] != "interrupted")
            raise Complaint(f"{len(unknown) - len(interrupted)} lines are unknown without a cause: {json.dumps(other)}")

    def is_replaced(self, line):
        firsts = self.campaign.firsts
        return line in firsts and any(
            other > line and first == firsts[line] and self.results[other]["outcome"] in ("accepted", "unknown")
            for other, first in firsts.items())

    # The lists, together with the parts that were moved away

    def check_lists(self):
        results = self.results.values()
        dead = {result["token"] for result in results if result.get("reason") == "Unregistered" and self.campaign.form != "tokens"}
        self.compare("gone", dead, lambda entry: entry.decode())
        self.compare("again.jsonl", self.tokens(filter(may_pass, results)), token_of)
        self.compare("unknown.jsonl", self.tokens(result for result in results if result["outcome"] == "unknown"), token_of)

    def tokens(self, results):
        return {result["token"] for result in results}

    def compare(self, name, wanted, token):
        entries = [token(entry) for entry in self.entries(name)]
        if name not in self.course.lists_deleted and (missing := wanted - set(entries)):
            raise Complaint(f"{name} lacks {len(missing)} of {len(wanted)} lines, for example {sorted(missing)[0]}.")
        # A list can be moved and the run killed afterwards. Lines that the run wrote to this list are unknown later, and are then in
        # two lists.
        extra = [entry for entry in entries if entry not in wanted and not self.was_interrupted(entry)]
        if extra:
            raise Complaint(f"{name} has {len(extra)} lines too many, for example {extra[0]}.")

    def entries(self, name):
        away = self.course.disk / "away"
        paths = [self.course.out / name, *(away.glob(f"{name}.*") if away.exists() else ())]
        return [line for path in paths for line in read_lines(path)]

    def was_interrupted(self, token):
        return self.course.kills > 0 and (self.campaign.at_least_once or any(
            result["token"] == token and result.get("reason") == "interrupted" for result in self.results.values()))


def token_of(entry):
    return json.loads(entry)["token"]
