"""Faces: the corners of a holding seen by some of their fields alone. Corners that agree in them are one *place*.

A question names few of the fields that others may know, and what it says of corners it says of the places of its face,
of which there are hundreds where there are many thousand corners.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.hierarchies import Codes

Wholes = NDArray[np.int64]
_ROOM = 4_000_000
_FEWEST, _MOST = 4, 64


def kept(corners: int) -> int:
    """How many faces of a holding are kept at hand."""
    return min(_MOST, max(_FEWEST, _ROOM // max(1, corners)))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Face:
    """`place_of[corner]` is a corner's place, `codes[name][place]` what the field is there."""

    place_of: Wholes = field(repr=False)
    codes: Mapping[str, Codes] = field(repr=False)
    places: int

    @classmethod
    def of(cls, corners: Codes, columns: Mapping[str, int], sizes: Sequence[int]) -> Face:
        """The face of some fields: which columns of the corners they are, and how many values each has.

        Example:
            >>> face = Face.of(np.array([[0, 1], [0, 2], [1, 1]], np.int32), {"age": 1}, [3])
            >>> face.place_of.tolist(), face.codes["age"].tolist()
            ([0, 1, 0], [1, 2])
        """
        chosen = corners[:, list(columns.values())]
        place_of, first = group(chosen, sizes)
        codes = {name: np.ascontiguousarray(chosen[first, column]) for column, name in enumerate(columns)}
        return cls(place_of=place_of, codes=codes, places=len(first))

    @classmethod
    def whole(cls, corners: Codes, names: Sequence[str]) -> Face:
        """The face of all fields: every corner is a place."""
        codes = {name: np.ascontiguousarray(corners[:, column]) for column, name in enumerate(names)}
        return cls(place_of=np.arange(len(corners)), codes=codes, places=len(corners))
