"""Sends frames that are made by hand to a mock, and prints what comes back: one JSON array for each frame.

    h2_frames.py CASE PORT CA AUTHORIZATION

A HEADERS is ["HEADERS", stream, status, ends the stream], a DATA is ["DATA", stream, text, ends the stream], an RST_STREAM is
["RST_STREAM", stream, code], a GOAWAY is ["GOAWAY", last stream, code, text], the end of the connection is ["END"].
"""

import json
import socket
import ssl
import struct
import sys

import hpack

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# It ends a test that hangs, and decides nothing.
PATIENCE = 250

case, port, authority, authorization = sys.argv[1:5]


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Connection:
    def __init__(self, alpn=True):
        context = ssl.create_default_context(cafile=authority)
        if alpn:
            context.set_alpn_protocols(["h2"])
        self.wire = context.wrap_socket(
            socket.create_connection(("127.0.0.1", int(port)), PATIENCE), server_hostname="localhost")
        self.encoder, self.decoder, self.unread, self.over = hpack.Encoder(), hpack.Decoder(), b"", False
        # The streams that have no complete answer yet.
        self.waiting = set()

    def send(self, *frames):
        self.wire.sendall(b"".join(frames))

    def next(self):
        """The next frame, or None at the end."""
        while len(self.unread) < 9 or len(self.unread) < 9 + int.from_bytes(self.unread[:3], "big"):
            try:
                data = self.wire.recv(65536)
            except ConnectionError:
                data = b""
            if not data:
                return None
            self.unread += data
        end = 9 + int.from_bytes(self.unread[:3], "big")
        header, payload, self.unread = self.unread[:9], self.unread[9:end], self.unread[end:]
        return header[3], header[4], int.from_bytes(header[5:9], "big"), payload

    def wait(self, is_wanted):
        """Prints what comes, until a frame is wanted or the connection ends."""
        while not self.over:
            came = self.next()
            if came is None:
                self.over = True
                return print(json.dumps(["END"]))
            self.show(*came)
            self.settle(*came)
            if is_wanted(*came):
                return None
        return None

    def settle(self, kind, flags, stream, _):
        if kind == RST_STREAM or kind in (HEADERS, DATA) and flags & END_STREAM:
            self.waiting.discard(stream)

    def show(self, kind, flags, stream, payload):
        ends = bool(flags & END_STREAM)
        if kind == HEADERS:
            status = dict(self.decoder.decode(payload))[":status"]
            print(json.dumps(["HEADERS", stream, int(status), ends]))
        elif kind == DATA:
            print(json.dumps(["DATA", stream, payload.decode(), ends]))
        elif kind == RST_STREAM:
            print(json.dumps(["RST_STREAM", stream, int.from_bytes(payload, "big")]))
        elif kind == GOAWAY:
            words = [int.from_bytes(payload[:4], "big"), int.from_bytes(payload[4:8], "big"), payload[8:].decode()]
            print(json.dumps(["GOAWAY", *words]))

    def begin(self):
        """The preface, and the acknowledgement of the server's SETTINGS."""
        self.send(PREFACE, frame(SETTINGS, 0, 0))
        self.wait(lambda kind, flags, *_: kind == SETTINGS and not flags & ACK)
        self.send(frame(SETTINGS, ACK, 0))

    def headers(self, stream, more=(), without=(), method="POST", authorized=None, ends=False):
        fields = [(":method", method), (":scheme", "https"), (":authority", "localhost"),
                  (":path", "/3/device/" + "5f3ad1c07b9e4286" * 4),
                  ("authorization", authorization if authorized is None else authorized),
                  ("apns-topic", "com.example.app"), ("apns-push-type", "alert")]
        fields = [field for field in fields if field[0] not in without] + list(more)
        self.waiting.add(stream)
        return frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, self.encoder.encode(fields))

    def push(self, stream, **changes):
        return self.headers(stream, **changes) + frame(DATA, END_STREAM, stream, b'{"aps":{}}')

    def drain(self):
        """Waits until every stream has its answer, and shows what comes behind the answers.

        A PING alone does not show that the answers are there: servers answer it before anything else.
        """
        if self.waiting:
            self.wait(lambda *_: not self.waiting)
        try:
            self.send(frame(PING, 0, 0, b"12345678"))
        except OSError:
            pass
        self.wait(lambda kind, flags, *_: kind == PING and flags & ACK)


def one(**changes):
    def run():
        connection = Connection()
        connection.begin()
        ends = changes.get("ends")
        connection.send(connection.headers(1, **changes) if ends else connection.push(1, **changes))
        connection.drain()
    return run


def without_alpn():
    connection = Connection(alpn=False)
    connection.send(PREFACE, frame(SETTINGS, 0, 0), connection.push(1))
    connection.drain()


def first_burst():
    """Twenty requests before the SETTINGS of the server can have been read."""
    connection = Connection()
    connection.send(PREFACE, frame(SETTINGS, 0, 0), *(connection.push(1 + 2 * index) for index in range(20)))
    connection.drain()


