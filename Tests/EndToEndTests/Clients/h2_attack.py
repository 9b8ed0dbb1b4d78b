"""Attacks a mock in one manner, while an honest client on another connection goes on being served.

    h2_attack.py MANNER PORT CA AUTHORIZATION [COUNT]

Prints the result as one JSON object: what the attacker received at the end (`goaway` with its `code`, or `text` where it
was no HTTP/2), whether its connection was `closed`, how many were `opened` and `refused`, how many requests of the honest
client were answered (`honest`) and whether one failed (`failure`).
Each attack ends by itself after COUNT steps at the most.
"""

import json
import os
import resource
import select
import socket
import ssl
import struct
import sys
import threading
import time

import h2.config
import h2.connection
import h2.events
import hpack

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# In seconds, for the attacker and for the honest client. It only ends a run that hangs. It is longer than any machine needs, so how
# fast a mock answers decides nothing.
PATIENCE = 120

manner, port, authority, authorization = sys.argv[1:5]
count = int(sys.argv[5]) if len(sys.argv) > 5 else 20_000


def context(*protocols):
    made = ssl.create_default_context(cafile=authority)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    return made


def tcp():
    made = socket.create_connection(("127.0.0.1", int(port)))
    made.settimeout(PATIENCE)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def push_fields(*more):
    return [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
            (":path", "/3/device/" + "5f3ad1c07b9e4286" * 4), ("authorization", authorization),
            ("apns-topic", "com.example.app"), ("apns-push-type", "alert"), *more]


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


# --- The honest client

class Honest(threading.Thread):
    """Pushes one after the other on a connection of its own, from before the attack until after it."""

    def __init__(self):
        super().__init__()
        self.answered, self.failure = 0, None
        self.begun, self.over = threading.Event(), threading.Event()

    def run(self):
        try:
            with tcp() as plain, context("h2").wrap_socket(plain, server_hostname="localhost") as wire:
                self.push_until_over(wire)
        except Exception as error:  # pylint: disable=broad-except
            self.failure = repr(error)
        self.begun.set()

    def push_until_over(self, wire):
        connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        connection.initiate_connection()
        is_last = False
        while not is_last:
            # One more after the end of the attack.
            is_last = self.over.is_set()
            stream = connection.get_next_available_stream_id()
            connection.send_headers(stream, push_fields())
            connection.send_data(stream, b'{"aps":{"alert":"Hello"}}', end_stream=True)
            self.expect_answer(wire, connection, stream)
            self.answered += 1
            self.begun.set()

    @staticmethod
    def expect_answer(wire, connection, stream):
        while True:
            wire.sendall(connection.data_to_send())
            data = wire.recv(65536)
            if not data:
                raise EOFError("the honest client was hung up on")
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived) and dict(event.headers)[":status"] != "200":
                    raise ValueError(f"the honest client got {event.headers}")
                if isinstance(event, h2.events.ConnectionTerminated):
                    raise ValueError(f"the honest client received {event.additional_data}")
                if isinstance(event, h2.events.StreamEnded) and event.stream_id == stream:
                    return


# --- The attacker

