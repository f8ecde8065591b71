"""The table that a synthesiser sees: each field as whole numbers within a size that was declared or
privately selected, never read from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Wholes = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DomainField:
    """A field of `size` values. With `ordered`, near codes are near values. `apart` are sets of
    codes that a rule of the policy names: no bin may mix them with other codes. `rare` are codes
    such as a missing value, which are left out where the noisy count does not show them."""

    name: str
    size: int
    ordered: bool = False
    apart: tuple[frozenset[int], ...] = ()
    rare: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ForbiddenCells:
    """A combination that cannot be, as no pregnant man: for each of some fields, a set of codes."""

    fields: tuple[int, ...]
    codes: tuple[frozenset[int], ...]


class MarginalTable(Protocol):
    """A table whose rows are counted where they are: in memory, or in an engine. One person has at
    most `rows_per_person` rows of it."""

    @property
    def fields(self) -> tuple[DomainField, ...]: ...

    @property
    def rows_per_person(self) -> int: ...

    @property
    def forbidden(self) -> tuple[ForbiddenCells, ...]: ...

    def marginals(
        self, groups: Sequence[tuple[int, ...]], maps: Sequence[Wholes] | None = None
    ) -> list[Wholes]:
        """Exact counts of some groups of fields, by codes, or by the bin of each code that `maps`
        has for each field. They are counted together."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedTable:
    """Rows as codes. One person has at most `rows_per_person` of them: the others were cut
    before."""

    fields: tuple[DomainField, ...]
    codes: tuple[Codes, ...] = field(repr=False)
    rows_per_person: int = 1
    forbidden: tuple[ForbiddenCells, ...] = ()

    def __post_init__(self) -> None:
        for spec, column in zip(self.fields, self.codes, strict=True):
            if len(column) and not (int(column.min()) >= 0 and int(column.max()) < spec.size):
                raise ValueError("a code is outside of its field's size")

    def counts(self, fields: Sequence[int]) -> Wholes:
        """How many rows have each combination of codes of some fields."""
        return counts_of([self.codes[i] for i in fields], [self.fields[i].size for i in fields])

    def marginals(
        self, groups: Sequence[tuple[int, ...]], maps: Sequence[Wholes] | None = None
    ) -> list[Wholes]:
        """As in `MarginalTable`."""
        table = self if maps is None else self.coarsened(maps)
        return [table.counts(group) for group in groups]

    def coarsened(self, maps: Sequence[Wholes]) -> CodedTable:
        """The same rows by bins; `maps` has the bin of each code, by field."""
        sizes = [int(bins.max()) + 1 for bins in maps]
        return CodedTable(
            fields=tuple(
                DomainField(name=spec.name, size=size, ordered=spec.ordered)
                for spec, size in zip(self.fields, sizes, strict=True)
            ),
            codes=tuple(bins[column] for bins, column in zip(maps, self.codes, strict=True)),
            rows_per_person=self.rows_per_person,
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(spec.size for spec in self.fields)

    @property
    def rows(self) -> int:
        """The exact number of rows: never for what is released."""
        return len(self.codes[0]) if self.codes else 0


def counts_of(columns: Sequence[Codes], sizes: Sequence[int]) -> Wholes:
    """Counts of all combinations, as an array with one axis for each column.

    Example:
        >>> counts_of([np.array([0, 1, 1]), np.array([2, 0, 0])], [2, 3]).tolist()
        [[0, 0, 1], [2, 0, 0]]
    """
    cells = int(np.prod(sizes))
    place = np.zeros(len(columns[0]), np.int64)
    for column, size in zip(columns, sizes, strict=True):
        place *= size
        place += column
    return np.bincount(place, minlength=cells).reshape(tuple(sizes))
