"""The lattice of some known fields, with the groups of every node; made once, and asked by every question after that.

A group that breaks a rule as a whole also breaks it in pieces, because the rules are monotone: pieces that keep to one
keep to it together. So whatever was shown before, a node is not safe if one of the groups that a question needs breaks
a rule, and that is looked up here for all nodes at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NotAdmitted
from sfumato.protection import Model

from .holding import Holding
from .tallies import Tally, numbered

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]

MOST_NODES: Final = 20_000
MOST_PLACES: Final = 30_000_000
"""Nodes times cells up to which groups are kept; beyond, every node is looked at afresh."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Lattice:
    """The nodes over some known fields, the most specific first.

    `levels[n, f]` is the level of field f at node n, `losses[n]` what is lost there. `whole[n, c]` is the group of cell
    c at node n; groups of all nodes are numbered on.
    """

    known: tuple[str, ...]
    levels: NDArray[np.int64]
    losses: NDArray[np.float64]
    cell_of: Wholes = field(repr=False)
    whole: NDArray[np.int32] | None = field(repr=False)
    tally: Tally | None = field(repr=False)
    rows: Wholes = field(repr=False)
    """How many rows each cell has."""
    _kept: dict[str, Marks] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, known: Sequence[str], holding: Holding, tally: Tally) -> Lattice:
        levels = _nodes(known, holding)
        cell_of, count = np.zeros(len(holding.corners), np.int64), 1
        for name in known:
            span = len(holding.fields[name].values)
            own = holding.corners[:, holding.known.index(name)]
            cell_of, count = numbered(cell_of * span + own, count * span)
        losses = _losses(known, levels, holding)
        rows = np.bincount(cell_of, weights=holding.rows_of, minlength=count).astype(np.int64)
        if len(levels) * count > MOST_PLACES:
            return cls(
                known=tuple(known), levels=levels, losses=losses, cell_of=cell_of, whole=None, tally=None, rows=rows
            )
        first = np.zeros(count, np.int64)
        first[cell_of[::-1]] = np.arange(len(cell_of))[::-1]
        whole = np.empty((len(levels), count), np.int32)
        reach = 0
        codes = {name: holding.corners[first, holding.known.index(name)] for name in known}
        for node, at in enumerate(levels):
            groups, found = raised(dict(zip(known, at.tolist(), strict=True)), codes, holding, count=count)
            whole[node] = groups + reach
            reach += found
        merged = tally.merged(cell_of, count, tally.values)
        return cls(
            known=tuple(known), levels=levels, losses=losses, cell_of=cell_of, whole=whole, tally=merged, rows=rows
        )

    def possible(self, meant: Marks, rules: Iterable[tuple[str, Sequence[Model]]]) -> Marks:
        """The nodes at which every group that is needed keeps to the rules as a whole; `meant` marks corners.

        `rules` are those about a field, by its name, and those about people, under no name.
        """
        out = np.ones(len(self.levels), bool)
        if self.whole is None:
            return out
        cells = np.zeros(self.whole.shape[1], bool)
        cells[self.cell_of[meant]] = True
        needed = self.whole[:, np.flatnonzero(cells)]
        for name, models in rules:
            monotone = [model for model in models if model.monotone_generalisation]
            if monotone:
                out &= self._keeping(name, monotone)[needed].all(axis=1)
        return out

    def costs(self, meant: Marks) -> NDArray[np.float64]:
        """What is lost at each node: how coarse fields are, and how many rows that nobody asked about come along."""
        if self.whole is None or not meant.any():
            return self.losses
        cells = np.zeros(len(self.rows), bool)
        cells[self.cell_of[meant]] = True
        told = np.zeros(len(self._rows_of_groups), bool)
        told[self.whole[:, np.flatnonzero(cells)].ravel()] = True
        nodes = np.searchsorted(self._first_groups, np.flatnonzero(told), side="right") - 1
        shown = np.bincount(nodes, weights=self._rows_of_groups[told], minlength=len(self.levels))
        return np.asarray(self.losses + 1 - self.rows[cells].sum() / np.maximum(shown, 1))

    @cached_property
    def _rows_of_groups(self) -> Wholes:
        assert self.whole is not None
        parts = [np.bincount(groups - groups.min(), weights=self.rows) for groups in self.whole]
        return np.concatenate(parts).astype(np.int64)

    @cached_property
    def _first_groups(self) -> Wholes:
        assert self.whole is not None
        return np.asarray(self.whole.min(axis=1), np.int64)

    def _keeping(self, name: str, models: Sequence[Model]) -> Marks:
        """Which groups of all nodes keep to the rules about a field; worked out when first asked for."""
        if name not in self._kept:
            assert self.whole is not None
            assert self.tally is not None
            parts = []
            for groups in self.whole:
                bins = self.tally.bins(groups.astype(np.int64) - int(groups.min()), (name,) if name else ())
                broken = np.zeros(len(bins), bool)
                for model in models:
                    broken |= model.failing(bins)
                parts.append(~broken)
            self._kept[name] = np.concatenate(parts)
        return self._kept[name]


def raised(
    levels: Mapping[str, int], codes: Mapping[str, NDArray[np.int32]], holding: Holding, *, count: int
) -> tuple[Wholes, int]:
    """The group of each of `count` units where fields are shown at these levels, and how many groups there are."""
    groups, found = np.zeros(count, np.int64), 1
    for name, level in levels.items():
        hierarchy = holding.hierarchies[name]
        span = len(hierarchy.labels[level])
        groups, found = numbered(groups * span + hierarchy.up[level][codes[name]], found * span)
    return groups, found


def _nodes(known: Sequence[str], holding: Holding) -> NDArray[np.int64]:
    tops = [holding.top(name) for name in known]
    total = int(np.prod([top + 1.0 for top in tops]))
    if total > MOST_NODES:
        raise NotAdmitted(
            "The query uses too many fields at once.",
            code="too-many-fields",
            found=f"There are {total:,} ways to generalise it.",
            attempt="fewer of the fields that others may know.",
        )
    every = sorted(itertools.product(*(range(top + 1) for top in tops)), key=sum)
    return np.array(every, np.int64).reshape(total, len(known))


def _losses(known: Sequence[str], levels: NDArray[np.int64], holding: Holding) -> NDArray[np.float64]:
    """How much is lost: for each field the share of its values that a label stands for, on average over corners."""
    out = np.zeros(len(levels))
    for place, name in enumerate(known):
        hierarchy = holding.hierarchies[name]
        codes = holding.corners[:, holding.known.index(name)]
        room = max(1, len(hierarchy.up[0]) - 1)
        lost = [
            float((hierarchy.leaves[level][hierarchy.up[level][codes]] - 1).mean()) / room
            for level in range(holding.top(name) + 1)
        ]
        out += np.array(lost)[levels[:, place]]
    return out / max(1, len(known))
