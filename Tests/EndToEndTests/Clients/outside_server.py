"""An HTTP/2 server on the package h2 that does what a plan says, and tells what it saw: a second opinion.

    outside_server.py CERTIFICATE KEY PLAN

PLAN is JSON:

    {
      "settings": {"3": 100},            SETTINGS of each connection, by their number
      "settings_delay": 0.2,             seconds before they are sent
      "window_step": 5,                  windows are opened by this number of bytes at a time; fully when absent
      "rules": [
        {"connection": 1, "from": 2, "through": 4, "do": [["reset", 7]]}
      ]
    }

The first rule that fits a request acts, `from` and `through` counting the requests of a connection; a rule without
"connection" fits all of them. Without a rule the answer is 200. What can be done:

    ["answer", STATUS, BODY]             with BODY in one frame
    ["lie", STATUS, BODY]                with a content-length that is 900 bytes too large
    ["drip", STATUS, BODY]               with 103 before, BODY byte by byte, and trailers
    ["fill", STATUS, BYTES]              with so many spaces, as the client's windows let them through
    ["redirect", STATUS, URL]            with this location
    ["bare"]                             200 and no other field
    ["wait", SECONDS]                    the next step comes later; other requests go on
    ["hold"]                             no answer for now
    ["answer_held_backwards"]            200 to all that are held, the newest first
    ["process"]                          notes the request as processed, without an answer
    ["headers", STATUS]                  the status, and the end never
    ["reset", CODE]                      RST_STREAM
    ["go_away", LAST, CODE, TEXT]        LAST is a stream id, or "this", "below" (the one before) or "highest"
    ["settings", {"3": 1000}]            further SETTINGS
    ["close"]                            close_notify and FIN
    ["abort"]                            RST of TCP

Prints its port, then a JSON object for each thing that happened, before the client can know of it. Ends after ten minutes.
"""

import asyncio
import json
import socket
import ssl
import struct
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

SECONDS = 600
HIGHEST = 2**31 - 1


def tell(event, **facts):
    print(json.dumps({"event": event, **facts}), flush=True)


