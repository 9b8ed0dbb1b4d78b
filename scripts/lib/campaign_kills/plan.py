"""The campaigns and their events. A seed selects them."""

import json
import random
from dataclasses import dataclass, field

FORMS = ("templates", "payloads", "csv", "tokens")
COLLAPSE_ID = "score"
TOPIC = "com.example.app"
PAYLOAD = {"aps": {"alert": "Hello {{name}}"}}
PLAIN_PAYLOAD = {"aps": {"alert": "Hello"}}
# Seconds since 1970, long before the timestamp in any answer of the mock, so that tokens that the mock calls dead are in `gone`.
REGISTERED_AT = 1500000000


@dataclass
class Event:
    """One event of a campaign. `details` are its parameters for the course."""
    name: str
    details: dict = field(default_factory=dict)


@dataclass
class Fault:
    """A fault that the mock injects during a run. With `loses`, lines can stay without an answer."""
    steps: list
    when: dict = field(default_factory=dict)
    at: str = "request"
    times: int | None = None
    loses: bool = False
    codes: tuple = ()
    # The time limit of each push, for faults where the usual limit only makes the run longer. A slow machine may not even be connected
    # by then: that is 69.
    timeout: str | None = None

    def json(self):
        said = {"at": self.at, "when": self.when, "steps": self.steps}
        if self.times:
            said["times"] = self.times
        return json.dumps(said)


@dataclass
class Campaign:
    seed: int
    number: int
    lines: int
    form: str
    window: int
    concurrency: int
    durable: bool
    at_least_once: bool
    events: list
    dead_lines: set
    invalid_lines: set
    # Lines that replace each other, as they have one device and one collapse id: the first line of each.
    firsts: dict = field(default_factory=dict)

    @property
    def first_line(self):
        return 2 if self.form == "csv" else 1

    @property
    def line_numbers(self):
        return range(self.first_line, self.first_line + self.lines)

    def token(self, line):
        """A device token of eight hex digits. The multiplier is odd, so each line has a different token, but those that replace each other."""
        return f"{self.firsts.get(line, line) * 2654435761 % 2**32:08x}"

    def described(self):
        flags = [name for name in ("durable", "at_least_once") if getattr(self, name)]
        return (f"{self.lines} lines, {self.form}, window {self.window}, concurrency {self.concurrency}"
                f"{''.join(', ' + flag.replace('_', ' ') for flag in flags)}; "
                + ", ".join(event.name for event in self.events))


def answer(status, reason):
    return [{"answer": {"status": status, "reason": reason}}]


def faults(draw, lines):
    """Every fault by its name. All faults are drawn each time, so that the next random numbers do not depend on the choice."""
    late = {"request": {"from": draw.randint(1, lines)}}
    some = {"probability": draw.choice((0.02, 0.1, 0.3))}
    few = {"probability": draw.choice((0.002, 0.01))}
    each = {"match": {"every": draw.randint(50, 500)}}
    end = draw.choice(("tls_closed", "tls_alert", "tcp_closed", "tcp_reset"))
    last = draw.choice(("this", "below", "newest"))
    return {
        "503 for a while": Fault(answer(503, "ServiceUnavailable"), late, times=draw.randint(10, 400), codes=(75,)),
        "503 for everybody": Fault(answer(503, "ServiceUnavailable"), late, codes=(75,)),
        "500 now and then": Fault(answer(500, "InternalServerError"), few),
        "refused streams": Fault([{"reset_stream": {"code": "REFUSED_STREAM"}}], some, codes=(75,)),
        "GOAWAY": Fault([{"go_away": {"last_stream": last}}], each, codes=(75,)),
        "closed connections": Fault([{"close_connection": end}], each, loses=True, codes=(75, 69), timeout="3s"),
        "lost answers": Fault(["judge", "no_answer"], few, loses=True, codes=(75, 69), timeout="3s"),
        "no connection": Fault([{"close_connection": "tcp_reset"}], at="connection_accepted", codes=(69, 75), timeout="1s"),
        "delays": Fault([{"wait_ms": {"median": 20, "p99": 300}}]),
        "expired provider token": Fault(answer(403, "ExpiredProviderToken"), late, codes=(77,)),
        "wrong environment": Fault(answer(400, "BadDeviceToken"), late, codes=(75,)),
        "revoked key": Fault(answer(403, "InvalidProviderToken"), late, codes=(77,)),
    }


