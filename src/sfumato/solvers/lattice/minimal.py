"""All most specific nodes that keep the requirements: the MSCPA of Chiang et al. 2001, section 3.3,
exactly.

Where failing is monotone, a node that fails rules out every finer node and one that passes every
coarser one. The search therefore asks the nodes in the middle of the undecided ones and decides
many at once. Where a model is not monotone, nodes are asked from the most specific upwards. Only
nodes above a found one need not be asked, since they cannot be most specific. Departure: Chiang et
al. 2001 asks for nodes without suppression; with a limit given, a node passes when what must be
suppressed stays within it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.protection import Model

from ..effort import Effort
from ..solver import Hierarchies
from .boxes import Progress, no_progress
from .node_check import Checker, NodeCheck
from .nodes import ENUMERABLE, Lattice
from .objectives import objective_for
from .picture import as_svg, kinds_of
from .projection_bounds import projected_stuck

UNKNOWN, PASSES, FAILS = 0, 1, -1


@dataclass(frozen=True, eq=False, kw_only=True)
class MinimalNodes:
    """The antichain, with the loss and suppression of each member, and what it took to prove it.

    `status` has for every node whether it passes (1), fails (-1) or was left undecided (0); `asked`
    which nodes were counted rather than concluded. Where `stopped` names a limit, there are
    `undecided` nodes that may be more specific than these. Each of `nodes` then passes, and is not
    proven to be most specific."""

    nodes: tuple[NodeCheck, ...]
    visited: int
    lattice_size: int
    lattice: Lattice
    status: NDArray[np.int8]
    asked: NDArray[np.bool_]
    undecided: int = 0
    stopped: str = ""

    @property
    def complete(self) -> bool:
        """Whether these are proven to be all most specific nodes."""
        return not self.undecided


@dataclass(frozen=True, kw_only=True)
class Minimal:
    """Find all most specific nodes, or what is known of them after `seconds` of CPU time or `work`
    nodes counted.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("zip", "sex"), {("02138", "f"): 1, ("02138", "m"): 1, ("02139", "f"): 1, ("02139", "m"): 1})
        >>> levels = {"zip": Hierarchy.from_rows([("02138", "*"), ("02139", "*")]),
        ...           "sex": Hierarchy.from_rows([("f", "*"), ("m", "*")])}
        >>> found = Minimal(models=(KAnonymity(k=2, fields=("zip", "sex")),)).search(bins, levels)
        >>> [node.levels for node in found.nodes]
        [(0, 1), (1, 0)]
    """

    models: Sequence[Model]
    max_suppression: float = 0.0
    objective: str = "loss"
    seconds: float = float("inf")
    work: int | None = None
    progress: Progress = no_progress

    name: ClassVar[str] = "minimal"

    def search(self, bins: Bins, hierarchies: Hierarchies) -> MinimalNodes:
        effort = Effort(seconds=self.seconds, work=self.work)
        lattice = Lattice.over(bins.fields, hierarchies)
        if not lattice.enumerable:
            raise Mistake(
                f"All minimal recodings were asked for in a lattice of {lattice.size:.2e} nodes.",
                found=f"Up to {ENUMERABLE:,} nodes can be proven minimal.",
                attempt='fewer known fields or levels, or solver = "anytime" for one good recoding.',
            )
        if any(lattice.bottom):
            raise Mistake(
                "All minimal recodings were asked for, and some field has a finest level.",
                found="They are sought from the source's own values up.",
                attempt='solver = "anytime", which keeps to finest levels.',
            )
        goal = objective_for(self.objective, bins, hierarchies)
        checker = Checker(
            bins, hierarchies, self.models, goal, max_suppression=self.max_suppression
        )
        decide = _by_halves if checker.monotone else _from_below
        status, checked, asked, undecided = decide(lattice, checker, self.progress, effort)
        stopped = effort.spent(checker.visited) or "seconds" if undecided else ""
        numbers = _most_specific(lattice, status)
        nodes = tuple(
            checked.get(n) or checker.check(lattice.levels[n].tolist()) for n in numbers.tolist()
        )
        return MinimalNodes(
            nodes=nodes,
            visited=checker.visited,
            lattice_size=lattice.size,
            lattice=lattice,
            status=status,
            asked=asked,
            undecided=undecided,
            stopped=stopped,
        )


Decided = tuple[NDArray[np.int8], dict[int, NodeCheck], NDArray[np.bool_], int]


def _by_halves(lattice: Lattice, checker: Checker, progress: Progress, effort: Effort) -> Decided:
    """Ask a node whose height is the median of the undecided ones; conclude for everything above or
    below it."""
    status = np.where(projected_stuck(lattice, checker) > checker.allowed, FAILS, UNKNOWN).astype(
        np.int8
    )
    asked = np.zeros(lattice.size, bool)
    passing: dict[int, NodeCheck] = {}
    while len(undecided := np.flatnonzero(status == UNKNOWN)) and not effort.spent(checker.visited):
        heights = lattice.heights[undecided]
        number = int(undecided[np.argpartition(heights, len(heights) // 2)[len(heights) // 2]])
        levels = lattice.levels[number].tolist()
        found = checker.check(levels)
        asked[number] = True
        progress(checker.visited, float(len(passing)), float(len(undecided)))
        if found.feasible:
            passing[number] = found
            status[lattice.above(levels, undecided)] = PASSES
        else:
            status[lattice.below(levels, undecided)] = FAILS
    return status, passing, asked, len(undecided)


def _from_below(lattice: Lattice, checker: Checker, progress: Progress, effort: Effort) -> Decided:
    """Ask every node that is not above a found one, most specific first."""
    status = np.zeros(lattice.size, np.int8)
    asked = np.zeros(lattice.size, bool)
    passing: dict[int, NodeCheck] = {}
    dominated = np.zeros(lattice.size, bool)
    everything = np.arange(lattice.size)
    for number in np.argsort(lattice.heights, kind="stable").tolist():
        if dominated[number]:
            continue
        if effort.spent(checker.visited):
            break
        levels = lattice.levels[number].tolist()
        found = checker.check(levels)
        asked[number] = True
        progress(checker.visited, float(len(passing)), float(lattice.size - number))
        status[number] = PASSES if found.feasible else FAILS
        if found.feasible:
            passing[number] = found
            dominated[lattice.above(levels, everything)] = True
    return status, passing, asked, int((~dominated & (status == UNKNOWN)).sum())


def _most_specific(lattice: Lattice, status: NDArray[np.int8]) -> NDArray[np.int64]:
    """Passing nodes below which nothing passes."""
    passes = (status == PASSES).reshape(lattice.shape)
    below = np.zeros(lattice.shape, bool)  # Whether some strictly finer node passes.
    for axis in range(len(lattice.shape)):
        lower = np.moveaxis(passes | below, axis, 0)
        mine = np.moveaxis(below, axis, 0)
        mine[1:] |= np.logical_or.accumulate(lower, axis=0)[:-1]
    return np.flatnonzero((passes & ~below).reshape(-1))


def picture_of_minimal(found: MinimalNodes) -> str:
    """The picture of all most specific nodes and of what was concluded on the way."""
    lattice = found.lattice
    passes = np.flatnonzero((found.status == 1) & found.asked)
    concluded = np.flatnonzero((found.status == 1) & ~found.asked)
    fails = np.flatnonzero((found.status == -1) & found.asked)
    minimal = [lattice.number(node.levels) for node in found.nodes]
    kinds = kinds_of(
        lattice,
        passes=passes.tolist(),
        fails=fails.tolist(),
        concluded=concluded.tolist(),
        minimal=minimal,
    )
    return as_svg(lattice, kinds)
