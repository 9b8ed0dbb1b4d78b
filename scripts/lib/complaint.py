"""A broken promise, and waiting for one to be kept."""

import time


class Complaint(Exception):
    """A broken promise, or a program that does not do what it should."""


def until(condition, complaint, seconds=180):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Complaint(f"{complaint}, in {seconds} s.")
        time.sleep(0.05)
    return value
