"""Which values the released labels of a field cover, as a matrix. Every comparison of a release
with people is built from it.

A label covers a value where it is that value, or where a hierarchy has the value under it at any
level. It also does by its form: `*`, a set such as {a, b}, a range such as 17..23 or 20-24, a month
or a year, a prefix such as 021**. Reading is for labels that the hierarchy does not know, which
local solvers and other tools make. It is also for unknown values, which a register may have; the
hierarchy is final for its own values and labels. A `*` that is a value, and that no hierarchy has
above its values, is that value and no suppressed cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import SUPPRESSED, Hierarchy, Label
from sfumato.policy import NullRule

from .label_forms import (
    Bounds,
    as_days,
    as_number,
    date_bounds,
    excludes_its_end,
    members_of,
    number_bounds,
    prefix_of,
)

_OPENS = ("{", "[", "(", "<", ">", "≤", "≥")
_YEAR, _DATE = 4, 10

Marks = NDArray[np.bool_]
Reals = NDArray[np.float64]


def covering(
    labels: Sequence[Label],
    values: Sequence[Label],
    hierarchy: Hierarchy | None = None,
    *,
    nulls: NullRule = NullRule.VALUE,
) -> Marks:
    """`found[l, v]`: whether the released label `l` covers the value `v`.

    Null is a value of its own, under null and under `*` alone, unless it matches anything under the
    null rule.

    Example:
        >>> covering(("20-29", "{21, 40}", "21", "*"), ("21", "35", None)).astype(int).tolist()
        [[1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 1, 1]]
        >>> covering(("*",), ("21", "*")).astype(int).tolist()
        [[0, 1]]
        >>> zips = Hierarchy.from_rows([("02138", "Cambridge", "*"), ("02115", "Boston", "*")])
        >>> covering(("Cambridge", "Boston"), ("02115",), zips).ravel().tolist()
        [False, True]
    """
    found = np.zeros((len(labels), len(values)), bool)
    if not found.size:
        return found
    _same(found, labels, values, star_is_value=_star_is_value(values, hierarchy))
    told = np.zeros(len(values), bool)
    known = np.zeros(len(labels), bool)
    if hierarchy is not None:
        told, known = _by_hierarchy(found, labels, values, hierarchy)
    _as_read(found, labels, values, told=told, known=known)
    if nulls is NullRule.MATCHES_ANYTHING:
        found[[label is None for label in labels], :] = True
        found[:, [value is None for value in values]] = True
    return found


def _star_is_value(values: Sequence[Label], hierarchy: Hierarchy | None) -> bool:
    """Whether `*` is a value of the field and nothing that the field could have been recoded to."""
    if hierarchy is None:
        return SUPPRESSED in values
    return SUPPRESSED in hierarchy.labels[0] and not any(
        SUPPRESSED in level for level in hierarchy.labels[1:]
    )


def _same(
    found: Marks, labels: Sequence[Label], values: Sequence[Label], *, star_is_value: bool
) -> None:
    place = {value: column for column, value in enumerate(values)}
    for row, label in enumerate(labels):
        if label == SUPPRESSED and not star_is_value:
            found[row] = True
        elif label in place:
            found[row, place[label]] = True


def _by_hierarchy(
    found: Marks, labels: Sequence[Label], values: Sequence[Label], hierarchy: Hierarchy
) -> tuple[Marks, Marks]:
    """Mark the values under each label at each level; which values and which labels the hierarchy
    knows."""
    leaf = {value: code for code, value in enumerate(hierarchy.labels[0])}
    code = np.array([leaf.get(value, -1) for value in values], np.int64)
    columns = np.flatnonzero(code >= 0)
    row_of = {label: row for row, label in enumerate(labels)}
    known = np.array([label in leaf for label in labels], bool)
    for level in range(1, hierarchy.height + 1):
        row = np.array([row_of.get(label, -1) for label in hierarchy.labels[level]], np.int64)
        known[row[row >= 0]] = True
        rows = row[hierarchy.up[level][code[columns]]]
        found[rows[rows >= 0], columns[rows >= 0]] = True
    return code >= 0, known


def _as_read(
    found: Marks, labels: Sequence[Label], values: Sequence[Label], *, told: Marks, known: Marks
) -> None:
    """Mark the values that the labels cover by their form, except values and labels that a
    hierarchy has."""
    plain = set(values)
    numbers: Reals | None = None
    days: Reals | None = None
    for row, label in enumerate(labels):
        if label is None or label == SUPPRESSED or label in plain or not _may_be_coarse(label):
            continue
        if known[row] and told.all():
            continue
        columns = ~told if known[row] else np.ones(len(values), bool)
        by_number, by_day = number_bounds(label), date_bounds(label)
        if by_number is not None:
            numbers = measures(values, as_number) if numbers is None else numbers
            found[row] |= _between(numbers, by_number, open_end=excludes_its_end(label)) & columns
        if by_day is not None:
            days = measures(values, as_days) if days is None else days
            found[row] |= _between(days, (by_day[0], by_day[1] + 1), open_end=True) & columns
        members = members_of(label)
        if members:
            found[row] |= _among(values, members) & columns
        prefix = prefix_of(label)
        if prefix:
            found[row] |= _starting(values, prefix, length=len(label)) & columns


def _may_be_coarse(label: str) -> bool:
    """Whether a label has anything of the forms that are read; most of those that do not are
    values, and very many."""
    if label[-1:] == "*" or label[:1] in _OPENS or (len(label) == _YEAR and label.isdigit()):
        return True
    return ".." in label or (
        "-" in label and not (len(label) >= _DATE and as_days(label) is not None)
    )


def measures(values: Sequence[Label], measure: Callable[[str], float | None]) -> Reals:
    """The measure of each value; nan where it measures nothing."""
    read = (None if value is None else measure(value) for value in values)
    return np.array([np.nan if number is None else number for number in read], np.float64)


def _between(numbers: Reals, bounds: Bounds, *, open_end: bool) -> Marks:
    low, high = bounds
    if high == inf:
        return np.asarray(numbers >= low)
    return np.asarray((numbers >= low) & ((numbers < high) if open_end else (numbers <= high)))


def _among(values: Sequence[Label], members: Sequence[str]) -> Marks:
    """Null is written as null in a set, which a text of that word could be taken for: both are
    marked."""
    held = set(members)
    return np.array([("null" if value is None else value) in held for value in values], bool)


def _starting(values: Sequence[Label], prefix: str, *, length: int) -> Marks:
    """A prefix with one star fits any length; with more, the stars count the characters that are
    hidden."""
    any_length = length - len(prefix) == 1
    return np.array(
        [
            v is not None and v.startswith(prefix) and (any_length or len(v) == length)
            for v in values
        ],
        bool,
    )
