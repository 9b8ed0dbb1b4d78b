"""The rows of the table: each compares its sides with each other, and starts its own servers."""
import contextlib
import os
import shutil
import subprocess
from dataclasses import dataclass

from . import campaign, senders
from .processes import CPUSamples, Failures, Run, allocations, measured, peak_memory
from .senders import Load
from .servers import HOST, mock, mock_with_readers, nghttpd, silent_mock
from .workspace import DEVICE_TOKEN, FOUR_KILOBYTES, ONE_KILOBYTE, SMALL


@dataclass
class Plan:
    """The number of notifications and of rounds."""
    count: int
    pairs: int
    warms_up: bool = True
    allocation_counts: tuple = (5_000, 25_000)

    def part(self, share, least=50):
        """Slow senders send a part of the count, so that a row does not take hours."""
        return max(least, int(self.count * share))


@dataclass
class Side:
    """One of the programs that a row compares: a function that runs it once, the names of the sides whose figures divide its
    own, and a function that counts its allocations."""
    name: str
    once: object
    against: tuple = ()
    allocations: object = None


class Row:
    rounds_per_pair = 1
    shows_rate = True
    # The part of the plan's count that one run sends. `None` if the row does not count notifications.
    share = None

    def amount(self, plan):
        """The size of one run, in words."""
        return f"{plan.part(self.share):,} in a run".replace(",", " ") if self.share else ""

    def missing(self, workspace):
        """The reason why the row cannot be measured here, or `None`."""
        return None


def run_side(workspace, name, make, load, against=(), counts=True):
    """A side that runs one process to its end. `make` returns the sender for a load."""
    def once():
        sender = make(load)
        return measured(sender.command, load.count, sender.succeeded)[1]

    def count_allocations(count):
        sender = make(Load(count, load.size, load.connections, load.loops))
        return allocations(sender.command, sender.succeeded, workspace.preload)

    return Side(name, once, against, count_allocations if counts else None)


class LoadRow(Row):
    """`send` and `outcomes(of:)` compared with h2load, all with one nghttpd."""

    def __init__(self, name, words, size=SMALL, share=1.0, options=()):
        self.name, self.size, self.share, self.options = name, size, share, options
        self.title = f"one connection, 1000 streams, {size} bytes{words}"

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        load = Load(plan.part(self.share), self.size)
        with nghttpd(workspace) as server:
            yield [
                run_side(workspace, "h2load", lambda load: senders.h2load(workspace, server, load), load),
                run_side(workspace, "send", lambda load: self.sender(workspace, server, load), load, ("h2load",)),
                run_side(workspace, "outcomes(of:)", lambda load: self.sender(workspace, server, load, "--sequence"), load,
                         ("h2load",)),
            ]

    def sender(self, workspace, server, load, *options):
        return senders.send(workspace, server, load, *self.options, *options)


class FourRow(Row):
    """Four connections on two threads, compared with h2load with four connections, and with the same sender with one connection."""
    name = "four"
    title = "four connections on two event loops, 1000 streams each, 231 bytes"
    share = 1.0

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        one, four = Load(plan.part(self.share)), Load(plan.part(self.share), connections=4, loops=2)
        with nghttpd(workspace) as server:
            def reference(load):
                return senders.h2load(workspace, server, load)

            def send(load):
                return senders.send(workspace, server, load)

            def outcomes(load):
                return senders.send(workspace, server, load, "--sequence")

            yield [
                run_side(workspace, "h2load, one", reference, one, counts=False),
                run_side(workspace, "h2load, four", reference, four, ("h2load, one",)),
                run_side(workspace, "send, one", send, one, counts=False),
                run_side(workspace, "send, four", send, four, ("h2load, four", "send, one")),
                run_side(workspace, "outcomes(of:), one", outcomes, one, counts=False),
                run_side(workspace, "outcomes(of:), four", outcomes, four,
                         ("h2load, four", "outcomes(of:), one")),
            ]


class BatchRow(Row):
    """A campaign from a file, which writes results and a journal, compared with h2load, which writes nothing."""
    share = 1.0

    def __init__(self, name, words, lines, template=None):
        self.name, self.lines, self.template = name, lines, template
        self.title = (
            f"pushsend batch from a file of {words}, results and journal written, one connection; whole processes")

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        load = Load(plan.part(self.share))
        with nghttpd(workspace) as server:
            def make(load):
                lines = campaign.write_lines(workspace, load.count, self.lines)
                return senders.batch(workspace, server, lines, workspace.path(f"campaign-{load.count}"), template=self.template)

            yield [
                run_side(workspace, "h2load", lambda load: senders.h2load(workspace, server, load), load, counts=False),
                # The process ends at once when everything is written, so its allocations cannot be read.
                run_side(workspace, "pushsend batch", make, load, ("h2load",), counts=False),
            ]


