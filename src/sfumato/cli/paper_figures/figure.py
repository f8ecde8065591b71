"""One figure of a paper beside what comes out here, and the comparison of two tables."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.bins import Bins
    from sfumato.releases import PreparedSource, Release

Rows = Counter[tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class PaperFigure:
    """One figure of a paper: the printed number, the number here, and whether it is as it must be;
    `note` names the slip of the paper, or what it does not print."""

    figure: str
    printed: str
    found: str
    holds: bool
    note: str = ""


def released(folder: Path, table: str, policy: str) -> Release:
    """The release of a paper's table by a policy beside it."""
    from sfumato.releases import release

    target = folder / f"{Path(policy).stem}-release"
    return release(folder / table, folder / policy, to=target, replace=True)


def rows_of(path: Path, fields: tuple[str, ...]) -> Rows:
    """The rows of a CSV file over these fields, counted."""
    with path.open(encoding="utf-8", newline="") as file:
        return Counter(tuple(row[name] for name in fields) for row in csv.DictReader(file))


def counted_rows(path: Path, fields: tuple[str, ...], *, only: str = "") -> Rows:
    """The rows of a printed table of bins, by its column `bin_size`; those with "yes" in the column
    `only`, where it is named."""
    with path.open(encoding="utf-8", newline="") as file:
        bins = [row for row in csv.DictReader(file) if not only or row[only] == "yes"]
    return Counter({tuple(row[name] for name in fields): int(row["bin_size"]) for row in bins})


def compared(figure: str, printed: Rows, here: Rows) -> PaperFigure:
    """Two tables row by row, in any order."""
    from sfumato.wording import counted

    return PaperFigure(
        figure=figure,
        printed=counted(printed.total(), "row"),
        found=f"{counted(here.total(), 'row')}, {(printed & here).total()} as printed",
        holds=here == printed,
    )


def prepared(folder: Path, table: str, policy: str) -> PreparedSource:
    """The bins of a paper's table, with the hierarchies and models of a policy beside it."""
    from sfumato.engines import open_source
    from sfumato.policy import read_policy
    from sfumato.releases import prepare_after_steps

    decided = read_policy(folder / policy)
    with open_source(folder / table, policy=decided) as engine:
        return prepare_after_steps(engine, decided)


def as_rows(bins: Bins, fields: tuple[str, ...]) -> Rows:
    """The bins as rows over these fields, in this order."""
    places = [bins.fields.index(name) for name in fields]
    return Counter({tuple(str(key[i]) for i in places): n for key, n in bins.sizes().items()})
