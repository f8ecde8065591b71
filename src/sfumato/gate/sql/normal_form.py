"""The normal form of a condition: one text for all conditions that mean the same.

A condition compares fields with constants. The constants cut the values of each field into regions,
and a condition is true or not on each combination of regions. Regions that it does not distinguish
are put together. What is left is the same for every spelling: a commuted AND, IN or several
equalities, BETWEEN or two comparisons, a doubled NOT, a comparison that another one implies.

It follows from the condition and the kinds of its fields. No row is read, so two conditions that
nobody happens to tell apart keep two texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import FieldKind
from sfumato.policy import Role

from ..decide.protected_table import HeldField
from .predicates import Among, Both, Comparison, Constant, Either, Like, Not, Predicate

MOST_CASES: Final = 20_000
"""Combinations of regions on which a condition is tried; beyond them its own text is used."""
_TRUE: Final = "true"
_FIRST_AFTER: Final = "\0"
Kinds = Mapping[str, FieldKind]


def normal_form(condition: Predicate | None, kinds: Kinds) -> str:
    """The text of a condition over fields of some kinds.

    Example:
        >>> from sqlglot import parse_one
        >>> from .condition_reader import predicate_of
        >>> kinds = {"a": FieldKind.INTEGER, "b": FieldKind.TEXT}
        >>> one = "NOT (a < 3 OR a > 7) AND b IN ('x', 'y')"
        >>> other = "(b = 'y' OR b = 'x') AND a BETWEEN 2.5 AND 7 AND a > 0"
        >>> len({normal_form(predicate_of(parse_one(each)), kinds) for each in (one, other)})
        1
    """
    if condition is None:
        return ""
    constants: dict[str, set[Constant]] = {name: set() for name in condition.fields()}
    plain = _read(condition, constants)
    fields = [_regions(name, constants[name], kinds.get(name)) for name in sorted(constants)]
    sizes = [len(each.cells) for each in fields]
    if math.prod(sizes) > MOST_CASES or not all(map(_is_finite, constants.values())):
        return condition.canonical()
    places = np.unravel_index(np.arange(math.prod(sizes)), sizes) if sizes else ()
    held = {
        each.name: each.held(at.astype(np.int32)) for each, at in zip(fields, places, strict=True)
    }
    marks = plain.marks(held, {name: each.codes for name, each in held.items()}).reshape(sizes)
    told: list[str] = []
    for axis, each in enumerate(fields):
        runs, marks = each.merged(marks, axis)
        told.append(f"{each.name!r}: {runs}")
    return f"{'; '.join(told)} -> {np.packbits(marks).tobytes().hex()}"


def _read(condition: Predicate, constants: dict[str, set[Constant]]) -> Predicate:
    """A condition in which patterns are fields of their own, and the constants of each field."""
    match condition:
        case Like():
            name = f"{condition.field}\0{condition.canonical()}"
            constants[name] = {_TRUE}
            return Comparison(name, "=", _TRUE)
        case Comparison(name, _, constant):
            constants[name].add(constant)
        case Among(name, several):
            constants[name].update(several)
        case Not(inner):
            return Not(_read(inner, constants))
        case Both(parts):
            return Both(tuple(_read(each, constants) for each in parts))
        case Either(parts):
            return Either(tuple(_read(each, constants) for each in parts))
    return condition


@dataclass(frozen=True, kw_only=True)
class _Regions:
    """The values of a field, cut where a condition may change: a value of each region in their
    order, and null at the end. `ends` has the bounds of each region, as text."""

    name: str
    kind: FieldKind
    values: tuple[str, ...]
    ends: tuple[tuple[str, str], ...]

    @cached_property
    def cells(self) -> tuple[str | None, ...]:
        return (*self.values, None)

    def held(self, codes: NDArray[np.int32]) -> HeldField:
        return HeldField(
            name=self.name, role=Role.QUASI, kind=self.kind, values=self.cells, codes=codes
        )

    def merged(self, marks: NDArray[np.bool_], axis: int) -> tuple[str, NDArray[np.bool_]]:
        """Regions in words, and the marks of a condition on them, where neighbours that it does
        not distinguish are one. Null is by itself, unless there is nothing to distinguish."""
        slices = np.moveaxis(marks, axis, 0)
        if all(np.array_equal(slices[0], each) for each in slices[1:]):
            return "any", np.take(marks, [0], axis=axis)
        last = len(self.cells) - 1
        starts = [
            at for at in range(last) if at == 0 or not np.array_equal(slices[at - 1], slices[at])
        ]
        stops = [*starts[1:], last]
        told = [
            f"{self.ends[start][0]} to {self.ends[stop - 1][1]}"
            for start, stop in zip(starts, stops, strict=True)
        ]
        return ", ".join(told), np.take(marks, [*starts, last], axis=axis)


def _regions(name: str, constants: Iterable[Constant], kind: FieldKind | None) -> _Regions:
    if kind is FieldKind.BOOLEAN or "\0" in name:
        values: tuple[str, ...] = ("false", _TRUE)
        ends = tuple((each, each) for each in values)
        return _Regions(name=name, kind=FieldKind.TEXT, values=values, ends=ends)
    if kind in (FieldKind.INTEGER, FieldKind.REAL):
        numbers = sorted(set(_numbers(constants)))
        cut = _whole(numbers) if kind is FieldKind.INTEGER else _real(numbers)
    else:
        cut = _texts(sorted({_plain(each) for each in constants}))
    found = list(cut)
    return _Regions(
        name=name,
        kind=kind or FieldKind.TEXT,
        values=tuple(value for value, _, _ in found),
        ends=tuple((low, high) for _, low, high in found),
    )


def _is_finite(constants: Iterable[Constant]) -> bool:
    return all(math.isfinite(each) for each in constants if not isinstance(each, str))


def _numbers(constants: Iterable[Constant]) -> Iterator[float]:
    for each in constants:
        try:
            number = float(each)
        except ValueError:
            continue  # No number compares with it.
        if math.isfinite(number):
            yield number


_Region = tuple[str, str, str]
"""A value of a region, and its lower and upper end."""


def _whole(numbers: list[float]) -> Iterator[_Region]:
    """Regions of whole numbers: those next to a constant by themselves, and the others between."""
    points = sorted({end for each in numbers for end in (math.floor(each), math.ceil(each))})
    if not points:
        yield "0", "-", "-"
        return
    yield str(points[0] - 1), "-", str(points[0] - 1)
    for at, point in enumerate(points):
        yield str(point), str(point), str(point)
        after = points[at + 1] if at + 1 < len(points) else None
        if after is None:
            yield str(point + 1), str(point + 1), "-"
        elif after - point > 1:
            yield str(point + 1), str(point + 1), str(after - 1)


def _real(numbers: list[float]) -> Iterator[_Region]:
    """Each constant by itself, and the open intervals between them."""
    if not numbers:
        yield "0", "-", "-"
        return
    yield repr(math.nextafter(numbers[0], -math.inf)), "-", f"({numbers[0]!r}"
    for at, number in enumerate(numbers):
        yield repr(number), repr(number), repr(number)
        after = numbers[at + 1] if at + 1 < len(numbers) else math.inf
        between = math.nextafter(number, math.inf)
        if between < after:
            yield repr(between), f"{number!r})", "-" if after == math.inf else f"({after!r}"


def _texts(texts: list[str]) -> Iterator[_Region]:
    """Each constant by itself, and the texts between them in the order of their characters."""
    if not texts:
        yield "", "-", "-"
        return
    if texts[0]:
        yield "", "-", f"({texts[0]!r}"
    for at, text in enumerate(texts):
        yield text, repr(text), repr(text)
        after = texts[at + 1] if at + 1 < len(texts) else None
        if after is None or text + _FIRST_AFTER < after:
            yield text + _FIRST_AFTER, f"{text!r})", "-" if after is None else f"({after!r}"


def _plain(constant: Any) -> str:
    return constant if isinstance(constant, str) else f"{constant:.17g}"
