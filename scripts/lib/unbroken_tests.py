"""Checks the tests of mutations without any mutation; `scripts/mutate` is the only caller.

    unbroken_tests.py LOG COMMAND... -- REGEX...

COMMAND is `swift test` with its flags. Each REGEX must match a test, and its tests must pass. A test that fails among all the others runs again
without them: that they disturb each other says nothing about a mutation. LOG gets the output of the last run.

Ends with 1 and a sentence when a REGEX has no test or its tests fail.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

# The longest time that a run of all tests may take, in seconds. One that hangs is ended.
LIMIT = 7200


def matching(regex, tests):
    pattern = re.compile(regex)
    return [test for test in tests if pattern.search(test)]


def listed(command):
    """The ids of all tests."""
    index = command.index("test") + 1
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        code = run(command[:index] + ["list"] + command[index:], output)
        output.seek(0)
        text = output.read()
    if code != 0:
        raise SystemExit(f"error: the tests cannot be listed.\n{text}")
    return text.splitlines()


def run(command, output):
    """Runs a command with all that it starts, and returns its exit code; `None` after the time limit."""
    with subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True) as process:
        try:
            return process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise


def failed(command, regexes, log):
    """Runs the tests together. Returns the ids of those that failed, or `None` if the run has no such list: it crashed or hung."""
    events = log.with_suffix(".events")
    events.unlink(missing_ok=True)
    filters = [part for regex in regexes for part in ("--filter", regex)]
    with log.open("w", encoding="utf-8") as output:
        code = run([*command, "--event-stream-output-path", str(events), *filters], output)
    if code == 0:
        return set()
    failures, is_complete = set(), False
    for line in events.read_text(encoding="utf-8").splitlines() if events.exists() else []:
        payload = json.loads(line).get("payload", {})
        is_complete = is_complete or payload.get("kind") == "runEnded"
        if payload.get("kind") == "issueRecorded" and not payload.get("issue", {}).get("isKnown", False):
            failures.add(payload.get("testID", ""))
    return failures if is_complete and failures else None


def main(arguments):
    if "--" not in arguments[1:]:
        raise SystemExit(__doc__)
    end = arguments.index("--")
    log, command, regexes = Path(arguments[0]), arguments[1:end], arguments[end + 1 :]
    tests = listed(command)
    for regex in regexes:
        if not matching(regex, tests):
            raise SystemExit(f"error: no test matches: {regex}")
    failures = failed(command, regexes, log)
    again = regexes if failures is None else [regex for regex in regexes if matching(regex, failures)]
    if failures and not again:
        raise SystemExit(f"error: fails without any mutation: {', '.join(sorted(failures))}. The output is in {log}")
    for regex in again:
        if failed(command, [regex], log) != set():
            raise SystemExit(f"error: fails without any mutation: {regex}. The output is in {log}")
    print(f"{len(regexes)} filters, {len(again)} of them run again alone.")


if __name__ == "__main__":
    main(sys.argv[1:])
