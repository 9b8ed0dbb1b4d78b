"""The hands of operators and administrators: nothing that is acknowledged is lost, and what goes wrong shows within seconds."""

import itertools
import json
import os
import threading
import time

from cluster.nodes import programs_folder
from complaint import Complaint
from kill_test.programs import later

from . import clients
from .bounds import push
from .ground import SETTLING
from .rows import attack

# How long it may take until the service notices that its queue is gone or refuses its work, in seconds.
NOTICED = 15
# The longest time until a request is answered while the database is locked, and until /readyz is, in seconds.
ANSWERED, READY_ANSWERED = 20, 5
# The locks of the queue, as anybody can name them.
QUEUE_LOCK = "1349865845, hashtext('pushserve')"


def ready(ground):
    """The status of /readyz of each worker."""
    return [clients.ask(url, "GET", "/readyz", seconds=30)[0] for url in ground.urls]


def require_refused(service, what):
    try:
        service.start()
    except Complaint:
        if service.process.poll() is None:
            service.abandon()
            raise
        return f"it ends with {service.process.returncode}"
    service.abandon()
    raise Complaint(f"the service starts {what}")


# --- X3: uploads


def lines_of(word):
    return [
        json.dumps({"token": f"{ord(word):02x}{number:062x}", "ref": f"{word}{number}", "payload": {"aps": {"alert": word}}}) + "\n"
        for number in range(40)]


def stored_lines(ground, text):
    """The references of the lines of the campaign in an answer."""
    path = f"/v1/campaigns/{json.loads(text)['id']}/report"
    return {json.loads(line).get("ref") for line in ground.ask("GET", path)[1].splitlines()}


@attack("same-key-uploads", "X3", quick="file,postgres")
def same_key_uploads(ground):
    """Two uploads with one Idempotency-Key and different lines: one after the other, and at the same time"""
    path, lost, seen = "/v1/campaigns?app=shop&name=x&start=false", 0, set()
    for number in range(5):
        uploads, together = [(path, lines_of("a")), (f"{path}&rate=5", lines_of("b"))], number > 0
        answers = clients.upload_with_one_key(ground.urls, ground.key, f"upload-{number}", uploads, together)
        seen.add(" and ".join(str(status) for status, _ in answers) + (" together" if together else ""))
        for word, (status, text) in zip("ab", answers):
            if status in (200, 201):
                lost += len({f"{word}{number}" for number in range(40)} - stored_lines(ground, text))
    if lost:
        raise Complaint(f"{lost} lines of acknowledged uploads aren't stored ({', '.join(sorted(seen))})")
    return ", ".join(sorted(seen))


# --- X5, X6, X7: files


def require_notice(ground, action):
    """Within seconds, /readyz is 503, and then nothing is acknowledged."""
    action()
    patience = NOTICED if ground.judges_times else SETTLING
    took = ground.until(lambda: set(ready(ground)) == {503}, patience, "/readyz doesn't become 503")
    noticed = time.monotonic()
    time.sleep(2)
    ground.stop_measuring(1)
    after = sum(at > noticed for at, _ in ground.report["posts"])
    if after:
        raise Complaint(f"{after} pushes were acknowledged that were posted after /readyz had become 503")
    return f"noticed after {took:.1f} s"


@attack("moved-database", "X5", "file", quick="", serves=False, reconciles=False)
def moved_database(ground):
    """The database file is moved"""
    return require_notice(ground, lambda: ground.database.rename(f"{ground.database}.moved"))


@attack("removed-database", "X5", "file", serves=False, reconciles=False)
def removed_database(ground):
    """The database file and those beside it are removed"""
    return require_notice(ground, lambda: [path.unlink() for path in ground.folder.glob("pushserve.sqlite*")])


@attack("removed-owners", "X6", "file")
def removed_owners(ground):
    """The file -owners is removed again and again, as the service makes it again, and a second service is started"""
    ends = threading.Event()

    def remove():
        while not ends.wait(0.002):
            (ground.folder / "pushserve.sqlite-owners").unlink(missing_ok=True)

    threading.Thread(target=remove, daemon=True).start()
    try:
        return require_refused(ground.service("second"), "a second time on its database")
    finally:
        ends.set()


