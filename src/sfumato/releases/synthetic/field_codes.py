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

from sfumato.engines import FieldKind, MadeColumn, NumberGrid, declared_text
from sfumato.policy import DeclaredDomain
from sfumato.synthesis import DomainField

Codes = NDArray[np.int64]
OTHER = "*"
"""The cell of a value that is not in the domain."""
MOST_CELLS = 256


class FieldCoder(Protocol):
    """How one field is coded."""

    @property
    def name(self) -> str: ...

    @property
    def outside(self) -> tuple[int, ...]:
        """The codes of values outside of the domain."""
        ...

    def spec(self, apart: Sequence[frozenset[int]] = ()) -> DomainField: ...

    def encode(self, cells: Sequence[Any]) -> Codes: ...

    def decode(self, codes: Codes, chance: np.random.Generator) -> list[str | None]: ...

    def column(self) -> MadeColumn:
        """How numbers of `drawn` are written."""
        ...

    def drawn(self, codes: Codes, chance: np.random.Generator) -> Codes:
        """Codes as whole numbers of the column that is written."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueCoder:
    """Listed values; then one code for all others, and one for a missing value."""

    name: str
    values: tuple[str, ...] = field(repr=False)
    kind: FieldKind = FieldKind.TEXT
    """The type of the cells, which decides how a number or a moment is written in them."""

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
        codes: dict[Any, int] = {
            declared_text(value, self.kind): place for place, value in enumerate(self.values)
        }
        codes[None] = len(self.values) + 1
        other = len(self.values)
        found = (codes.get(declared_text(cell, self.kind), other) for cell in cells)
        return np.fromiter(found, np.int64, len(cells))

    def decode(self, codes: Codes, chance: np.random.Generator) -> list[str | None]:
        labels = np.array([*self.values, OTHER, None], object)
        found: list[str | None] = labels[codes].tolist()
        return found

    def column(self) -> MadeColumn:
        return MadeColumn(labels=(*self.values, OTHER, None))

    def drawn(self, codes: Codes, chance: np.random.Generator) -> Codes:
        return codes

    @property
    def outside(self) -> tuple[int, ...]:
        """The code of all other values."""
        return (len(self.values),)

    def codes_of(self, values: Sequence[str]) -> frozenset[int]:
        return frozenset(self.values.index(value) for value in values)


@dataclass(frozen=True, eq=False, kw_only=True)
class RangeCoder:
    """Numbers or days in steps, by cells between edges. Then come a code for a missing value, one for
    a value that cannot be read, which is drawn as missing, and one each for values below and above
    the range, which are drawn at its ends."""

    name: str
    domain: DeclaredDomain
    edges: NDArray[np.int64]
    """The first step of each cell, and the number of all steps."""
    parts: NDArray[np.int64] | None = field(default=None, repr=False)
    """Edges of parts of cells, of which noisy counts are known."""
    weights: NDArray[np.float64] | None = field(default=None, repr=False)
    """Those counts, not negative: values inside a cell follow them."""

    @property
    def missing(self) -> int:
        """The code of a missing value, after those of cells."""
        return len(self.edges) - 1

    @property
    def outside(self) -> tuple[int, ...]:
        """The codes of values that cannot be read, that are below, and that are above the range."""
        return self.missing + 1, self.missing + 2, self.missing + 3

    def spec(self, apart: Sequence[frozenset[int]] = ()) -> DomainField:
        unreadable, below, above = self.outside
        return DomainField(
            name=self.name,
            size=above + 1,
            ordered=True,
            # Values above the range share a bin with those near its end.
            apart=(*apart, frozenset({self.missing, unreadable, below})),
            rare=(self.missing, unreadable, below, above),
        )

    def encode(self, cells: Sequence[Any]) -> Codes:
        grid = number_grid(self.domain, steps_of(self.domain))
        steps = self.places(cells, grid)
        codes = np.searchsorted(self.edges, steps, side="right") - 1
        return np.where(steps < grid.cells, codes, steps - grid.cells + self.missing).astype(
            np.int64
        )

    def places(self, cells: Sequence[Any], grid: NumberGrid) -> Codes:
        """The place of each cell on a grid of the range."""
        numbers = self.numbers(cells)
        there = np.fromiter((cell is not None for cell in cells), bool, len(cells))
        return np.where(there & np.isnan(numbers), grid.unreadable, grid.places(numbers))

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
        steps = self.drawn(codes, chance)
        distinct, place = np.unique(steps, return_inverse=True)
        numbers = self.domain.least + distinct * self.domain.step
        labels = np.array([self.text(number) for number in numbers.tolist()], object)
        labels[distinct < 0] = None
        found: list[str | None] = labels[place].tolist()
        return found

    def column(self) -> MadeColumn:
        whole = self.is_whole or self.domain.days
        return MadeColumn(
            least=self.domain.least,
            step=self.domain.step,
            decimals=0 if whole else self.decimals,
            days=self.domain.days,
            steps=steps_of(self.domain),
        )

    def drawn(self, codes: Codes, chance: np.random.Generator) -> Codes:
        """A step inside of each cell; -1 for a missing value."""
        _, below, above = self.outside
        inside = np.where(codes < self.missing, codes, 0)
        edges, place = self.edges, inside
        if self.parts is not None and self.weights is not None:
            edges, place = self.parts, self._parts_drawn(inside, chance)
        widths = np.diff(edges)
        steps = edges[place] + (chance.random(len(codes)) * widths[place]).astype(np.int64)
        ends = np.where(codes == below, 0, np.where(codes == above, self.edges[-1] - 1, -1))
        return np.where(codes < self.missing, steps, ends)

    def _parts_drawn(self, cells: Codes, chance: np.random.Generator) -> Codes:
        """A part of each cell, by the counts of its parts; by its width where they have none."""
        assert self.parts is not None
        assert self.weights is not None
        firsts = np.searchsorted(self.parts, self.edges)
        home = np.repeat(np.arange(len(self.edges) - 1), np.diff(firsts))
        own = np.bincount(home, self.weights)[home]
        weights = np.where(own > 0, self.weights, np.diff(self.parts).astype(float))
        sums = np.concatenate([[0.0], np.cumsum(weights)])
        lowest = sums[firsts]
        aim = lowest[cells] + chance.random(len(cells)) * np.diff(lowest)[cells]
        found = np.searchsorted(sums, aim, side="right") - 1
        place: Codes = np.clip(found, firsts[cells], firsts[cells + 1] - 1)
        return place

    @property
    def is_crowded(self) -> bool:
        """Whether most people are in one part of many steps: noise, or a range far beyond the
        values, hides where in it."""
        if self.parts is None or self.weights is None:
            return False
        largest = int(np.argmax(self.weights))
        steps = int(self.parts[largest + 1] - self.parts[largest])
        return steps > 1 and float(self.weights[largest]) > float(self.weights.sum()) / 2

    @property
    def decimals(self) -> int:
        return _decimals(self.domain.step, self.domain.least)

    @property
    def is_whole(self) -> bool:
        return float(self.domain.least).is_integer() and float(self.domain.step).is_integer()

    def text(self, number: float) -> str:
        if self.domain.days:
            return date.fromordinal(max(int(number), 1)).isoformat()
        if self.is_whole:
            return str(int(number))
        plain = f"{number:.{self.decimals}f}".rstrip("0").rstrip(".")
        return "0" if plain == "-0" else plain


def kind_of(coder: FieldCoder) -> FieldKind | None:
    """Numbers of a range are numbers in Parquet and frames; all other cells are text."""
    if not isinstance(coder, RangeCoder) or coder.domain.days:
        return None
    return FieldKind.INTEGER if coder.is_whole else FieldKind.REAL


def steps_of(domain: DeclaredDomain) -> int:
    return int((domain.most - domain.least) / domain.step + 1e-9) + 1


def number_grid(domain: DeclaredDomain, cells: int) -> NumberGrid:
    """The steps of a range in even cells, at most as many as asked for; their first steps are those
    of `even_edges`."""
    steps = steps_of(domain)
    return NumberGrid(least=domain.least, step=domain.step, steps=steps, cells=min(steps, cells))


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
