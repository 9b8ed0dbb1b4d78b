"""Plays campaigns until the time is over. If something differs from docs/batch.md, it also prints the number of the campaign."""

import time
from collections import Counter
from pathlib import Path

from kill_test.rounds import can_mount, run_folder

from . import plan
from .course import Course


def main(program, folder, seed, seconds, most_lines, only=None):
    folder, seed = Path(folder), int(seed)
    mounts = can_mount(folder)
    if not mounts:
        print("This user can't mount a file system: a limit of the file size replaces the full disk.", flush=True)
    counts, begun, number = Counter(), time.monotonic(), int(only or 1)
    while True:
        counts += play(plan.drawn(seed, number, int(most_lines)), program, folder, mounts)
        if only or time.monotonic() - begun >= int(seconds):
            break
        number += 1
    print_counts(counts)
    print(f"{1 if only else number} campaigns, {counts['runs']} runs and {counts['kills']} kills with seed {seed}: "
          "every line agrees with the mock's log.")


def play(campaign, program, folder, mounts):
    title = f"Campaign {campaign.number} of seed {campaign.seed}: {campaign.described()}"
    hint = f" story.txt there lists its runs.\nTo repeat it, add --campaign {campaign.number} to the command above."
    begun = time.monotonic()
    with run_folder(folder, f"{campaign.seed}-{campaign.number}", title, hint) as campaign_folder:
        course = Course(campaign, program, campaign_folder, mounts)
        course.play()
    print(f"{campaign.number:4}  {time.monotonic() - begun:5.1f} s  {campaign.described()}", flush=True)
    return course.counts + Counter(runs=course.runs, kills=course.kills)


def print_counts(counts):
    for name in plan.EVENT_NAMES:
        print(f"  {name:28} {counts[name]:6}")
    for name in sorted(name for name in counts if name.startswith("  ")):
        print(f"  {'lines ' + name.strip():28} {counts[name]:6}")
