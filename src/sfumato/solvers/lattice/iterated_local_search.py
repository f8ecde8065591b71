"""Iterated local search (Lourenço, Martin and Stützle 2003) for good nodes of large lattices: some
fields of the best node are moved by chance, and one field after another is moved while that loses
less."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .node_check import NodeCheck
from .nodes import Lattice
from .objectives import Reals

Node = tuple[int, ...]

PATIENCE = 40
"""Tries in a row that find nothing better, after which it ends."""
MOST_MOVED = 4
FRESH = 0.2
"""The share of tries that start at a node of chance and not near the best one."""


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

    def run(self, best: NodeCheck) -> NodeCheck:
        """The best node that was found, which may be `best` itself."""
        idle = 0
        while idle < PATIENCE and not self.enough():
            found = self._descend(self._start(best.levels))
            better = found is not None and found.loss < best.loss
            best, idle = (found, 0) if found is not None and better else (best, idle + 1)
        return best

    def _start(self, best: Node) -> Node:
        """Some fields of the best node at other levels; or all of them, from half way up."""
        low, top = np.array(self.lattice.bottom), np.array(self.lattice.top)
        if self._chance.random() < FRESH:
            return tuple(self._chance.integers((low + top) // 2, top + 1).tolist())
        node = np.array(best)
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