class Attacker:
    """One connection on which frames are written as they are."""

    def __init__(self, settings=b"", speaks=True):
        self.encoder = hpack.Encoder()
        self.wire = context("h2").wrap_socket(tcp(), server_hostname="localhost")
        self.wire.setblocking(False)
        self.stream = -1
        self.unread, self.frames, self.owed = b"", [], b""
        self.is_closed, self.speaks = False, speaks
        if speaks:
            self.write(PREFACE + frame(SETTINGS, 0, 0, settings))

    # Reading goes on while there is something to write, or the mock would stop to read before it has seen enough.

    def write(self, data):
        rest, self.owed = memoryview(data + self.owed), b""
        while rest and not self.is_closed:
            self.read()
            try:
                rest = rest[self.wire.send(rest):]
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                select.select([self.wire], [self.wire], [], PATIENCE)
            except OSError:
                self.is_closed = True

    def read(self):
        while not self.is_closed:
            try:
                data = self.wire.recv(65536)
            except ssl.SSLWantReadError:
                return
            except OSError:
                data = b""
            self.is_closed = not data
            self.take(data)

    def take(self, data):
        self.unread += data
        while len(self.unread) >= 9 and len(self.unread) >= 9 + int.from_bytes(self.unread[:3], "big"):
            end = 9 + int.from_bytes(self.unread[:3], "big")
            kind, flags, stream = self.unread[3], self.unread[4], int.from_bytes(self.unread[5:9], "big")
            self.frames.append((kind, flags, stream, self.unread[9:end]))
            self.unread = self.unread[end:]
            if kind == SETTINGS and not flags & ACK and self.speaks:
                self.owed += frame(SETTINGS, ACK, 0)

    def wait(self, is_over=lambda: False):
        """Until it is so, or the mock has closed."""
        end = time.monotonic() + PATIENCE
        while not self.is_closed and not is_over() and time.monotonic() < end:
            select.select([self.wire], [], [], PATIENCE)
            self.read()
            self.write(b"")

    def window(self, stream):
        """How much may be sent on a stream in all."""
        grants = {0: 65_535, stream: 65_535}
        for kind, _, of, payload in self.frames:
            if kind == WINDOW_UPDATE and of in grants:
                grants[of] += int.from_bytes(payload, "big")
        return min(grants.values())

    def next_stream(self):
        self.stream += 2
        return self.stream

    def request(self, *more, flags=END_HEADERS | END_STREAM):
        stream = self.next_stream()
        return stream, frame(HEADERS, flags, stream, self.encoder.encode(push_fields(*more)))

    def push(self, *more):
        stream, headers = self.request(*more, flags=END_HEADERS)
        return headers + frame(DATA, END_STREAM, stream, b'{"aps":{}}')

    def authenticate(self):
        """One honest request: from then on a thousand streams are allowed."""
        self.write(self.push())
        self.wait(lambda: any(kind == HEADERS for kind, *_ in self.frames))

    def until_refused(self, step):
        """Does it until the mock has had enough."""
        for number in range(count):
            if self.is_closed:
                break
            self.write(step(number))
        self.wait()

    def end(self):
        received = {"closed": self.is_closed}
        for kind, _, _, payload in self.frames:
            if kind == GOAWAY:
                received["code"] = int.from_bytes(payload[4:8], "big")
                received["goaway"] = payload[8:].decode()
        return received


def on_one_connection(step, settings=b""):
    def attack():
        attacker = Attacker(settings)
        attacker.authenticate()
        attacker.until_refused(lambda number: step(attacker, number))
        return attacker.end()
    return attack


def rapid_reset(attacker, _):
    stream, headers = attacker.request()
    return headers + frame(RST_STREAM, 0, stream, struct.pack(">I", 8))


def made_you_reset(attacker, _):
    """The mock has to reset it: its body is longer than was said."""
    stream, headers = attacker.request(("content-length", "1"), flags=END_HEADERS)
    return headers + frame(DATA, END_STREAM, stream, b"{}")


def continuation_flood(attacker, number):
    if number == 0:
        return attacker.request(flags=0)[1]
    return frame(CONTINUATION, 0, attacker.stream, attacker.encoder.encode([(f"x-{number}", "v" * 100)]))


def header_bomb(attacker, _):
    """A field of 3 kB goes into the table of HPACK once, and then a byte stands for it, again and again."""
    if attacker.stream < 3:
        return attacker.request(("x-bomb", "b" * 3000))[1]
    stream = attacker.next_stream()
    fields = attacker.encoder.encode(push_fields()) + attacker.encoder.encode([("x-bomb", "b" * 3000)]) * 10_000
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, fields)


def endless_body(attacker, number):
    if number == 0:
        return attacker.request(flags=END_HEADERS)[1]
    attacker.wait(lambda: attacker.window(attacker.stream) >= number * 16_384)
    return frame(DATA, 0, attacker.stream, b"x" * 16_384)


def unfinished_body(attacker, number):
    """Half a request on each stream, and nothing more of it."""
    attacker.wait(lambda: attacker.window(0) >= (number + 1) * 8192)
    stream, headers = attacker.request(flags=END_HEADERS)
    return headers + frame(DATA, 0, stream, b"x" * 8192)


