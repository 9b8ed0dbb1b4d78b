"""Runs a command on a terminal of its own and plays the person in front of it.

    terminal.py COMMAND [ARGUMENT...]

Standard input holds the steps, a JSON array of [WAIT, TYPE]: when WAIT has appeared behind the one before, TYPE is
typed. Then the command has to end by itself. Prints all that the terminal showed and ends with the command's exit
code; a signal that ended it counts as 128 and its number.
"""

import json
import os
import pty
import select
import signal
import sys
import time

# It ends a test that hangs, and decides nothing.
SECONDS = 250


def main():
    steps = json.load(sys.stdin)
    process, terminal = pty.fork()
    if process == 0:
        # Who starts the tests can ignore it. On a terminal, nobody does.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(sys.argv[1], sys.argv[1:])
    shown, looked_at, deadline = b"", 0, time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if steps:
            wait, typed = steps[0][0].encode(), steps[0][1].encode()
            index = shown.find(wait, looked_at)
            if index >= 0:
                looked_at = index + len(wait)
                os.write(terminal, typed)
                steps.pop(0)
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    else:
        os.kill(process, 9)
    sys.stdout.write(shown.decode(errors="replace").replace("\r\n", "\n"))
    sys.stdout.flush()
    if steps:
        sys.stderr.write(f"never shown: {steps[0][0]}\n")
    status = os.waitpid(process, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


main()
