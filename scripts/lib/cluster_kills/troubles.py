"""The kinds of trouble. Each returns what was seen of it, and how many workers may have had pushes interrupted."""

import time
from collections import Counter

from cluster.processes import stop_family

from .fleet import LEASE


def worker(ground):
    """kill -9 of a worker, or of two. The others go on; the killed ones start again later, or at once."""
    killed = ground.chance.sample(ground.fleet, ground.chance.choice([1, 1, 2]))
    for each in killed:
        each.kill()
    ground.pause()
    if ground.chance.random() < 0.5:
        ground.require_progress()
    for each in killed:
        each.start()
    return f"{len(killed)} killed", len(killed)


def stopped_worker(ground):
    """A worker stops for longer than its lease, for example because its machine was suspended, and continues."""
    stopped = ground.any_worker()
    stopped.freeze()
    time.sleep(LEASE + 15)
    stopped.thaw()
    return "1 stopped", 1


def network(ground):
    """A worker does not reach the database for a while: every packet is lost, or every connection is reset."""
    separated = ground.any_worker()
    how = ground.chance.choice(["silent", "closed"])
    if how == "silent":
        separated.line.go_silent()
    else:
        separated.line.close()
    time.sleep(ground.chance.choice([2, 8, 15]))
    separated.line.open()
    return f"1 separated, {how}", 1


def commit(ground):
    """Connections are cut in the middle of commits: before the server gets them, and before the worker gets the answer."""
    lines = [each.line for each in ground.fleet]
    before = sum((line.lost for line in lines), Counter())
    for line in lines:
        line.cuts = {"before": 0.05, "after": 0.2}
    time.sleep(ground.chance.choice([2, 4, 8]))
    for line in lines:
        line.open()
    lost = sum((line.lost for line in lines), Counter()) - before
    return f"{lost['before']} commits cut; {lost['after']} answers to commits cut", len(lines)


def clock(ground):
    """The clock of one worker is an hour ahead of the others from now on. Their clocks are right again."""
    ahead = ground.any_worker()
    changed = [each for each in ground.fleet if each is ahead or each.machine.clock_offset]
    for each in changed:
        each.stop()
        each.machine.set_clock(3600 if each is ahead else 0)
        each.start()
    return f"{ahead.name} an hour ahead", len(changed)


def primary(ground):
    """kill -9 of the primary, as if its machine had lost its power. A standby takes over."""
    old = ground.cluster.kill_leader()
    return after_failure(ground, old, "primary killed")


def worker_and_primary(ground):
    """kill -9 of a worker and of the primary in the same moment."""
    killed = ground.any_worker()
    killed.kill()
    old = ground.cluster.kill_leader()
    seen, workers = after_failure(ground, old, "primary killed")
    killed.start()
    return f"1 worker killed; {seen}", workers


def frozen_primary(ground):
    """The primary hangs: its connections stay open, and nothing answers."""
    old = ground.cluster.wait_until_ready()
    if len(ground.cluster.nodes) == 1:
        stop_family(old.server())
        time.sleep(ground.chance.choice([3, 10]))
    else:
        old.freeze()
    return after_failure(ground, old, "primary frozen")


def manager(ground):
    """kill -9 of Patroni alone. The old primary still looks like one, but no commit is acknowledged there. With three nodes."""
    old = ground.cluster.wait_until_ready()
    old.daemon.kill()
    return after_failure(ground, old, "manager killed")


def server(ground):
    """kill -9 of PostgreSQL alone. Patroni lets a standby take over. With three nodes."""
    old = ground.cluster.wait_until_ready()
    old.kill_server()
    return after_failure(ground, old, "server killed")


def etcd(ground):
    """kill -9 of one member of etcd, or of two: then without a majority, the primary goes on as long as it reaches all nodes. With three nodes."""
    killed = ground.chance.choice([1, 2])
    for member in ground.cluster.etcd[:killed]:
        member.kill()
    time.sleep(8)
    return after_loss(ground, f"{killed} killed")


def standby(ground):
    """kill -9 of the synchronous standby. Commits wait until the other one is synchronous. With three nodes."""
    ground.cluster.synchronous_standby().kill()
    return after_loss(ground, "1 killed")


def full_disk(ground):
    """The disk of the primary is full for a while. PostgreSQL refuses what needs space, or ends; then a standby takes over. Only as root."""
    old = ground.cluster.wait_until_ready()
    old.fill_disk()
    time.sleep(ground.chance.choice([3, 8, 15]))
    ground.cluster.start_nodes()
    new = ground.cluster.wait_until_whole()
    return f"1 full, {'the same primary' if new is old else 'another primary'}", len(ground.fleet)


def after_failure(ground, old, word):
    """Waits until another node is the primary. Then the old one comes back as a standby."""
    if len(ground.cluster.nodes) > 1:
        begun = time.monotonic()
        ground.cluster.wait_until_ready(other_than=old)
        ground.require_progress()
        ground.gaps.setdefault(word, []).append(time.monotonic() - begun)
    return after_loss(ground, f"1 {word}", goes_on=False)


def after_loss(ground, seen, goes_on=True):
    """What is left goes on. Then what was lost comes back."""
    if goes_on:
        ground.require_progress()
    ground.cluster.start_nodes()
    ground.cluster.wait_until_whole()
    return seen, len(ground.fleet)


KINDS = {
    "worker": worker, "stopped-worker": stopped_worker, "network": network, "commit": commit, "clock": clock, "primary": primary,
    "worker-and-primary": worker_and_primary,
    "frozen-primary": frozen_primary, "manager": manager, "server": server, "etcd": etcd, "standby": standby, "full-disk": full_disk,
}
# Kinds after which another node can be the primary.
FAIL_OVER = {"primary", "worker-and-primary", "frozen-primary", "manager", "server", "full-disk"}
# Kinds that need more than one node.
OF_A_CLUSTER = {"manager", "server", "standby", "etcd"}
