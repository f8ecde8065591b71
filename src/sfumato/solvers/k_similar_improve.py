"""k-Similar, improved: a few neighbouring clusters are taken apart and grown again, and kept if
that costs less.

Sweeney 2000, section 6.4 asks for the least distortion. Clusters that were taken cheapest first
leave some rows with far neighbours only. On tables of some dozens of rows this costs about a tenth
more than the optimum. Growing neighbourhoods again in another order wins back most of it. The order
is random with a fixed seed."""

from __future__ import annotations

import numpy as np

from sfumato.hierarchies import Codes

from .k_similar_ladders import APART, Floats, Ladders, Numbers
from .k_similar_large import meetings
from .k_similar_portions import Portions

WORK_PER_TRY = 10_000
"""Comparisons that a try may take on average: where they are dear there are fewer tries, and time
is bounded."""
NEAREST = 12
EPSILON = 1e-9

Members = dict[int, int]
"""A cluster: rows per bin."""


def improve(
    ladders: Ladders, counts: Numbers, k: int, *, cluster: Numbers, tries: int, whole: bool = False
) -> Portions:
    """Grow neighbourhoods again, dear ones more often. With `whole`, no bin is cut over several
    clusters."""
    start = Portions.whole(counts, cluster)
    state = _Clusters(ladders, counts, cluster)
    random = np.random.default_rng(0)
    work = tries * WORK_PER_TRY
    for _ in range(tries):
        chosen = state.neighbourhood(random)
        rows = state.rows_in(chosen)
        work -= len(state.sizes) + len(rows) ** 2
        if len(chosen) < 2 or work < 0:
            break
        cost = float(state.costs[chosen] @ state.sizes[chosen])
        grown = _Growth(ladders, rows, k, whole=whole).run(random, below=cost - EPSILON)
        if grown is not None:
            state.replace(chosen, grown)
    found = state.portions()
    return found if found.cost(ladders) < start.cost(ladders) else start


