"""Data as people have it: wide files, near-unique rows, hierarchies of many values, searches, several
tables, clusters. Each row stands beside its limit or peer and what we aim at, with a plot of how far
it is from that.

A release from CSV is compared with DuckDB's copy of the same file in random order, the least that a
release could cost; one of several tables with the engine's own copy of them; a search with ARX's own
figures, measured on a machine like ours.

`python -m benchmarks growth` takes the better part of an hour. `SFUMATO_GROWTH="near-unique codes"`
runs the rows whose names have one of these words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import growth_data, hospital, lattice_search, local_adult, release_adult
from .data import CACHE, DATA
from .hospital_data import hospital as hospital_folder
from .measuring import Cost, command, python

COLUMNS = {100: 2.0, 400: 5.0, 1_000: 12.0}
ROWS = (100_000, 1_000_000, 10_000_000)
HASHED_ROWS = 1_000_000
LEAVES = 1_000_000
UNIQUE_ROWS = 100_000
SPARK_ROWS = 20_000
HALF_GAPS = {(300_000, 8): 0.0095, (30_000, 20): 0.2155}
"""Half of the gaps between loss and bound that were there first, by rows and fields."""
LOCAL = {"3-diversity": 2.0, "0.2-closeness": 20.0, "sets and ranges": 5.0}
"""CPU seconds of local recodings of Adult, by a part of their name in `local_adult`."""
TABLES = {("duckdb", 10): 6.0, ("postgres", 10): 9.0, ("spark", 1): 4.0}
"""Copies that a release of several tables may cost, by engine and millions of visits."""
PLOTTED, AT_GOAL = 32, 8
"""Blocks of the plot, and how many stand for the goal."""
COPY = (
    "import duckdb, sys; c = duckdb.connect(); c.execute(\"SET memory_limit = '3GB'\"); "
    "c.execute(f\"COPY (SELECT * FROM read_csv('{sys.argv[1]}', all_varchar = true) "
    "ORDER BY random()) TO '{sys.argv[2]}' (HEADER)\")"
)
SEARCH = """
import json, sys
from time import process_time
from benchmarks.lattice_growth import SECONDS, people
from sfumato.protection import KAnonymity
from sfumato.solvers import Anytime
bins, levels = people(int(sys.argv[1]), int(sys.argv[2]))
models = (KAnonymity(k=5, fields=bins.fields),)
started = process_time()
found = Anytime(models=models, max_suppression=0.05, seconds=SECONDS).search(bins, levels)
print(json.dumps([found.loss, found.loss if found.complete else found.bound, process_time() - started]))
"""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One row. `now` is the figure that the goal is about; `limit` says what its limit or peer
    needs."""

    now: float
    limit: str
    cpu: float
    megabytes: float | None = None
    found: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    what: str
    goal: float | None
    unit: str
    measure: Callable[[], Measured]
    most: float = float("inf")
    """The MB that it may need."""


def main() -> None:
    table = Table(title="Data as people have it, k = 5, beside limits and peers")
    for heading in ("what", "limit or peer", "CPU s", "MB", "now", "goal", "", "now, goal at │"):
        words = heading in ("what", "limit or peer", "", "now, goal at │")
        table.add_column(heading, justify="left" if words else "right")
    wanted = os.environ.get("SFUMATO_GROWTH", "").split()
    try:
        for row in _rows():
            if not wanted or any(word in row.what for word in wanted):
                table.add_row(*_shown(row, row.measure()))
    finally:  # Also what was measured before somebody pressed Ctrl-C.
        Console(width=150).print(table)


