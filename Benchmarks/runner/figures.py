"""Computes the figures of the runs: medians, spread, the ratio of each round, and whether the aims are reached."""
import statistics
from dataclasses import dataclass, field


@dataclass
class Spread:
    median: float
    least: float
    most: float


@dataclass
class SideFigures:
    """The figures of one side of a row. `None` means not measured."""
    name: str
    rate: Spread
    each: Spread
    cpu: Spread | None
    memory: float | None
    allocations: float | None
    # The key is the name of the side that the figure is divided by. The first one is the reference of the row.
    cpu_ratios: dict = field(default_factory=dict)
    speed_ratios: dict = field(default_factory=dict)


@dataclass
class RowFigures:
    """The figures of a row: its sides, or a sentence with the reason why there are none."""
    name: str
    title: str
    shows_rate: bool
    rounds: int = 0
    # The size of one run, in words.
    amount: str = ""
    sides: list = field(default_factory=list)
    void: str | None = None
    left_out: str | None = None

    def side(self, name):
        return next((side for side in self.sides if side.name == name), None)


@dataclass
class Aim:
    """An aim: the most CPU or the least speed, relative to another side."""
    words: str
    row: str
    side: str
    against: str
    at_most_cpu: float | None = None
    at_least_speed: float | None = None
    # The aim is also reached with this number per second, whatever the speed of the other side is.
    or_rate: float | None = None

    def judge(self, rows):
        """The spread of the ratio, and whether its median reaches the aim. `None` if it was not measured."""
        row = next((row for row in rows if row.name == self.row), None)
        side = row and row.side(self.side)
        ratios_found = side and (side.cpu_ratios if self.at_most_cpu else side.speed_ratios)
        found = ratios_found and ratios_found.get(self.against)
        if not found:
            return None
        if self.at_most_cpu:
            return found, found.median <= self.at_most_cpu
        is_fast = self.or_rate is not None and side.rate.median >= self.or_rate
        return found, is_fast or found.median >= self.at_least_speed

    @property
    def limit(self):
        if self.at_most_cpu:
            return f"at most {self.at_most_cpu}"
        otherwise = f" or {self.or_rate:,.0f}/s".replace(",", " ") if self.or_rate else ""
        return f"at least {self.at_least_speed}{otherwise}"


AIMS = [
    Aim("CPU of send, of h2load's", "one", "send", "h2load", at_most_cpu=1.5),
    Aim("CPU of send with an apns-id each, of h2load's", "ids", "send", "h2load", at_most_cpu=1.5),
    Aim("CPU of outcomes(of:), of h2load's", "one", "outcomes(of:)", "h2load", at_most_cpu=1.0),
    Aim("CPU of pushsend batch, of h2load's", "batch", "pushsend batch", "h2load", at_most_cpu=2.0),
    Aim("CPU of pushsend batch with a template, of h2load's", "template", "pushsend batch", "h2load", at_most_cpu=1.9),
    Aim("CPU of pushsend batch with a payload in each line, of h2load's", "payloads", "pushsend batch", "h2load",
        at_most_cpu=2.2),
    # On a shared machine, h2load already reaches the limit of nghttpd.
    Aim("speed of send, of h2load's", "one", "send", "h2load", at_least_speed=1.0, or_rate=100_000),
    Aim("speed of send over four connections, of one", "four", "send, four", "send, one", at_least_speed=0.95),
    Aim("speed of outcomes(of:) over four connections, of one", "four", "outcomes(of:), four", "outcomes(of:), one",
        at_least_speed=0.95),
    Aim("speed of pushsend mock, of nghttpd's", "mock", "pushsend mock", "nghttpd", at_least_speed=0.8),
    Aim("speed of pushsend send, of curl's", "push", "pushsend send", "curl", at_least_speed=1.0),
    *[Aim(f"speed of the lint, of JSONSerialization's, {size} bytes", "lint", f"lint, {size} B", f"foundation, {size} B",
          at_least_speed=1.0) for size in (300, 1024, 4096)],
]


def spread(values):
    values = [value for value in values if value is not None]
    return Spread(statistics.median(values), min(values), max(values)) if values else None


def ratios(ours, theirs):
    """The ratio of each pair of runs, so that a change in the speed of the machine does not matter."""
    return spread([a / b for a, b in zip(ours, theirs) if a and b])


def side_figures(side, runs, all_runs, allocations):
    """The figures of one side. `all_runs` contains the runs of all sides of the row, by name."""
    figures = SideFigures(
        name=side.name, rate=spread([run.rate for run in runs]), each=spread([run.each for run in runs]),
        cpu=spread([run.cpu_each for run in runs]),
        memory=max((run.memory for run in runs if run.memory), default=None),
        allocations=allocations)
    for name in side.against:
        others = all_runs[name]
        figures.cpu_ratios[name] = ratios([run.cpu_each for run in runs], [run.cpu_each for run in others])
        figures.speed_ratios[name] = ratios([run.rate for run in runs], [run.rate for run in others])
    return figures
