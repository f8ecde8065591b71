"""Chiang et al. 2001, Cellsecu: what is wrong with Table 1, its lattice, and Table 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .figure import PaperFigure, compared, prepared, released, rows_of

EASY, RESULT = ("height", "weight", "blood_type"), "test_result"
"""The fields that the paper calls easily known, and the one that it protects."""


def figures(folder: Path) -> Iterator[PaperFigure]:
    """The bins of Table 1 that break a criterion, the safe nodes of the lattice, and Table 2."""
    from sfumato.hierarchies import Hierarchy
    from sfumato.solvers import Minimal

    bins = rows_of(folder / "table1.csv", EASY)
    with_result = rows_of(folder / "table1.csv", (*EASY, RESULT))
    alone = sum(size == 1 for size in bins.values())
    certain = sum(
        size > 1 and with_result[key] == bins[key[:-1]] for key, size in with_result.items()
    )
    yield PaperFigure(
        figure="Table 1: bins of one record, larger bins with one result",
        printed="3 and 1",
        found=f"{alone} and {certain}",
        holds=(alone, certain) == (3, 1),
    )
    source = prepared(folder, "table1.csv", "cellsecu.toml")
    levels = {  # the paper's two of each field, without the "*" above them
        name: Hierarchy(each.labels[:2], each.up[:2]) for name, each in source.hierarchies.items()
    }
    safe = Minimal(models=source.models).search(source.bins, levels).nodes
    yield PaperFigure(
        figure="3.3: most specific safe nodes of the lattice",
        printed="all three fields generalised",
        found=f"{len(safe)} of 8: levels {', '.join(map(str, safe[0].levels))}",
        holds=[set(node.levels) for node in safe] == [{1}],
    )
    made = released(folder, "table1.csv", "cellsecu.toml")
    fields = (*EASY, RESULT)
    yield compared(
        "Table 2: the answer",
        rows_of(folder / "table2.csv", fields),
        rows_of(Path(made.table), fields),
    )