@attack("hard-link", "X7", "file")
def hard_link(ground):
    """A second service is started on a hard link to the database"""
    link = ground.folder / "linked.sqlite"
    os.link(ground.database, link)
    result = require_refused(ground.service("linked", link), "on a hard link to the database")
    # The first service stores nothing while it sees the link.
    link.unlink()
    return result


# --- G1: rights and encodings


@attack("role-without-delete", "G1", "postgres", quick="postgres", begins=False)
def role_without_delete(ground):
    """The role of the service may do everything except DELETE in job"""
    ground.make_queue()
    ground.workers[0].make_key("send")
    ground.sql(f"""CREATE ROLE limited LOGIN PASSWORD 'limited'; GRANT ALL ON DATABASE "{ground.name}" TO limited;
        GRANT ALL ON SCHEMA pushserve TO limited; GRANT ALL ON ALL TABLES IN SCHEMA pushserve TO limited;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA pushserve TO limited; REVOKE DELETE ON pushserve.job FROM limited""")
    database = f"postgres://limited:limited@127.0.0.1:{ground.node.port}/{ground.name}"
    return require_refused(ground.service("limited", database), "without the right to delete jobs")


@attack("latin1", "G1", "postgres", quick="postgres", begins=False)
def latin1(ground):
    """The database is not UTF8"""
    ground.make_queue("TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'")
    return require_refused(ground.workers[0], "in a database that can't hold every text")


@attack("revoked-right", "G1", "postgres", quick="postgres", serves=False)
def revoked_right(ground):
    """DELETE in job is revoked while the service runs, and granted again"""
    ground.sql("REVOKE DELETE ON pushserve.job FROM pushserve")
    try:
        took = ground.until(lambda: set(ready(ground)) == {503}, SETTLING, "/readyz doesn't become 503")
    finally:
        ground.sql("GRANT DELETE ON pushserve.job TO pushserve")
    return f"noticed after {took:.1f} s"


# --- G2, G3: settings and dumps


@attack("synchronous-commit", "G2", "postgres", quick="postgres", serves=False)
def synchronous_commit(ground):
    """synchronous_commit is off after a reload, and the server is killed"""
    # The server writes its log late, too, so that few pushes show it.
    settings = {"synchronous_commit": "off", "wal_writer_delay": "10s", "wal_writer_flush_after": "1GB"}
    try:
        for name, value in settings.items():
            ground.sql(f"ALTER SYSTEM SET {name} = '{value}'", "postgres")
        ground.sql("SELECT pg_reload_conf()")
        time.sleep(3)
    finally:
        ground.node.kill_server()
        ground.node.start()
        ground.until(ground.node.takes_writes, SETTLING, "PostgreSQL doesn't start again")
        for name in settings:
            ground.sql(f"ALTER SYSTEM RESET {name}", "postgres")
        ground.sql("SELECT pg_reload_conf()")
    ground.until(lambda: set(ready(ground)) == {200}, SETTLING, "/readyz doesn't become 200")


@attack("restored-dump", "G3", "postgres", quick="postgres", serves=False, reconciles=False)
def restored_dump(ground):
    """A dump whose apps have other numbers is restored while the workers run"""
    node = ground.node
    # Now the worker knows the number of each app.
    ground.ask("POST", "/v1/notifications?app=shop", body=json.dumps(push()).encode())
    # What is posted meanwhile would be lost, as with every old backup.
    ground.stop_measuring(5)
    dump = node.owner.run(
        [programs_folder() / "pg_dump", "-h", node.root, "-p", node.port, "-U", "postgres", "--schema=pushserve", ground.name], node.root)
    names = [("shop", "x"), ("other", "shop"), ("x", "other")]
    swap = "; ".join(f"UPDATE pushserve.app SET name = '{new}' WHERE name = '{old}'" for old, new in names)

    def restore():
        try:
            ground.sql(f"BEGIN; DROP SCHEMA pushserve CASCADE;\n{dump}\n{swap}; COMMIT;")
            return True
        except Complaint as error:
            # Of the transactions of the workers.
            if "deadlock" not in str(error):
                raise
            return False

    ground.until(restore, SETTLING, "The dump couldn't be restored")
    posted = []

    def post_one():
        status, text, _ = ground.ask("POST", "/v1/notifications?app=shop", body=json.dumps(push()).encode())
        if status == 202:
            posted.append(json.loads(text)["id"])
        return len(posted) == 10

    ground.until(post_one, SETTLING, "No pushes were accepted after the restore")
    # Not kept in memory any more.
    time.sleep(1)
    found = [[ground.ask("GET", f"/v1/notifications/{id}", key)[0] for id in posted] for key in (ground.key, ground.other_key)]
    wrong = sum(own != 200 or other != 404 for own, other in zip(*found))
    if wrong:
        raise Complaint(f"{wrong} of 10 pushes belong to another app")


