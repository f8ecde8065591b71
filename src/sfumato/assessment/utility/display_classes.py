"""A field's distribution in few classes that a page may name: no class has fewer than ten people of
the source.

Numbers are cut at round places, the ends are open, and neighbours are joined until each class has
enough people. Categories with too few people are grouped under "other"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from .keyed_sums import Reals, Whole, tally
from .label_values import LabelValues
from .paired_tables import FEW

MOST_CLASSES = 12
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayClass:
    """A class by its name, with the share of rows that it has before and after, of those that carry
    information."""

    name: str
    before: float
    after: float


def display_classes(
    field: LabelValues, before: Reals, after: Reals, people: Reals
) -> tuple[DisplayClass, ...]:
    """The classes of a field; none where fewer than ten people have a value at all.

    `before` and `after` are rows per value, `people` the people of the source per value.
    """
    if people.sum() < FEW or not after.sum():
        return ()
    groups, names = _ranges(field, people) if field.numbers is not None else _values(field, people)
    before = tally(groups, before, len(names)) / before.sum()
    after = tally(groups, after, len(names)) / after.sum()
    return tuple(
        DisplayClass(name=name, before=float(b), after=float(a))
        for name, b, a in zip(names, before, after, strict=True)
    )


def _values(field: LabelValues, people: Reals) -> tuple[Whole, list[str]]:
    """The commonest values by name, the rest together; the rest has ten people too, or takes in a
    named value."""
    order = np.argsort(-people, kind="stable")
    named = [int(place) for place in order[: MOST_CLASSES - 1] if people[place] >= FEW]
    rest = people.sum() - people[named].sum()
    while named and len(named) < len(people) and 0 < rest < FEW:
        rest += people[named.pop()]
    groups = np.full(len(people), len(named), np.int64)
    groups[named] = np.arange(len(named))
    others = len(people) - len(named)
    names = [field.values[place] for place in named]
    return groups, [*names, f"other ({others} values)"] if others else names


def _ranges(field: LabelValues, people: Reals) -> tuple[Whole, list[str]]:
    assert field.numbers is not None
    edges = _joined(field.numbers, people, _round_edges(field, people))
    groups = np.searchsorted(edges, field.numbers, side="right").astype(np.int64)
    if not len(edges):
        return groups, ["all values"]
    if field.reading == "date":
        return groups, _periods(
            [date(1970, 1, 1) + timedelta(days=round(edge)) for edge in edges.tolist()]
        )
    whole = field.reading == "number" and not (field.numbers % 1).any()
    told = [f"{edge:,.10g}" for edge in edges.tolist()]
    ends = [f"{edge - 1:,.10g}" for edge in edges.tolist()] if whole else told
    joint = "-" if whole and edges[0] >= 0 else " to "
    middle = [
        low if whole and low == high else f"{low}{joint}{high}"
        for low, high in zip(told, ends[1:], strict=False)
    ]
    return groups, [f"under {told[0]}", *middle, f"{told[-1]} and more"]


def _periods(edges: list[date]) -> list[str]:
    """Names of the classes between first days of months: years where all of them begin one, else
    months.

    Example:
        >>> _periods([date(1930, 1, 1), date(1940, 1, 1)])
        ['before 1930', '1930-1939', '1940 and later']
        >>> _periods([date(2023, 7, 1), date(2024, 1, 1)])
        ['before 2023-07', '2023-07 to 2023-12', '2024-01 and later']
    """
    years = all(edge.month == 1 for edge in edges)
    form, joint = ("%Y", "-") if years else ("%Y-%m", " to ")
    told = [f"{edge:{form}}" for edge in edges]
    last = [f"{edge - timedelta(days=1):{form}}" for edge in edges[1:]]
    middle = [
        low if low == high else f"{low}{joint}{high}" for low, high in zip(told, last, strict=False)
    ]
    return [f"before {told[0]}", *middle, f"{told[-1]} and later"]


def _round_edges(field: LabelValues, people: Reals) -> Reals:
    """Round places between the 2nd and the 98th percentile, at most eleven."""
    assert field.numbers is not None
    ranks = np.cumsum(people) / people.sum()
    places = np.minimum(np.searchsorted(ranks, (0.02, 0.98)), len(ranks) - 1)
    low, high = field.numbers[places].tolist()
    if high <= low:
        return np.zeros(0)
    if field.reading == "date":
        return _months_between(low, high)
    rough = (high - low) / (MOST_CLASSES - 2)
    power = float(10.0 ** np.floor(np.log10(rough)))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    if not (field.numbers % 1).any():
        step = max(step, 1.0)
    edges: Reals = np.arange(np.floor(low / step) + 1, np.ceil(high / step) + 1) * step
    return edges


def _months_between(low: float, high: float) -> Reals:
    """First days of months, or of years where the dates are far apart."""
    first, last = (
        np.datetime64(round(day), "D").astype("datetime64[M]").astype(int) for day in (low, high)
    )
    rough = max((last - first) / (MOST_CLASSES - 2), 1)
    step = next((months for months in _MONTHS if months >= rough), _MONTHS[-1])
    months = np.arange(first // step + 1, last // step + 1) * step
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.float64)


def _joined(numbers: Reals, people: Reals, edges: Reals) -> Reals:
    """The edges that leave at least ten people in every class, from the left; the last class may
    take in another."""
    kept: list[float] = []
    total, below = float(people.sum()), 0.0
    for edge in edges.tolist():
        up_to = float(people[numbers < edge].sum())
        if up_to - below >= FEW and total - up_to >= FEW:
            kept.append(edge)
            below = up_to
    return np.array(kept)
