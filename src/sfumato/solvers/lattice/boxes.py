"""Branch and bound on boxes of nodes: the search under `optimal` and `anytime`.

A box is all nodes between a finest and a coarsest one. Every node in it costs at least the cost of
its finest node's fields, plus that of suppressing the rows that are stuck at its coarsest. Stuck
rows fail there and in every finer node; for k-anonymity they are all rows in bins under k. This is
a lower bound for the whole box from one count, and counts of coarse nodes are cheap. The box with
the lowest bound is cut in two along the field that separates its ends the most. A box is dropped
when more rows are stuck than may be suppressed, or when its bound reaches the best loss found. The
lowest bound of the remaining boxes is proven; when none remains, the best is the optimum. Good
nodes are found by descent from the top, by exchanging levels between fields, and in a large lattice
by iterated local search.

Where the lattice is large, groups of the fields give a second bound (`field_groups`).

Where a model is not monotone, no box is dropped for failing. Only rows that the model itself proves
stuck, and those of the monotone models beside it, raise bounds. The answer is exact all the same.

A box that is being cut is in no heap. Its bound stays in `in_flight` until its halves are, so that
the proven bound holds at whichever instruction the search is interrupted."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from sfumato.bins import Bins, GlobalRecoding
from sfumato.errors import Bug, NoRecodingFound
from sfumato.protection import Model, impossible_reasons, needs_of
from sfumato.runs import acknowledge, usable_cores

from ..effort import Effort
from ..solver import MINIMALITY, Hierarchies, Proof, Solution, Step, failing_rows, scope_of
from .cut_gains import LEAST_RISE, Cut, CutGains
from .field_groups import GroupBound
from .iterated_local_search import CHAINS, IteratedLocalSearch
from .node_check import NodeCheck, NodeChecker
from .nodes import ENUMERABLE, Lattice
from .objectives import Reals
from .picture import picture_of_search
from .rollup_bound import UnreachedNodes

Node = tuple[int, ...]

MANY_BINS = 50_000
MOST_WORKERS = 4
"""Boxes that are cut together where bins are many; not the number of processors, or answers would
depend on it."""
LOCAL_SHARE = 0.35
"""Of the effort that may go into looking for good nodes before boxes are cut."""
GROUP_SHARE = 0.5
"""Of the effort that may go into bounding groups of fields by themselves."""
Progress = Callable[[int, float, float], None]


def no_progress(visited: int, best: float, bound: float) -> None:
    """The default: nobody is looking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOutcome:
    """The outcome of a search: the node, its loss, a proven lower bound, the work it took and the
    nodes it counted.

    `bound` holds for every recoding of the policy, `searched_bound` for those that were searched;
    they differ where a table was rolled up first. With `complete`, no recoding loses less.
    `stopped` names what ended the search early: seconds, work, gap or interrupt."""

    levels: tuple[int, ...]
    loss: float
    bound: float
    searched_bound: float
    suppressed_rows: int
    visited: int
    lattice_size: int
    complete: bool
    stopped: str = ""
    checked: tuple[tuple[Node, bool], ...] = field(default=(), repr=False)