def _shown(row: Row, found: Measured) -> tuple[str, ...]:
    figure = f"{found.now:.3g} {row.unit}"
    now = f"{figure}; {found.found}" if found.found else figure
    megabytes = "" if found.megabytes is None else f"{found.megabytes:.0f}"
    cells = (row.what, found.limit, f"{found.cpu:.2f}", megabytes, now)
    if row.goal is None:
        return *cells, "", "", ""
    fits = (found.megabytes or 0) <= row.most
    outcome = "met" if found.now <= row.goal and fits else "missed" if fits else "missed: memory"
    least = "" if row.most == float("inf") else f", {row.most:,.0f} MB"
    return *cells, f"{row.goal:g} {row.unit}{least}", outcome, plot(found.now / row.goal)


def plot(share: float) -> str:
    """How far a figure is from its goal, as blocks; a line marks the goal.

    Example:
        >>> plot(0.5), plot(1.25)
        ('████    │', '████████│██')
    """
    blocks = max(1, round(AT_GOAL * share))
    more = "█" * (min(blocks, PLOTTED) - AT_GOAL)
    return "█" * min(blocks, AT_GOAL) + " " * (AT_GOAL - blocks) + "│" + more


def _rows() -> Iterator[Row]:
    for columns, goal in COLUMNS.items():
        what = f"{columns:,} columns, {growth_data.WIDE_ROWS:,} rows"
        write = partial(growth_data.write_wide, columns=columns)
        yield Row(what=what, goal=goal, unit="CPU s", measure=partial(_seconds, write))
    for rows in ROWS:
        write = partial(growth_data.write_near_unique, rows=rows)
        goal = 5.0 if rows >= 1_000_000 else None
        what = f"{rows:,} near-unique rows"
        yield Row(what=what, goal=goal, unit="copies", measure=partial(_copies, write), most=2_000)
    write = partial(growth_data.write_hashed, rows=HASHED_ROWS)
    what = f"{HASHED_ROWS:,} near-unique rows, hashed"
    yield Row(what=what, goal=6.0, unit="copies", measure=partial(_copies, write))
    for kind in growth_data.LEAF:
        write = partial(growth_data.write_leaves, leaves=LEAVES, kind=kind)
        what = f"a hierarchy of {LEAVES:,} {kind}"
        yield Row(what=what, goal=3.0, unit="CPU s", measure=partial(_seconds, write), most=300)
    write = partial(growth_data.write_unique, rows=UNIQUE_ROWS)
    what = f"local, {UNIQUE_ROWS:,} unique rows, 9 QIs"
    yield Row(what=what, goal=20.0, unit="CPU s", measure=partial(_seconds, write))
    for (rows, fields), gap in HALF_GAPS.items():
        what = f"anytime, {fields} fields x {rows:,} rows"
        yield Row(what=what, goal=gap, unit="gap", measure=partial(_gap, rows, fields))
    if (DATA / "adult").exists():
        yield from _on_adult()
    else:
        print(f"left out: adult is not in {DATA} (set SFUMATO_DATA)")
    yield from _of_several_tables()


def _on_adult() -> Iterator[Row]:
    for title, fields, labels, penalty, model, peers in local_adult.PEERS:
        for part, goal in LOCAL.items():
            if part in title:
                measure = partial(_local, (fields, labels, penalty, model), peers)
                yield Row(what=f"local, Adult, {title}", goal=goal, unit="CPU s", measure=measure)
    for asked in lattice_search.ROWS:
        if asked[1] == 0.0 and (DATA / asked[0]).exists():
            what = f"0 % suppression, {asked[0]}, {asked[2]}"
            yield Row(what=what, goal=1.0, unit="x ARX", measure=partial(_optimum, asked))
    yield Row(what="the command on Adult", goal=1.0, unit="CPU s", measure=_adult)


