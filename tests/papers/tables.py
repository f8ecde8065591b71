"""The printed tables under golden/ as bins and hierarchies (copied from the project's golden
cases)."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy

GOLDEN = Path(__file__).parent / "golden"
QUASI = ("ethnicity", "birth", "sex", "zip")


def rows(name: str) -> list[dict[str, str]]:
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def bins_of(table: list[dict[str, str]], fields: tuple[str, ...] = QUASI) -> Bins:
    return Bins.of(fields, Counter(tuple(row[name] for name in fields) for row in table))


def birth(value: str) -> tuple[str, ...]:
    """date > month > year > 5 years > 10 years > *"""
    year = int(value[:4])
    five, ten = year - year % 5, year - year % 10
    return value, value[:7], value[:4], f"{five}-{five + 4}", f"{ten}-{ten + 9}", "*"


def zip_code(value: str) -> tuple[str, ...]:
    """5 digits > 4 > 3 > *"""
    return value, value[:4] + "*", value[:3] + "**", "*"


def zip_1997(value: str) -> tuple[str, ...]:
    """Sweeney 1997 goes from 5 digits to 3."""
    return value, value[:3] + "**", "*"


def hierarchies(bins: Bins, *, zips: object = zip_code) -> dict[str, Hierarchy]:
    ladders = {"birth": birth, "zip": zips}
    out = {}
    for name, labels in zip(bins.fields, bins.labels, strict=True):
        ladder = ladders.get(name, lambda value: (value, "*"))
        out[name] = Hierarchy.from_rows([ladder(value) for value in labels])
    return out