def empty_data(attacker, number):
    if number == 0:
        return attacker.request(flags=END_HEADERS)[1]
    return frame(DATA, 0, attacker.stream)


def never_ending_request(attacker, number):
    """A byte of it, and then nothing."""
    if number == 0:
        return attacker.request(flags=END_HEADERS)[1]
    attacker.wait()
    return b""


def closed_window(attacker, number):
    """What is rejected has a body, for which there is no window."""
    if number < 50:
        return attacker.push(("apns-priority", "7"))
    attacker.wait()
    return b""


def silence_before_tls():
    with tcp() as plain:
        return words(plain, b"")


def silence_before_preface():
    attacker = Attacker(speaks=False)
    attacker.wait()
    return attacker.end()


def words(wire, said):
    """What is answered to something that is no HTTP/2."""
    heard = b""
    try:
        wire.sendall(said)
        while data := wire.recv(65536):
            heard += data
    except (ConnectionError, ssl.SSLError):
        pass
    return {"closed": True, "text": heard.decode("utf-8", "replace")}


def garbage(said, *protocols, over_tls=True):
    def attack():
        received = {}
        for _ in range(min(count, 200)):
            with tcp() as plain:
                if not over_tls:
                    received = words(plain, said)
                    continue
                with context(*protocols).wrap_socket(plain, server_hostname="localhost") as wire:
                    received = words(wire, said)
        return received
    return attack


def many_connections(over_tls):
    """All of them open at the same time. Those without TLS are held until there is a file `release`, and a while longer: nobody need
    have accepted them."""
    def attack():
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        opened, refused, shared = [], 0, context("h2")
        for _ in range(count):
            plain = tcp()
            opened.append(plain)
            if not over_tls:
                continue
            try:
                opened[-1] = shared.wrap_socket(plain, server_hostname="localhost")
            except (ConnectionError, ssl.SSLError):
                refused += 1
        if not over_tls:
            end = time.monotonic() + PATIENCE
            while not os.path.exists("release") and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(2)
        for wire in opened:
            wire.close()
        return {"opened": len(opened) - refused, "refused": refused}
    return attack


ATTACKS = {
    "rapid-reset": on_one_connection(rapid_reset),
    "made-you-reset": on_one_connection(made_you_reset),
    "continuation-flood": on_one_connection(continuation_flood),
    "ping-flood": on_one_connection(lambda *_: frame(PING, 0, 0, b"12345678")),
    "ping-burst": on_one_connection(lambda *_: frame(PING, 0, 0, b"12345678") * 10_000),
    "settings-flood": on_one_connection(lambda *_: frame(SETTINGS, 0, 0)),
    "settings-burst": on_one_connection(lambda *_: frame(SETTINGS, 0, 0) * 10_000),
    "priority-flood": on_one_connection(lambda a, _: frame(PRIORITY, 0, a.next_stream(), b"\0\0\0\0\1")),
    "empty-data": on_one_connection(empty_data),
    "header-bomb": on_one_connection(header_bomb),
    "endless-body": on_one_connection(endless_body),
    "unfinished-bodies": on_one_connection(unfinished_body),
    "never-ending-request": on_one_connection(never_ending_request),
    "closed-window": on_one_connection(closed_window, settings=struct.pack(">HI", 4, 0)),
    "silence-before-tls": silence_before_tls,
    "silence-before-preface": silence_before_preface,
    "garbage-for-tls": garbage(b"\0\1\2garbage\r\n" * 100, over_tls=False),
    "garbage-for-http2": garbage(b"\0\1\2garbage\r\n" * 100, "h2"),
    "garbage-without-alpn": garbage(b"\0\1\2garbage\r\n" * 100),
    "http1-without-tls": garbage(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", over_tls=False),
    "http2-without-tls": garbage(PREFACE, over_tls=False),
    "http1-after-alpn": garbage(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", "h2"),
    "http1-without-alpn": garbage(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", "http/1.1"),
    "connections": many_connections(over_tls=True),
    "silent-connections": many_connections(over_tls=False),
}

honest = Honest()
honest.start()
honest.begun.wait(PATIENCE)
result = ATTACKS[manner]()
honest.over.set()
honest.join()
print(json.dumps({**result, "honest": honest.answered, "failure": honest.failure}), flush=True)
