"""Cells as codes of a declared domain, and codes as cells: nothing here looks at which values
occur."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import FieldKind
from sfumato.policy import DeclaredDomain
from sfumato.synthesis import DomainField

Codes = NDArray[np.int64]
OTHER = "*"
"""The cell of a value that is not in the domain."""
MOST_CELLS = 256
FINE_CELLS = 1_024


class FieldCoder(Protocol):
    """How one field is coded."""

    @property
    def name(self) -> str: ...

    def spec(self, apart: Sequence[frozenset[int]] = ()) -> DomainField: ...

    def encode(self, cells: Sequence[Any]) -> Codes: ...

    def decode(self, codes: Codes, chance: np.random.Generator) -> list[str | None]: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueCoder:
    """Listed values; then one code for all others, and one for a missing value."""

    name: str
    values: tuple[str, ...] = field(repr=False)

    def spec(self, apart: Sequence[frozenset[int]] = ()) -> DomainField:
        size = len(self.values)
        return DomainField(
            name=self.name,
            size=size + 2,
            ordered=_ascending(self.values),
            apart=(*apart, *([frozenset({size, size + 1})] if _ascending(self.values) else ())),
            rare=(size, size + 1),
        )

    def encode(self, cells: Sequence[Any]) -> Codes:
        codes: dict[Any, int] = {value: place for place, value in enumerate(self.values)}
        codes[None] = len(self.values) + 1
        other = len(self.values)
        return np.fromiter((codes.get(cell, other) for cell in cells), np.int64, len(cells))

    def decode(self, codes: Codes, chance: np.random.Generator) -> list[str | None]:
        labels = np.array([*self.values, OTHER, None], object)
        found: list[str | None] = labels[codes].tolist()
        return found

    def codes_of(self, values: Sequence[str]) -> frozenset[int]:
        return frozenset(self.values.index(value) for value in values)


@dataclass(frozen=True, eq=False, kw_only=True)
class RangeCoder:
    """Numbers or days in steps, by cells between edges; then one code for a missing value. Values
    beyond the range count at its ends."""

    name: str
    domain: DeclaredDomain
    edges: NDArray[np.int64]
    """The first step of each cell, and the number of all steps."""

    def spec(self, apart: Sequence[frozenset[int]] = ()) -> DomainField:
        missing = len(self.edges) - 1
        return DomainField(
            name=self.name,
            size=missing + 1,
            ordered=True,
            apart=(*apart, frozenset({missing})),
            rare=(missing,),
        )

    def encode(self, cells: Sequence[Any]) -> Codes:
        numbers = self.numbers(cells)
        known = np.isfinite(numbers)
        steps = np.rint((np.where(known, numbers, 0.0) - self.domain.least) / self.domain.step)
        steps = np.clip(steps, 0, self.edges[-1] - 1).astype(np.int64)
        codes = np.searchsorted(self.edges, steps, side="right") - 1
        return np.where(known, codes, len(self.edges) - 1).astype(np.int64)

    def numbers(self, cells: Sequence[Any]) -> NDArray[np.float64]:
        """Cells as numbers or days; not-a-number where they are none."""
        known = {cell: self._number(cell) for cell in set(cells)}
        return np.fromiter((known[cell] for cell in cells), float, len(cells))

    def _number(self, cell: Any) -> float:
        if cell is None:
            return math.nan
        try:
            if self.domain.days:
                return float(date.fromisoformat(str(cell)[:10]).toordinal())
            return float(cell)
        except ValueError:
            return math.nan

    def decode(self, codes: Codes, chance: np.random.Generator) -> list[str | None]:
        missing = len(self.edges) - 1
        inside = np.minimum(codes, missing - 1)
        first, last = self.edges[inside], self.edges[inside + 1]
        steps = first + (chance.random(len(codes)) * (last - first)).astype(np.int64)
        distinct, place = np.unique(steps, return_inverse=True)
        numbers = self.domain.least + distinct * self.domain.step
        labels = np.array([self.text(number) for number in numbers.tolist()], object)
        texts = labels[place].tolist()
        return [None if code == missing else text for code, text in zip(codes, texts, strict=True)]

    @property
    def is_whole(self) -> bool:
        return float(self.domain.least).is_integer() and float(self.domain.step).is_integer()

    def text(self, number: float) -> str:
        if self.domain.days:
            return date.fromordinal(int(number)).isoformat()
        if self.is_whole:
            return str(int(number))
        return f"{round(number, _decimals(self.domain.step, self.domain.least)):g}"


def kind_of(coder: FieldCoder) -> FieldKind | None:
    """Numbers of a range are numbers in Parquet and frames; all other cells are text."""
    if not isinstance(coder, RangeCoder) or coder.domain.days:
        return None
    return FieldKind.INTEGER if coder.is_whole else FieldKind.REAL


def steps_of(domain: DeclaredDomain) -> int:
    return int((domain.most - domain.least) / domain.step + 1e-9) + 1


def even_edges(steps: int, cells: int) -> NDArray[np.int64]:
    """Edges of cells with as even a number of steps as can be."""
    count = min(steps, cells)
    return np.unique((np.arange(count + 1) * steps) // count).astype(np.int64)


def _ascending(values: Sequence[str]) -> bool:
    """Whether values are numbers in ascending order: then near codes are near values."""
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        return False
    return len(numbers) > 3 and all(a < b for a, b in pairwise(numbers))


def _decimals(*numbers: float) -> int:
    return max(len(f"{number:.12f}".rstrip("0").partition(".")[2]) for number in numbers)
