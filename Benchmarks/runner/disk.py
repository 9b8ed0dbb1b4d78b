"""The time that a disk takes to store something durably."""
import os
import time


def syncs(path, count):
    """The seconds of each of several `fdatasync`, after 4 KiB each."""
    times = []
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        for _ in range(count):
            os.write(file, bytes(4096))
            begun = time.monotonic()
            os.fdatasync(file)
            times.append(time.monotonic() - begun)
    finally:
        os.close(file)
        os.unlink(path)
    return times
