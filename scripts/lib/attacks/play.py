"""Attacks a service in many ways, and prints what it cost. It keeps the folder of a row that fails."""

import resource
import shutil
import sys
import traceback
from contextlib import nullcontext
from pathlib import Path

from cluster.cluster import Cluster
from complaint import Complaint
from kill_test.programs import Mock

from . import bounds, hands  # noqa: F401
from .ground import MIB, MOST_LATENCY, MOST_LIVEZ, MOST_MEMORY, Figures, Ground
from .rows import KINDS, Skipped

COLUMNS = "{:20}{:10}{:>10}{:>10}{:>9}{:>6}  {}"


def main(pushsend, pushserve, folder, names, times, length):
    # Both the attackers and the service need many.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    folder = Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    named = [KINDS[name] for name in names.split(",") if name]
    limits = f"another key's p50 {MOST_LATENCY * 1000:.0f} ms; /livez {MOST_LIVEZ:.0f} s"
    print(
        f"Limits: {MOST_MEMORY // MIB} MiB above idle; {limits if times == 'judged' else 'times are only printed'}; nothing lost, no worker ended.\n\n"
        + COLUMNS.format("attack", "engine", "RSS", "p50", "/livez", "lost", "result"), flush=True)
    failed = 0
    for engine in ("file", "postgres"):
        chosen = [each for each in named if engine in each.engines] or [
            each for each in KINDS.values() if engine in (each.quick if length == "quick" else each.engines) and not named]
        with Cluster.new(1) if engine == "postgres" and chosen else nullcontext() as cluster:
            (folder / engine).mkdir(mode=0o700)
            mock = Mock(pushsend, folder / engine)
            try:
                for each in chosen:
                    ground = Ground(pushserve, folder / engine / each.name, each.name, mock, cluster, length == "quick", times == "judged")
                    failed += not row(each, ground)
            finally:
                mock.stop()
    if failed:
        print(f"\n{failed} rows failed. Their folders are in {folder}.", file=sys.stderr)
        sys.exit(1)
    shutil.rmtree(folder)


def row(attack, ground):
    """Runs an attack and prints its row. Returns whether all promises were kept."""
    seen, complaints, figures = "", [], Figures()
    try:
        try:
            if attack.begins:
                ground.start()
                ground.begin()
            seen = attack.play(ground)
            seen = f"passed ({seen})" if seen else ""
        except Complaint as complaint:
            complaints.append(str(complaint))
        figures = ground.figures(attack.serves, attack.reconciles)
        complaints += broken(figures, ground)
    except Skipped as reason:
        seen, complaints = f"skipped: {reason}", []
    except Exception as error:  # noqa: BLE001
        # A row that cannot be played does not end the others.
        if not isinstance(error, Complaint):
            traceback.print_exc()
        complaints.append(f"{type(error).__name__}: {error}")
    finally:
        ground.abandon()
    print(COLUMNS.format(
        attack.name, ground.engine, shown(figures.memory, "{:.0f} MiB", 1 / MIB), shown(figures.latency, "{:.0f} ms", 1000),
        shown(figures.livez, "{:.1f} s"), shown(figures.lost, "{}"),
        "FAILED: " + "; ".join(" ".join(text.split()) for text in complaints) if complaints else seen or "passed"), flush=True)
    if not complaints:
        shutil.rmtree(ground.folder)
    return not complaints


def broken(figures, ground):
    """What is not as promised."""
    if figures.memory is not None and figures.memory > MOST_MEMORY:
        yield f"it takes {figures.memory // MIB} MiB more than when it idles"
    if ground.judges_times and figures.latency is not None and figures.latency > MOST_LATENCY:
        yield "another key is too slow"
    if ground.judges_times and figures.livez is not None and figures.livez > MOST_LIVEZ:
        yield "/livez is too slow"
    if figures.lost:
        yield f"{figures.lost} acknowledged pushes of another key don't have one outcome"
    if figures.deaths:
        yield f"a worker ended {figures.deaths} times"


def shown(value, form, factor=1):
    return "-" if value is None else form.format(value * factor)
