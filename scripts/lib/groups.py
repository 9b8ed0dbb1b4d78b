"""Ends process groups."""

import os
import signal
import time


def end_group(child):
    """Stops the process group of a child: the child and everything that it started.

    SwiftPM stops its compilers on SIGINT. With a stronger signal, it would leave them running.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + 3
        try:
            os.killpg(child.pid, number)
            while time.monotonic() < deadline:
                child.poll()
                os.killpg(child.pid, 0)
                time.sleep(0.02)
        except ProcessLookupError:
            child.wait()
            return
