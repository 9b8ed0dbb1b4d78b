"""The course of a campaign: its events one after the other, then the same command until no line is left."""

import json
import shutil
import subprocess
from collections import Counter

from complaint import Complaint

from . import plan, reconcile
from .programs import Mock, Run, size

# The most runs at the end. They have no faults, so one run is usually enough; the others allow for effects of earlier events. If
# lines are left after these runs, the campaign fails.
LAST_RUNS = 5
RESULT_BYTES = 190
# The time limit of each push. A line is unknown after it, so no answer may be so late on a slow machine.
PUSH_TIMEOUT = "5m"
# The folder for lists that are moved. It is on the same file system, so that a move is one step.
AWAY = "away"


class Course:
    def __init__(self, campaign, program, folder, can_mount):
        self.campaign = campaign
        self.program = program
        self.folder = folder
        self.disk = folder / "disk"
        self.out = self.disk / "out"
        self.can_mount = can_mount
        # While this is set, every run may fill the disk. The event "full disk" makes the disk larger.
        self.disk_is_small = False
        self.run = None
        self.counts = Counter()
        self.runs = self.kills = 0
        self.loses = False
        self.lists_deleted = set()
        self.mock = None
        self.story = (folder / "story.txt").open("w", encoding="utf-8")

    def play(self):
        """Raises a `Complaint` if something differs from docs/batch.md."""
        try:
            self.prepare()
            dead = [option for line in sorted(self.campaign.dead_lines) for option in ("--unregistered", self.campaign.token(line))]
            self.mock = Mock(self.program, self.folder, dead)
            for event in self.campaign.events:
                self.tell(f"-- {event.name}")
                if self.happen(event):
                    self.counts[event.name] += 1
            self.finish()
        finally:
            if self.run and self.run.process.poll() is None:
                self.run.kill()
            if self.mock:
                self.mock.stop()
            self.unmount()
            self.story.close()

    def prepare(self):
        self.disk.mkdir()
        full = next((event for event in self.campaign.events if event.name == "full disk"), None)
        if self.can_mount and full:
            self.mount(f"size={200 + int(self.expected_bytes * full.details['share'] / 1024)}k")
            self.disk_is_small = True
        self.input = plan.write_input(self.campaign, self.folder)
        self.options = ["--topic", plan.TOPIC, "--mock", "--state", str(self.folder / "mock"), "--out", str(self.out),
                        "--window", str(self.campaign.window), "--concurrency", str(self.campaign.concurrency), "--json"]
        self.payload = []
        if payload := plan.payload_of(self.campaign):
            self.payload = ["--payload", json.dumps(payload)]
        if self.campaign.durable:
            self.options.append("--durable")
        if self.campaign.at_least_once:
            self.options.append("--at-least-once")

    # What happens

    def happen(self, event):
        """Whether the event happened. The campaign may end before it."""
        if event.name in plan.FAULT_NAMES:
            return self.suffer(event.details)
        if event.name in plan.DAMAGES:
            return self.damage(event)
        return {
            "kill -9": self.kill_once, "kills in a row": self.kill_often, "interrupt": self.interrupt,
            "full disk": self.fill_disk, "file size limit": self.limit_files,
            "lists taken between runs": self.take_lists, "lists taken during a run": self.take_lists_during_run,
        }[event.name](event.details)

    def kill_once(self, details):
        return self.kill(details["moments"][0])

    def kill_often(self, details):
        return sum([self.kill(moment) for moment in details["moments"]]) > 1

    def kill(self, moment):
        return self.ended_by_kill(self.start_until(moment))

    def interrupt(self, details):
        run = self.start_until(details["moments"][0])
        return self.ended(run, run.interrupt(), (130, -2)) in (130, -2)

    def suffer(self, details):
        fault = details["fault"]
        self.loses = self.loses or fault.loses
        self.mock.start_again([fault])
        run = self.start("--outage-wait", "2s", timeout=fault.timeout or PUSH_TIMEOUT)
        if details["kill"]:
            run.wait_for(details["moments"][0], self.results, self.expected_bytes)
            self.ended_by_kill(run, fault.codes)
        else:
            self.ended(run, run.end(), fault.codes)
        acted = any("fault" in request for request in self.mock.all_requests()) or fault.at != "request"
        self.mock.start_again()
        return acted

    def fill_disk(self, details):
        if not self.disk.is_mount():
            return self.limit_files(details)
        status = self.ended_by_itself(self.start(), (74,))
        # The disk is now large enough for the rest of the campaign.
        self.mount("remount,size=64m")
        self.disk_is_small = False
        return status == 74

    def limit_files(self, details):
        limit = max(20000, int(self.expected_bytes * details["share"]))
        return self.ended_by_itself(self.start(file_size=limit), (74,)) == 74

    def take_lists(self, details):
        self.kill(details["moments"][0])
        return self.take_away(details["lists"])

    def take_lists_during_run(self, details):
        run = self.start_until(("share", details["share"]))
        taken = self.take_away(details["lists"])
        if details["then"] == "kill":
            run.wait_for(details["moments"][0], self.results, self.expected_bytes)
            self.ended_by_kill(run)
        else:
            self.ended_by_itself(run)
        return taken

    def take_away(self, lists):
        away = self.disk / AWAY
        away.mkdir(exist_ok=True)
        taken = False
        for name, how in lists.items():
            path = self.out / name
            if how == "leave" or not path.exists():
                continue
            self.tell(f"{how} {name}, {size(path)} bytes")
            taken = True
            if how == "move":
                path.rename(away / f"{name}.{len(list(away.iterdir()))}")
            else:
                path.unlink()
                self.lists_deleted.add(name)
        return taken

    # What must be refused

    def damage(self, event):
        """Damages the folder after a kill, checks that the same command is refused and sends nothing, and restores the folder."""
        self.kill(("share", event.details["share"] / 2))
        copy = self.folder / "older"
        self.copy_folder(copy)
        if event.name == "older journal":
            self.kill(("share", event.details["share"]))
        whole = self.folder / "whole"
        self.copy_folder(whole)
        payload = self.payload
        if not self.spoil(event, copy):
            return False
        if event.name == "other payload":
            self.payload = ["--payload", '{"aps":{"alert":"Another one"}}']
        before = len(self.settled_requests())
        spoilt = self.contents()
        run = self.start()
        status = run.end()
        self.tell_end(run, status)
        self.payload = payload
        if status != 65:
            raise Complaint(f"{event.name}: the run ended with {status}, not with 65.")
        if self.contents() != spoilt:
            raise Complaint(f"{event.name}: the refused run changed the folder.")
        if len(self.settled_requests()) != before:
            raise Complaint(f"{event.name}: the refused run sent something.")
        shutil.rmtree(self.out)
        shutil.copytree(whole, self.out)
        return True

    def copy_folder(self, copy):
        shutil.rmtree(copy, ignore_errors=True)
        if self.out.exists():
            shutil.copytree(self.out, copy)

    def spoil(self, event, older):
        """Damages a file of the folder. Returns `False` if the run could not notice the damage."""
        journal = self.out / "journal"
        if not older.exists() or size(self.results) < 1000:
            return False
        if event.name == "journal cut":
            truncate(journal, 0.5)
        elif event.name == "journal deleted":
            journal.unlink()
        elif event.name == "older journal":
            if size(older / "journal") == size(journal) or not size(older / "journal"):
                return False
            shutil.copy(older / "journal", journal)
        elif event.name == "results cut":
            # After a kill, the results of the last block may be missing. So a cut is not noticed if there are few results.
            if len(reconcile.read_lines(self.results)) < 4 * min(self.campaign.window, self.campaign.concurrency):
                return False
            truncate(self.results, 0.5)
        elif event.name == "results deleted":
            self.results.unlink()
        return True

    def contents(self):
        """The contents of the files. Empty files do not count, because the command may create them."""
        contents = {path.name: path.read_bytes() for path in self.out.iterdir() if path.name != "reserve"}
        return {name: content for name, content in contents.items() if content}

    def settled_requests(self):
        """The requests that arrived, after the mock has read everything that an earlier run sent."""
        self.mock.start_again()
        return self.mock.all_requests()

    # Runs

    @property
    def results(self):
        return self.out / "results.jsonl"

    @property
    def expected_bytes(self):
        return self.campaign.lines * RESULT_BYTES

    def start(self, *more, file_size=None, timeout=PUSH_TIMEOUT):
        command = [self.program, "batch", str(self.input), *self.payload, *self.options, "--timeout", timeout, *more]
        self.runs += 1
        self.tell(" ".join(command))
        self.run = Run(command, self.folder, file_size)
        return self.run

    def start_until(self, moment):
        """Starts a run, and returns when it has reached this moment, or has ended."""
        run = self.start()
        run.wait_for(moment, self.results, self.expected_bytes)
        return run

    def ended_by_kill(self, run, codes=()):
        """Whether the run was still alive. If it ended before the kill, its exit code may be one of `codes`, as in `ended`."""
        status = run.kill()
        if status != -9:
            self.ended(run, status, codes)
            return False
        self.kills += 1
        self.tell_end(run, status)
        return True

    def ended_by_itself(self, run, codes=()):
        return self.ended(run, run.end(), codes)

    def ended(self, run, status, codes=()):
        """Checks that the exit code matches the files in the folder. The event may also cause one of `codes`."""
        self.tell_end(run, status)
        if self.disk_is_small:
            codes = (*codes, 74)
        allowed = (*reconcile.exit_codes(self.campaign, self.out), *codes)
        if status not in allowed:
            raise Complaint(f"A run ended with {status}; with the files in the folder it should be "
                            f"{' or '.join(map(str, allowed))}.\n{run.errors()}")
        return status

    def finish(self):
        for _ in range(LAST_RUNS):
            status = self.ended_by_itself(self.start())
            if not reconcile.lines_left(self.campaign, self.out):
                break
        else:
            raise Complaint(f"Lines are left after {LAST_RUNS} runs without a fault; the last run ended with {status}.")
        # Before it stops, the mock reads everything that killed runs left in its sockets.
        self.mock.stop()
        counts = reconcile.Reconciliation(self).check()
        self.tell(f"-- reconciled: {dict(counts)}")
        self.counts.update({f"  {name}": count for name, count in counts.items()})

    # The disk

    def mount(self, options):
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.disk)], check=True)

    def unmount(self):
        """Copies the files before it unmounts the disk, so that the folder of a failed campaign contains them."""
        if not self.disk.is_mount():
            return
        kept = self.folder / "disk.kept"
        shutil.copytree(self.disk, kept)
        subprocess.run(["umount", str(self.disk)], check=True)
        self.disk.rmdir()
        kept.rename(self.disk)

    def tell(self, text):
        self.story.write(text + "\n")
        self.story.flush()

    def tell_end(self, run, status):
        self.tell(f"   ended with {status}, {size(self.results)} bytes of results\n{run.errors().rstrip()}")


def truncate(path, share):
    with path.open("r+b") as file:
        file.truncate(int(size(path) * share))
