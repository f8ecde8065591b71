"""Outliers to medians: numbers far from the others become the median (Sweeney 2000, Fig. 14; fences
of Tukey 1977).

Departures: where more than half of the numbers are equal the quartiles are useless, and fences are
those of the others; quartiles and medians are never those of fewer than `least` rows, whose smaller
groups go by all rows; and a median that one row alone has is not disclosed (`medians.py`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.parts import ParameterKind, parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration, Wants, never

from .cells import Cells, Reals
from .keyed_random import Wholes
from .medians import middle
from .pools import members
from .stated_numbers import left_empty, told_count
from .step_result import StepContext, StepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class OutliersToMedians:
    """Which numbers are outliers."""

    beyond: float = parameter(
        "so many interquartile ranges beyond the quartiles", default=1.5, least=0
    )
    least: int = parameter("rows behind a median and its quartiles, at least", default=10, least=3)
    within: tuple[str, ...] = parameter(
        "the median of rows that are equal in these fields", default=(), kind=ParameterKind.FIELDS
    )


def outliers_to_medians(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Numbers more than `beyond` interquartile ranges below the lower quartile or above the upper
    become the median."""
    beyond, least, within = step.number("beyond"), step.whole("least"), step.names("within")
    groups = cells.groups(within)
    alike = (
        f" of rows alike in {', '.join(within)} (where they are fewer than {least}, of all)"
        if within
        else ""
    )
    said = (
        f"numbers more than {beyond:g} interquartile ranges beyond the quartiles became the "
        f"median{alike}"
    )
    words, warnings = {}, []
    replaced: dict[str, object] = {}
    for name in step.fields:
        values = cells.numbers(name)
        there = np.flatnonzero(~np.isnan(values))
        out, words[name] = values.copy(), said
        if 0 < len(there) < least:
            out[there] = np.nan
            words[name] = "left empty"
            warnings.append(
                left_empty(name, len(there), "too few numbers to say which are outliers")
            )
        else:
            out[there] = _replaced(values[there], groups[there], beyond, least)
        outlying = ~np.isnan(out) & (out != values)
        cells = cells.with_numbers(name, out)
        replaced[name] = told_count(int(outlying.sum()), least)
        if _shows(cells, name, outlying, least):
            warnings.append(
                f"Cells of {name} that became the median show it, because few other rows "
                "have that number."
            )
    return StepResult(
        cells=cells, words=words, facts={"rows_replaced": replaced}, warnings=tuple(warnings)
    )


def _replaced(values: Reals, groups: Wholes, beyond: float, least: int) -> Reals:
    out = values.copy()
    for rows in members(groups):
        source = values[rows] if len(rows) >= least else values
        outlying = rows[~inside(values[rows], source, beyond, least)]
        if len(outlying):
            out[outlying] = middle(source)
    return out


def inside(values: Reals, source: Reals, beyond: float, least: int) -> NDArray[np.bool_]:
    """Which of the values are no outliers among the source's.

    Example:
        >>> inside(np.array([3.0, 90.0]), np.array([1.0, 2.0, 3.0, 4.0, 90.0]), 1.5, 3).tolist()
        [True, False]
        >>> zeros = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 90.0, 5.0])
        >>> inside(zeros, zeros, 1.5, 3).tolist()
        [True, True, True, True, True, True, True, True, False, True]
    """
    low, half, high = np.quantile(source, (0.25, 0.5, 0.75))
    same = np.zeros(len(values), bool)
    if low == high:
        others = source[source != half]
        same = values == half
        low, high = np.quantile(others, (0.25, 0.75)) if len(others) >= least else (half, half)
    reach = beyond * (high - low)
    return np.asarray(same | ((values >= low - reach) & (values <= high + reach)))


def _shows(cells: Cells, name: str, outlying: NDArray[np.bool_], least: int) -> bool:
    """Whether fewer than `least` rows have the inserted number as their own value."""
    codes, _ = cells.codes(name)
    own = np.bincount(codes[~outlying], minlength=int(codes.max(initial=-1)) + 1)
    return bool((own[codes[outlying]] < least).any())


DECLARATION = TechniqueDeclaration(
    key="outliers",
    doc="outliers become the median",
    title="outliers to medians",
    record=OutliersToMedians,
    apply=outliers_to_medians,
    wants=Wants.NUMBERS,
    draws=never,
    trials=({"beyond": 1.5}, {"beyond": 3.0}),
)
