"""A released label read as the values under it, so that a coarse table can be compared with its
source.

A cell with 20-24 may be any of 20 to 24. It is spread evenly over those of them that occur in the
source, as a recipient without further knowledge must (the uniformity assumption of LeFevre et al.
2006). Or it is spread by the source's own frequencies, which measures only the effect of the choice
of rows. The rule that is used is stated wherever a number depends on it. A label that covers every
value carries no information and is counted as missing, as an analyst would."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import FieldKind
from sfumato.hierarchies import SUPPRESSED, Hierarchy, Label
from sfumato.measures import (
    Bounds,
    as_days,
    as_number,
    date_bounds,
    excludes_its_end,
    members_of,
    number_bounds,
    prefix_of,
)

from .keyed_sums import Reals, Whole, tally

Reading = Literal["number", "date", "category"]
Spread = Literal["evenly", "as-source"]


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelValues:
    """One field before and after, over the same values.

    `values` are the values of both tables, `numbers` what they measure where they measure
    something. `value_of[code]` is the value of a source label, -1 for null. The values under the
    released label `code` are `members[starts[code] : starts[code + 1]]` with `shares` that add up
    to 1. There are none where it carries no information."""

    name: str
    reading: Reading
    values: tuple[str, ...]
    numbers: Reals | None
    value_of: Whole
    starts: Whole
    members: Whole
    shares: Reals
    is_null: NDArray[np.bool_]
    middles: Reals

    def __repr__(self) -> str:
        return (
            f"LabelValues(name={self.name!r}, reading={self.reading!r}, values={len(self.values)})"
        )

    @property
    def labels(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def label_of(self) -> Whole:
        """For each entry of `members`, the label that it is under."""
        return np.repeat(np.arange(self.labels), np.diff(self.starts))

    @cached_property
    def says(self) -> NDArray[np.bool_]:
        """Which released labels carry information."""
        return np.diff(self.starts) > 0

    def apart(self, counts: Reals) -> bool:
        """Whether the released labels that occur share no value. Then each value has one label, as
        after a global recoding, and the labels themselves can be counted in the source too."""
        occurring = self.members[counts[self.label_of] > 0]
        return len(np.unique(occurring)) == len(occurring)

    def before(self, counts: Reals) -> Reals:
        """How many rows of the source have each value, from how many have each label; null is left
        out."""
        known = self.value_of >= 0
        return tally(self.value_of[known], counts[known], len(self.values))

    def after(self, counts: Reals) -> Reals:
        """How many rows of the release have each value, from how many have each label."""
        return tally(self.members, self.shares * counts[self.label_of], len(self.values))

    def together(self, of_value: Reals) -> Reals:
        """Per released label the sum of something that each value has."""
        return tally(self.label_of, of_value[self.members], self.labels)

    def under(self, of_value: Reals) -> Reals:
        """Per released label the mean of something that each value has; 0 where the label carries
        no information."""
        return tally(self.label_of, self.shares * of_value[self.members], self.labels)


def label_values(
    name: str,
    before: tuple[tuple[Label, ...], Reals],
    after: Sequence[Label],
    *,
    kind: FieldKind,
    hierarchy: Hierarchy | None = None,
    spread: Spread = "evenly",
    as_category: bool = False,
) -> LabelValues:
    """Read the labels of a field. `before` are the source's labels and how many rows have each.

    Example:
        >>> ages = label_values("age", (("20", "21", "40"), np.ones(3)), ("20-29", "40", "*"), kind=FieldKind.INTEGER)
        >>> ages.after(np.array([6.0, 1.0, 9.0])).tolist(), ages.middles.tolist()[:2]
        ([3.0, 3.0, 1.0], [24.5, 40.0])
    """
    labels, counts = before
    present = [label for label in labels if label is not None]
    is_code = as_category or _cut_short(
        (*after, *(hierarchy.labels[1] if hierarchy and hierarchy.height else ()))
    )
    reading, measure = ("category", None) if is_code else _reading(present, kind)
    values, numbers = _ordered(present, after, measure, hierarchy)
    place = {value: number for number, value in enumerate(values)}
    value_of = np.array([-1 if label is None else place[label] for label in labels], np.int64)
    field = _Field(values, place, numbers, hierarchy, reading, {})
    itself = np.array([-1 if label is None else place.get(label, -1) for label in after], np.int64)
    wider = {code: _under(after[code], field) for code in np.flatnonzero(itself < 0).tolist()}
    starts, members = _joined(itself, wider)
    out = LabelValues(
        name=name,
        reading=reading,
        values=values,
        numbers=numbers,
        value_of=value_of,
        starts=starts,
        members=members,
        shares=np.ones(len(members)),
        is_null=np.array([label is None for label in after], bool),
        middles=_middles(after, itself, wider, field),
    )
    weights = np.ones(len(values)) if spread == "evenly" else out.before(counts)
    return _shared(out, weights[members])


def _joined(itself: Whole, wider: Mapping[int, Whole]) -> tuple[Whole, Whole]:
    """Where each label's values begin, and the values: the label itself, or those that it was found
    to cover."""
    sizes = (itself >= 0).astype(np.int64)
    for code, found in wider.items():
        sizes[code] = len(found)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    members = np.zeros(int(starts[-1]), np.int64)
    members[starts[:-1][itself >= 0]] = itself[itself >= 0]
    for code, found in wider.items():
        members[starts[code] : starts[code + 1]] = found
    return starts, members


def _shared(field: LabelValues, weights: Reals) -> LabelValues:
    """The same with shares by `weights`; where those under a label have none, all alike."""
    totals = tally(field.label_of, weights, field.labels)[field.label_of]
    even = 1 / np.diff(field.starts)[field.label_of]
    return replace(field, shares=np.where(totals > 0, weights / np.maximum(totals, 1e-300), even))


@dataclass(frozen=True, eq=False)
class _Field:
    values: tuple[str, ...]
    place: Mapping[str, int]
    numbers: Reals | None
    hierarchy: Hierarchy | None
    reading: Reading
    levels: dict[int, tuple[Mapping[Label, int], Whole, Whole]]

    def at_level(self, level: int) -> tuple[Mapping[Label, int], Whole, Whole]:
        """The codes of a level's labels, the values that occur sorted by them, and where each
        label's begin."""
        if level not in self.levels:
            assert self.hierarchy is not None
            leaves, up = self.hierarchy.labels[0], self.hierarchy.up[level]
            places = np.array(
                [-1 if leaf is None else self.place.get(leaf, -1) for leaf in leaves], np.int64
            )
            order = np.argsort(up, kind="stable")
            order = order[places[order] >= 0]
            edges = np.searchsorted(up[order], np.arange(len(self.hierarchy.labels[level]) + 1))
            codes = {label: code for code, label in enumerate(self.hierarchy.labels[level])}
            self.levels[level] = codes, places[order], edges.astype(np.int64)
        return self.levels[level]


