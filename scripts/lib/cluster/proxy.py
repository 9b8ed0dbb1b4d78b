"""Stands between programs and PostgreSQL, and breaks connections at the worst moments.

It understands as much of PostgreSQL's protocol as it needs to see a commit in the answers of the server. It does not understand TLS, so
the address must have sslmode=disable.
"""

import random
import socket
import struct
import threading
import time
from collections import Counter

WRITES = (b"INSERT", b"UPDATE", b"DELETE", b"MERGE", b"COPY")


class Line:
    """The connections of one program to all nodes: a port for each node."""

    def __init__(self, node_ports, seed):
        self.chance = random.Random(seed)
        # The parts of commits that are cut: before the server gets them, and before the client gets the answer. And how many were.
        self.cuts, self.lost = {}, Counter(before=0, after=0)
        self.is_silent, self.is_closed = False, False
        # Each connection: the client's socket, and the one to the node.
        self.links, self.lock = set(), threading.Lock()
        self.doors = [socket.create_server(("127.0.0.1", 0)) for _ in node_ports]
        self.ports = [door.getsockname()[1] for door in self.doors]
        for door, port in zip(self.doors, node_ports):
            threading.Thread(target=self.accept, args=(door, port), daemon=True).start()

    def accept(self, door, port):
        while True:
            try:
                client, _ = door.accept()
            except OSError:
                return
            threading.Thread(target=self.connect, args=(client, port), daemon=True).start()

    def connect(self, client, port):
        if self.is_closed:
            reset(client)
            return
        try:
            server = socket.create_connection(("127.0.0.1", port), 5)
        except OSError:
            reset(client)
            return
        server.settimeout(None)
        link = (client, server)
        with self.lock:
            self.links.add(link)
        for way in ((client, server, Requests(), "before"), (server, client, Answers(), "after")):
            threading.Thread(target=self.pass_on, args=(link, *way), daemon=True).start()

    def pass_on(self, link, source, target, messages, place):
        try:
            while chunk := source.recv(65536):
                while self.is_silent:
                    time.sleep(0.02)
                if messages.find(chunk) and self.cuts_now(place):
                    return
                target.sendall(chunk)
        except OSError:
            pass
        finally:
            with self.lock:
                self.links.discard(link)
            end(link)

    def go_silent(self):
        """Nothing passes any more, and no connection is closed: a network that loses every packet."""
        self.is_silent = True

    def close(self):
        """Every connection is reset, and so is each new one."""
        self.is_closed = True
        self.reset_all()

    def open(self):
        """Everything passes. What was silent is reset: its bytes were lost."""
        self.cuts = {}
        was_silent, self.is_silent, self.is_closed = self.is_silent, False, False
        if was_silent:
            self.reset_all()

    def reset_all(self):
        with self.lock:
            links, self.links = self.links, set()
        for link in links:
            end(link)

    def cuts_now(self, place):
        """Whether this commit, or its answer, is lost."""
        with self.lock:
            part = self.cuts.get(place, 0)
            is_cut = part > 0 and self.chance.random() < part
            self.lost[place] += is_cut
            return is_cut

    def stop(self):
        for door in self.doors:
            door.close()
        self.reset_all()


class Messages:
    """Reads the messages of one direction. Each has a type, a length and a body."""

    rest = b""

    def find(self, chunk):
        """Whether one of the messages that these bytes complete is what `read` looks for."""
        text, at, found = self.rest + chunk, 0, False
        while len(text) - at >= 5:
            kind, length = text[at : at + 1], struct.unpack_from("!I", text, at + 1)[0]
            if len(text) - at < 1 + length:
                break
            found |= self.read(kind, text[at + 5 : at + 1 + length])
            at += 1 + length
        self.rest = text[at:]
        return found


class Requests(Messages):
    """Finds what tells the server to commit in what a client sends."""

    def __init__(self):
        # The first packet of a client has no type, so it gets one that means nothing.
        self.rest = b"?"
        # The names of the statements that commit.
        self.commits = set()

    def read(self, kind, body):
        if kind == b"P":
            name, text = body.split(b"\0")[:2]
            (self.commits.add if text.startswith(b"COMMIT") else self.commits.discard)(name)
        elif kind == b"B":
            return body.split(b"\0", 2)[1] in self.commits
        return kind == b"Q" and body.startswith(b"COMMIT")


class Answers(Messages):
    """Finds what says that a transaction with writes was committed in what a server sends."""

    is_in_transaction = has_written = False

    def read(self, kind, body):
        found = False
        if kind == b"C":
            self.has_written |= body.startswith(WRITES)
            found = self.has_written and body.startswith(b"COMMIT")
        elif kind == b"Z":
            found = self.has_written and not self.is_in_transaction and body == b"I"
            self.is_in_transaction = body != b"I"
            if not self.is_in_transaction:
                self.has_written = False
        return found


def end(link):
    for connection in link:
        reset(connection)


def reset(connection):
    """Closes with a TCP reset, as a network device does."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # The other thread that reads from it wakes up.
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()
