"""Projections: the bins of a protected table seen by some of their fields alone. Bins that agree in
them are one *place*.

A question names few of the fields that others may know. It is about the places of its projection,
of which there are hundreds where there are many thousand bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.hierarchies import Codes

Wholes = NDArray[np.int64]
PRESENT = "\x1fpresent"
"""The name under which a projection has whether people are in the table; no field is called so."""
_ROOM = 4_000_000
_FEWEST, _MOST = 4, 64


def kept(bins: int) -> int:
    """How many projections of a protected table are kept in memory."""
    return min(_MOST, max(_FEWEST, _ROOM // max(1, bins)))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Projection:
    """`place_of[bin]` is a bin's place, `codes[name][place]` what the field is there."""

    place_of: Wholes = field(repr=False)
    codes: Mapping[str, Codes] = field(repr=False)
    places: int

    @classmethod
    def of(
        cls,
        bins: Codes,
        columns: Mapping[str, int],
        sizes: Sequence[int],
        *,
        present: NDArray[np.bool_] | None = None,
    ) -> Projection:
        """The projection of some fields: which columns of the bins they are, and how many values
        each has. Where bins are those of several tables, `present` has those of people in this one;
        the others are a place of their own.

        Example:
            >>> projection = Projection.of(np.array([[0, 1], [0, 2], [1, 1]], np.int32), {"age": 1}, [3])
            >>> projection.place_of.tolist(), projection.codes["age"].tolist()
            ([0, 1, 0], [1, 2])
        """
        chosen = bins[:, list(columns.values())]
        if present is not None:
            chosen = np.column_stack([np.where(present[:, None], chosen, 0), present])
            columns, sizes = {**columns, PRESENT: -1}, [*sizes, 2]
            chosen = chosen.astype(np.int32)
        place_of, first = group(chosen, sizes)
        codes = {
            name: np.ascontiguousarray(chosen[first, column]) for column, name in enumerate(columns)
        }
        return cls(place_of=place_of, codes=codes, places=len(first))

    @classmethod
    def whole(cls, bins: Codes, names: Sequence[str]) -> Projection:
        """The projection of all fields: every bin is a place."""
        codes = {name: np.ascontiguousarray(bins[:, column]) for column, name in enumerate(names)}
        return cls(place_of=np.arange(len(bins)), codes=codes, places=len(bins))
