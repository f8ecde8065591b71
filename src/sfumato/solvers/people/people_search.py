"""One recoding for several tables, in each of which every bin has rows of at least k different
people.

The lattice is that of Chiang et al. 2001 (sections 3.1 to 3.3) over the fields of all tables. Bins
count people, and span a table's own fields with those of the tables above it (Sweeney 1997, section
3.8). The search is that of `solvers/lattice/boxes.py`, which proves how good its answer is whenever
it is stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import GlobalRecoding
from sfumato.errors import NoRecodingFound

from ..effort import Effort
from ..lattice.boxes import Boxes, Progress, SearchOutcome, no_progress, proof_of
from ..lattice.nodes import Lattice
from ..solver import Proof, Step, scope_of, settings_of
from .people_loss import PeopleChecker, TablesLoss, check_objective
from .people_tables import Placement, TableBins, placed
from .people_verdicts import JudgedTable, PeopleJudge, floors_of


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleSolution:
    """The level of each field, by the name that all tables know it by, and each table's recoding by
    its own names.

    `loss` is at least `bound` for every recoding there is; `nodes` is how many were judged.
    """

    solver: str
    levels: Mapping[str, int]
    recodings: Mapping[str, GlobalRecoding]
    loss: float = 0.0
    bound: float = 0.0
    nodes: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    proof: Proof | None = None

    @property
    def suppressed(self) -> dict[str, NDArray[np.bool_]]:
        """Per table, which of its bins are left out, also those that go with rows of the table
        above."""
        return {name: recoding.suppressed for name, recoding in self.recodings.items()}


@dataclass(frozen=True, kw_only=True)
class CountingPeople:
    """The recoding of least loss in which every bin of every table has `k` people, or is left out
    with its rows.

    No table suppresses more than `max_suppression` of its people, where all of them are known
    (`TableBins.counted`), or of its rows. No row is suppressed where it is 0. The loss is the mean
    of the tables' losses, each that of the table's own fields by `objective` and `weights`. The
    search stops with the best so far after `seconds` of CPU time, or `work` nodes judged, or where
    best and bound are within `gap`. Ctrl-C stops it too, if it `keeps_best`.

    Example:
        >>> from sfumato.bins import PeopleBins
        >>> from sfumato.hierarchies import Hierarchy
        >>> bins = PeopleBins.of(("zip",), {("02138",): ["ann", "ann"], ("02139",): ["bob"]}, k=2)
        >>> zips = {"zip": Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])}
        >>> found = CountingPeople(k=2).solve([TableBins(name="visits", bins=bins, hierarchies=zips)])
        >>> found.levels, found.suppressed["visits"].tolist()
        ({'zip': 1}, [False, False])
    """

    k: int
    max_suppression: float = 0.0
    objective: str = "ncp"
    weights: Mapping[str, float] = field(default_factory=dict)
    seconds: float = float("inf")
    work: int | None = None
    gap: float = 0.0
    keeps_best: bool = True
    progress: Progress = no_progress

    name: ClassVar[str] = "people"

    def solve(self, tables: Sequence[TableBins]) -> PeopleSolution:
        """The best recoding found, or NoRecodingFound where even the coarsest suppresses too
        much."""
        effort = Effort(seconds=self.seconds, work=self.work)
        check_objective(self.objective)
        placement = placed(tables, k=self.k)
        judge = PeopleJudge(placement, k=self.k, max_suppression=self.max_suppression)
        if not judge.keeps(placement.top):
            raise _not_found(judge)
        found_floors, asked = floors_of(judge, effort=effort)
        floors = tuple(
            max(low, hierarchy.finest)
            for low, hierarchy in zip(found_floors, placement.hierarchies, strict=True)
        )
        loss = TablesLoss(placement, objective=self.objective, weights=self.weights, floors=floors)
        checker = PeopleChecker(judge, loss, floors)
        shape = [high - low + 1 for low, high in zip(floors, placement.top, strict=True)]
        lattice = Lattice(placement.fields, shape, starts=floors)
        left = replace(effort, work=None if self.work is None else max(self.work - len(asked), 0))
        boxes = Boxes(lattice, checker, effort=left, gap=self.gap, progress=self.progress)
        found = boxes.run(keeps_best=self.keeps_best)
        nodes = asked | {checker.absolute(levels) for levels, _ in found.checked}
        return self._solution(judge, checker.absolute(found.levels), found, len(nodes))

    def _solution(
        self, judge: PeopleJudge, node: tuple[int, ...], found: SearchOutcome, nodes: int
    ) -> PeopleSolution:
        placement = judge.placement
        levels = dict(zip(placement.fields, node, strict=True))
        recodings, steps = {}, []
        by_name = dict(zip(placement.fields, placement.hierarchies, strict=True))
        scope = scope_of(self.weights, by_name)
        proof = replace(proof_of(found, self.objective, scope=scope), work=nodes)
        for place, there in enumerate(placement.tables):
            judged, suppressed = judge.marks(place, node)
            here = dict(zip(there.table.bins.fields, judge.levels_in(place, node), strict=True))
            recodings[there.table.name] = GlobalRecoding(levels=here, suppressed=suppressed)
            told = ", ".join(f"{name} {level}" for name, level in here.items())
            what = f"{there.table.title}: {told or 'no field is known'}"
            steps.append(
                Step(what=what, levels=here, bins=len(judged.bins), rows_failing=judged.rows)
            )
        return PeopleSolution(
            solver=self.name,
            levels=levels,
            recodings=recodings,
            loss=found.loss,
            bound=found.bound,
            nodes=nodes,
            settings=settings_of(self),
            steps=tuple(steps),
            notes=(self._told(placement, proof),),
            proof=proof,
        )

    def _told(self, placement: Placement, proof: Proof) -> str:
        size = Lattice(placement.fields, [height + 1 for height in placement.top]).size
        return f"judged {proof.work:,} of {size:,} nodes: {proof.in_words()}"


def _not_found(judge: PeopleJudge) -> NoRecodingFound:
    """The obstacle at the coarsest levels: no finer ones do better."""
    placement = judge.placement
    found, shares, coarse = [], [judge.max_suppression], set[str]()
    for place, there in enumerate(placement.tables):
        judged = judge.at(place, placement.top)
        lost = judge.lost(place, judged, placement.top, stuck=True)
        if lost > judge.allowed[place]:
            found.append(_too_few(there.table, judged, k=judge.k))
            shares.append(lost / judge.everyone(place))
            several = [
                name
                for name, h in zip(there.table.known_as, there.hierarchies, strict=True)
                if len(h.labels[-1]) > 1
            ]
            coarse.update(several)
    tries = [f"max_suppression = {np.ceil(max(shares) * 1000) / 1000:g}"] if max(shares) < 1 else []
    tries += [f"a coarser top level for {name}" for name in placement.fields if name in coarse]
    tries += ["a smaller k", "or a profile in which fewer fields are known."]
    return NoRecodingFound(
        f"No recoding of ({', '.join(placement.fields)}) gives each bin {judge.k} people "
        "with at most "
        f"{judge.max_suppression:.1%} of a table's {judge.unit(0)} left out.",
        found="At the coarsest levels, " + "; ".join(found) + ".",
        attempt=", ".join(tries),
    )


def _too_few(table: TableBins, judged: JudgedTable, *, k: int) -> str:
    """Bins that have fewer than k people, or are below such; all people of those are known, so they
    can be counted."""
    few, rows = int(judged.few.sum()), judged.stuck_rows
    people = len(np.unique(judged.bins.person_of[judged.few[judged.bins.bin_of]]))
    return (
        f"{few} of {len(judged.bins)} bins of {table.title} have fewer than {k} people: "
        f"{rows} of {table.rows} "
        f"rows ({rows / table.rows:.1%}), those of {people} {'person' if people == 1 else 'people'}"
    )