class _Clusters:
    """Clusters while they change. A cluster without rows is a free place."""

    def __init__(self, ladders: Ladders, counts: Numbers, cluster: Numbers) -> None:
        self.ladders = ladders
        self.closures, self.costs, self.sizes = meetings(ladders, counts, cluster)
        self.members: list[Members] = [{} for _ in self.sizes]
        for chosen, number in enumerate(cluster.tolist()):
            self.members[number][chosen] = int(counts[chosen])

    def portions(self) -> Portions:
        found = [
            (b, rows, number)
            for number, held in enumerate(self.members)
            for b, rows in held.items()
        ]
        bin_of, rows, numbers = np.array(found, np.int64).reshape(-1, 3).T
        return Portions(bin_of, rows, numbers)

    def neighbourhood(self, random: np.random.Generator) -> Numbers:
        """A cluster, drawn by its cost, and one to four of those nearest to one of its bins."""
        drawn = np.cumsum(self.costs)
        if drawn[-1] <= 0:
            return np.zeros(0, np.int64)
        first = int(
            np.searchsorted(drawn, random.random() * drawn[-1] * (1 - EPSILON), side="right")
        )
        held = list(self.members[first])
        seed = held[int(random.integers(len(held)))]
        far = (self.closures != self.ladders.codes[seed]) @ self.ladders.steps[
            seed
        ] - 0.5 * self.costs
        far[(self.sizes == 0) | (np.arange(len(far)) == first)] = np.inf
        near = np.argpartition(far, min(NEAREST, len(far) - 1))[:NEAREST]
        near = near[np.isfinite(far[near])]
        shuffled = far[near] * (1 + 0.3 * random.random(len(near)))
        taken = near[np.argsort(shuffled, kind="stable")][: int(random.integers(1, 5))]
        return np.concatenate([[first], taken]).astype(np.int64)

    def rows_in(self, chosen: Numbers) -> Members:
        out: Members = {}
        for number in chosen.tolist():
            for b, rows in self.members[number].items():
                out[b] = out.get(b, 0) + rows
        return out

    def replace(self, chosen: Numbers, grown: list[Members]) -> None:
        """Put the grown clusters where the chosen ones were, and where there is place for more."""
        for number in chosen.tolist():
            self.members[number] = {}
            self.closures[number], self.costs[number], self.sizes[number] = APART, 0.0, 0
        if len(grown) > (self.sizes == 0).sum():
            self._add_places()
        for number, held in zip(np.flatnonzero(self.sizes == 0).tolist(), grown, strict=False):
            at = np.fromiter(held, np.int64, len(held))
            closure = self.ladders.meeting(at)
            self.members[number] = held
            self.closures[number] = closure
            self.costs[number] = float((closure == APART) @ self.ladders.steps[at[0]])
            self.sizes[number] = sum(held.values())

    def _add_places(self) -> None:
        more = max(64, len(self.sizes) // 8)
        self.closures = np.concatenate(
            [self.closures, np.full((more, self.closures.shape[1]), APART, np.int32)]
        )
        self.costs = np.concatenate([self.costs, np.zeros(more)])
        self.sizes = np.concatenate([self.sizes, np.zeros(more, np.int64)])
        self.members.extend({} for _ in range(more))


class _Growth:
    """Clusters grown from some rows, each from a random seed by nearest neighbour; the rest joins
    the best."""

    def __init__(self, ladders: Ladders, rows: Members, k: int, *, whole: bool) -> None:
        self.bins = np.fromiter(rows, np.int64, len(rows))
        self.left = np.fromiter(rows.values(), np.int64, len(rows))
        self.codes, self.steps = ladders.codes[self.bins], ladders.steps[self.bins]
        self.k, self.whole = k, whole
        self.grown: list[Members] = []
        self.closures: list[Codes] = []
        self.costs: list[float] = []

    def run(self, random: np.random.Generator, *, below: float) -> list[Members] | None:
        """The clusters, or None as soon as they cost more than `below`."""
        total = 0.0
        while self.left.sum() >= self.k:
            free = np.flatnonzero(self.left)
            total += self._grow(int(free[int(random.integers(len(free)))]))
            if total >= below:
                return None
        for at in np.flatnonzero(self.left).tolist():
            total += self._join(at)
        return self.grown if total < below else None

    def _grow(self, seed: int) -> float:
        closure = self.codes[seed].copy()
        held: Members = {}
        size, chosen = 0, seed
        while True:
            rows = self._part(chosen, self.k - size)
            held[int(self.bins[chosen])] = rows
            self.left[chosen] -= rows
            size += rows
            closure[self.codes[chosen] != closure] = APART
            if size >= self.k:
                break
            far: Floats = (self.codes != closure) @ self.steps[seed]
            far[self.left == 0] = np.inf
            chosen = int(np.argmin(far))
        self.grown.append(held)
        self.closures.append(closure)
        self.costs.append(float((closure == APART) @ self.steps[seed]))
        return self.costs[-1] * size

    def _part(self, chosen: int, needed: int) -> int:
        """How many rows of a bin go along: what is needed, if the bin can go on without them; else
        all."""
        left = int(self.left[chosen])
        can_be_cut = not self.whole and needed < self.k and left - needed >= self.k
        return needed if can_be_cut else left

    def _join(self, at: int) -> float:
        rows = int(self.left[at])
        sizes = np.array([sum(held.values()) for held in self.grown])
        far = (np.stack(self.closures) != self.codes[at]) @ self.steps[at]
        change = sizes * (far - np.array(self.costs)) + rows * far
        best = int(np.argmin(change))
        name = int(self.bins[at])
        self.grown[best][name] = self.grown[best].get(name, 0) + rows
        self.closures[best][self.codes[at] != self.closures[best]] = APART
        self.costs[best] = float(far[best])
        return float(change[best])