def beyond_acknowledged_limit():
    """The first request is whole, and not answered when the second one begins."""
    connection = Connection()
    connection.begin()
    connection.send(connection.push(1), connection.push(3), connection.push(5))
    connection.drain()


def lower_stream_id():
    """h2spec 5.1.1/2."""
    connection = Connection()
    connection.begin()
    connection.send(connection.push(7))
    connection.drain()
    connection.send(connection.push(5))
    connection.drain()


def lost_answer():
    """The second request is legal, and comes with a frame that ends the connection."""
    connection = Connection()
    connection.begin()
    connection.send(connection.push(1))
    connection.drain()
    connection.send(connection.push(3), frame(DATA, 0, 99, b"x"))
    connection.drain()


def behind_the_limit():
    """A third stream comes when the first two are gone, in one read with the second, which is beyond the limit."""
    connection = Connection()
    connection.begin()
    cancel = struct.pack(">I", 8)
    connection.send(
        connection.headers(1), connection.headers(3), frame(RST_STREAM, 0, 1, cancel), frame(RST_STREAM, 0, 3, cancel),
        connection.push(5))
    connection.drain()


def unfinished(*end):
    """The body of the first request is still to come when the connection has to end."""
    def run():
        connection = Connection()
        connection.begin()
        connection.send(connection.headers(1), *(part(connection) for part in end))
        connection.drain()
    return run


def again(end, frames):
    """Frames on a stream that has ended, by its answer or by a reset. h2spec http2/5.1/8, 9, 11, 12."""
    def run():
        connection = Connection()
        connection.begin()
        if end == "answer":
            connection.send(connection.push(1))
            connection.drain()
        elif end == "reset":
            connection.send(connection.headers(1), frame(RST_STREAM, 0, 1, struct.pack(">I", 8)))
            connection.waiting.clear()
        else:
            connection.send(connection.headers(1, more=[("te", "gzip")]))
            connection.wait(lambda kind, *_: kind == RST_STREAM)
            connection.waiting.clear()
        connection.send(*(part(connection) for part in frames))
        if end == "their reset":
            connection.drain()
        else:
            # Until the end of the connection.
            connection.wait(lambda *_: False)
    return run


def early_cap():
    """More open streams before the acknowledgement than the mock serves."""
    connection = Connection()
    connection.send(PREFACE, frame(SETTINGS, 0, 0), *(connection.headers(1 + 2 * index) for index in range(1001)))
    connection.wait(lambda kind, *_: kind == RST_STREAM)


CASES = {
    "usual": one(),
    "without-alpn": without_alpn,
    "first-burst": first_burst,
    "beyond-acknowledged-limit": beyond_acknowledged_limit,
    "lower-stream-id": lower_stream_id,
    "lost-answer": lost_answer,
    "behind-the-limit": behind_the_limit,
    "unfinished-idle-stream": unfinished(lambda _: frame(DATA, 0, 99, b"x")),
    "unfinished-window-update": unfinished(lambda _: frame(WINDOW_UPDATE, 0, 0, bytes(4))),
    "unfinished-limit": unfinished(lambda connection: connection.push(3)),
    "unfinished-malformed-limit": unfinished(lambda connection: connection.push(3, more=[("te", "gzip")])),
    "early-cap": early_cap,
    "request-after-answer": again("answer", [lambda connection: connection.push(1)]),
    "data-after-answer": again("answer", [lambda _: frame(DATA, END_STREAM, 1, b"{}")]),
    "request-after-reset": again("reset", [lambda connection: connection.push(1)]),
    "data-after-reset": again("reset", [lambda _: frame(DATA, END_STREAM, 1, b"{}")]),
    "data-after-their-reset": again(
        "their reset", [lambda _: frame(DATA, END_STREAM, 1, b"{}"), lambda connection: connection.push(3)]),
    "no-authority": one(without=[":authority"]),
    "long-headers": one(more=[(f"x-{index}", "e" * 1000) for index in range(20)]),
    "empty-bearer": one(authorized="bearer "),
    "basic": one(authorized="Basic dXNlcjpwYXNz"),
    "space-behind-topic": one(without=["apns-topic"], more=[("apns-topic", "com.example.app ")]),
    "upper-case-name": one(more=[("Apns-Priority", "10")]),
    "connection-field": one(more=[("connection", "keep-alive")]),
    "te-gzip": one(more=[("te", "gzip")]),
    "no-scheme": one(without=[":scheme"]),
    "wrong-content-length": one(more=[("content-length", "3")]),
    "HEAD": one(method="HEAD", ends=True),
    "OPTIONS": one(method="OPTIONS", ends=True),
    "GET": one(method="GET", ends=True),
    "DELETE": one(method="DELETE"),
    "CONNECT": one(method="CONNECT", without=[":scheme", ":path"], ends=True),
    "content-type-twice": one(more=[("content-type", "a"), ("content-type", "b")]),
}

CASES[case]()
