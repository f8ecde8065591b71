"""The table that a synthesiser counts, where its rows are in an engine.

Pairs are not asked for one by one: a few fields are counted together and summed over, as long as
their cells are few, so that a round of all pairs takes far fewer grouping sets than pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Final

import numpy as np

from sfumato.synthesis import DomainField, ForbiddenCells

from .coded_stage import CodedStage, Wholes

Fields = tuple[int, ...]
MOST_CELLS: Final = 1 << 15
"""Cells of fields that are counted together for the sake of several pairs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EngineTable:
    """As `MarginalTable`. `codes` has the code of each of the finest codes, by field."""

    stage: CodedStage = field(repr=False)
    fields: tuple[DomainField, ...]
    codes: tuple[Wholes, ...] = field(repr=False)
    rows_per_person: int = 1
    forbidden: tuple[ForbiddenCells, ...] = ()

    def marginals(
        self, groups: Sequence[Fields], maps: Sequence[Wholes] | None = None
    ) -> list[Wholes]:
        names = [each.name for each in self.stage.fields]
        if maps is None and all(len(group) == 1 for group in groups):
            return [self._field(group[0]) for group in groups]
        bins = self.codes
        if maps is not None:
            bins = tuple(own[codes] for own, codes in zip(maps, self.codes, strict=True))
        sizes = self._sizes(maps)
        blocks = covering(groups, sizes)
        asked = self._padded(bins, sizes)
        found = self.stage.engine.counted_codes(
            [[names[n] for n in block] for block in blocks], dict(zip(names, asked, strict=True))
        )
        return _summed(groups, dict(zip(blocks, found, strict=True)), sizes)

    def _field(self, n: int) -> Wholes:
        counts = self.stage.counts[self.stage.fields[n].name]
        summed = np.zeros(self.fields[n].size, np.int64)
        np.add.at(summed, self.codes[n], counts)
        return summed

    def _sizes(self, maps: Sequence[Wholes] | None) -> tuple[int, ...]:
        if maps is None:
            return tuple(spec.size for spec in self.fields)
        return tuple(int(own.max()) + 1 for own in maps)

    def _padded(self, bins: Sequence[Wholes], sizes: Sequence[int]) -> list[Wholes]:
        """Bins whose last one is there, also where no row has it: an engine reads the size of a
        field from them."""
        return [
            own if own.max() == size - 1 else np.append(own, size - 1)
            for own, size in zip(bins, sizes, strict=True)
        ]


def covering(groups: Sequence[Fields], sizes: Sequence[int]) -> list[Fields]:
    """Blocks of fields of which each group is inside one. Larger groups are blocks of their own;
    pairs share blocks of few cells, built greedily.

    Example:
        >>> covering([(0, 1), (0, 2), (1, 2), (2, 3)], [2, 2, 2, 2])
        [(0, 1, 2, 3)]
        >>> covering([(0, 1), (0, 2), (1, 2)], [1000, 1000, 2])
        [(1, 2), (0, 2), (0, 1)]
    """
    larger = [tuple(sorted(group)) for group in groups if len(group) > 2]
    blocks = list(dict.fromkeys(larger))
    near: dict[int, set[int]] = {}
    for group in groups:
        for a, b in combinations(group, 2) if len(group) == 2 else ():
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
    blocks += [group for group in groups if len(group) == 1]
    for block in larger:
        _take(near, block)
    while left := {n: others for n, others in near.items() if others}:
        first = max(left, key=lambda n: (len(left[n]), n))
        built = [first, max(left[first], key=lambda n: (len(near[n]), n))]
        while True:
            room = MOST_CELLS / prod(sizes[n] for n in built)
            further = {
                n: len(others & set(built))
                for n, others in left.items()
                if n not in built and sizes[n] <= room
            }
            best = max(further, key=lambda n: (further[n], -sizes[n]), default=-1)
            if best < 0 or not further[best]:
                break
            built.append(best)
        blocks.append(tuple(sorted(built)))
        _take(near, blocks[-1])
    return blocks


def _take(near: Mapping[int, set[int]], block: Fields) -> None:
    for a, b in combinations(block, 2):
        if a in near and b in near:
            near[a].discard(b)
            near[b].discard(a)


def _summed(
    groups: Sequence[Fields], found: Mapping[Fields, Wholes], sizes: Sequence[int]
) -> list[Wholes]:
    """The counts of each group, from the smallest block that it is inside of."""
    inside: dict[int, list[Fields]] = {}
    for block in sorted(found, key=lambda each: prod(sizes[n] for n in each)):
        for n in block:
            inside.setdefault(n, []).append(block)
    out = []
    for group in groups:
        block = next(each for each in inside[group[0]] if set(group) <= set(each))
        others = tuple(place for place, n in enumerate(block) if n not in group)
        out.append(found[block].sum(axis=others) if others else found[block])
    return out
