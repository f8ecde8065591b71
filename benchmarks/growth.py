"""Data as people have it: wide files, near-unique rows, hierarchies of many values. Each is
released from CSV beside DuckDB's copy of the same file in random order, which is the least that a
release could cost, and beside what we aim at.

`python -m benchmarks growth` takes many minutes. `SFUMATO_GROWTH="near-unique codes"` runs the
cases whose names have one of these words."""

from __future__ import annotations

import math
import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
from rich.console import Console
from rich.table import Table

from .measuring import Cost, command, python

COLUMNS = {100: "2 CPU s", 400: "5 CPU s", 1_000: "12 CPU s"}
WIDE_ROWS = 2_000
ROWS = (100_000, 1_000_000, 10_000_000)
HASHED_ROWS = 1_000_000
LEAVES = 1_000_000
COPY = (
    "import duckdb, sys; c = duckdb.connect(); c.execute(\"SET memory_limit = '3GB'\"); "
    "c.execute(f\"COPY (SELECT * FROM read_csv('{sys.argv[1]}', all_varchar = true) "
    "ORDER BY random()) TO '{sys.argv[2]}' (HEADER)\")"
)
REQUIRED = '[require]\nk = 5\nmax_suppression = 0.05\n[solve]\nsolver = "datafly"\n'
NEAR_UNIQUE = (
    """
[fields]
id = "direct"
born = { role = "quasi", hierarchy = { dates = ["month", "year", "10 years"] } }
zip = { role = "quasi", hierarchy = { prefix = [3, 2] } }
sex = "quasi"
job = "quasi"
diagnosis = "sensitive"
cost = "insensitive"
note = "insensitive"
"""
    + REQUIRED
)
LEAF = {
    "codes": ("lpad(range::VARCHAR, 8, '0')", "prefix = [4, 2]"),
    "days": ("(DATE '0001-01-01' + range::INT)::VARCHAR", 'dates = ["year", "100 years"]'),
    "numbers": ("range::VARCHAR", "numbers = { widths = [1000, 100000] }"),
}


def write_wide(path: Path, columns: int) -> str:
    """Numbers, codes, amounts, answers and days by turns; the policy of which three are quasi."""
    chance = np.random.default_rng(1)

    def drawn(place: int) -> tuple[str, list[str]]:
        match place % 5:
            case 0:
                return f"number_{place}", chance.integers(0, 90, WIDE_ROWS).astype(str).tolist()
            case 1:
                return f"code_{place}", [f"c{v % 40}" for v in chance.zipf(1.6, WIDE_ROWS)]
            case 2:
                amounts = np.round(chance.normal(100, 20, WIDE_ROWS), 2)
                return f"amount_{place}", amounts.astype(str).tolist()
            case 3:
                said = np.where(chance.random(WIDE_ROWS) < 0.3, "yes", "no")
                return f"answer_{place}", said.tolist()
            case _:
                days = np.datetime64("2020-01-01") + chance.integers(0, 900, WIDE_ROWS)
                return f"day_{place}", days.astype(str).tolist()

    table = dict(drawn(place) for place in range(columns))
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(table) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*table.values(), strict=True))
    roles = ("quasi" if place in (0, 1, 3) else "insensitive" for place in range(columns))
    lines = (f'{name} = "{role}"\n' for name, role in zip(table, roles, strict=True))
    return "[fields]\n" + "".join(lines) + REQUIRED


def write_near_unique(path: Path, rows: int) -> str:
    """People of whom hardly two are born on the same day in the same place."""
    duckdb.execute(
        "COPY (SELECT range AS id, (DATE '1930-01-01' + (hash(range) % 30000)::INT)::VARCHAR "
        "AS born, lpad((hash(range + 1) % 99000)::VARCHAR, 5, '0') AS zip, "
        "CASE WHEN hash(range + 2) % 2 = 0 THEN 'f' ELSE 'm' END AS sex, "
        "(hash(range + 3) % 200)::VARCHAR AS job, 'd' || (hash(range + 4) % 300) AS diagnosis, "
        "round((hash(range + 5) % 100000) / 37.0, 2) AS cost, md5(range::VARCHAR) AS note "
        f"FROM range({rows})) TO '{path}' (HEADER)"
    )
    return NEAR_UNIQUE


def write_hashed(path: Path, rows: int) -> str:
    """The same people, each with a keyed hash in place of the number."""
    asked = write_near_unique(path, rows)
    return asked.replace('id = "direct"', 'id = { role = "direct", replace = "hash" }')


def write_leaves(path: Path, leaves: int, *, kind: str = "codes") -> str:
    """One row for each of very many codes, days or numbers."""
    value, hierarchy = LEAF[kind]
    duckdb.execute(
        f"COPY (SELECT {value} AS code, "
        f"CASE WHEN hash(range) % 2 = 0 THEN 'f' ELSE 'm' END AS sex FROM range({leaves})) "
        f"TO '{path}' (HEADER)"
    )
    return (
        f'[fields]\ncode = {{ role = "quasi", hierarchy = {{ {hierarchy} }} }}\nsex = "quasi"\n'
        + REQUIRED
    )


def main() -> None:
    table = Table(title="sfumato release, k = 5, Datafly, from CSV, beside DuckDB's random copy")
    for heading in ("what", "copy CPU s", "release CPU s", "copies", "MB", "aim", ""):
        table.add_column(heading, justify="left" if heading in ("what", "") else "right")
    cases = [
        *((f"{n:,} columns, {WIDE_ROWS:,} rows", write_wide, n, aim) for n, aim in COLUMNS.items()),
        *((f"{n:,} near-unique rows", write_near_unique, n, "5 copies") for n in ROWS),
        (f"{HASHED_ROWS:,} near-unique rows, hashed", write_hashed, HASHED_ROWS, "6 copies"),
        *(
            (
                f"a hierarchy of {LEAVES:,} {kind}",
                partial(write_leaves, kind=kind),
                LEAVES,
                "3 CPU s",
            )
            for kind in LEAF
        ),
    ]
    wanted = os.environ.get("SFUMATO_GROWTH", "").split()
    for what, write, size, aim in cases:
        if wanted and not any(word in what for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "table.csv"
            policy = Path(folder) / "table.policy.toml"
            policy.write_text(write(source, size), encoding="utf-8")
            copy = python(COPY, str(source), str(Path(folder) / "copy.csv"))
            made = _release(source, policy)
        table.add_row(
            what,
            f"{copy.cpu:.2f}",
            f"{made.cpu:.2f}",
            f"{made.cpu / copy.cpu:.1f}",
            f"{made.megabytes:.0f}",
            aim,
            _bar(made.cpu),
        )
    Console(width=130).print(table)


def _bar(seconds: float) -> str:
    """A plot of CPU seconds by their logarithm: six blocks for ten times as long."""
    return "█" * max(1, round(6 * math.log10(1 + 10 * seconds)))


def _release(source: Path, policy: Path) -> Cost:
    target = source.with_name("release")
    shutil.rmtree(target, ignore_errors=True)
    words = ["release", str(source), "--policy", str(policy), "--to", str(target)]
    return command([sys.executable, "-m", "sfumato", *words], passes=(0, 1, 3))
