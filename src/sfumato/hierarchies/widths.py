"""Numbers by intervals of fixed width, with top and bottom coding (Garfinkel 2016, section
4.3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import HierarchyError

from .decimals import exact_number, interval, parameter, plain, whole_numbers
from .hierarchy import Codes, Hierarchy, Label, LabelPlaces, with_null
from .ladders import climb
from .parameters import Number, Table, flag, number, numbers, only_keys, wanted

NOT_NUMBERS = "are not plain decimal numbers."
CLEAN_FIRST = "a tree or a CSV hierarchy where the field holds more than numbers."


@dataclass(frozen=True, slots=True)
class FixedWidths:
    """Intervals counted from `origin`; from level 1 on, all below `bottom` and all from `top` up
    are one label each.

    Widths are exact decimals. Whole numbers read "20-24"; where some value is not whole, "[20,
    25)". An interval that `bottom` or `top` cuts is named by its remaining part.

    Example:
        >>> FixedWidths((5, 10), top=90).bind(["23", "27", "94"]).labels[1:]
        (('20-24', '25-29', '≥90'), ('20-29', '≥90'), ('*',))
    """

    widths: tuple[Number, ...]
    origin: Number = 0
    bottom: Number | None = None
    top: Number | None = None
    nested: bool = True

    @classmethod
    def from_table(cls, table: Table) -> FixedWidths:
        only_keys(
            table, ("widths", "origin", "bottom", "top", "nested"), builder="numbers with widths"
        )
        bottom, top = table.get("bottom"), table.get("top")
        spec = cls(
            numbers(table["widths"], "widths"),
            number(table.get("origin", 0), "origin"),
            None if bottom is None else number(bottom, "bottom"),
            None if top is None else number(top, "top"),
            flag(table.get("nested", True), "nested"),
        )
        spec._exact_widths()
        return spec

    def _exact_widths(self) -> tuple[Fraction, ...]:
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise wanted("bottom", "less than top")
        widths = tuple(parameter(width) for width in self.widths)
        if any(width <= 0 for width in widths):
            raise wanted("widths", "a list of numbers above 0")
        for finer, coarser in pairwise(widths):
            if coarser <= finer or (self.nested and (coarser / finer).denominator != 1):
                raise HierarchyError(
                    "Each width must be a multiple of the one before, so that intervals nest.",
                    found=f"{plain(coarser)} is not a larger multiple of {plain(finer)}.",
                    attempt=f"{plain(finer * 2)} after {plain(finer)}, or nested = false with a "
                    "solver that only climbs.",
                )
        return widths

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        widths = self._exact_widths()
        names = ("value", *(f"width {plain(width)}" for width in widths), "suppressed")
        origin, bottom, top = parameter(self.origin), _bound(self.bottom), _bound(self.top)
        items = whole_numbers([value for value in values if value is not None])
        is_small = _is_small(origin) and _is_small(widths[0])
        if self.nested and items is not None and len(items) and is_small:
            levels = self._levels(items, int(origin), [int(width) for width in widths])
            return Hierarchy.from_levels(
                values, (with_null(level, values) for level in levels), level_names=names
            )
        found = {value: exact_number(value) for value in values if value is not None}
        whole = all(item is None or item.denominator == 1 for item in found.values())

        @cache
        def label(number: int, level: int) -> str:
            low = origin + number * widths[level]
            high = low + widths[level]
            low = low if bottom is None else max(low, bottom)
            return interval(low, high if top is None else min(high, top), whole=whole)

        start, wide = _as_int(origin), [_as_int(width) for width in widths]

        def labels(value: str) -> list[str] | None:
            item = found[value]
            if item is None:
                return None
            if bottom is not None and item < bottom:
                return [interval(None, bottom, whole=whole)] * len(widths)
            if top is not None and item >= top:
                return [interval(top, None, whole=whole)] * len(widths)
            return [label(int((item - start) // width), n) for n, width in enumerate(wide)]

        return climb(
            values,
            labels,
            level_names=names,
            uncovered=NOT_NUMBERS,
            attempt=CLEAN_FIRST,
            nested=self.nested,
        )

    def _levels(
        self, items: NDArray[np.int64], origin: int, widths: Sequence[int]
    ) -> Iterator[LabelPlaces]:
        """The labels of whole numbers, computed for all numbers of an interval at once."""
        numbers, places = _distinct((items - origin) // widths[0])
        bottom, top = _bound(self.bottom), _bound(self.top)
        ends: list[str] = []
        if bottom is not None:
            places = np.where(items < ceil(bottom), len(numbers) + len(ends), places)
            ends.append(interval(None, bottom, whole=True))
        if top is not None:
            places = np.where(items >= ceil(top), len(numbers) + len(ends), places)
            ends.append(interval(top, None, whole=True))
        for width in widths:

            @cache
            def label(number: int, width: int = width) -> str:
                low = Fraction(origin + number * width)
                high = low + width
                low = low if bottom is None else max(low, bottom)
                return interval(low, high if top is None else min(high, top), whole=True)

            ratio = width // widths[0]
            yield [*(label(number // ratio) for number in numbers.tolist()), *ends], places

    def describe(self) -> Mapping[str, object]:
        out: dict[str, object] = {"widths": list(self.widths)}
        if self.origin:
            out["origin"] = self.origin
        if self.bottom is not None:
            out["bottom"] = self.bottom
        if self.top is not None:
            out["top"] = self.top
        if not self.nested:
            out["nested"] = False
        return {"numbers": out}


def _is_small(number: Fraction) -> bool:
    """Whether sums with it and whole numbers of 18 digits fit into 64 bits."""
    return number.denominator == 1 and abs(number) < 10**18


def _distinct(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], Codes]:
    """The different numbers in order, and the place of each number among them."""
    lowest = int(numbers.min())
    span = int(numbers.max()) - lowest + 1
    if span > 4 * len(numbers):
        different, places = np.unique(numbers, return_inverse=True)
        return different, places.astype(np.int32)
    there = np.zeros(span, bool)
    there[numbers - lowest] = True
    return np.flatnonzero(there) + lowest, (np.cumsum(there, dtype=np.int32) - 1)[numbers - lowest]


def _bound(given: Number | None) -> Fraction | None:
    return None if given is None else parameter(given)


def _as_int(number: Fraction) -> Fraction | int:
    return number.numerator if number.denominator == 1 else number
