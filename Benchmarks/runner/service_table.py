"""The table of scripts/bench --service: one line for each figure."""
import statistics
from dataclasses import dataclass, field

BEGIN, END = "<!-- figures of scripts/bench --service -->", "<!-- end of the figures of --service -->"


@dataclass
class Figure:
    """One line of the table. A figure is a rate per second, or a time in seconds."""
    row: str
    what: str
    unit: str
    values: list = field(default_factory=list)
    cpu: list = field(default_factory=list)
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""
    # The peak in MiB; 0 for not measured.
    memory: float = 0
    # The load average of the machine before the row.
    load: float = 0
    # The same with the programs of --against, in the same order.
    others: list = field(default_factory=list)
    others_cpu: list = field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def aim(self):
        if self.at_least is not None:
            return f"at least {per_second(self.at_least)}: {'reached' if self.median >= self.at_least else 'missed'}"
        if self.at_most is not None:
            return f"at most {milliseconds(self.at_most)}: {'reached' if self.median <= self.at_most else 'missed'}"
        return ""

    @property
    def ratio(self):
        """How many times as fast as the other programs."""
        pairs = list(zip(self.values, self.others))
        pairs = [ours / other if self.unit == "rate" else other / ours for ours, other in pairs]
        return f"{statistics.median(pairs):.2f}" if pairs else ""

    @property
    def cpu_ratio(self):
        """The CPU, as a part of that of the other programs."""
        pairs = [ours / other for ours, other in zip(self.cpu, self.others_cpu)]
        return f"{statistics.median(pairs):.2f}" if pairs else ""


HEADS = ["row", "what", "median", "least to most", "CPU each", "peak MiB", "aim", "load"]


def cells_of(line, is_compared):
    spread = f"{shown(line, min(line.values))} to {shown(line, max(line.values))}" if len(line.values) > 1 else ""
    cpu = f"{statistics.median(line.cpu) * 1e6:.1f} us" if line.cpu else ""
    memory = f"{line.memory:.0f}" if line.memory else ""
    cells = [line.row, line.what, shown(line, line.median), spread, cpu, memory, line.aim or line.note, f"{line.load:.1f}"]
    return cells + ([line.ratio, line.cpu_ratio] if is_compared else [])


def table(figures):
    is_compared = any(line.others for line in figures)
    return [HEADS + (["times as fast", "CPU, of theirs"] if is_compared else [])] + [cells_of(line, is_compared) for line in figures]


def human(figures, judges=True):
    lines = table(figures)
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join(text if judges else [*text, "", "With so few pushes, the figures mean nothing. See --help."])


def markdown(figures, about):
    head, *lines = table(figures)
    text = [f"Measured on {about['cores']} cores that service, mock and client share, {about['system']}.", ""]
    text += ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)]
    return "\n".join(text) + "\n"


def as_json(figures):
    return [{"row": line.row, "what": line.what, "unit": "per_second" if line.unit == "rate" else "seconds",
             "values": line.values, "cpu_seconds_each": line.cpu, "load": line.load, "others": line.others}
            for line in figures]


def shown(line, value):
    return per_second(value) if line.unit == "rate" else milliseconds(value)


def per_second(value):
    return f"{value:,.0f}/s".replace(",", " ")


def milliseconds(value):
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.1f} s"
