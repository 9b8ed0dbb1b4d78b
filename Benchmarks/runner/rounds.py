"""Measures one row: all its sides in every round, with the reverse order in every second round."""
from .figures import RowFigures, side_figures
from .processes import Void


def measure(row, workspace, plan):
    """Measures a row. A single failure makes it void."""
    figures = RowFigures(row.name, row.title, row.shows_rate, amount=row.amount(plan))
    missing = row.missing(workspace)
    if missing:
        figures.left_out = missing
        workspace.progress.say(f"{row.name}: skipped: {missing}")
        return figures
    workspace.progress.say(f"{row.name}: {row.title}")
    try:
        with row.sides(workspace, plan) as sides:
            runs = run_rounds(row, sides, workspace, plan)
            counts = {side.name: count_allocations(side, workspace, plan) for side in sides}
        figures.rounds = len(next(iter(runs.values())))
        figures.sides = [side_figures(side, runs[side.name], runs, counts[side.name]) for side in sides]
    except Void as reason:
        figures.void = str(reason)
        workspace.progress.say(f"{row.name}: VOID: {reason}")
    return figures


def run_rounds(row, sides, workspace, plan):
    runs = {side.name: [] for side in sides}
    rounds = plan.pairs * row.rounds_per_pair
    for number in range(0 if plan.warms_up else 1, rounds + 1):
        in_turn = sides if number % 2 else list(reversed(sides))
        for side in in_turn:
            run = side.once()
            if number > 0:
                runs[side.name].append(run)
        if number == 0:
            workspace.progress.say(f"{row.name}: warmed up")
        elif number % row.rounds_per_pair == 0:
            say_round(row, number // row.rounds_per_pair, runs, workspace, plan)
    return runs


def say_round(row, pair, runs, workspace, plan):
    parts = []
    for name, done in runs.items():
        run = done[-1]
        if row.shows_rate:
            cpu = "" if run.cpu_each is None else f" {run.cpu_each * 1e6:.1f} us"
            parts.append(f"{name} {run.rate:,.0f}/s{cpu}")
        else:
            parts.append(f"{name} {run.each * 1e6:,.0f} us")
    workspace.progress.say(f"{row.name}: {pair} of {plan.pairs}: " + ", ".join(parts))


def count_allocations(side, workspace, plan):
    """Allocations for each notification: the difference of two runs, so that the start of the process does not count."""
    if side.allocations is None or workspace.preload is None:
        return None
    few, many = plan.allocation_counts
    return (side.allocations(many) - side.allocations(few)) / (many - few)