Measure = Callable[[str], float | None]


def _reading(values: Sequence[str], kind: FieldKind) -> tuple[Reading, Measure | None]:
    """The kind of a field: by its type, and where it is text by the form of all its values.

    Digits with a zero in front are a code, such as a ZIP, and not a number.
    """
    if not values or kind in (FieldKind.BOOLEAN, FieldKind.OTHER):
        return "category", None
    if kind in (FieldKind.DATE, FieldKind.TIMESTAMP) or all(
        as_days(value) is not None for value in values
    ):
        return (
            ("date", as_days)
            if all(as_days(value) is not None for value in values)
            else ("category", None)
        )
    coded = kind is FieldKind.TEXT and any(
        len(value) > 1 and value[0] == "0" and value[1] != "." for value in values
    )
    if not coded and all(as_number(value) is not None for value in values):
        return "number", as_number
    return "category", None


def _cut_short(labels: Sequence[Label]) -> bool:
    """Whether some label is a value cut short, such as 021**: nobody does that to a number."""
    return any(label is not None and prefix_of(label) for label in labels)


def _ordered(
    before: Sequence[str],
    after: Sequence[Label],
    measure: Measure | None,
    hierarchy: Hierarchy | None,
) -> tuple[tuple[str, ...], Reals | None]:
    """All values in order, and what they measure; a released label that can only be a value of its
    own is one too."""
    known = set(before)
    labels = hierarchy.level_of_label if hierarchy is not None else {}
    if measure is None:
        new = [label for label in after if _new_word(label, known, labels)]
        return tuple(sorted({*known, *(label for label in new if label is not None)})), None
    fresh = [
        x
        for x in after
        if x is not None and x not in known and x not in labels and measure(x) is not None
    ]
    measured = {value: measure(value) for value in (*known, *fresh)}
    found = sorted(((number, value) for value, number in measured.items() if number is not None))
    return tuple(value for _, value in found), np.array([number for number, _ in found])


