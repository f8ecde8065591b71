"""The cost of a node of several tables, and checking it for the search over boxes of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, PeopleBins
from sfumato.errors import Mistake
from sfumato.protection import KPeople, Model

from ..lattice.node_bins import NodeBins
from ..lattice.node_check import NOTHING, NodeCheck
from ..lattice.nodes import Levels as Nodes
from ..lattice.objectives import Objective, Reals, objective_for
from .people_rollup import Levels
from .people_tables import PlacedTable, Placement
from .people_verdicts import PeopleJudge

CELL_LOSSES = ("ncp", "loss", "precision", "non-uniform-entropy")
"""The objectives that price cells, so that those of several tables can be compared."""


def check_objective(name: str) -> None:
    if name not in CELL_LOSSES:
        raise Mistake(
            f"The objective {name!r} does not price cells.",
            attempt=f"one of {', '.join(CELL_LOSSES)}.",
        )


class TablesLoss:
    """The mean over the tables of what each has lost in its own fields, those of tables above it
    left aside.

    A row that is left out counts as fully generalised; in a table without fields of its own only
    such rows count."""

    def __init__(
        self,
        placement: Placement,
        *,
        objective: str,
        weights: Mapping[str, float],
        floors: Levels | None = None,
    ) -> None:
        self._floors = np.array(floors or (0,) * len(placement.fields), np.int8)
        self._tables = placement.tables
        self._losses = [_loss_of(placed, objective, weights) for placed in placement.tables]
        self._axes = [[placed.axes[column] for column in placed.own] for placed in placement.tables]
        ends = np.cumsum([len(axes) + 1 for axes in self._axes])
        self._parts = [
            slice(end - len(axes) - 1, end)
            for axes, end in zip(self._axes, ends.tolist(), strict=True)
        ]

    def gone(self, place: int, bins: PeopleBins, out: NDArray[np.bool_], levels: Levels) -> Reals:
        """The cost of the rows of the bins left `out` of one table, field by field, and their
        share."""
        placed, loss = self._tables[place], self._losses[place]
        rows = bins.rows[out].astype(float)
        if loss is None:
            return np.array([rows.sum() / max(placed.table.rows, 1)])
        codes = [bins.codes[out, column] for column in placed.own]
        here = tuple(levels[axis] for axis in self._axes[place])
        return loss.gone(NodeBins(here, codes, bins.rows[out], {}), rows)

    def floor(self, levels: Nodes) -> Reals:
        return self.lifted(levels, np.zeros(self._parts[-1].stop))

    def lifted(self, levels: Nodes, gone: Reals) -> Reals:
        """A lower bound for nodes in all of which the rows behind `gone` are left out; of their own
        node, its loss."""
        levels = levels + self._floors
        total = np.zeros(len(levels))
        for loss, axes, part in zip(self._losses, self._axes, self._parts, strict=True):
            total += gone[part][-1] if loss is None else loss.lifted(levels[:, axes], gone[part])
        return total / len(self._losses)


def _loss_of(placed: PlacedTable, objective: str, weights: Mapping[str, float]) -> Objective | None:
    """The loss of a table's own fields; None where it has none."""
    if not placed.own:
        return None
    names = tuple(placed.table.known_as[column] for column in placed.own)
    labels = tuple(placed.bins.labels[column] for column in placed.own)
    bins = Bins(names, labels, placed.bins.codes[:, list(placed.own)], placed.bins.rows)
    hierarchies = {
        name: placed.hierarchies[column] for name, column in zip(names, placed.own, strict=True)
    }
    return objective_for(objective, bins, hierarchies, weights=weights)


class PeopleChecker:
    """Checks nodes for the search over boxes. Levels are counted from the floors, below which
    nothing is searched."""

    def __init__(self, judge: PeopleJudge, loss: TablesLoss, floors: Levels) -> None:
        self.judge = judge
        self.objective = loss
        self.monotone = not any(placed.table.models for placed in judge.placement.tables)
        self.rows = sum(placed.table.rows for placed in judge.placement.tables)
        self.allowed = float(
            self.rows
        )  # Each table has a limit of its own; rows over one are infinitely many.
        self.size = sum(len(placed.bins) for placed in judge.placement.tables)
        self.models: tuple[Model, ...] = tuple(
            KPeople(k=judge.k, fields=placed.table.known_as, table=placed.table.name)
            for placed in judge.placement.tables
        ) + tuple(model for placed in judge.placement.tables for model in placed.table.models)
        self.limit = f"{judge.max_suppression:.1%} of each table's {judge.unit(0)} left out"
        self._floors = floors
        self._known: dict[tuple[int, Levels], _TableCost] = {}

    def absolute(self, levels: Sequence[int]) -> Levels:
        return tuple(low + int(level) for low, level in zip(self._floors, levels, strict=True))

    def check(self, levels: Sequence[int]) -> NodeCheck:
        """Table by table, as long as each keeps its limit."""
        node = self.absolute(levels)
        rows, tables = 0, list[_TableCost]()
        for place, allowed in enumerate(self.judge.allowed):
            found = self._table(place, node)
            rows += found.rows
            if found.stuck_lost > allowed:
                return _over(tuple(levels), rows)
            tables.append(found)
        stuck = np.concatenate([found.stuck for found in tables])
        feasible = all(
            found.lost <= allowed for found, allowed in zip(tables, self.judge.allowed, strict=True)
        )
        loss = float("inf")
        if feasible:
            gone = np.concatenate([found.gone for found in tables])
            loss = float(self.objective.lifted(np.array([levels], np.int8), gone)[0])
        return NodeCheck(
            tuple(levels),
            rows,
            feasible,
            loss,
            float(sum(found.stuck_rows for found in tables)),
            stuck,
        )

    def _table(self, place: int, node: Levels) -> _TableCost:
        """The suppressed part of a table, and its cost; known where only fields of other tables
        have moved."""
        key = place, self.judge.levels_in(place, node)
        if key not in self._known:
            judged = self.judge.at(place, node)
            stuck_lost = self.judge.lost(place, judged, node, stuck=True)
            within = stuck_lost <= self.judge.allowed[place]
            stuck = self.objective.gone(place, judged.bins, judged.few, node) if within else NOTHING
            same = judged.rows == judged.stuck_rows
            gone = stuck if same else self.objective.gone(place, judged.bins, judged.out, node)
            lost = stuck_lost if same else self.judge.lost(place, judged, node)
            self._known[key] = _TableCost(
                judged.rows, judged.stuck_rows, gone, stuck, lost=lost, stuck_lost=stuck_lost
            )
        return self._known[key]


def _over(levels: tuple[int, ...], rows: int) -> NodeCheck:
    """A node at which a table has too many rows in bins of few people, as it has at every finer
    one."""
    infinite = float("inf")
    return NodeCheck(levels, rows, feasible=False, loss=infinite, stuck_rows=infinite, gone=NOTHING)


@dataclass(frozen=True, slots=True)
class _TableCost:
    """Rows that are left out at a node, and those left out at all finer ones too. Each has what it
    adds to the loss, and counts against the limit."""

    rows: int
    stuck_rows: int
    gone: Reals
    stuck: Reals
    lost: int
    stuck_lost: int
