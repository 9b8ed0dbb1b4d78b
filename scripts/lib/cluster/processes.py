"""Processes of a cluster. Each one is known by its id and its start time, so that no other process is ever hit."""

import os
import pwd
import signal
import subprocess
from pathlib import Path

from complaint import Complaint, until


class Owner:
    """The user that the databases run as: the user postgres if this process is root, because initdb refuses root."""

    def __init__(self):
        self.arguments = {}
        if os.getuid() == 0:
            try:
                user = pwd.getpwnam("postgres")
            except KeyError:
                raise Complaint("There is no user postgres. Run scripts/setup --for cluster.") from None
            self.arguments = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def give(self, path, mode):
        """Makes a file or folder private to this user."""
        os.chmod(path, mode)
        if self.arguments:
            os.chown(path, self.arguments["user"], self.arguments["group"])

    def write(self, path, text):
        """A file that only this user can read."""
        path.touch(0o600)
        path.write_text(text)
        self.give(path, 0o600)

    def environment(self, folder):
        return {"PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": str(folder)}

    def run(self, command, folder, text=None, timeout=60):
        """Runs a command to its end. Returns what it prints."""
        try:
            ended = subprocess.run(
                [str(word) for word in command], input=text or "", capture_output=True, text=True, timeout=timeout, cwd=folder,
                env=self.environment(folder), start_new_session=True, **self.arguments)
        except subprocess.TimeoutExpired:
            raise Complaint(f"{Path(command[0]).name} didn't end within {timeout} s.") from None
        if ended.returncode != 0:
            raise Complaint(f"{Path(command[0]).name} ended with {ended.returncode}: {ended.stderr.strip()}")
        return ended.stdout.strip()


class Daemon:
    """A program that runs until it is stopped. Its id is in a file, so that another process can find it."""

    def __init__(self, name, folder, owner):
        self.folder, self.owner = folder, owner
        self.log, self.file = folder / f"{name}.log", folder / f"{name}.pid"
        self.child = None

    def start(self, command, **variables):
        if self.process():
            return
        with open(self.log, "ab") as log:
            # A session of its own: Ctrl-C in the terminal does not reach it.
            self.child = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env={**self.owner.environment(self.folder), **variables}, start_new_session=True, **self.owner.arguments)
        self.file.write_text(f"{self.child.pid} {start_time(self.child.pid)}\n")

    def process(self):
        """Its id; nothing if it has ended."""
        if self.child:
            self.child.poll()
        return process_of(self.file)

    def kill(self):
        """kill -9. A process that is stopped ends, too."""
        if process := self.process():
            send(process, signal.SIGKILL)
        until(lambda: not self.process(), f"{self.file.stem} didn't end after SIGKILL", 20)


def process_of(file):
    """The id in a file of a daemon, if this very process still runs."""
    try:
        process, started = file.read_text().split()
    except (OSError, ValueError):
        return None
    return int(process) if start_time(process) == started else None


def start_time(process):
    """When a process started; nothing if it has ended."""
    fields = status(process)
    return fields[19] if fields and fields[0] not in "ZX" else None


def status(process):
    """The fields of /proc/ID/stat after the name of the program."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    return text[text.rindex(")") + 2 :].split()


def with_children(process):
    """A process and all that it started, as far as they still are its children."""
    parents = {}
    for entry in Path("/proc").iterdir():
        fields = status(entry.name) if entry.name.isdigit() else None
        if fields:
            parents[int(entry.name)] = int(fields[1])
    family = [process]
    for parent in family:
        family += [child for child, of in parents.items() if of == parent]
    return family


def send(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def stop_family(process):
    """SIGSTOP for a process and its children. The parent is first, so that it starts no others meanwhile."""
    send(process, signal.SIGSTOP)
    for child in with_children(process)[1:]:
        send(child, signal.SIGSTOP)


def continue_family(process):
    for child in with_children(process):
        send(child, signal.SIGCONT)


def kill_family(process):
    stop_family(process)
    family = with_children(process)
    for child in family:
        send(child, signal.SIGKILL)
    until(lambda: not any(map(start_time, family)), f"The processes {family} didn't end after SIGKILL", 20)