class Connection:
    def __init__(self, number, plan, reader, writer):
        self.number, self.plan, self.reader, self.writer = number, plan, reader, writer
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.http2 = h2.connection.H2Connection(config)
        settings = {int(key): value for key, value in plan.get("settings", {}).items()}
        self.http2.local_settings = h2.settings.Settings(client=False, initial_values={3: 1000, **settings})
        self.requests, self.headers, self.sizes, self.held, self.open = 0, {}, {}, [], set()
        self.most_open, self.last_taken = 0, HIGHEST
        self.tasks = set()

    async def serve(self):
        await asyncio.sleep(self.plan.get("settings_delay", 0))
        self.http2.initiate_connection()
        tell("settings", connection=self.number)
        self.flush()
        try:
            while data := await self.reader.read(65536):
                for event in self.http2.receive_data(data):
                    self.handle(event)
                self.flush()
        except h2.exceptions.ProtocolError as error:
            self.flush()
            tell("violation", connection=self.number, words=repr(error))
        except OSError:
            pass
        tell("end", connection=self.number, most_open=self.most_open)
        self.writer.close()

    def flush(self):
        if data := self.http2.data_to_send():
            self.writer.write(data)

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.headers[event.stream_id] = dict(event.headers)
            self.sizes[event.stream_id] = 0
            self.open.add(event.stream_id)
            self.most_open = max(self.most_open, len(self.open))
        elif isinstance(event, h2.events.DataReceived):
            self.sizes[event.stream_id] += len(event.data)
            self.open_windows(event)
        elif isinstance(event, h2.events.StreamEnded):
            self.request(event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            self.open.discard(event.stream_id)
            if event.remote_reset:
                tell("reset", connection=self.number, stream=event.stream_id, code=int(event.error_code))
        elif isinstance(event, h2.events.ConnectionTerminated):
            tell("go_away", connection=self.number, code=int(event.error_code))

    def open_windows(self, event):
        length = event.flow_controlled_length
        step = self.plan.get("window_step")
        if not length:
            return
        self.http2.increment_flow_control_window(length)
        if event.stream_ended is None:
            self.http2.increment_flow_control_window(step or length, event.stream_id)

    def request(self, stream_id):
        self.requests += 1
        if stream_id > self.last_taken:
            return
        headers = self.headers[stream_id]
        tell(
            "request",
            connection=self.number,
            stream=stream_id,
            id=headers.get("apns-id", ""),
            path=headers[":path"],
            size=self.sizes[stream_id],
            seen=len(self.open),
        )
        task = asyncio.ensure_future(self.follow(stream_id, self.steps(self.requests)))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def steps(self, number):
        for rule in self.plan.get("rules", []):
            fits = rule.get("connection", self.number) == self.number
            if fits and rule["from"] <= number <= rule.get("through", rule["from"]):
                return rule["do"]
        return [["answer", 200, ""]]

    async def follow(self, stream_id, steps):
        for word, *values in steps:
            if word == "wait":
                await asyncio.sleep(values[0])
            elif word == "fill":
                await self.fill(stream_id, *values)
            elif self.stands(stream_id) or word in ("go_away", "settings", "close", "abort"):
                self.perform(stream_id, word, values)
                if word not in ("close", "abort"):
                    self.flush()

    def stands(self, stream_id):
        """Open, and not left out by a GOAWAY."""
        return stream_id in self.open and stream_id <= self.last_taken

    def perform(self, stream_id, word, values):
        if word == "answer":
            self.answer(stream_id, values[0], values[1])
        elif word == "lie":
            length = ("content-length", str(len(values[1]) + 900))
            self.http2.send_headers(stream_id, self.fields(stream_id, values[0]) + [length])
            self.http2.send_data(stream_id, values[1].encode(), end_stream=True)
            self.answered(stream_id, values[0])
        elif word == "drip":
            self.drip(stream_id, values[0], values[1])
        elif word == "redirect":
            fields = self.fields(stream_id, values[0]) + [("location", values[1])]
            self.http2.send_headers(stream_id, fields, end_stream=True)
            self.answered(stream_id, values[0])
        elif word == "bare":
            self.http2.send_headers(stream_id, [(":status", "200")], end_stream=True)
            self.answered(stream_id, 200)
        elif word == "hold":
            self.held.append(stream_id)
        elif word == "answer_held_backwards":
            for held in reversed(self.held + [stream_id]):
                self.answer(held, 200, "")
        elif word == "process":
            tell("processed", connection=self.number, stream=stream_id)
        elif word == "headers":
            self.http2.send_headers(stream_id, self.fields(stream_id, values[0]))
            tell("answered", connection=self.number, stream=stream_id, status=values[0])
        elif word == "reset":
            self.http2.reset_stream(stream_id, h2.errors.ErrorCodes(values[0]))
            self.open.discard(stream_id)
        elif word == "go_away":
            self.go_away(stream_id, *values)
        elif word == "settings":
            self.http2.update_settings({int(key): value for key, value in values[0].items()})
        elif word == "close":
            self.flush()
            self.writer.close()
        elif word == "abort":
            plain = self.writer.get_extra_info("socket")
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.writer.transport.abort()

    def fields(self, stream_id, status):
        return [(":status", str(status)), ("apns-id", self.headers[stream_id].get("apns-id", ""))]

    def answer(self, stream_id, status, body):
        self.http2.send_headers(stream_id, self.fields(stream_id, status), end_stream=not body)
        if body:
            self.http2.send_data(stream_id, body.encode(), end_stream=True)
        self.answered(stream_id, status)

    async def fill(self, stream_id, status, rest):
        self.http2.send_headers(stream_id, self.fields(stream_id, status))
        while rest and self.stands(stream_id):
            count = min(rest, 16384, self.http2.local_flow_control_window(stream_id))
            if count > 0:
                rest -= count
                self.http2.send_data(stream_id, b" " * count, end_stream=not rest)
            self.flush()
            await self.writer.drain()
            await asyncio.sleep(0 if count > 0 else 0.002)
        self.answered(stream_id, status)

    def drip(self, stream_id, status, body):
        self.http2.send_headers(stream_id, [(":status", "103")])
        self.flush()
        self.http2.send_headers(stream_id, self.fields(stream_id, status))
        for byte in body.encode():
            self.http2.send_data(stream_id, bytes([byte]))
            self.flush()
        self.http2.send_headers(stream_id, [("x-trailer", "done")], end_stream=True)
        self.answered(stream_id, status)

    def answered(self, stream_id, status):
        self.open.discard(stream_id)
        tell("answered", connection=self.number, stream=stream_id, status=status)

    def go_away(self, stream_id, last, code, text):
        """As a frame of its own: h2 itself takes a GOAWAY for the end of everything."""
        names = {"this": stream_id, "below": stream_id - 2, "highest": HIGHEST}
        last = names.get(last, last)
        self.last_taken = min(self.last_taken, last)
        self.flush()
        payload = struct.pack(">II", last, code) + text.encode()
        self.writer.write(struct.pack(">I", len(payload))[1:] + b"\x07\x00" + struct.pack(">I", 0) + payload)


async def main(certificate, key, plan):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    count = 0

    async def serve(reader, writer):
        nonlocal count
        count += 1
        await Connection(count, plan, reader, writer).serve()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(SECONDS)


asyncio.run(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
