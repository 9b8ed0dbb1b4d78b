"""Attacks on memory, time and shares: whoever attacks, the other key is served, and the service stays small."""

import json
import resource
import sqlite3
import time

from complaint import Complaint
from kill_test.programs import later

from . import clients
from .clients import request
from .ground import MIB, SETTLING
from .rows import Skipped, attack

NOTIFICATIONS = "/v1/notifications?app=shop"
LINES = "application/x-ndjson"
TOKEN = "5f" * 32
# How many bytes an upload of 2 MB may take on the disk.
MOST_DISK = 64 * MIB
# How many bytes /readyz may write in a second.
MOST_WRITTEN = MIB // 4


def push(**members):
    return {"token": TOKEN, "payload": {"aps": {"alert": "x"}}, **members}


# A push of 129 kB whose payload would have 832 MB.
BOMB = {"payload": {"aps": {"alert": "x"}, "d": "{{a}}" * 13_000}, "vars": {"a": "y" * 64_000}}


# --- X1: templates


def post_bombs(ground, body):
    status = (ground.run(clients.ask, ground.urls[0], "POST", NOTIFICATIONS, ground.key, body) or [None])[0]
    if status == 202:
        ground.wait(2 * ground.seconds)
    return f"{status}"


@attack("bomb", "X1", quick="")
def bomb(ground):
    """A push of 129 kB whose template would become 832 MB"""
    return post_bombs(ground, json.dumps(push(**BOMB)).encode())


@attack("bombs", "X1")
def bombs(ground):
    """Sixty of them in one array"""
    return post_bombs(ground, json.dumps([push(**BOMB)] * 60).encode())


@attack("campaign-bomb", "X1")
def campaign_bomb(ground):
    """A campaign whose payload has 13,000 placeholders, and an upload of 1.2 MB for it"""
    draft = json.dumps({"name": "x", "payload": BOMB["payload"]}).encode()
    status, text, _ = ground.ask("POST", "/v1/campaigns?app=shop", body=draft)
    if status != 201:
        return f"{status}"
    lines = (json.dumps({"token": TOKEN, "vars": {"a": "y" * 60_000}}) + "\n").encode() * 20
    path = f"/v1/campaigns/{json.loads(text)['id']}"
    ground.run(clients.upload, ground.urls[0], f"{path}/lines", ground.key, lines)
    ground.ask("POST", f"{path}/start", body=b"{}")
    ground.wait(ground.seconds)


@attack("stored-bomb", "X1", quick="file,postgres", begins=False)
def stored_bomb(ground):
    """A bomb that an older version has stored"""
    ground.start()
    held = json.dumps(push(payload={"aps": {"alert": "x"}, "d": "{{a}}"}, vars={"a": "b"}, deliver_at=later(hours=1))).encode()
    ground.ask("POST", NOTIFICATIONS, body=held)
    ground.workers.stop()
    payload, values = (json.dumps(BOMB[member]).encode().hex() for member in ("payload", "vars"))
    if ground.cluster:
        ground.sql(f"""UPDATE pushserve.content SET payload = '\\x{payload}', shared = NULL, variables = '\\x{values}';
            UPDATE pushserve.job SET due = 0""")
    else:
        with sqlite3.connect(ground.database) as database:
            database.executescript(f"""UPDATE payload SET body = X'{payload}'; UPDATE content SET variables = X'{values}';
                UPDATE job SET due = 0""")
        database.close()
    ground.workers.start()
    ground.begin()
    ground.wait(2 * ground.seconds)


# --- X2: connections that read nothing, and bodies that never end


def flood(name, quick, path):
    def play(ground):
        ground.flood(request("GET", path) * 2000, ground.size(250, 10_000))

    play.__doc__ = f"2000 requests for {path} on each of 250 connections (long: 10,000), without a key, and nothing is read"
    attack(name, "X2", quick=quick)(play)


flood("openapi", "file", "/v1/openapi.json")
flood("page-files", "", "/js/main.js")
flood("livez", "", "/livez")


@attack("unfinished-bodies", "X2")
def unfinished_bodies(ground):
    """The first 8.3 MB of a body of 8 MiB on each of 100 connections (long: 1000), with a key"""
    head = request("POST", NOTIFICATIONS, ground.key, content_type="application/json", content_length=str(8 * MIB))
    ground.flood(head + b" " * 8_300_000, ground.size(100, 1000))


