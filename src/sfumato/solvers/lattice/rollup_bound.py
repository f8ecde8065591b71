"""A lower bound for the recodings that a search cannot reach, because the table was rolled up to
coarser levels first.

Each of them has some field below the level that it was raised to. It cannot be counted, and two
things are known of it. First, the rows of each label of a field alone: where a label has fewer than
k rows, so has every bin inside it. Second, the node above it that was searched: rows that are stuck
there are stuck in every finer node. Boxes of such recodings are cut as in the search itself, lowest
bound first, down to single nodes."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from sfumato.bins import Bins
from sfumato.hierarchies import SUPPRESSED, Hierarchy, RaisedHierarchy
from sfumato.policy import CellReading, NullRule
from sfumato.protection import BinSizes, Combinations, KAnonymity, Model

from .node_check import Checker, NodeCheck
from .objectives import Reals, objective_for

Node = tuple[int, ...]

MOST_CUTS = 4_000
"""Boxes that are cut at most. A cut is cheap; what it asks the search to count is bounded by what
that counted."""


class UnreachedNodes:
    """The recodings below the raised levels of a table. `bound` holds at any time; `refine` raises
    it."""

    def __init__(
        self,
        bins: Bins,
        hierarchies: Mapping[str, Hierarchy],
        checker: Checker,
        *,
        objective: str,
        weights: Mapping[str, float],
    ) -> None:
        raised = [
            found for name in bins.fields if isinstance(found := hierarchies[name], RaisedHierarchy)
        ]
        self.starts: Node = tuple(found.start for found in raised)
        self._checker = checker
        self._heap: list[tuple[float, int, Node, Node, bool]] = []
        self._order = itertools.count()
        if not any(self.starts):
            return
        whole = [
            RaisedHierarchy.of(h.whole, 0, counts=h.counts, occurring=h.whole.labels[0])
            for h in raised
        ]
        self._goal = objective_for(
            objective, bins, dict(zip(bins.fields, whole, strict=True)), weights=weights
        )
        plain = [model for model in checker.models if _is_plain(model)]
        self._alone = [
            [_stuck_alone(bins.fields, place, whole[place], level, plain) for level in range(start)]
            for place, start in enumerate(self.starts)
        ]
        for low, high in _finer_boxes(self.starts, tuple(found.whole.height for found in raised)):
            self._push(low, high, at_least=0.0, gone=None)

    @property
    def bound(self) -> float:
        """No recoding below the raised levels loses less; infinite where none of them is
        feasible."""
        return self._heap[0][0] if self._heap else float("inf")

    def refine(
        self, check: Callable[[Node], NodeCheck], *, best: float, enough: Callable[[], bool]
    ) -> float:
        """Cut boxes until their bounds reach `best`, or a single node has the lowest one; the bound
        then."""
        for _ in range(MOST_CUTS):
            if self.bound >= best or enough():
                break
            bound, _, low, high, counted = self._heap[0]
            if counted and low == high:
                break
            heapq.heappop(self._heap)
            if counted:
                for half in self._halves(low, high):
                    self._push(*half, at_least=bound, gone=None)
            else:
                above = tuple(
                    max(level - start, 0) for level, start in zip(high, self.starts, strict=True)
                )
                found = check(above)
                if found.stuck_rows <= self._checker.allowed and (
                    found.feasible or not self._checker.monotone
                ):
                    self._push(low, high, at_least=bound, gone=found.gone)
        return self.bound

    def _push(self, low: Node, high: Node, *, at_least: float, gone: Reals | None) -> None:
        """Keep a box unless a field alone has more rows stuck than may be suppressed."""
        parts = [] if gone is None else [gone]
        for place, start in enumerate(self.starts):
            if high[place] < start:
                rows = self._alone[place][high[place]]
                if rows.sum() > self._checker.allowed:
                    return
                parts.append(self._goal.gone_in(place, high[place], rows))
        together = np.max(np.stack(parts), axis=0)
        bound = float(self._goal.lifted(np.array([low], np.int8), together)[0])
        heapq.heappush(
            self._heap, (max(bound, at_least), next(self._order), low, high, gone is not None)
        )

    def _halves(self, low: Node, high: Node) -> Iterator[tuple[Node, Node]]:
        """Cut along the field whose two ends differ the most in cost."""
        steps = np.array([(*low[:f], high[f], *low[f + 1 :]) for f in range(len(low))], np.int8)
        costs = self._goal.floor(steps)
        axis = max(
            (f for f in range(len(low)) if low[f] < high[f]),
            key=lambda f: (costs[f], high[f] - low[f]),
        )
        middle = (low[axis] + high[axis]) // 2
        yield low, (*high[:axis], middle, *high[axis + 1 :])
        yield (*low[:axis], middle + 1, *low[axis + 1 :]), high


def _finer_boxes(starts: Node, top: Node) -> Iterator[tuple[Node, Node]]:
    """Every node below `starts` in some field, in boxes that do not overlap and have one level of
    that field each."""
    for place, start in enumerate(starts):
        for level in range(start):
            low, high = [*starts[:place], level, *(0 for _ in starts[place + 1 :])], list(top)
            high[place] = level
            yield tuple(low), tuple(high)


def _is_plain(model: Model) -> bool:
    """Whether a bin fails where a bin around it has too few rows, whatever labels the two have."""
    if isinstance(model, KAnonymity):
        return model.reading is CellReading.STRICT and model.nulls is NullRule.VALUE
    return isinstance(model, BinSizes) or (
        isinstance(model, Combinations) and model.reading is CellReading.STRICT
    )


def _stuck_alone(
    fields: Sequence[str],
    place: int,
    hierarchy: RaisedHierarchy,
    level: int,
    models: Sequence[Model],
) -> Reals:
    """For each label of one field at a level, the rows that fail with every other field
    suppressed."""
    labels = hierarchy.whole.labels[level]
    counts = np.bincount(
        hierarchy.whole.up[level], weights=hierarchy.counts, minlength=len(labels)
    ).astype(np.int64)
    codes = np.zeros((len(labels), len(fields)), np.int32)
    codes[:, place] = np.arange(len(labels))
    named = tuple(labels if f == place else (SUPPRESSED,) for f in range(len(fields)))
    there = counts > 0
    alone = Bins(tuple(fields), named, codes[there], counts[there])
    failing = np.zeros(len(alone), bool)
    for model in models:
        failing |= model.failing(alone)
    out = np.zeros(len(labels))
    out[there] = np.where(failing, alone.counts, 0)
    return out
