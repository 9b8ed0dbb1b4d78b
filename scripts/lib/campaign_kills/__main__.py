"""Plays campaigns until the time is over; `scripts/campaign-kills` explains it and is the only caller.

    campaign_kills PROGRAM FOLDER SEED SECONDS MOST-LINES [CAMPAIGN]

If something differs from docs/batch.md, prints the seed, the number and the folder of the campaign, and ends with 1.
"""

import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import plan  # noqa: E402
from course import Course  # noqa: E402
from programs import Complaint  # noqa: E402


def main():
    program, folder, seed, seconds, most_lines = sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:6])
    only = int(sys.argv[6]) if len(sys.argv) > 6 else None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    mounts = can_mount(folder)
    if not mounts:
        print("This user cannot mount a file system: a limit of the file size replaces the full disk.", flush=True)
    counts, begun, number = Counter(), time.monotonic(), only or 1
    while True:
        counts += play(plan.drawn(seed, number, most_lines), program, folder, mounts)
        if only or time.monotonic() - begun >= seconds:
            break
        number += 1
    print_counts(counts)
    print(f"{1 if only else number} campaigns, {counts['runs']} runs and {counts['kills']} kills with seed {seed}: "
          "every line agrees with the mock's log.")


def play(campaign, program, folder, mounts):
    campaign_folder = folder / f"{campaign.seed}-{campaign.number}"
    shutil.rmtree(campaign_folder, ignore_errors=True)
    campaign_folder.mkdir(parents=True)
    course = Course(campaign, program, campaign_folder, mounts)
    begun = time.monotonic()
    try:
        course.play()
    except Complaint as complaint:
        fail(campaign, campaign_folder, complaint)
    print(f"{campaign.number:4}  {time.monotonic() - begun:5.1f} s  {campaign.described()}", flush=True)
    shutil.rmtree(campaign_folder)
    return course.counts + Counter(runs=course.runs, kills=course.kills)


def fail(campaign, folder, complaint):
    print(f"\nCampaign {campaign.number} of seed {campaign.seed} failed: {campaign.described()}\n"
          f"{complaint}\n"
          f"Its folder is {folder}; story.txt there lists its runs.\n"
          f"To repeat it, add --campaign {campaign.number} to the command above.", file=sys.stderr, flush=True)
    sys.exit(1)


def can_mount(folder):
    mount_point = folder / "mount"
    mount_point.mkdir(parents=True, exist_ok=True)
    try:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount_point)],
                                 capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
    if mounted:
        subprocess.run(["umount", str(mount_point)], check=True)
    return mounted


def print_counts(counts):
    for name in plan.EVENT_NAMES:
        print(f"  {name:28} {counts[name]:6}")
    for name in sorted(name for name in counts if name.startswith("  ")):
        print(f"  {'lines ' + name.strip():28} {counts[name]:6}")


if __name__ == "__main__":
    main()
