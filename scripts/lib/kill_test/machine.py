"""The machine of the service and the mock, on which bad things can happen: see bad_machine.c, which does them."""

import mmap
import os
import shutil
import struct
import subprocess
from pathlib import Path

from complaint import Complaint

SUFFIXES = ["", "-wal", "-journal"]
RECORD = struct.Struct("=QQQ")


class Machine:
    def __init__(self, folder, database, name="machine"):
        self.folder, self.database = folder / name, database
        self.folder.mkdir()
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("clang")
        if not compiler:
            raise Complaint("A C compiler is needed, for the library that makes the disk and the clock fail. Install gcc or clang.")
        library = self.folder / "bad_machine.so"
        source = Path(__file__).with_name("bad_machine.c")
        subprocess.run([compiler, "-O2", "-fPIC", "-shared", "-o", library, source, "-ldl", "-lpthread"], check=True)
        (self.folder / "control").write_bytes(bytes(24))
        with open(self.folder / "control", "r+b") as control:
            self.control = memoryview(mmap.mmap(control.fileno(), 24)).cast("q")
        self.clock_offset = 0
        self.environment = {**os.environ, "LD_PRELOAD": str(library), "BAD_MACHINE": str(self.folder)}

    def with_disk(self):
        """The environment of a program that opens the database."""
        return {**self.environment, "BAD_MACHINE_DATABASE": str(self.database.resolve())}

    def fill_disk(self, is_full):
        self.control[0] = is_full

    def ignore_sync(self):
        """As with PRAGMA synchronous=OFF: nothing is ever on the disk."""
        self.control[1] = 1

    def set_clock(self, seconds):
        """How far its clock is ahead."""
        self.clock_offset = seconds
        self.control[2] = seconds

    def jump(self):
        """An hour forward or, the next time, back. The clock is never behind the certificates of the mock."""
        self.set_clock(3600 - self.clock_offset)
        return "forward" if self.clock_offset else "back"

    def lose_power(self, chance):
        """Takes back what was not synced: everything, or random blocks. Returns the number of bytes that are different then."""
        lost = 0
        block = chance.choice([None, 512, 4096])
        for suffix in SUFFIXES:
            undo = self.folder / f"undo{suffix}"
            records = read_records(undo)
            path = Path(f"{self.database}{suffix}")
            if records and path.exists():
                new = path.read_bytes()
                left = mixed(synced(new, records), new, block, chance)
                lost += sum(left[at : at + 512] != new[at : at + 512] for at in range(0, max(len(left), len(new)), 512)) * 512
                # In place, as the mode of the file stays.
                with open(path, "r+b") as file:
                    file.write(left)
                    file.truncate()
            if undo.exists():
                os.truncate(undo, 0)
        # Memory that the system had not written, or had.
        memory = Path(f"{self.database}-shm")
        if memory.exists():
            if chance.random() < 0.5:
                memory.unlink()
            else:
                memory.write_bytes(chance.randbytes(memory.stat().st_size))
        return lost


def read_records(undo):
    records, at = [], 0
    text = undo.read_bytes() if undo.exists() else b""
    while at + RECORD.size <= len(text):
        offset, length, size = RECORD.unpack_from(text, at)
        at += RECORD.size
        records.append((offset, text[at : at + length], size))
        at += length
    return records


def synced(new, records):
    """The content at the last sync."""
    content = bytearray(new)
    for offset, old, size in reversed(records):
        if len(content) < size:
            content.extend(bytes(size - len(content)))
        content[offset : offset + len(old)] = old
        del content[size:]
    return bytes(content)


def mixed(old, new, block, chance):
    """The old content; with a block size, some blocks of the new one."""
    if block is None:
        return old
    content = bytearray(old if chance.random() < 0.5 else new)
    for at in range(0, len(content), block):
        part = chance.choice([old, new])[at : at + block]
        # A block that the file did not have yet is empty.
        content[at : at + block] = part.ljust(min(block, len(content) - at), b"\0")
    return bytes(content)
