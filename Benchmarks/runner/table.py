"""Prints the figures as one table: as text, as Markdown for the page in docs/, and as JSON."""
import dataclasses
import re

from .figures import AIMS

HEADS = ["row", "who", "speed", "CPU each", "against", "its CPU", "its speed", "peak MiB", "allocations each"]
BEGIN, END = "<!-- figures of scripts/bench -->", "<!-- end of the figures -->"


def human(rows, judges=True):
    lines = [HEADS, *(line for row in rows for line in lines_of(row))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADS))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    aims = ["", *judged(rows)] if judges else ["", "With so few notifications, the figures mean nothing. See --help."]
    return "\n".join([*text, "", *(f"{row.name}: {about(row)}" for row in rows), *aims])


def markdown(rows, machine):
    text = [f"Measured on {machine['cores']} cores that server and client share, {machine['system']}.", "",
            "| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS),
            *("| " + " | ".join(line) + " |" for row in rows for line in lines_of(row)), "",
            *(f"- **{row.name}**: {about(row)}" for row in rows)]
    aims = [f"- {line}" for line in judged(rows)]
    return "\n".join([*text, *(["", "The aims:", "", *aims] if aims else [])]) + "\n"


def into_page(path, text, begin=BEGIN, end=END):
    """Writes the table into a file. If the file has marks, only the part between them changes."""
    parts_into_page(path, [(begin, end, text)])


def parts_into_page(path, parts):
    """Writes several tables into a file, each as a begin mark, an end mark and a text. Without all marks, they become the file."""
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except FileNotFoundError:
        page = ""
    if all(begin in page and end in page for begin, end, _ in parts):
        for begin, end, text in parts:
            marked = f"{begin}\n\n{text}\n{end}"
            page = re.sub(f"{re.escape(begin)}.*{re.escape(end)}", lambda _, marked=marked: marked, page, flags=re.DOTALL)
    else:
        page = "\n".join(text for _, _, text in parts)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def as_json(rows, machine):
    return {"machine": machine, "rows": [dataclasses.asdict(row) for row in rows],
            "aims": [as_json_aim(aim, *found) for aim in AIMS if (found := aim.judge(rows))]}


def as_json_aim(aim, spread, is_reached):
    return {"words": aim.words, "limit": aim.limit, "measured": dataclasses.asdict(spread), "reached": is_reached}


# --- Parts of the table

def lines_of(row):
    """One line for each side, and another line for each further side that it is compared with."""
    lines = []
    for side in row.sides:
        first, *more = side.cpu_ratios or [""]
        lines.append([
            "" if lines else row.name, side.name, speed(row, side),
            with_spread(side.cpu, microseconds if row.shows_rate else duration),
            first, *ratios(side, first),
            "" if side.memory is None else f"{side.memory:.0f}",
            "" if side.allocations is None else f"{side.allocations:.2f}",
        ])
        lines += [["", "", "", "", other, *ratios(side, other), "", ""] for other in more]
    return lines or [[row.name, "void" if row.void else "left out", *[""] * (len(HEADS) - 2)]]


def about(row):
    if row.void or row.left_out:
        return f"VOID: {row.void}" if row.void else f"left out: {row.left_out}"
    rounds = f"medians of {row.rounds} runs" if row.rounds > 1 else ""
    return "; ".join(part for part in (row.title, row.amount, rounds) if part)


def speed(row, side):
    return with_spread(side.rate, per_second) if row.shows_rate else with_spread(side.each, duration)


def with_spread(spread, shown):
    if spread is None:
        return ""
    if spread.least == spread.most:
        return shown(spread.median)
    # If all numbers have the same unit, the unit appears only once.
    median, least, most = shown(spread.median), shown(spread.least), shown(spread.most)
    unit = re.search(r"[^\d.]*$", median)[0]
    if least.endswith(unit) and most.endswith(unit):
        least, most = least.removesuffix(unit), most.removesuffix(unit)
    return f"{median} ({least} to {most})"


def ratios(side, name):
    return [with_spread(found.get(name), ratio) for found in (side.cpu_ratios, side.speed_ratios)]


def judged(rows):
    found = [(aim, aim.judge(rows)) for aim in AIMS]
    return [f"{aim.words}: {with_spread(result[0], ratio)}; {aim.limit} is the aim, "
            f"{'reached' if result[1] else 'not reached'}" for aim, result in found if result]


def per_second(value):
    return f"{value:,.0f}/s".replace(",", " ")


def microseconds(seconds):
    return f"{seconds * 1e6:.1f} us"


def duration(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"
