"""Figures that the page derives from its facts: size classes, chances, the fields in question."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import BinFacts, FieldFacts, ReportFacts
from .number_text import number


def known_fields(facts: ReportFacts) -> tuple[str, ...]:
    """The fields over which bins are counted: those that the recipient may already know of a
    person."""
    return tuple(field.name for field in facts.fields if field.known)


def recoded_fields(facts: ReportFacts) -> tuple[FieldFacts, ...]:
    """The fields that have levels to generalise to."""
    return tuple(field for field in facts.fields if field.known and len(field.rows_at_level) > 1)


def classes(before: BinFacts, after: BinFacts) -> list[tuple[str, int, int]]:
    """Per size class, its name and the rows before and after; the empty classes at the large end
    are left out."""
    first, second = _rows_by_class(before), _rows_by_class(after)
    sizes = sorted(first.keys() | second.keys())
    used = [size for size in sizes if first.get(size) or second.get(size)]
    if not used:
        return []
    return [
        (_class_name(*size), first.get(size, 0), second.get(size, 0))
        for size in sizes
        if size <= used[-1]
    ]


def _rows_by_class(bins: BinFacts) -> dict[tuple[int, float], int]:
    """Rows per class, a class being its first and last size; the last class is open."""
    ends = [*(float(edge - 1) for edge in bins.edges[1:]), float("inf")]
    return dict(zip(zip(bins.edges, ends, strict=True), bins.rows, strict=True))


def _class_name(first: int, last: float) -> str:
    if last == float("inf"):
        return f"{number(first)} or more"
    return number(first) if first == last else f"{number(first)} to {number(int(last))}"


def chances(before: BinFacts, after: BinFacts) -> list[tuple[str, float, float]]:
    """The bin sizes behind the highest and the average chance to pick the right row; 0 where there
    is no row.

    A row in a bin of size s is picked with chance 1/s. The average over rows is bins/rows: one over
    the average bin size."""
    return [
        ("Highest", before.smallest, after.smallest),
        ("Average", before.average, after.average),
    ]


def level_shares(field: FieldFacts) -> Sequence[float]:
    """The share of released cells at each level of a field."""
    total = sum(field.rows_at_level)
    return [rows / total if total else 0.0 for rows in field.rows_at_level]


def level_name(field: FieldFacts, level: int) -> str:
    if level < len(field.level_names) and field.level_names[level]:
        return field.level_names[level]
    return "value" if level == 0 else f"level {level}"