class MockRow(Row):
    """Servers with h2load as the client: the mock, which checks every request, compared with nghttpd, which checks nothing."""
    name = "mock"
    title = "servers under h2load, one connection, 1000 streams, 231 bytes; CPU and memory are the server's"
    # In seconds. The mock refuses streams until it has answered the first request. If that takes longer, the run is repeated. After
    # other failures, it is not.
    warm_ups = (0.5, 2, 8)

    def seconds(self, plan):
        return max(1, min(3, plan.count // 50_000))

    def amount(self, plan):
        return f"{self.seconds(plan)} s a run"

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        seconds = self.seconds(plan)
        with contextlib.ExitStack() as stack:
            servers = {
                "nghttpd": stack.enter_context(nghttpd(workspace)),
                "pushsend mock": stack.enter_context(mock(workspace)),
                "pushsend mock --quiet": stack.enter_context(mock(workspace, "--quiet")),
                "mock, API in use": stack.enter_context(mock_with_readers(workspace)),
                "mock without log": stack.enter_context(silent_mock(workspace)),
            }
            yield [self.side(workspace, name, server, seconds) for name, server in servers.items()]

    def side(self, workspace, name, server, seconds):
        against = () if name == "nghttpd" else ("nghttpd",)
        return Side(name, lambda: self.once(workspace, server, seconds), against)

    def once(self, workspace, server, seconds):
        for warm_up in self.warm_ups:
            try:
                return self.run(workspace, server, seconds, warm_up)
            except Failures as reason:
                if warm_up == self.warm_ups[-1] or not senders.only_refused_streams(reason.output):
                    raise
                workspace.progress.say(f"{self.name}: repeated with a longer warm-up: {reason}")

    def run(self, workspace, server, seconds, warm_up):
        sender = senders.h2load_for(workspace, server, seconds, warm_up)
        with CPUSamples(server.pid, warm_up + 0.1, seconds - 0.2) as samples:
            text, _ = measured(sender.command, 1, sender.succeeded)
        count = senders.requests_done(text)
        return Run(count, seconds, samples.each_second() * seconds, peak_memory(server.pid))


class PeerRow(Row):
    """A client in another language compared with `send`, with the same server and the same number of notifications."""

    def __init__(self, name, title, make, share, why_missing):
        self.name, self.make, self.share, self.why_missing = name, make, share, why_missing
        self.title = f"{title}, one connection, 231 bytes; whole processes"

    def missing(self, workspace):
        return self.why_missing(workspace)

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        load = Load(plan.part(self.share))
        # The window has room for 1000 payloads at once. With a full window, some of these clients fail or wait for a second.
        with nghttpd(workspace, "-W", "24") as server:
            yield [
                run_side(workspace, "send", lambda load: senders.send(workspace, server, load), load, counts=False),
                run_side(workspace, self.name, lambda load: self.make(workspace, server, load), load, ("send",), counts=False),
            ]


def without_python(module):
    def why(workspace):
        if os.path.exists(workspace.python) and not subprocess.run(
                [workspace.python, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            return None
        return f"Python has no {module}; scripts/setup --for bench installs it with pip"
    return why


def without_node(_):
    return None if shutil.which("node") else "node is not in the PATH"


class PushRow(Row):
    """One push as a whole process, from its start to its end, to a mock that verifies the provider token."""
    name = "push"
    title = "one push, the whole process, to pushsend mock"
    rounds_per_pair = 4
    shows_rate = False

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        with mock(workspace) as server:
            yield [
                self.side("curl", senders.curl(workspace, server)),
                self.side("pushsend send", senders.pushsend(workspace, server), ("curl",)),
            ]

    def side(self, name, sender, against=()):
        return Side(name, lambda: measured(sender.command, 1, sender.succeeded)[1], against)


class StepsRow(Row):
    """The steps before a notification is sent. They have no counterpart to compare with."""
    name = "steps"
    title = "one step at a time, with nghttpd where a server is needed"
    shows_rate = False

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        with nghttpd(workspace) as server:
            target = [server.key, HOST, str(server.port), server.authority, DEVICE_TOKEN]
            first = senders.send(workspace, server, Load(1))
            yield [
                self.side(workspace, "payload encoding", "payload", plan.part(0.1)),
                self.side(workspace, "provider token signing", "signing", plan.part(0.005), server.key),
                self.side(workspace, "new client to first accepted", "start", plan.part(0.0001, least=5), *target),
                Side("process with one push", lambda: measured(first.command, 1, first.succeeded)[1]),
            ]

    def side(self, workspace, name, step, count, *arguments):
        sender = senders.step(workspace, step, count, *arguments)

        def once():
            text, _ = measured(sender.command, count, sender.succeeded)
            return Run(1, senders.nanoseconds(text) / 1e9)

        return Side(name, once)


class LintRow(Row):
    """The lint compared with Foundation, which reads the same bytes."""
    name = "lint"
    title = "lint of a payload, against JSONSerialization reading the same bytes"
    shows_rate = False
    sizes = (300, 1024, 4096)

    @contextlib.contextmanager
    def sides(self, workspace, plan):
        yield [self.side(workspace, name, size, plan) for size in self.sizes for name in ("foundation", "lint")]

    def side(self, workspace, name, size, plan):
        count = plan.part(0.05)
        sender = senders.lint(workspace, name, size, count)

        def once():
            text, _ = measured(sender.command, count, sender.succeeded)
            return Run(1, senders.nanoseconds(text) / 1e9)

        return Side(f"{name}, {size} B", once, () if name == "foundation" else (f"foundation, {size} B",))


ROWS = [
    LoadRow("one", ""),
    LoadRow("ids", ", a different apns-id for each of our notifications", options=("--ids",)),
    FourRow(),
    LoadRow("1kb", "", ONE_KILOBYTE, share=0.5),
    LoadRow("4kb", "", FOUR_KILOBYTES, share=0.25),
    BatchRow("batch", "device tokens, 231 bytes", campaign.tokens),
    BatchRow("template", "values for a template, about 200 bytes", campaign.variables, campaign.TEMPLATE),
    BatchRow("payloads", "a different payload in each line, 231 bytes", campaign.payloads),
    MockRow(),
    PeerRow("aioapns", "aioapns (Python)", senders.aioapns, 0.05, without_python("aioapns")),
    PeerRow("httpx", "httpx (Python)", senders.httpx, 0.02, without_python("httpx")),
    PeerRow("node", "node:http2 (JavaScript)", senders.node, 0.25, without_node),
    PushRow(),
    StepsRow(),
    LintRow(),
]
