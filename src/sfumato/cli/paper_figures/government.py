"""Garfinkel 2016, government data: the school's two tables of section 4.3.6, alone and together."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from .figure import PaperFigure

NEWCOMER = "the newcomer's cell is certain"


def figures(folder: Path) -> Iterator[PaperFigure]:
    """What each table of ranges discloses by itself, and what both disclose together."""
    for months, is_certain in (
        (("may", "may"), False),
        (("june", "june"), False),
        (("may", "june"), True),
    ):
        found = _is_certain(*(folder / f"{month}.csv" for month in months))
        both = is_certain
        yield PaperFigure(
            figure=f"4.3.6: {'May and June' if both else months[0].capitalize() + ' alone'}",
            printed="the newcomer's grade level is disclosed"
            if both
            else _ranges(folder, months[0]),
            found=NEWCOMER if found else "nobody is disclosed",
            holds=found is is_certain,
        )


def _is_certain(first: Path, second: Path) -> bool:
    from sfumato.assessment import intrude

    found = intrude(first, second=second, counts="students")
    return bool(found.as_dict()["runs"][0]["certain"])


def _ranges(folder: Path, month: str) -> str:
    with (folder / f"{month}.csv").open(encoding="utf-8", newline="") as file:
        return " ".join(row["students"] for row in csv.DictReader(file))
