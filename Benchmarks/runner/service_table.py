"""The table of scripts/bench --service: one line for each figure."""
import statistics
from dataclasses import dataclass, field

BEGIN, END = "<!-- figures of scripts/bench --service -->", "<!-- end of the figures of --service -->"
POSTGRES_BEGIN = "<!-- figures of scripts/bench --service with PostgreSQL -->"
POSTGRES_END = "<!-- end of the figures of --service with PostgreSQL -->"


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
    # The nodes of PostgreSQL; 0 for SQLite.
    nodes: int = 0
    server_cpu: list = field(default_factory=list)
    # The rates of each worker.
    shares: list = field(default_factory=list)
    # The figure that this one is compared with, and the smallest ratio, if that is an aim.
    base: "Figure | None" = None
    base_words: str = ""
    least_of_base: float | None = None

    def add(self, found, is_other=False):
        """Adds a measurement, or one of the other programs."""
        (self.others if is_other else self.values).append(found.value)
        if found.cpu is not None:
            (self.others_cpu if is_other else self.cpu).append(found.cpu)
        if is_other:
            return
        self.memory = max(self.memory, found.memory)
        self.shares += found.shares
        self.note = found.note or self.note
        if found.server_cpu is not None:
            self.server_cpu.append(found.server_cpu)

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def of_base(self):
        """The ratio to the base, in words."""
        if not self.base:
            return ""
        ratio = statistics.median(ours / theirs for ours, theirs in zip(self.values, self.base.values))
        words = f"{ratio:.2f} of {self.base_words}"
        if self.least_of_base is not None:
            words += f", at least {self.least_of_base}: {'reached' if ratio >= self.least_of_base else 'missed'}"
        return words

    @property
    def of_each(self):
        if not self.shares:
            return ""
        return f"each {spaced(min(self.shares))} to {per_second(max(self.shares))}"

    @property
    def remarks(self):
        return "; ".join(text for text in (self.aim, self.of_base, self.of_each, self.note) if text)

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
POSTGRES_HEADS = ["row", "nodes", "what", "median", "least to most", "CPU each", "server's CPU each", "aim, notes", "load"]


def cells_of(line, is_compared):
    spread = f"{shown(line, min(line.values))} to {shown(line, max(line.values))}" if len(line.values) > 1 else ""
    figures = [line.what, shown(line, line.median), spread, microseconds(line.cpu)]
    if line.nodes:
        cells = [line.row, str(line.nodes), *figures, microseconds(line.server_cpu)]
    else:
        cells = [line.row, *figures, f"{line.memory:.0f}" if line.memory else ""]
    cells += [line.remarks, f"{line.load:.1f}"]
    return cells + ([line.ratio, line.cpu_ratio] if is_compared else [])


def tables(figures):
    """The table of SQLite and that of PostgreSQL, as far as they have lines."""
    kinds = [(HEADS, [line for line in figures if not line.nodes]), (POSTGRES_HEADS, [line for line in figures if line.nodes])]
    return [table(heads, lines) for heads, lines in kinds if lines]


def table(heads, figures):
    is_compared = any(line.others for line in figures)
    return [heads + (["times as fast", "CPU, of theirs"] if is_compared else [])] + [cells_of(line, is_compared) for line in figures]


def human(figures, judges=True):
    text = "\n\n".join(map(human_table, tables(figures)))
    return text if judges else text + "\n\nWith so few pushes, the figures mean nothing. See --help."


def human_table(lines):
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def markdown(figures, about):
    """The parts of a page with figures: their marks, and the text between them. A part without figures stays as it is."""
    kinds = [(BEGIN, END, "service, mock and client", [line for line in figures if not line.nodes]),
             (POSTGRES_BEGIN, POSTGRES_END, "all nodes, workers, mock and client", [line for line in figures if line.nodes])]
    return [(begin, end, part(who, lines, about)) for begin, end, who, lines in kinds if lines]


def part(who, figures, about):
    [[head, *lines]] = tables(figures)
    text = [f"Measured on {about['cores']} cores that {who} share, {about['system']}.", ""]
    text += ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)]
    return "\n".join(text) + "\n"


def as_json(figures):
    return [{"row": line.row, "what": line.what, "unit": "per_second" if line.unit == "rate" else "seconds",
             "values": line.values, "cpu_seconds_each": line.cpu, "load": line.load, "others": line.others,
             **({"nodes": line.nodes, "server_cpu_seconds_each": line.server_cpu, "rates_of_workers": line.shares}
                if line.nodes else {})}
            for line in figures]


def microseconds(seconds):
    return f"{statistics.median(seconds) * 1e6:.1f} us" if seconds else ""


def shown(line, value):
    return per_second(value) if line.unit == "rate" else milliseconds(value)


def per_second(value):
    return f"{spaced(value)}/s"


def spaced(value):
    return f"{value:,.0f}".replace(",", " ")


def milliseconds(value):
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.1f} s"