@attack("unfinished-lines", "X2", quick="")
def unfinished_lines(ground):
    """A line of 250 kB that never ends on each of 1000 connections, with a key"""
    head = request("POST", NOTIFICATIONS, ground.key, content_type=LINES, content_length=str(8 * MIB))
    ground.flood(head + b" " * 250_000, 1000)


def store_outcomes(ground, count):
    lines = (json.dumps(push()) + "\n").encode() * count
    ground.run(clients.upload, ground.urls[0], NOTIFICATIONS, ground.key, lines)
    full = lambda: len(json.loads(ground.ask("GET", "/v1/results?app=shop&limit=1000")[1])["items"]) == 1000
    ground.until(full, SETTLING, "the pushes got no outcome")


@attack("heavy-reads", "X2")
def heavy_reads(ground):
    """200 requests for 1000 results each on each of 60 connections (long: 300) of one key, and nothing is read"""
    store_outcomes(ground, 1000)
    ask = request("GET", "/v1/results?app=shop&limit=1000", ground.key)
    ground.flood(ask * 200, ground.size(60, 300))


@attack("fields", "X2", quick="")
def fields(ground):
    """1000 short header fields without an end on each of 2000 connections (long: 9000), without a key"""
    names = b"a" * 16 + b":\r\n"
    ground.flood(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n" + names * 320 + b"a:\r\n" * 670, ground.size(2000, 9000))


# --- X10: work


@attack("misspelt", "X10", quick="file")
def misspelt(ground):
    """Arrays of seven pushes with 140 misspelt keys each, 27 kB, again and again, on 20 connections of one key"""
    keys = {f"content-availabla{number}": 1 for number in range(140)}
    body = json.dumps([{"token": TOKEN, "payload": {"aps": {"alert": "x", **keys}}}] * 7, separators=(",", ":")).encode()
    data = request("POST", f"{NOTIFICATIONS}&validate_only=true", ground.key, body, closes=True, content_type="application/json")
    return f"{ground.flood(data, 20, seconds=2 * ground.seconds, reads=True, reopens=True)}"


@attack("event-backlog", "X10", quick="file")
def event_backlog(ground):
    """50 event streams of one key that read 5,000 outcomes (long: 60,000)"""
    store_outcomes(ground, ground.size(5000, 60_000))
    ask = request("GET", "/v1/results/events?app=shop&after=r0", ground.key)
    ground.flood(ask, 50, seconds=2 * ground.seconds, reads=True)


@attack("long-lists", "X10", quick="")
def long_lists(ground):
    """Lists of 1000 results, again and again, on 24 connections of one key"""
    store_outcomes(ground, 1000)
    ground.flood(request("GET", "/v1/results?app=shop&limit=1000", ground.key) * 200, 24, seconds=2 * ground.seconds, reads=True)


# --- X9: campaigns


@attack("refused-lines", "X9")
def refused_lines(ground):
    """An upload of 2 MB (long: 4) whose lines are all refused, except the first"""
    before, body = ground.disk(), json.dumps(push()).encode() + b"\n" + b"x\n" * ground.size(1_000_000, 2_000_000)
    path = "/v1/campaigns?app=shop&name=x"
    answer = ground.run(clients.upload, ground.urls[0], path, ground.key, body, seconds=ground.size(20, 300))
    grown = ground.disk() - before
    if grown > MOST_DISK:
        raise Complaint(f"{grown // MIB} MiB on the disk")
    return f"{grown // MIB} MiB on the disk; {str(answer)[:60]}"


@attack("scheduled-campaigns", "X9", quick="")
def scheduled_campaigns(ground):
    """3000 campaigns that begin in a year, each with 60 kB of settings"""
    seen = ground.run(clients.schedule_campaigns, ground.urls, ground.key, 3000, 60_000, 120, seconds=150)
    ground.wait(ground.seconds)
    return f"{seen}"


# --- X10: shares


def require_stream(ground):
    status = ground.ask("GET", "/v1/results/events?app=other", ground.other_key, reads=False, seconds=20)[0]
    if status != 200:
        raise Complaint(f"another key's event stream gets {status}")


@attack("event-streams", "X10")
def event_streams(ground):
    """150 event streams of one key (long: 1500); another key opens one, too"""
    ground.flood(
        request("GET", "/v1/results/events?app=shop", ground.key), ground.size(150, 1500), reads=True,
        meanwhile=lambda: require_stream(ground))


@attack("waits", "X10")
def waits(ground):
    """1200 requests of one key that wait for an outcome; another key waits for one, too"""
    body = json.dumps(push(deliver_at=later(hours=1))).encode()

    def require_wait():
        path = "/v1/notifications?app=other&wait=10s"
        status = ground.ask("POST", path, ground.other_key, json.dumps(push()).encode(), seconds=20)[0]
        if status not in (200, 202):
            raise Complaint(f"another key that waits gets {status}")

    ground.flood(
        request("POST", f"{NOTIFICATIONS}&wait=60s", ground.key, body, closes=True, content_type="application/json"), 1200,
        seconds=2 * ground.seconds, reads=True, reopens=True, meanwhile=require_wait)


@attack("logins", "X10", quick="")
def logins(ground):
    """1500 logins with one key, from 500 addresses; the session of another key goes on"""
    log_in = json.dumps({"key": ground.other_key}).encode()
    status, _, fields = clients.ask(ground.urls[0], "POST", "/v1/session", body=log_in)
    cookie = next((value.split(";")[0] for name, value in fields.items() if name.lower() == "set-cookie"), "")
    if not cookie:
        raise Complaint(f"a login gets {status}")
    body = json.dumps({"key": ground.key}).encode()
    login = request("POST", "/v1/session", body=body, closes=True, content_type="application/json")
    seen = ground.flood(login, 1500, reads=True, sources=500)
    time.sleep(2.5)
    status = clients.ask(ground.urls[0], "GET", "/v1/session", cookie=cookie)[0]
    if status != 200:
        raise Complaint(f"{seen}; the session of another key gets {status}")
    return f"{seen}"


@attack("zeros", "X10")
def zeros(ground):
    """Bodies of 8 MiB with [0,0,...], again and again, on twenty connections of one key"""
    body = b"[" + b"0," * (4 * MIB - 8) + b"0]"
    data = request("POST", NOTIFICATIONS, ground.key, body, closes=True, content_type="application/json")
    return f"{ground.flood(data, 20, seconds=2 * ground.seconds, reads=True, reopens=True)}"


@attack("idle-connections", "X10", begins=False)
def idle_connections(ground):
    """1100 connections from one address that send nothing, where the service takes 1000 (long: 11,000, and the default of 10,000)"""
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < ground.size(2000, 12_000):
        raise Skipped("it needs a limit of 12,000 open files")
    ground.limits = ground.size("connections: 1000", "")
    ground.start()
    ground.begin()
    ground.flood(b"", ground.size(1100, 11_000), seconds=ground.size(5, 45))


@attack("readyz", "X10", quick="")
def readyz(ground):
    """/readyz without a key, again and again, on eight connections"""

    def rate(seconds, action):
        begun, before = time.monotonic(), ground.written()
        action(seconds)
        return (ground.written() - before) / (time.monotonic() - begun)

    usual = rate(3, time.sleep)
    ask = request("GET", "/readyz", closes=True)
    more = rate(ground.seconds, lambda seconds: ground.flood(ask, 8, reads=True, reopens=True)) - usual
    if more > MOST_WRITTEN:
        raise Complaint(f"it writes {more / MIB:.1f} MiB/s")
    return f"it writes {more / MIB:.1f} MiB/s"


# --- X11: tokens


@attack("wrong-tokens", "X11")
def wrong_tokens(ground):
    """300 wrong device tokens of one key; another key sends the same app"""
    refusal = {"status": 400, "reason": "BadDeviceToken"}
    fault = ground.mock.fault(json.dumps({"when": {"push_type": "background"}, "steps": [{"answer": refusal}]})).strip()
    key = ground.workers[0].make_key("send,read", ["other"])
    wrong = [
        {"token": f"{number:064x}", "push_type": "background", "priority": 5, "payload": {"aps": {"content-available": 1}}}
        for number in range(1, 301)]
    try:
        for start in range(0, 300, 100):
            status, text, _ = ground.ask("POST", "/v1/notifications?app=other", key, json.dumps(wrong[start : start + 100]).encode())
            if status != 202:
                raise Complaint(f"wrong tokens get {status}: {text[:300]}")
        ground.wait(ground.seconds)
        state = [app["state"] for app in ground.workers[0].get("/v1/status", ground.other_key)["apps"]]
        if state != ["running"]:
            raise Complaint(f"the app of another key is {state[0]}")
    finally:
        ground.mock.remove_fault(fault)