FAULT_NAMES = tuple(faults(random.Random(0), 10))
DAMAGES = ("journal cut", "older journal", "journal deleted", "results cut", "results deleted", "other payload")
OTHERS = ("kill -9", "kills in a row", "interrupt", "full disk", "file size limit", "lists taken between runs",
          "lists taken during a run")
EVENT_NAMES = OTHERS + DAMAGES + FAULT_NAMES


def drawn(seed, number, most_lines):
    """Campaign `number` of a seed. The first events of successive campaigns go through all events, so that each one occurs."""
    order = list(EVENT_NAMES)
    random.Random(seed).shuffle(order)
    draw = random.Random(f"{seed}/{number}")
    lines = draw.randint(500, most_lines)
    names = [order[(number - 1) % len(order)]] + draw.choices(EVENT_NAMES, k=draw.randint(0, 2))
    if draw.random() < 0.5:
        names.append("kill -9")
    form = draw.choice(FORMS)
    campaign = Campaign(
        seed, number, lines, form,
        window=draw.choice((20, 100, 500, 2000, 10000)),
        concurrency=draw.choice((10, 100, 1000, 5000)),
        durable=draw.random() < 0.15,
        at_least_once=draw.random() < 0.35,
        events=[], dead_lines=set(), invalid_lines=set())
    campaign.dead_lines = set(draw.sample(campaign.line_numbers, 10))
    others = [line for line in campaign.line_numbers if line not in campaign.dead_lines]
    campaign.invalid_lines = set(draw.sample(others, draw.choice((0, 3))))
    if form != "tokens":
        campaign.firsts = replacing(draw, others, campaign.invalid_lines)
    campaign.events = [event(name, draw, lines) for name in names]
    return campaign


def replacing(draw, others, invalid):
    """Groups of lines to one device, a few lines apart, so that they are in flight together."""
    firsts = {}
    for _ in range(30):
        start, gap = draw.randrange(len(others)), draw.randint(1, 20)
        group = [line for line in others[start : start + 5 * gap : gap] if line not in invalid and line not in firsts]
        firsts.update(dict.fromkeys(group, group[0]) if len(group) > 1 else {})
    return firsts


def event(name, draw, lines):
    details = {"moments": [moment(draw) for _ in range(draw.randint(3, 6))], "share": draw.uniform(0.1, 0.9)}
    details["lists"] = {kind: draw.choice(("move", "delete", "leave")) for kind in ("gone", "again.jsonl", "unknown.jsonl")}
    details["then"] = draw.choice(("kill", "end"))
    drawn_faults = faults(draw, lines)
    if name in drawn_faults:
        details["fault"] = drawn_faults[name]
        details["kill"] = draw.random() < 0.3
    return Event(name, details)


def moment(draw):
    """The moment of an event in a run: after a share of its lines, or after some seconds."""
    if draw.random() < 0.6:
        return ("share", draw.random() ** 1.5)
    return ("seconds", draw.uniform(0.01, 1.0))


# --- The input


def write_input(campaign, folder):
    """Writes the input of a campaign, and returns its path."""
    path = folder / {"csv": "in.csv", "tokens": "in.txt"}.get(campaign.form, "in.jsonl")
    with path.open("w", encoding="utf-8") as file:
        if campaign.form == "csv":
            file.write("token,ref,registered_at,name,collapse_id\n")
        for line in campaign.line_numbers:
            file.write(written(campaign, line) + "\n")
    return path


def payload_of(campaign):
    if campaign.form in ("templates", "csv"):
        return PAYLOAD
    return None if campaign.form == "payloads" else PLAIN_PAYLOAD


def name_in(line):
    """A text in the payload of a line. It shows when a payload reaches the device of another line."""
    return f"person {line}."


def written(campaign, line):
    # An odd number of hex digits is not a device token.
    token = "abc" if line in campaign.invalid_lines else campaign.token(line)
    if campaign.form == "tokens":
        return token
    if campaign.form == "csv":
        return f"{token},{line},{REGISTERED_AT},{name_in(line)},{COLLAPSE_ID if line in campaign.firsts else ''}"
    said = {"token": token, "ref": line, "registered_at": REGISTERED_AT}
    if line in campaign.firsts:
        said["collapse_id"] = COLLAPSE_ID
    if campaign.form == "templates":
        said["vars"] = {"name": name_in(line)}
    else:
        said["payload"] = {"aps": {"alert": f"Hello {name_in(line)}", "badge": line}}
    return json.dumps(said)
