"""The kinds of trouble. Each happens while pushes are posted, and returns what was seen of it."""

import time

from complaint import until
from kill_test import reconcile


def kill(ground):
    """kill -9. What the system has not written to the disk stays."""
    ground.kill_and_start()
    return "killed"


def power(ground):
    """kill -9, and the disk forgets what was not synced: all of it, or random blocks."""
    lost = ground.kill_and_start(lambda: ground.machine.lose_power(ground.chance))
    return f"{lost // 1024} KiB of writes lost"


def full_disk(ground):
    """Every write fails with ENOSPC for a while. Half of the times, the service is killed meanwhile."""
    before = ground.posting.count(503)
    ground.machine.fill_disk(True)
    until(lambda: ground.service.status_of("/readyz") == 503, "/readyz didn't become 503 while the disk was full")
    ground.pause()
    if ground.chance.random() < 0.5:
        ground.kill_and_start(lambda: ground.machine.fill_disk(False))
    else:
        ground.machine.fill_disk(False)
    until(lambda: ground.service.status_of("/readyz") == 200, "/readyz didn't become 200 when there was space again")
    return f"{ground.posting.count(503) - before} requests refused"


def clock(ground):
    """The clock jumps by an hour, for the mock, too. Half of the times, the service is killed after it."""
    requests, begun = len(ground.mock.requests()), time.monotonic()
    direction = ground.machine.jump()
    if direction == "back":
        ground.jumps.append(reconcile.Jump(begun, time.monotonic(), requests))
    ground.pause()
    if ground.chance.random() < 0.5:
        ground.kill_and_start()
    return f"an hour {direction}"


def refused_key(ground):
    """Apple refuses the provider key until it is restored. Then the operator sends SIGHUP, as the manual says."""
    before = ground.mock.count(403)
    fault = ground.mock.refuse_key()
    until(lambda: ground.states() == {"refused"}, "The apps didn't pause while the key was refused")
    ground.pause()
    ground.mock.remove_fault(fault)
    ground.service.reload()
    until(lambda: ground.states() == {"running"}, "The apps didn't send again after the key was restored")
    return f"{ground.mock.count(403) - before} pushes refused"


def revoked_key(ground):
    """The API key of the posting programs is revoked. They get another one."""
    before = ground.posting.count(401)
    new = ground.service.make_key("send")
    ground.service.revoke(ground.posting.key)
    until(lambda: ground.posting.count(401) > before, "The revoked key was still taken")
    ground.posting.key = new
    return f"{ground.posting.count(401) - before} requests refused"


def reload(ground):
    """The configuration is read again, many times in a row, while pushes are posted and sent. Each time, the apps get other connections."""
    before = ground.service.reloads()
    for turn in range(20):
        ground.service.configure(("127.0.0.1", "localhost")[turn % 2])
        ground.service.reload()
        time.sleep(ground.chance.uniform(0, 0.1))
    # Signals that come while it reads are one.
    until(lambda: ground.service.reloads() > before, "The configuration wasn't read again")
    until(lambda: ground.states() == {"running"}, "The apps didn't run after the configuration was read again")
    return f"{ground.service.reloads() - before} reloads"


KINDS = {
    "kill": kill, "power": power, "full-disk": full_disk, "clock": clock, "apple-key": refused_key, "api-key": revoked_key,
    "reload": reload,
}