def _new_word(label: Label, known: set[str], labels: Mapping[Label, int]) -> bool:
    if label is None or label == SUPPRESSED or label in known or label in labels:
        return False
    prefix = prefix_of(label)
    return not members_of(label) and not (
        prefix and any(value.startswith(prefix) for value in known)
    )


def _under(label: Label, field: _Field) -> Whole:
    """The values under a label that is none itself, as places; none where it is null or carries no
    information."""
    nothing = np.zeros(0, np.int64)
    if label is None or label == SUPPRESSED:
        return nothing
    found = _by_hierarchy(label, field)
    if found is None:
        found = _by_form(label, field)
    return nothing if len(found) == len(field.values) > 1 else found


def _by_hierarchy(label: str, field: _Field) -> Whole | None:
    level = field.hierarchy.level_of_label.get(label) if field.hierarchy is not None else None
    if level is None:
        return None
    codes, found, edges = field.at_level(level)
    return np.sort(found[edges[codes[label]] : edges[codes[label] + 1]])


def _by_form(label: str, field: _Field) -> Whole:
    if field.numbers is not None:
        bounds = _bounds(label, field.reading)
        if bounds is not None:
            return _between(field.numbers, bounds, open_end=excludes_its_end(label))
    members = members_of(label)
    if members:
        return np.array([field.place[value] for value in members if value in field.place], np.int64)
    prefix = prefix_of(label)
    return np.array(
        [place for value, place in field.place.items() if prefix and value.startswith(prefix)],
        np.int64,
    )


def _bounds(label: str, reading: Reading) -> Bounds | None:
    return date_bounds(label) if reading == "date" else number_bounds(label)


def _between(numbers: Reals, bounds: Bounds, *, open_end: bool) -> Whole:
    low, high = bounds
    return np.arange(
        np.searchsorted(numbers, low, side="left"),
        np.searchsorted(numbers, high, side="left" if open_end else "right"),
        dtype=np.int64,
    )


def _middles(
    after: Sequence[Label], itself: Whole, wider: Mapping[int, Whole], field: _Field
) -> Reals:
    """The number that an analyst would put for each label: the middle of its range, or of the
    values under it."""
    out = np.full(len(itself), np.nan)
    if field.numbers is None or not len(field.values):
        return out
    out[itself >= 0] = field.numbers[itself[itself >= 0]]
    for code, found in wider.items():
        if len(found):
            bounds = _bounds(after[code] or "", field.reading) if len(found) > 1 else None
            ends = (
                bounds
                if bounds and isfinite(bounds[0]) and isfinite(bounds[1])
                else field.numbers[found[[0, -1]]]
            )
            out[code] = (ends[0] + ends[1]) / 2
    return out
