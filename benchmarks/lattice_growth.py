"""How the search grows: with rows (ten times each) and with quasi-identifiers (4 to 20), as a table
and a plot."""

from __future__ import annotations

from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from sfumato.bins import Bins, group
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KAnonymity
from sfumato.solvers import Anytime

FIELDS = (4, 8, 12, 16, 20)
ROWS = (3_000, 30_000, 300_000, 3_000_000)
SECONDS = 20.0


def people(rows: int, fields: int, *, seed: int = 7) -> tuple[Bins, dict[str, Hierarchy]]:
    """Made-up rows with skewed, mutually dependent fields of 12 values and hierarchies 12 > 4 > 2 >
    1."""
    generator = np.random.default_rng(seed)
    kind = generator.integers(0, 12, rows)
    columns = [
        np.minimum((kind * (1 + f % 3) + generator.geometric(0.25, rows)) % 12, 11)
        for f in range(fields)
    ]
    codes = np.stack(columns, axis=1).astype(np.int32)
    groups, first = group(codes, [12] * fields)
    names = tuple(f"f{i}" for i in range(fields))
    labels = tuple(tuple(str(v) for v in range(12)) for _ in names)
    bins = Bins(names, labels, codes[first], np.bincount(groups))
    ladder = [
        (str(v), f"{v // 3 * 3}..{v // 3 * 3 + 2}", "low" if v < 6 else "high", "*")
        for v in range(12)
    ]
    return bins, {name: Hierarchy.from_rows(ladder) for name in names}


def main() -> None:
    console = Console(width=130)
    for title, cases in (
        ("rows, 8 quasi-identifiers", [(rows, 8) for rows in ROWS]),
        ("quasi-identifiers, 30,000 rows", [(30_000, fields) for fields in FIELDS]),
    ):
        console.print(_table(title, cases))


def _table(title: str, cases: list[tuple[int, int]]) -> Table:
    table = Table(
        title=f"Growth with {title}: k = 5, at most 5 % suppressed, {SECONDS:.0f} s at most"
    )
    for heading in ("rows", "fields", "bins", "nodes", "counted", "loss", "bound", "CPU s", ""):
        table.add_column(heading, justify="left" if not heading else "right")
    for rows, fields in cases:
        bins, levels = people(rows, fields)
        started = process_time()
        solver = Anytime(
            models=(KAnonymity(k=5, fields=bins.fields),), max_suppression=0.05, seconds=SECONDS
        )
        found = solver.search(bins, levels)
        seconds = process_time() - started
        table.add_row(
            f"{rows:,}", str(fields), f"{len(bins):,}", f"{float(found.lattice_size):.3g}", f"{found.visited:,}",
            f"{found.loss:.4f}", "optimal" if found.complete else f"{found.bound:.4f}", f"{seconds:.2f}",
            "█" * max(1, round(8 * np.log10(1 + 100 * seconds))),
        )  # fmt: skip
    return table