class Boxes:
    """One search. `run` may be stopped by its effort, by gap or by Ctrl-C.

    `below` bounds the recodings that are finer than the lattice's finest node, where a table was
    rolled up first. `climb` are the nodes that a greedy solver tries, up to the first that passes:
    a search that is stopped early is no worse. `groups` bounds all
    nodes by groups of fields, within a part of the effort."""

    def __init__(
        self,
        lattice: Lattice,
        checker: NodeChecker,
        *,
        effort: Effort,
        gap: float,
        progress: Progress,
        below: UnreachedNodes | None = None,
        climb: Iterable[Node] = (),
        groups: Callable[[Effort], GroupBound] | None = None,
    ) -> None:
        self.lattice = lattice
        self.checker = checker
        self.effort = effort
        self.gap = gap
        self.progress = progress
        self.below = below
        self.climb = climb
        self.groups = groups
        self.by_groups = GroupBound()
        self.below_bound = below.bound if below is not None else float("inf")
        # Counting many bins is NumPy work that runs beside Python; counting few is not worth
        # handing over.
        self.together = MOST_WORKERS if checker.size > MANY_BINS else 1
        self.pool = ThreadPoolExecutor(min(usable_cores(), self.together))
        self.seen: dict[Node, NodeCheck] = {}
        self.best: NodeCheck | None = None
        self.closest: NodeCheck | None = None
        self.stopped = ""
        self.order = itertools.count()
        self.heap: list[tuple[float, int, Node, Node]] = []
        self.gains = CutGains()
        self.in_flight: list[float] = [float(self._floor([lattice.bottom])[0])]

    @property
    def best_loss(self) -> float:
        return self.best.loss if self.best else float("inf")

    @property
    def bound(self) -> float:
        """No node that was searched loses less: the least of what is found, what waits and what is
        being cut. Groups of fields may bound it higher."""
        boxes = min(self.heap[0][0] if self.heap else float("inf"), *self.in_flight, float("inf"))
        return min(self.best_loss, max(boxes, self.by_groups.bound))

    @property
    def work(self) -> int:
        """The nodes that were counted, those of groups of fields included."""
        return len(self.seen) + self.by_groups.work

    def run(self, *, keeps_best: bool = True) -> SearchOutcome:
        try:
            self._search()
        except KeyboardInterrupt:
            self.stopped = "interrupt"
            if self.best is None or not keeps_best:
                raise
            acknowledge()
        finally:
            self.pool.shutdown(cancel_futures=True)
        if self.best is None:
            raise not_found(
                self.checker,
                self.lattice,
                self.closest,
                stopped=self.stopped,
                judged=len(self.seen),
            )
        if self.bound >= self.best.loss and self.stopped != "interrupt":
            self.stopped = ""
        bound = min(self.bound, self.below_bound)
        return SearchOutcome(
            levels=self.best.levels,
            loss=self.best.loss,
            bound=bound,
            searched_bound=self.bound,
            suppressed_rows=self.best.suppressed_rows,
            visited=len(self.seen),
            lattice_size=self.lattice.searched,
            complete=bound >= self.best.loss and not self.stopped,
            stopped=self.stopped,
            checked=tuple((node, found.feasible) for node, found in self.seen.items()),
        )

    def _search(self) -> None:
        self._push(self.lattice.bottom, self.lattice.top)
        self.in_flight.clear()
        self._walk_down()
        self._trade()
        self._search_locally()
        self._bound_groups()
        while self.heap and not self._enough():
            self._cut()
            self.progress(len(self.seen), self.best_loss, self.bound)
        if self.stopped in ("seconds", "work"):
            self._climb()
        if self.best is not None:
            self.best = self._as_fine(self.best)
            self._refine_below(self.best.loss)

    def _refine_below(self, best: float) -> None:
        """Raise the bound of recodings that were not searched, with at most as many further nodes
        as the search took."""
        if self.below is not None and self.below_bound < best and not self.stopped:
            most = 2 * len(self.seen) + 100
            self.below_bound = self.below.refine(
                self._check,
                best=best,
                enough=lambda: len(self.seen) >= most or bool(self.effort.spent(self.work)),
            )

    def _enough(self) -> bool:
        if self.best_loss - self.bound <= self.gap:
            self.stopped = "gap" if self.gap else ""
        else:
            self.stopped = self.effort.spent(self.work)
            return bool(self.stopped)
        return True

    def _check(self, node: Node) -> NodeCheck:
        known = self.seen.get(node)
        return self._note(self.checker.check(node)) if known is None else known

    def _note(self, found: NodeCheck) -> NodeCheck:
        self.seen[found.levels] = found
        if self.closest is None or found.suppressed_rows < self.closest.suppressed_rows:
            self.closest = found
        if found.feasible and found.loss < self.best_loss:
            self.best = found
        return found

    def _push(self, low: Node, high: Node) -> float:
        """Keep a box unless nothing in it can be within the limit and better than the best. Its
        bound, at most the best loss."""
        found = self._check(high)
        if found.stuck_rows > self.checker.allowed or (
            not found.feasible and self.checker.monotone
        ):
            return self.best_loss
        bound = float(self.checker.objective.lifted(np.array([low], np.int8), found.gone)[0])
        if bound < self.best_loss and low != high:
            heapq.heappush(self.heap, (bound, next(self.order), low, high))
        return min(bound, self.best_loss)

    def _cut(self) -> None:
        """Cut the boxes with the lowest bounds, as many as there are workers, and count their
        halves together."""
        halves: list[tuple[Node, Node]] = []
        cuts: list[Cut] = []
        while self.heap and len(halves) < 2 * self.together:
            bound, _, low, high = self.heap[0]
            if bound >= self.best_loss:
                self.heap.clear()  # Every other box is bounded no lower.
                break
            self.in_flight.append(bound)
            heapq.heappop(self.heap)
            axis = self._axis(low, high)
            middle = (low[axis] + high[axis]) // 2
            cuts.append((axis, middle))
            halves.append((low, (*high[:axis], middle, *high[axis + 1 :])))
            halves.append(((*low[:axis], middle + 1, *low[axis + 1 :]), high))
        self._check_together([high for _, high in halves])
        for place, (low, high) in enumerate(halves):
            bound = self._push(low, high)
            if place % 2 == 0:
                self.gains.note(cuts[place // 2], bound - self.in_flight[place // 2])
        self.in_flight.clear()

    def _check_together(self, nodes: list[Node]) -> None:
        new = [node for node in dict.fromkeys(nodes) if node not in self.seen]
        if len(new) < 2 or self.together == 1:
            return
        for found in self.pool.map(self.checker.check, new):
            self._note(found)

    def _axis(self, low: Node, high: Node) -> int:
        """The field to cut a box along. Where boxes will not be exhausted, the one that raises the
        bounds of both halves most, as far as is known."""
        if self.lattice.searched <= ENUMERABLE:
            return self._widest(low, high)
        cuts = [(f, (low[f] + high[f]) // 2) for f in range(len(low)) if low[f] < high[f]]
        lifted = self.checker.objective.lifted
        gone = self.seen[high].gone
        raised = [(*low[:f], middle + 1, *low[f + 1 :]) for f, middle in cuts]
        rises = lifted(np.array(raised, np.int8), gone) - lifted(np.array([low], np.int8), gone)
        return cuts[int(np.argmax(self.gains.of(cuts) * np.maximum(rises, LEAST_RISE)))][0]

    def _widest(self, low: Node, high: Node) -> int:
        """The field whose two ends differ the most in cost."""
        steps = np.array([(*low[:f], high[f], *low[f + 1 :]) for f in range(len(low))], np.int8)
        costs: Reals = self.checker.objective.floor(steps)
        open_axes = [f for f in range(len(low)) if low[f] < high[f]]
        return max(open_axes, key=lambda f: (costs[f], high[f] - low[f]))

    def _floor(self, nodes: list[Node]) -> Reals:
        return self.checker.objective.floor(np.array(nodes, np.int8))

    def _climb(self) -> None:
        """Judge the first node of the climb that passes, whatever the limit. That is some ten nodes
        at most where coarser nodes pass whenever finer ones do."""
        nodes = list(self.climb)
        if not self.checker.monotone:
            next((node for node in nodes if self._check(node).feasible), None)
            return
        low, high = 0, len(nodes) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._check(nodes[middle]).feasible:
                high = middle - 1
            else:
                low = middle + 1

    def _walk_down(self) -> None:
        """From the top, always to the node one step finer that costs least and is within the
        limit."""
        here = self.lattice.top
        while not self._enough():
            finer = [
                (*here[:f], level - 1, *here[f + 1 :])
                for f, level in enumerate(here)
                if level > self.lattice.bottom[f]
            ]
            if not finer:
                return
            for place in np.argsort(self._floor(finer)):
                if self._check(finer[place]).feasible:
                    here = finer[place]
                    break
            else:
                return

    def _trade(self) -> None:
        """From the best node, lower one field, or lower one and raise another, while that makes it
        better."""
        improved = self.best is not None
        while improved and self.best is not None and not self._enough():
            before = self.best
            nodes = self._neighbours(before.levels)
            if not nodes:
                return
            floors = self._floor(nodes)
            for place in np.argsort(floors):
                if floors[place] >= self.best_loss or self._enough():
                    break
                self._check(nodes[place])
            improved = self.best is not before

    def _search_locally(self) -> None:
        """Where boxes will not be exhausted: for a part of the effort, by chance."""
        if self.best is None or self.lattice.searched <= ENUMERABLE:
            return
        part = self.effort.part(LOCAL_SHARE)
        search = IteratedLocalSearch(
            self.lattice,
            check=self._check,
            floor=self._floor,
            enough=lambda: self._enough() or bool(part.spent(len(self.seen))),
        )
        search.run(self.best, chains=CHAINS if self.effort.limited else 1)

    def _bound_groups(self) -> None:
        """Bound the loss by groups of fields, where the cutting of boxes will not end."""
        large = self.lattice.searched > ENUMERABLE
        if self.groups is not None and large and self.effort.limited and not self._enough():
            part = self.effort.part(GROUP_SHARE)
            self.by_groups = self.groups(Effort(seconds=part.seconds, work=part.work))

    def _as_fine(self, best: NodeCheck) -> NodeCheck:
        """The best without levels that cost nothing, as those of a field with one value: nobody
        should lose those."""
        for f, level in enumerate(best.levels):
            if level > self.lattice.bottom[f]:
                finer = (*best.levels[:f], level - 1, *best.levels[f + 1 :])
                floors = self._floor([finer, best.levels])
                if floors[0] == floors[1]:
                    found = self._check(finer)
                    if found.feasible and found.loss <= best.loss:
                        return self._as_fine(found)
        return best

    def _neighbours(self, here: Node) -> list[Node]:
        top = self.lattice.top
        out = []
        for f in range(len(here)):
            if here[f] <= self.lattice.bottom[f]:
                continue
            lowered = (*here[:f], here[f] - 1, *here[f + 1 :])
            out.append(lowered)
            out.extend(
                (*lowered[:g], lowered[g] + 1, *lowered[g + 1 :])
                for g in range(len(here))
                if g != f and lowered[g] < top[g]
            )
        return out


def solution_of(
    name: str,
    found: SearchOutcome,
    bins: Bins,
    hierarchies: Hierarchies,
    models: Sequence[Model],
    objective: str,
    weights: Mapping[str, float],
) -> Solution:
    """A search's node as a recoding, with what was found in words."""
    levels = dict(zip(bins.fields, found.levels, strict=True))
    suppressed = failing_rows(bins, hierarchies, levels, models)
    if int(bins.counts[suppressed].sum()) != found.suppressed_rows:
        raise Bug("a lattice search and its recount suppress different rows")
    lattice = Lattice.over(bins.fields, hierarchies)
    scope = scope_of(weights, {name: hierarchies[name] for name in bins.fields})
    proof = proof_of(found, objective, searched_from=lattice.starts_by_name, scope=scope)
    what = f"searched {found.visited:,} of {found.lattice_size:,} nodes: {proof.in_words()}"
    coarse = bins.recode(hierarchies, levels)
    step = Step(
        what=what, levels=levels, bins=len(coarse), rows_failing=int(bins.counts[suppressed].sum())
    )
    return Solution(
        solver=name,
        recoding=GlobalRecoding(levels=levels, suppressed=suppressed),
        steps=(step,),
        notes=(what, MINIMALITY) if needs_of(models) else (what,),
        picture=picture_of_search(lattice, found.checked, found.levels)
        if lattice.enumerable
        else "",
        proof=proof,
    )


def proof_of(
    found: SearchOutcome,
    objective: str,
    *,
    searched_from: Mapping[str, int] = MappingProxyType({}),
    scope: str = "",
) -> Proof:
    return Proof(
        objective=objective,
        loss=found.loss,
        bound=found.bound,
        searched_bound=found.searched_bound,
        searched_from=dict(searched_from),
        optimal=found.complete,
        work=found.visited,
        stopped=found.stopped,
        scope=scope,
    )


def _levels(lattice: Lattice) -> str:
    return ", ".join(f"{name} {level}" for name, level in lattice.starts_by_name.items() if level)


def not_found(
    checker: NodeChecker,
    lattice: Lattice,
    closest: NodeCheck | None,
    *,
    stopped: str = "",
    judged: int = 0,
) -> NoRecodingFound:
    """There is none; or, where the search was stopped, none was found so far, which proves
    nothing."""
    over = ", ".join(lattice.fields)
    told = ", ".join(model.name for model in checker.models)
    asked = f"meets {told} with at most {checker.limit}"
    found = ""
    if closest is not None:
        levels = ", ".join(
            f"{name} {level}" for name, level in lattice.named(closest.levels).items()
        )
        rows = closest.suppressed_rows
        size = lattice.searched
        among = f"{judged:,} judged, of {size:,}" if stopped else f"{size:,}"
        found = (
            f"Closest of {among} recodings: {levels} leaves {rows} rows failing "
            f"({rows / checker.rows:.1%})."
        )
    if any(lattice.starts) and not checker.monotone:
        asked += f", at or above the levels that the table was rolled up to ({_levels(lattice)})"
    if stopped:
        return NoRecodingFound(
            f"No recoding of ({over}) that {asked} was found before the limit of {stopped} "
            "stopped the search.",
            found=f"{found} There may be others.".strip(),
            attempt="more seconds or work, a larger max_suppression, or weaker requirements.",
        )
    reasons = impossible_reasons(checker.models)
    if reasons:
        return NoRecodingFound(
            f"No recoding of ({over}) {asked}.",
            found=f"No levels and no suppression can: {'; '.join(reasons)}.",
            attempt="other fields outside, other steps, or a requirement that this table can meet.",
        )
    return NoRecodingFound(
        f"No recoding of ({over}) {asked}.",
        found=found,
        attempt="a larger max_suppression, weaker requirements, or a profile in which fewer fields "
        "are known.",
    )
