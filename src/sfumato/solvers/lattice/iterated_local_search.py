"""Iterated local search (Lourenço, Martin and Stützle 2003) for good nodes of large lattices.

A chain starts at a node where no single step loses less. Some of its fields are moved by chance,
and one field after another is moved while that loses less. The chain continues from the better
node. When nothing better is found, the next chain descends from the top in another random order.
Coarse nodes are cheap to count, and a chain that starts elsewhere ends elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .node_check import NodeCheck
from .nodes import Lattice
from .objectives import Reals

Node = tuple[int, ...]

PATIENCE = 30
"""Tries in a row that find nothing better, after which a chain ends."""
CHAINS = 40
"""Chains in a row that find nothing better, after which the search ends."""
MOST_MOVED = 4


class IteratedLocalSearch:
    """Draws the same numbers each time, so that a search under `work` can be repeated.

    `check` judges a node, `floor` gives what nodes cost at least, `enough` ends the search."""

    def __init__(
        self,
        lattice: Lattice,
        *,
        check: Callable[[Node], NodeCheck],
        floor: Callable[[list[Node]], Reals],
        enough: Callable[[], bool],
    ) -> None:
        self.lattice = lattice
        self.check = check
        self.floor = floor
        self.enough = enough
        self._chance = np.random.default_rng(0)

    def run(self, best: NodeCheck, *, chains: int = CHAINS) -> NodeCheck:
        """The best node that was found, which may be `best` itself, after so many `chains` in a row
        that found nothing better."""
        found: NodeCheck | None = self._chain(best)
        idle = 1
        while True:
            if found is not None and found.loss < best.loss:
                best, idle = found, 0
            if idle >= chains or self.enough():
                return best
            start = self._descend(self.lattice.top)
            found = None if start is None else self._chain(start)
            idle += 1

    def _chain(self, here: NodeCheck) -> NodeCheck:
        """From node to better node, each found near the one before."""
        idle = 0
        while idle < PATIENCE and not self.enough():
            found = self._descend(self._moved_by_chance(here.levels))
            better = found is not None and found.loss < here.loss
            here, idle = (found, 0) if found is not None and better else (here, idle + 1)
        return here

    def _moved_by_chance(self, levels: Node) -> Node:
        """Some fields of a node at other levels."""
        low, top = np.array(self.lattice.bottom), np.array(self.lattice.top)
        node = np.array(levels)
        moved = self._chance.choice(
            len(node), size=self._chance.integers(1, min(MOST_MOVED, len(node)) + 1), replace=False
        )
        node[moved] = self._chance.integers(low[moved], top[moved] + 1)
        return tuple(node.tolist())

    def _descend(self, start: Node) -> NodeCheck | None:
        """One field at a time, in random order, a level finer or coarser while that loses less."""
        here = self.check(start)
        moved = True
        while moved:
            moved = False
            for f in self._chance.permutation(len(start)).tolist():
                if self.enough():
                    return here if here.feasible else None
                found = self._moved(here, f)
                here, moved = (here, moved) if found is None else (found, True)
        return here if here.feasible else None

    def _moved(self, here: NodeCheck, f: int) -> NodeCheck | None:
        """`here` with field `f` a level finer or coarser, where that is better. Coarser is better
        where too many rows fail here."""
        for level in (here.levels[f] - 1, here.levels[f] + 1):
            if not self.lattice.bottom[f] <= level <= self.lattice.top[f]:
                continue
            node = (*here.levels[:f], level, *here.levels[f + 1 :])
            if self.floor([node])[0] >= here.loss:
                continue
            found = self.check(node)
            fewer = not here.feasible and found.suppressed_rows < here.suppressed_rows
            if found.loss < here.loss or fewer:
                return found
        return None
