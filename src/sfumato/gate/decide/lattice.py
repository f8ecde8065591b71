"""The lattice of some known fields, with the groups of every node; made once, and asked by every
question after that.

A group that breaks a rule as a whole also breaks it in pieces. The rules are monotone: pieces that
keep a rule keep it together. A node is therefore not safe, with any history, if one of the groups
that a question needs breaks a rule. The lattice looks this up for all nodes at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NotAdmitted
from sfumato.protection import Model

from .exposure import OUTSIDE
from .people_counts import Tally, numbered
from .projections import PRESENT
from .protected_table import ProtectedTable

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]

MOST_NODES: Final = 20_000
MOST_PLACES: Final = 200_000_000
"""Nodes times cells up to which groups are kept, four bytes each, over all lattices of a table; beyond,
every node is looked at afresh."""
MOST_DERIVED_PLACES: Final = 30_000_000
"""The same of a table with derived fields, of which there are several."""
_KEPT: Final = 32
"""The groups of bins of so many nodes are kept in memory."""
_MANY: Final = 64
"""Groups are sorted where they are fewer than one in so many of all, and marked in a table of all
otherwise."""


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownLattice:
    """The nodes over some known fields, the most specific first.

    `levels[n, f]` is the level of field f at node n, `losses[n]` what is lost there. `whole[n, c]`
    is the group of cell c at node n; groups of all nodes are numbered on."""

    known: tuple[str, ...]
    levels: NDArray[np.int64]
    losses: NDArray[np.float64]
    cell_of: Wholes = field(repr=False)
    whole: NDArray[np.int32] | None = field(repr=False)
    tally: Tally | None = field(repr=False)
    values_tally: Tally | None = field(repr=False)
    rows: Wholes = field(repr=False)
    """How many rows each cell has."""
    standing: Wholes = field(repr=False)
    """How many of them are the one row of their person."""
    _groups: dict[int, Wholes] = field(default_factory=dict, repr=False)
    _kept: dict[str, Marks] = field(default_factory=dict, repr=False)
    _joining: dict[int, Wholes] = field(default_factory=dict, repr=False)
    _parts: dict[int, Marks] = field(default_factory=dict, repr=False)
    _held: dict[tuple[tuple[str, ...], int], tuple[Marks, Marks]] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def of(
        cls,
        known: Sequence[str],
        holding: ProtectedTable,
        tally: Tally,
        values_tally: Tally,
        *,
        most: int = MOST_PLACES,
    ) -> KnownLattice:
        """With the groups of all nodes where that takes at most so many places."""
        levels = _nodes(known, holding)
        projection = holding.projection(tuple(known))
        cell_of, count = projection.place_of, projection.places
        losses = _losses(known, levels, holding)
        rows = np.bincount(cell_of, weights=holding.rows_of, minlength=count).astype(np.int64)
        standing = np.bincount(cell_of, weights=holding.standing_of, minlength=count).astype(
            np.int64
        )
        bare = cls(
            known=tuple(known),
            levels=levels,
            losses=losses,
            cell_of=cell_of,
            whole=None,
            tally=None,
            values_tally=None,
            rows=rows,
            standing=standing,
        )
        if len(levels) * count > most:
            return bare
        whole = np.empty((len(levels), count), np.int32)
        reach = 0
        for node, at in enumerate(levels):
            groups, found = raised(
                dict(zip(known, at.tolist(), strict=True)), projection.codes, holding, count=count
            )
            whole[node] = groups + reach
            reach += found
        return replace(
            bare,
            whole=whole,
            tally=tally.merged(cell_of, count, ()),
            values_tally=values_tally.merged(cell_of, count, values_tally.values),
        )

    @property
    def places(self) -> int:
        """How many groups of cells are kept in memory."""
        return 0 if self.whole is None else self.whole.size

    def asked(self, meant: Marks) -> Wholes:
        """The groups of all nodes in which somebody is meant, in order; `meant` marks bins."""
        assert self.whole is not None
        cells = np.unique(self.cell_of[np.flatnonzero(meant)])
        if len(cells) * len(self.levels) * _MANY < len(self.people):
            return np.unique(self.whole[:, cells]).astype(np.int64)
        there = np.zeros(len(self.people), bool)
        there[self.whole[:, cells].ravel()] = True
        return np.flatnonzero(there)

    def possible(self, asked: Wholes, rules: Mapping[str, Sequence[Model]], *, least: int) -> Marks:
        """The nodes at which every group that is needed keeps to the rules as a whole.

        `rules` are those about a field, by its name, and those about people, under no name. Rules
        about values are held against all groups with `least` people or more, because those are
        parts of their own (see `parts`)."""
        keeping, hopeful = self._holds(tuple(rules), rules, least)
        out = hopeful.copy()
        out[self.node_of[asked[~keeping[asked]]]] = False
        return out

    def _holds(
        self, names: tuple[str, ...], rules: Mapping[str, Sequence[Model]], least: int
    ) -> tuple[Marks, Marks]:
        """Marks of the groups of all nodes that keep to all rules, and the nodes that remain
        possible, whatever is asked."""
        if (names, least) not in self._held:
            keeping, hopeful = np.ones(len(self.people), bool), np.ones(len(self.levels), bool)
            for name, models in rules.items():
                monotone = [model for model in models if model.monotone_generalisation]
                if monotone:
                    kept = self._keeping(name, monotone)
                    keeping &= kept
                    if name:
                        alone = self.node_of[~kept & (self.people >= least)]
                        joins = self.joining(least) >= 0  # Whichever group it is, it is one.
                        hopeful &= np.bincount(alone, minlength=len(hopeful)) <= joins
            self._held[names, least] = keeping, hopeful
        return self._held[names, least]

    def costs(self, asked: Wholes, rows: int, *, stands: bool) -> NDArray[np.float64]:
        """The loss at each node: how coarse fields are, and how many rows are included beside those
        asked about."""
        if not rows:
            return self.losses
        each = self._standing_of_groups if stands else self._rows_of_groups
        shown = np.bincount(self.node_of[asked], weights=each[asked], minlength=len(self.levels))
        return np.asarray(self.losses + 1 - rows / np.maximum(shown, 1))

    def groups(self, node: int) -> Wholes:
        """Each bin's group at a node, numbered from 0."""
        assert self.whole is not None
        if node not in self._groups:
            if len(self._groups) >= _KEPT:
                self._groups.clear()
            self._groups[node] = np.asarray(
                self.whole[node][self.cell_of] - self.first_groups[node], np.int64
            )
        return self._groups[node]

    def ends(self, node: int) -> tuple[int, int]:
        """Where the numbers of a node's groups begin, and where they end."""
        start, stop = [*self.first_groups[node : node + 2].tolist(), len(self.people)][:2]
        return start, stop

    def rows_of(self, groups: Wholes, *, stands: bool) -> int:
        """How many rows groups have; of those that represent their person, if asked so."""
        return int((self._standing_of_groups if stands else self._rows_of_groups)[groups].sum())

    def parts(self, node: int, *, least: int) -> Wholes:
        """Each bin's part at a node. It is as it is where neither a group with fewer than `least`
        people, nor the one that joins those, is asked about."""
        start, stop = self.ends(node)
        return np.where(self.is_part(least)[start:stop], np.arange(stop - start), OUTSIDE)[
            self.groups(node)
        ]

    def joining(self, least: int) -> Wholes:
        """For each node, the group that joins those with fewer than `least` people where they are
        too few together: the smallest other one. It is -1 where none is needed, or there is
        none."""
        if least not in self._joining:
            small = np.where(self.people < least, self.people, 0)
            total = np.bincount(self.node_of, weights=small, minlength=len(self.levels))
            out = np.full(len(self.levels), -1)
            for node in np.flatnonzero((total > 0) & (total < least)).tolist():
                here = np.flatnonzero((self.node_of == node) & (self.people >= least))
                if len(here):
                    out[node] = here[np.argmin(self.people[here])]
            self._joining[least] = out
        return self._joining[least]

    def is_part(self, least: int) -> Marks:
        """Marks of the groups that are parts of their own."""
        if least not in self._parts:
            marks = self.people >= least
            joining = self.joining(least)
            marks[joining[joining >= 0]] = False
            self._parts[least] = marks
        return self._parts[least]

    @cached_property
    def people(self) -> Wholes:
        """How many people are represented in each group of all nodes."""
        assert self.values_tally is not None
        return np.concatenate(
            [self.values_tally.bins(groups, ()).counts for groups in self._by_node()]
        )

    @cached_property
    def node_of(self) -> Wholes:
        """The node of each group."""
        return np.repeat(
            np.arange(len(self.levels)), np.diff([*self.first_groups, len(self.people)])
        )

    @cached_property
    def ranks(self) -> Wholes:
        """The place of each node's name among all of them; it decides between nodes that cost the
        same."""
        names = [self.name_of(node) for node in range(len(self.levels))]
        out = np.empty(len(names), np.int64)
        out[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return out

    def levels_of(self, node: int) -> dict[str, int]:
        return dict(zip(self.known, self.levels[node].tolist(), strict=True))

    def name_of(self, node: int) -> str:
        return ",".join(f"{name}={level}" for name, level in self.levels_of(node).items())

    @cached_property
    def _rows_of_groups(self) -> Wholes:
        return self._summed(self.rows)

    @cached_property
    def _standing_of_groups(self) -> Wholes:
        return self._summed(self.standing)

    def _summed(self, of_cells: Wholes) -> Wholes:
        return np.concatenate(
            [np.bincount(groups, weights=of_cells) for groups in self._by_node()]
        ).astype(np.int64)

    def _by_node(self) -> Iterator[Wholes]:
        """Each cell's group at one node after the other, numbered from 0."""
        assert self.whole is not None
        for groups, first in zip(self.whole, self.first_groups, strict=True):
            yield groups.astype(np.int64) - first

    @cached_property
    def first_groups(self) -> Wholes:
        assert self.whole is not None
        return np.asarray(self.whole.min(axis=1), np.int64)

    def _keeping(self, name: str, models: Sequence[Model]) -> Marks:
        """Marks of the groups of all nodes that keep to the rules about a field; computed when
        first asked for."""
        if name not in self._kept:
            counted = self.values_tally if name else self.tally
            assert counted is not None
            parts = []
            for groups in self._by_node():
                bins = counted.bins(groups, (name,) if name else ())
                broken = np.zeros(len(bins), bool)
                for model in models:
                    broken |= model.failing(bins)
                parts.append(~broken | (bins.counts == 0))
            self._kept[name] = np.concatenate(parts)
        return self._kept[name]


def raised(
    levels: Mapping[str, int],
    codes: Mapping[str, NDArray[np.int32]],
    holding: ProtectedTable,
    *,
    count: int,
) -> tuple[Wholes, int]:
    """The group of each of `count` units where fields are shown at these levels, and how many
    groups there are."""
    groups, found = np.zeros(count, np.int64), 1
    if PRESENT in codes:  # People who are not in the table are in no group with those who are.
        groups, found = numbered(codes[PRESENT].astype(np.int64), 2)
    for name, level in levels.items():
        hierarchy = holding.hierarchies[name]
        span = len(hierarchy.labels[level])
        groups, found = numbered(groups * span + hierarchy.up[level][codes[name]], found * span)
    return groups, found


def _nodes(known: Sequence[str], holding: ProtectedTable) -> NDArray[np.int64]:
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


def _losses(
    known: Sequence[str], levels: NDArray[np.int64], holding: ProtectedTable
) -> NDArray[np.float64]:
    """The loss: for each field the share of its values that a label covers. It is an average over
    the bins of the table by itself, whose columns have an order of their own."""
    out, alone = np.zeros(len(levels)), holding.alone
    for place, name in enumerate(known):
        hierarchy = alone.hierarchies[name]
        codes = alone.bins[:, alone.known.index(name)]
        room = max(1, len(hierarchy.up[0]) - 1)
        lost = [
            float((hierarchy.leaves[level][hierarchy.up[level][codes]] - 1).mean()) / room
            for level in range(holding.top(name) + 1)
        ]
        out += np.array(lost)[levels[:, place]]
    return out / max(1, len(known))