@attack("replica", "G4", "postgres", quick="postgres", begins=False)
def replica(ground):
    """The queue is a logical replica of another one"""
    ground.make_queue()
    ground.workers[0].make_key("send")
    ground.sql("""CREATE SUBSCRIPTION copy CONNECTION 'dbname=none' PUBLICATION all_jobs WITH (connect = false, slot_name = NONE);
        INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)
            SELECT oid, 'pushserve.job'::regclass, 'r' FROM pg_subscription WHERE subname = 'copy'""")
    try:
        return require_refused(ground.workers[0], "on a logical replica")
    finally:
        ground.sql("DROP SUBSCRIPTION copy")


# --- G5, G6: locks


@attack("advisory-lock", "G5", "postgres", quick="postgres")
def advisory_lock(ground):
    """A role that may only connect holds the advisory locks of the queue: alone, and then shared in a transaction with a number"""
    ground.sql("CREATE ROLE stranger LOGIN")
    with ground.held(f"SELECT pg_advisory_lock({QUEUE_LOCK})", "stranger"):
        time.sleep(ground.seconds + 2)
    with ground.held(f"SELECT pg_current_xact_id(), pg_advisory_xact_lock_shared({QUEUE_LOCK})", "stranger"):
        posted = json.loads(ground.ask("POST", "/v1/notifications?app=shop", body=json.dumps(push()).encode())[1] or "{}").get("id")
        ground.until(
            lambda: posted and posted in str(ground.ask("GET", "/v1/results?app=shop")[1]), SETTLING,
            "the outcome of a push isn't in the results while the lock is held")


@attack("locked-table", "G6", "postgres", quick="postgres", serves=False)
def locked_table(ground):
    """LOCK TABLE job for 23 s (long: 40)"""
    seconds, taken, answers = ground.size(23, 40), [], []

    def post():
        begun = time.monotonic()
        body = json.dumps(push(deliver_at=later(hours=1))).encode()
        taken.append((ground.ask("POST", "/v1/notifications?app=shop", body=body, seconds=60)[0], time.monotonic() - begun))

    posts = [threading.Thread(target=post, daemon=True) for _ in range(20)]
    with ground.held("LOCK TABLE pushserve.job IN ACCESS EXCLUSIVE MODE"):
        ends = time.monotonic() + seconds
        for thread in posts:
            thread.start()
        for url in itertools.cycle(ground.urls):
            begun, status = time.monotonic(), clients.ask(url, "GET", "/readyz", seconds=SETTLING)[0]
            answers.append((status, time.monotonic() - begun))
            if time.monotonic() >= ends:
                break
            time.sleep(1)
    for thread in posts:
        thread.join(SETTLING)
    # A second more, for the machine; where times are only printed, as much as it takes.
    spare = 1 if ground.judges_times else SETTLING
    longest = max((took for _, took in taken), default=0)
    if len(taken) < len(posts) or longest > ANSWERED + spare:
        raise Complaint(f"a request was answered after {longest:.0f} s")
    if any(status != 503 or took > READY_ANSWERED + spare for status, took in answers):
        raise Complaint(f"/readyz answers {answers}")
    return f"each request was answered within {longest:.0f} s"