def _of_several_tables() -> Iterator[Row]:
    for (engine, millions), goal in TABLES.items():
        needed = {"postgres": "psycopg", "spark": "pyspark"}.get(engine)
        what = f"several tables, {engine}, {millions} million visits"
        if needed and find_spec(needed) is None:
            print(f"left out: {what} ({needed} is not installed)")
            continue
        measure = partial(_tables, engine, millions)
        yield Row(what=what, goal=goal, unit="copies", measure=measure)
    if find_spec("pyspark") is not None:
        write = partial(growth_data.write_near_unique, rows=SPARK_ROWS)
        measure = partial(_seconds, write, more=("--engine", "spark"))
        what = f"spark, {SPARK_ROWS:,} near-unique rows: fixed cost"
        yield Row(what=what, goal=20.0, unit="CPU s", measure=measure)


Write = Callable[[Path], str]
"""Writes a table and returns its policy."""


def _beside_copy(write: Write, more: tuple[str, ...] = ()) -> tuple[Cost, Cost]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "table.csv"
        policy = Path(folder) / "table.policy.toml"
        policy.write_text(write(source), encoding="utf-8")
        copy = python(COPY, str(source), str(Path(folder) / "copy.csv"))
        return copy, _release(source, policy, *more)


def _copies(write: Write) -> Measured:
    copy, made = _beside_copy(write)
    limit = f"copy {copy.cpu:.2f}"
    return Measured(now=made.cpu / copy.cpu, limit=limit, cpu=made.cpu, megabytes=made.megabytes)


def _seconds(write: Write, more: tuple[str, ...] = ()) -> Measured:
    copy, made = _beside_copy(write, more)
    limit = f"copy {copy.cpu:.2f}"
    return Measured(now=made.cpu, limit=limit, cpu=made.cpu, megabytes=made.megabytes)


def _gap(rows: int, fields: int) -> Measured:
    loss, bound, cpu = _child(SEARCH, str(rows), str(fields))
    found = f"loss {loss:.3f}, proven {bound:.3f}"
    return Measured(now=loss - bound, limit="20 s", cpu=cpu, found=found)


def _local(asked: tuple[tuple[str, ...], str, str, str], peers: str) -> Measured:
    found = local_adult.measure(*asked, 1)
    lost = f"NCP {found['ncp']:.4f}, GCP {found['gcp']:.2f} %"
    return Measured(
        now=found["cpu"], limit=peers, cpu=found["cpu"], megabytes=found["mb"], found=lost
    )


def _optimum(asked: tuple[object, ...]) -> Measured:
    *words, cold_peer, best_peer, score = asked
    peer = float(str(cold_peer or best_peer))
    cold, _, loss, *_ = _child(lattice_search.ONE, json.dumps(words))
    return Measured(
        now=cold / peer,
        limit=f"ARX {peer:.3g} cold, score {score}",
        cpu=cold,
        found=f"score {loss:.5f}, loading on neither side",
    )


def _adult() -> Measured:
    CACHE.mkdir(exist_ok=True)
    policy = release_adult.write_policy(CACHE / "adult.policy.toml", k=10)
    made = _release(DATA / "adult" / "adult.parquet", policy, to=CACHE / "release")
    return Measured(now=made.cpu, limit="", cpu=made.cpu, megabytes=made.megabytes)


def _tables(engine: str, millions: int) -> Measured:
    copy, floor, made = hospital.MEASURED[engine](hospital_folder(millions * 1_000_000))
    least = "" if floor is None else f", floor {floor.cpu:.1f}"
    return Measured(
        now=made.cpu / copy.cpu,
        limit=f"copy {copy.cpu:.1f}{least}",
        cpu=made.cpu,
        megabytes=made.megabytes,
    )


def _child(code: str, *arguments: str) -> list[float]:
    """What a fresh process printed as JSON."""
    words = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout)
    return found


def _release(source: Path, policy: Path, *more: str, to: Path | None = None) -> Cost:
    target = to or source.with_name("release")
    shutil.rmtree(target, ignore_errors=True)
    words = ["release", str(source), "--policy", str(policy), "--to", str(target), *more]
    made = command([sys.executable, "-m", "sfumato", *words], passes=(0, 1, 3))
    shutil.rmtree(target, ignore_errors=True)
    return made
