"""Clients that attack. They run in processes of their own, with a lower priority: they must not delay what is measured."""

import http.client
import itertools
import json
import os
import selectors
import socket
import time
import urllib.parse
from collections import Counter
from types import SimpleNamespace

from kill_test.programs import ask

# The address of the attackers. The key that must not notice them posts from 127.0.0.1.
ATTACKER = "127.0.0.2"


def request(method, path, key=None, body=b"", closes=False, **fields):
    """A request as bytes, with a whole body; `content_length` can promise a longer one."""
    fields = {"host": "127.0.0.1", "content_length": str(len(body)), **fields}
    if key:
        fields["authorization"] = f"Bearer {key}"
    if closes:
        fields["connection"] = "close"
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items()]
    return f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + body


def upload(url, path, key, lines, seconds=300):
    """Posts JSON lines."""
    return ask(url, "POST", path, key, lines, seconds, content_type="application/x-ndjson")


def upload_with_one_key(urls, key, idempotency_key, uploads, together):
    """Uploads lists of lines: one after the other, or at the same time, a line of each in turn. Returns the status and the body of each answer."""
    sockets, answers = [], []
    for url, (path, lines) in zip(itertools.cycle([urls[0], urls[-1]]), uploads):
        parts, body = urllib.parse.urlsplit(url), "".join(lines)
        each = socket.create_connection((parts.hostname, parts.port), timeout=60)
        each.sendall(request(
            "POST", path, key, content_type="application/x-ndjson", idempotency_key=idempotency_key, content_length=str(len(body))))
        sockets.append(each)
        if not together:
            each.sendall(body.encode())
            answers.append(answer_of(each))
    for lines in zip(*(lines for _, lines in uploads)) if together else ():
        for each, line in zip(sockets, lines):
            try:
                each.sendall(line.encode())
            except OSError:
                # It was refused, and its answer is there.
                pass
        time.sleep(0.005)
    return answers or [answer_of(each) for each in sockets]


def answer_of(connection):
    answer = http.client.HTTPResponse(connection)
    try:
        answer.begin()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return None, b""
    finally:
        connection.close()


def flood(urls, data, connections, seconds, reads=False, reopens=False, sources=1):
    """Keeps connections open that send the same data. With `reopens`, one that the service closes is followed by another.

    Returns how many answers had each status, if the connections read, and how many connections were opened.
    """
    # Nothing looks at those that are held. They stay open.
    selector, held, seen = selectors.DefaultSelector(), [], Counter()
    addresses = itertools.cycle((parts.hostname, parts.port) for parts in map(urllib.parse.urlsplit, urls))
    names = itertools.cycle([ATTACKER] if sources == 1 else [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(sources)])

    def open_one():
        try:
            # What it has not sent yet, and the first line of its answer.
            each = SimpleNamespace(socket=socket.socket(), left=memoryview(data), status=b"")
        except OSError:
            seen["refused"] += 1
            return
        each.socket.setblocking(False)
        try:
            each.socket.bind((next(names), 0))
            each.socket.connect_ex(next(addresses))
        except OSError:
            each.socket.close()
            seen["refused"] += 1
            return
        seen["opened"] += 1
        selector.register(each.socket, selectors.EVENT_WRITE | selectors.EVENT_READ, each)

    def close(each):
        if each.socket.fileno() < 0:
            return
        selector.unregister(each.socket)
        each.socket.close()
        seen[each.status[9:12].decode() or "closed"] += 1
        if reopens:
            open_one()

    def step(each, mask):
        if mask & selectors.EVENT_WRITE:
            if each.left:
                each.left = each.left[each.socket.send(each.left[: 1 << 20]) :]
            if not each.left:
                selector.modify(each.socket, selectors.EVENT_READ, each)
        if mask & selectors.EVENT_READ:
            # One that does not read looks only whether it is still open.
            text = each.socket.recv(1 << 16, 0 if reads else socket.MSG_PEEK)
            each.status = each.status or text[:12]
            if not text:
                close(each)
            elif not reads and each.left:
                selector.modify(each.socket, selectors.EVENT_WRITE, each)
            elif not reads:
                held.append(each)
                selector.unregister(each.socket)

    end = time.monotonic() + seconds
    for number in range(connections):
        open_one()
        if number % 250 == 249:
            turn(selector, step, close, 0)
    while time.monotonic() < end:
        turn(selector, step, close, 0.1)
    seen.update(each.data.status[9:12].decode() for each in selector.get_map().values() if each.data.status)
    return dict(seen)


def turn(selector, step, close, timeout):
    for entry, mask in selector.select(timeout):
        try:
            step(entry.data, mask)
        except BlockingIOError:
            pass
        except OSError:
            close(entry.data)


def schedule_campaigns(urls, key, count, size, seconds):
    """Makes campaigns that begin in a year, each with settings of `size` bytes. Returns how many were accepted."""
    payload, line = {"aps": {"alert": "{{a}}"}, "d": "{{a|" + "x" * size + "}}"}, b'{"token":"' + b"5f" * 32 + b'","vars":{"a":"b"}}\n'
    settings = {"name": "later", "payload": payload, "starts_at": f"{time.gmtime().tm_year + 1}-06-01T00:00:00Z"}
    seen, end = Counter(), time.monotonic() + seconds
    for _, url in zip(range(count), itertools.cycle(urls)):
        status, text, _ = ask(url, "POST", "/v1/campaigns", key, json.dumps(settings).encode())
        if status == 201:
            path = f"/v1/campaigns/{json.loads(text)['id']}"
            ask(url, "POST", f"{path}/lines", key, line, content_type="application/x-ndjson")
            status = ask(url, "POST", f"{path}/start", key, b"{}")[0]
        seen[str(status)] += 1
        if time.monotonic() > end:
            break
    return dict(seen)


def run(pipe, function, *words):
    """The main function of the process of an attack."""
    os.nice(10)
    pipe.send(function(*words))
