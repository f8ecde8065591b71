"""Many small neighbourhoods taken apart and grown again at once (greedy k-member, Byun et al.
2007).

From a random seed the row that widens the cluster least joins, until it holds k rows; then the next
seed. Remaining rows join the cluster where all rows together lose least by it. A bin of k rows and
more keeps k of them as they are and may lend the others. Departure from the paper: the seed is
drawn at random, the farther from the last cluster the likelier. A neighbourhood is tried again and
again, and the best answer is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes

from ..k_similar_ladders import Floats, Numbers
from .widths import Costs, States, Width

_FAR, _NEVER = np.float32(0.5), np.float32(1e6)
"""How much a seed that is far from the last cluster is preferred; rows that are lent are no
seeds."""
_LENT = np.float32(1e-5)
"""At equal cost a row that needs a place is before one that is lent."""


@dataclass(frozen=True, eq=False)
class Grown:
    """`rows[p]` rows of item `item[p]` in neighbourhood `hood[p]` are in its cluster
    `cluster[p]`."""

    hood: Numbers
    item: Numbers
    cluster: Numbers
    rows: Numbers
    costs: Floats


class Growth:
    """One batch: `values[f][b, i]` is field f of item i in neighbourhood b, `rows[b, i]` how many
    rows it is."""

    def __init__(
        self,
        widths: Sequence[Width],
        values: Sequence[Codes],
        rows: Numbers,
        *,
        k: int,
        whole: bool,
        random: np.random.Generator,
    ) -> None:
        self.widths, self.values, self.k, self.whole, self.random = widths, values, k, whole, random
        self.prepared = [width.prepared(field) for width, field in zip(widths, values, strict=True)]
        self.hoods = np.arange(len(rows))
        self.kept = np.zeros(rows.shape, bool) if whole else rows >= k
        self.left = np.where(self.kept, rows - k, rows)
        self.states: list[States] = [
            width.start(field[:, 0]) for width, field in zip(widths, values, strict=True)
        ]
        self.size = np.zeros(len(rows), np.int64)
        most = int((rows.sum(axis=1) // k).max(initial=0)) + 1
        self.closed: list[States] = [
            np.repeat(state[:, None], most, axis=1) for state in self.states
        ]
        self.sizes = np.zeros((len(rows), most), np.int64)
        self.clusters = self.kept.sum(axis=1)
        self.records: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []
        self._keep()

    def run(self) -> Grown:
        tail = self.random.random(len(self.hoods)) < 0.5
        while True:
            needing = np.where(self.kept, 0, self.left).sum(axis=1)
            enough = (needing >= self.k) | (
                tail & (needing > 0) & (self.left.sum(axis=1) >= self.k)
            )
            alive = (self.size > 0) | enough
            if not alive.any():
                break
            self._step(alive)
        self._join_rest()
        self._give_back()
        hood, item, cluster, rows = (
            np.concatenate(part) for part in zip(*self.records, strict=True)
        )
        costs = (self._closed_costs() * self.sizes).sum(axis=1)
        return Grown(hood, item, cluster, rows, costs)

    def _keep(self) -> None:
        """A bin of k rows is a cluster of its own from the start."""
        hood, item = np.nonzero(self.kept)
        self.place = np.cumsum(self.kept, axis=1) - 1
        number = self.place[hood, item]
        for width, field, closed in zip(self.widths, self.values, self.closed, strict=True):
            closed[hood, number] = width.start(field[hood, item])
        self.sizes[hood, number] = self.k

    def _step(self, alive: NDArray[np.bool_]) -> None:
        """Each neighbourhood takes one more item into the cluster that it is growing."""
        fresh = self.size == 0
        chosen = self._scores(fresh).argmin(axis=1)
        free = self.left[self.hoods, chosen]
        take = np.where(alive, free if self.whole else np.minimum(free, self.k - self.size), 0)
        self.left[self.hoods, chosen] -= take
        for f, (width, field) in enumerate(zip(self.widths, self.values, strict=True)):
            value, state = field[self.hoods, chosen], self.states[f]
            started, wider = width.start(value), width.joined(state, value)
            self.states[f] = np.where(fresh.reshape(-1, *(1,) * (state.ndim - 1)), started, wider)
        self.size += take
        at = np.flatnonzero(alive)
        self.records.append((at, chosen[at], self.clusters[at], take[at]))
        self._close(np.flatnonzero(alive & (self.size >= self.k)))

    def _scores(self, fresh: NDArray[np.bool_]) -> Costs:
        scores = self.kept * _LENT
        for width, state, field in zip(self.widths, self.states, self.prepared, strict=True):
            scores += width.costs_prepared(state[:, None], field)
        seeds = np.flatnonzero(fresh)
        drawn = self.random.random((len(seeds), scores.shape[1]), dtype=np.float32)
        scores[seeds] = drawn - _FAR * scores[seeds] + _NEVER * self.kept[seeds]
        scores[self.left == 0] = np.inf
        return scores

    def _close(self, at: Numbers) -> None:
        number = self.clusters[at]
        for closed, state in zip(self.closed, self.states, strict=True):
            closed[at, number] = state[at]
        self.sizes[at, number] = self.size[at]
        self.clusters[at] += 1
        self.size[at] = 0

    def _join_rest(self) -> None:
        """Fewer than k rows remain: each item joins where all rows together lose least by it."""
        while True:
            needing = np.where(self.kept, 0, self.left)
            at = np.flatnonzero(needing.any(axis=1))
            if not len(at):
                return
            item = needing[at].argmax(axis=1)
            rows, sizes = self.left[at, item], self.sizes[at]
            values = [field[at, item] for field in self.values]
            now, then = np.zeros(sizes.shape, np.float32), np.zeros(sizes.shape, np.float32)
            for width, closed, value in zip(self.widths, self.closed, values, strict=True):
                now += width.costs(closed[at])
                then += width.costs_with(closed[at], value[:, None])
            change = (sizes + rows[:, None]) * then - sizes * now
            change[np.arange(sizes.shape[1]) >= self.clusters[at][:, None]] = np.inf
            best = change.argmin(axis=1)
            for width, closed, value in zip(self.widths, self.closed, values, strict=True):
                closed[at, best] = width.joined(closed[at, best], value)
            self.sizes[at, best] += rows
            self.left[at, item] = 0
            self.records.append((at, item, best, rows))

    def _give_back(self) -> None:
        """Rows that were not lent stay with their bin."""
        hood, item = np.nonzero(self.kept)
        spare = self.left[hood, item]
        self.sizes[hood, self.place[hood, item]] += spare
        self.records.append((hood, item, self.place[hood, item], self.k + spare))

    def _closed_costs(self) -> Costs:
        out = np.zeros(self.sizes.shape, np.float32)
        for width, closed in zip(self.widths, self.closed, strict=True):
            out += width.costs(closed)
        return out
