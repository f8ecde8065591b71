"""The lattice itself: one axis per field, its hierarchy's levels; a node is a global recoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy

Levels = NDArray[np.int8]
Nodes = NDArray[np.int64]

ENUMERABLE = 2_000_000
"""Lattices up to this many nodes are searched node by node; larger ones by boxes of nodes."""


class Lattice:
    """Nodes are numbered 0 (every field at its finest level) to `size - 1` (every field at its
    top).

    `starts` are the levels that the finest ones have in the policy's hierarchies: 0, unless a table
    was rolled up. `bottom` is the finest node that may be released.

    Example:
        >>> lattice = Lattice(("zip", "sex"), (4, 2))
        >>> lattice.size, lattice.number((1, 1)), lattice.levels[3].tolist()
        (8, 3, [1, 1])
    """

    def __init__(
        self,
        fields: Sequence[str],
        heights_plus_one: Sequence[int],
        *,
        starts: Sequence[int] | None = None,
        finest: Sequence[int] | None = None,
    ) -> None:
        self.fields = tuple(fields)
        self.starts = tuple(starts) if starts is not None else (0,) * len(self.fields)
        self.bottom = tuple(finest) if finest is not None else (0,) * len(self.fields)
        self.shape = tuple(heights_plus_one)
        self.strides = tuple(
            int(np.prod(self.shape[axis + 1 :], dtype=object)) for axis in range(len(self.shape))
        )
        self.size = int(np.prod(self.shape, dtype=object))

    @classmethod
    def over(cls, fields: Sequence[str], hierarchies: Mapping[str, Hierarchy]) -> Lattice:
        found = [hierarchies[name] for name in fields]
        uneven = [name for name in fields if not hierarchies[name].is_nested]
        if uneven:
            raise Mistake(
                "The lattice was to be searched, where coarser bins are sums of finer ones.",
                found=f"Levels of {', '.join(uneven)} do not nest.",
                attempt='solver = "datafly2", which counts each step from the source.',
            )
        return cls(
            fields,
            [hierarchy.height + 1 for hierarchy in found],
            starts=[hierarchy.start for hierarchy in found],
            finest=[hierarchy.finest for hierarchy in found],
        )

    @property
    def enumerable(self) -> bool:
        return self.size <= ENUMERABLE

    @cached_property
    def levels(self) -> Levels:
        """The levels of every node, one row per node."""
        return np.indices(self.shape, dtype=np.int8).reshape(len(self.shape), self.size).T.copy()

    @cached_property
    def heights(self) -> NDArray[np.int16]:
        """The sum of levels of every node."""
        total: NDArray[np.int16] = self.levels.sum(axis=1, dtype=np.int16)
        return total

    @property
    def top(self) -> tuple[int, ...]:
        return tuple(size - 1 for size in self.shape)

    @property
    def searched(self) -> int:
        """How many nodes are at or above the finest one that is allowed."""
        spans = zip(self.shape, self.bottom, strict=True)
        return int(np.prod([size - low for size, low in spans], dtype=object))

    def number(self, levels: Sequence[int]) -> int:
        return sum(int(level) * stride for level, stride in zip(levels, self.strides, strict=True))

    @property
    def starts_by_name(self) -> dict[str, int]:
        return dict(zip(self.fields, self.starts, strict=True))

    def named(self, levels: Sequence[int]) -> dict[str, int]:
        """Levels as the policy's hierarchies count them, also where these were raised first."""
        named = zip(self.fields, levels, self.starts, strict=True)
        return {name: int(level) + start for name, level, start in named}

    def below(self, levels: Sequence[int], among: Nodes) -> Nodes:
        """Which of `among` are as fine as `levels` in every field, or finer."""
        return among[(self.levels[among] <= np.asarray(levels, np.int8)).all(axis=1)]

    def above(self, levels: Sequence[int], among: Nodes) -> Nodes:
        """Which of `among` are as coarse as `levels` in every field, or coarser."""
        return among[(self.levels[among] >= np.asarray(levels, np.int8)).all(axis=1)]
