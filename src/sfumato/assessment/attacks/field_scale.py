"""The scale of a field, if any, and the span of its released labels: for distances between people
and rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from sfumato.hierarchies import Hierarchy, Label
from sfumato.measures import Reals, as_days, as_number, covering, measures

Measure = Callable[[str], float | None]


@dataclass(frozen=True, eq=False, kw_only=True)
class FieldScale:
    """A field of numbers or dates. `at` has the people's values, `low` and `high` the spans of
    released labels; nan where one measures nothing. `range` is the distance between the outermost
    of all, and `days` whether these are dates."""

    at: Reals
    low: Reals
    high: Reals
    range: float
    days: bool

    def gaps(self) -> Reals:
        """`gaps[v, l]`: how far a value is from what a label spans, 0 within; nan where one
        measures nothing."""
        gaps: Reals = self.low[None, :] - self.at[:, None]
        np.maximum(gaps, self.at[:, None] - self.high[None, :], out=gaps)
        return np.maximum(gaps, 0.0, out=gaps)


def measure_of(values: Sequence[Label]) -> Measure | None:
    """How to measure a field: as numbers or as dates, where all its values are; else not.

    Digits with a zero in front are a code, such as a ZIP, and not a number.

    Example:
        >>> measure_of(["39", "40", None]) is as_number, measure_of(["02138", "94110"]), measure_of([None])
        (True, None, None)
    """
    present = [value for value in values if value is not None]
    if not present:
        return None
    if all(as_days(value) is not None for value in present):
        return as_days
    coded = any(len(value) > 1 and value[0] == "0" and value[1].isdigit() for value in present)
    return as_number if not coded and all(_is_number(value) for value in present) else None


def _is_number(value: str) -> bool:
    """Not one that is too large to be distinguished from others."""
    number = as_number(value)
    return number is not None and isfinite(number)


def scale(
    values: Sequence[Label],
    labels: Sequence[Label],
    hierarchy: Hierarchy | None,
    *,
    measure: Measure | None,
) -> FieldScale | None:
    """The scale of people's values and released labels; None where they measure nothing."""
    if measure is None:
        return None
    at, low = measures(values, measure), measures(labels, measure)
    high = low.copy()
    coarse = [
        code
        for code, number in enumerate(low.tolist())
        if np.isnan(number) and labels[code] is not None
    ]
    if coarse:
        pool = tuple(hierarchy.labels[0]) if hierarchy is not None else tuple(values)
        numbers = measures(pool, measure)
        under = covering([labels[code] for code in coarse], pool, hierarchy) & ~np.isnan(numbers)
        some = under.any(axis=1)
        low[np.array(coarse)[some]] = np.where(under, numbers, np.inf).min(axis=1)[some]
        high[np.array(coarse)[some]] = np.where(under, numbers, -np.inf).max(axis=1)[some]
    every = np.concatenate([at, low, high])
    every = every[~np.isnan(every)]
    spread = float(every.max() - every.min()) if len(every) else 0.0
    return FieldScale(at=at, low=low, high=high, range=spread or 1.0, days=measure is as_days)
