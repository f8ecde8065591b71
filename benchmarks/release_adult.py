"""A whole `sfumato release` (datafly2, k = 10) of Adult beside DuckDB's copy of the same Parquet
file.

DuckDB's copy reads and writes every row once: the physical limit of any release that is a file. A
release also counts the bins, puts the rows in random order, reads back what it wrote and draws a
report."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from .data import CACHE, DATA, have, repeated
from .measuring import Cost, best, command, python

TIMES = (1, 100, 1_000)
COPY = (
    "import duckdb, sys; c = duckdb.connect(); c.execute('SET preserve_insertion_order = false'); "
    "c.execute(f\"COPY (FROM '{sys.argv[1]}') TO '{sys.argv[2]}' (FORMAT parquet)\")"
)


def main() -> None:
    if not have("adult"):
        return
    CACHE.mkdir(exist_ok=True)
    policy = write_policy(CACHE / "adult.policy.toml", k=10)
    table = Table(
        title="sfumato release, datafly2, k = 10, nine quasi-identifiers, against DuckDB's copy"
    )
    for heading in (
        "rows",
        "copy s",
        "copy MB",
        "release s",
        "release CPU s",
        "release MB",
        "ratio",
    ):
        table.add_column(heading, justify="right")
    for times in TIMES:
        source = repeated("adult", times)
        rows = 30_162 * times
        runs = 1 if times == max(TIMES) else 2
        copy = best(
            [python(COPY, str(source), str(CACHE / "copy.parquet")) for _ in range(runs + 1)]
        )
        made = best([_release(source, policy) for _ in range(runs)])
        table.add_row(
            f"{rows:,}", f"{copy.seconds:.2f}", f"{copy.megabytes:.0f}", f"{made.seconds:.2f}", f"{made.cpu:.2f}",
            f"{made.megabytes:.0f}", f"{made.seconds / copy.seconds:.2f}",
        )  # fmt: skip
    Console().print(table)


def write_policy(path: Path, *, k: int) -> Path:
    """Nine quasi-identifiers with the hierarchies that came with the data."""
    fields = duckdb.sql(f"DESCRIBE FROM '{DATA / 'adult' / 'adult.parquet'}'").fetchall()
    lines = []
    for name, *_ in fields:
        hierarchy = DATA / "adult" / f"hierarchy_{name}.csv"
        lines += [f'[fields."{name}"]', 'role = "quasi"', f'hierarchy = "{hierarchy}"', ""]
    lines += [
        "[require]",
        f"k = {k}",
        "max_suppression = 0.05",
        "",
        "[solve]",
        'solver = "datafly2"',
        "",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _release(source: Path, policy: Path) -> Cost:
    target = CACHE / "release"
    shutil.rmtree(target, ignore_errors=True)
    words = [
        sys.executable,
        "-m",
        "sfumato.cli",
        "release",
        str(source),
        "--policy",
        str(policy),
        "--to",
        str(target),
    ]
    cost = command(words)
    shutil.rmtree(target, ignore_errors=True)
    return cost
