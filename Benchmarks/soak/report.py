"""The result of a soak: the table of its quarters, the comparison of both sides, and whether it passed."""
from collections import Counter
from dataclasses import dataclass
from statistics import mean

from . import reconcile

MEBIBYTE = 2**20


@dataclass
class Bounds:
    """How much more a process may use in the last quarter than in the second. A leak of each connection, of each client or of a
    few bytes per notification exceeds these limits by far, because a run has hundreds, dozens and a hundred thousand of them."""
    # The most growth of the mean resident memory, as a part of it.
    memory: float
    # The most growth of the smallest heap in use, in bytes, in addition to the same part. `None` switches the check off.
    heap: int | None
    # The most growth of the smallest number. One connection more or less is normal, and the system sometimes adds a thread.
    descriptors: int
    threads: int


LONG = Bounds(memory=0.02, heap=MEBIBYTE // 4, descriptors=2, threads=1)
SHORT = Bounds(memory=0.25, heap=None, descriptors=5, threads=2)


def conclude(reports, bounds):
    """Prints everything. Returns 0 if nothing has grown and all outcomes are correct, else 1."""
    complaints = []
    print_outcomes(reports)
    for side in (reports.mock, reports.sender):
        quarters = quarters_of(side.samples)
        if not quarters:
            complaints.append(f"{side.name} has too few samples to judge: {len(side.samples)}")
            continue
        print_table(side, quarters)
        complaints += growth(side, quarters, bounds)
    disagreements = reconcile.complaints(reports)
    complaints += disagreements[:20]
    if len(disagreements) > 20:
        complaints.append(f"{len(disagreements) - 20} more notifications differ")
    for complaint in complaints:
        print(f"WRONG: {complaint}")
    if not complaints:
        print(f"Passed: nothing has grown (limit for memory: {bounds.memory:.0%}), and every outcome is correct.")
    return 1 if complaints else 0


def quarters_of(samples):
    """Four quarters of the same length. The first samples that do not fit are dropped."""
    length = len(samples) // 4
    if length == 0:
        return []
    start = len(samples) - 4 * length
    return [samples[start + index * length:start + (index + 1) * length] for index in range(4)]


def print_outcomes(reports):
    *outcomes, (_, sent) = reports.sender.lines
    *requests, (_, _, connections) = reports.mock.lines
    kinds = Counter(" ".join(words[1:]) for words in outcomes)
    print(f"\n{int(sent):,} notifications, {len(requests):,} requests on {int(connections):,} connections:")
    for words, number in kinds.most_common():
        print(f"  {number:>9,}  {words}")


def print_table(side, quarters):
    print(f"\n{side.name:<28}" + "".join(f"{name:>12}" for name in ("1st quarter", "2nd", "3rd", "4th", "4th / 2nd")))
    for name, values in (
            ("memory, mean, MiB", [memory(quarter) for quarter in quarters]),
            ("heap in use, least, MiB", [least(quarter, "heap") for quarter in quarters])):
        if None not in values:
            numbers = "".join(f"{value / MEBIBYTE:>12.2f}" for value in values)
            print(f"  {name:<26}{numbers}{values[3] / values[1] - 1:>+12.1%}")
    for member in ("descriptors", "threads"):
        for word, choose in (("fewest", min), ("most", max)):
            values = [choose(getattr(sample, member) for sample in quarter) for quarter in quarters]
            print(f"  {f'{member}, {word}':<26}" + "".join(f"{value:>12}" for value in values))


def memory(quarter):
    return mean(sample.memory for sample in quarter)


def least(quarter, member):
    return min((value for value in (getattr(sample, member) for sample in quarter) if value is not None), default=None)


def growth(side, quarters, bounds):
    second, last = quarters[1], quarters[3]
    complaints = []
    ratio = memory(last) / memory(second) - 1
    if ratio > bounds.memory:
        complaints.append(f"the memory of {side.name} has grown by {ratio:.1%}; the limit is {bounds.memory:.0%}")
    heaps = least(second, "heap"), least(last, "heap")
    if bounds.heap is not None and None not in heaps and heaps[1] > heaps[0] * (1 + bounds.memory) + bounds.heap:
        complaints.append(f"the heap of {side.name} has grown from {heaps[0]:,} to {heaps[1]:,} bytes in use")
    for member, slack in (("descriptors", bounds.descriptors), ("threads", bounds.threads)):
        before, after = least(second, member), least(last, member)
        if after > before + slack:
            complaints.append(f"the smallest number of {member} of {side.name} has grown from {before} to {after}")
    return complaints
