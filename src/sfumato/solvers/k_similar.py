"""k-Similar: clusters of at least k rows that are close, each cluster's cells raised until its rows
are alike.

Sweeney 2000, section 6.4. Distance is the number of levels up to the lowest common ancestor (Fig.
31), each field by the height of its hierarchy. The least distance is therefore the greatest
precision (Fig. 32). No row is left out. The paper promises the optimum without a method. Tables of
up to `exact_rows` rows, and larger ones whose integer program is not too large, are solved to the
proven optimum (`k_similar_exact`). Others take the cheapest clusters first (`k_similar_large`), and
then grow neighbourhoods again (`k_similar_improve`).

Departures: rows of one bin may go to different clusters, fields may be weighted, and the distance
may count leaves ("loss") in place of levels. Other protection models may be required. They are met
by merging clusters, and the result is then no longer the optimum. In the paper the recipient's
profile only decides between equals: that is `distortion` here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from sfumato.bins import Bins, LocalRecoding, group
from sfumato.errors import Bug, Mistake, NoRecodingFound
from sfumato.parts import parameter
from sfumato.protection import KAnonymity, Model
from sfumato.wording import counted

from .declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverNeed,
    SolverRequest,
)
from .k_similar_exact import ExactClusters, closures_of
from .k_similar_improve import improve
from .k_similar_ladders import Floats, Ladders, Numbers
from .k_similar_large import cluster_large
from .k_similar_models import merge_failing
from .k_similar_portions import Portions
from .solver import DOWNCODING, Hierarchies, Solution, Step, how_many, with_k_people

FEW_ROWS = (4_000, 6_000, 50_000)
MORE_ROWS = (750, 3_000, 500)
"""The most closures, pairs of bin and closure, and nodes of the search tree for which the optimum
is sought."""
TILT = 1e-6
DISTANCES = ("precision", "loss")


@dataclass(frozen=True, kw_only=True)
class KSimilar:
    """Local recoding by clusters of at least `k` close rows; no row is left out.

    `weights` makes a field's distance count more (default 1). `distortion` is how much of it the
    recipient tolerates (0 least, 1 most, default 0.5) and decides between equally good answers.
    `tries` bounds how often a neighbourhood is grown again; more is slower and closer to the
    optimum. No bin is cut where they must stay `whole`.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1, ("02141",): 2})
        >>> zips = Hierarchy.from_rows([(z, z[:4] + "*", "*") for z in ("02138", "02139", "02141")])
        >>> solution = KSimilar(k=2).solve(bins, {"zip": zips})
        >>> solution.recoding.apply(bins, {"zip": zips}).sizes()
        {('02141',): 2, ('0213*',): 2}
    """

    k: int
    weights: Mapping[str, float] = field(default_factory=dict)
    distortion: Mapping[str, float] = field(default_factory=dict)
    models: Sequence[Model] = ()
    objective: str = "precision"
    exact_rows: int = 20
    tries: int = 5_000
    whole: bool = False

    name: ClassVar[str] = "k_similar"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        self._check(bins)
        ladders = Ladders.of(bins, hierarchies, weights=self.weights, objective=self.objective)
        component = self._components(bins, hierarchies)
        parts = np.split(
            np.argsort(component, kind="stable"), np.flatnonzero(np.diff(np.sort(component))) + 1
        )
        others, preference = self._others(bins), self._preference(ladders)
        found = [
            self._cluster(
                ladders.only(part), bins.counts[part], preference, whole=self.whole or bool(others)
            )
            for part in parts
        ]
        portions = Portions.joined(
            [(part, portions) for part, (portions, _) in zip(parts, found, strict=True)]
        )
        proven = all(proven for _, proven in found)
        if others:
            clusters = len(np.unique(portions.cluster))
            portions = merge_failing(
                portions,
                bins,
                hierarchies,
                ladders=ladders,
                component=component,
                k=self.k,
                models=others,
            )
            proven &= len(np.unique(portions.cluster)) == clusters
        recoding = portions.recoding(bins, hierarchies, ladders)
        released = recoding.apply(bins, hierarchies)
        if len(bins) and (released.smallest < self.k or released.people != bins.people):
            raise Bug(f"k-Similar made a bin under k or lost {bins.unit}")
        return Solution(
            solver=self.name,
            recoding=recoding,
            steps=self._steps(bins, released),
            notes=(*self._notes(bins, hierarchies, recoding, proven=proven), DOWNCODING),
        )

    def _check(self, bins: Bins) -> None:
        if self.objective not in DISTANCES:
            raise Mistake(
                f"KSimilar has no objective '{self.objective}'.",
                attempt=f"one of: {', '.join(DISTANCES)}.",
            )
        if 0 < bins.people < self.k:
            raise NoRecodingFound(
                f"No recoding of ({', '.join(bins.fields)}) meets k = {self.k}.",
                found=f"The table has only {how_many(bins)}, and k-Similar leaves none out.",
                attempt=f"a k of at most the number of {bins.unit}.",
            )

    def _components(self, bins: Bins, hierarchies: Hierarchies) -> Numbers:
        """A number for each bin, the same for bins that can meet: all, where every hierarchy ends
        in one value."""
        tops = [
            hierarchies[name].up[-1][bins.codes[:, column]]
            for column, name in enumerate(bins.fields)
        ]
        sizes = [len(hierarchies[name].labels[-1]) for name in bins.fields]
        component, _ = group(
            np.stack(tops, axis=1) if tops else np.zeros((len(bins), 0), np.int32), sizes
        )
        small = bins.sizes_of(component) < self.k
        if small.any():
            inside = bins.people_in(small[component])
            raise NoRecodingFound(
                f"No recoding of ({', '.join(bins.fields)}) meets k = {self.k}.",
                found=f"Even at the top levels, {inside} of {bins.people} {bins.unit} are in "
                f"{counted(int(small.sum()), 'bin')} under {self.k}.",
                attempt="hierarchies that end in one value, such as *, or a smaller k.",
            )
        return component

    def _cluster(
        self, ladders: Ladders, counts: Numbers, preference: Floats, *, whole: bool
    ) -> tuple[Portions, bool]:
        """Bins that can meet, in clusters; and whether this is proven to be the optimum."""
        if len(counts) <= 1 or self.k <= 1:
            return Portions.whole(counts, np.arange(len(counts))), True
        portions = self._optimum(ladders, counts, preference, whole=whole)
        if portions is not None:
            return portions, True
        tilted = replace(ladders, steps=ladders.steps + TILT * preference)
        cluster = cluster_large(tilted, counts, self.k)
        return improve(
            tilted, counts, self.k, cluster=cluster, tries=self.tries, whole=whole
        ), False

    def _optimum(
        self, ladders: Ladders, counts: Numbers, preference: Floats, *, whole: bool
    ) -> Portions | None:
        """The clusters of least cost; None where they would take too long to find."""
        closures, pairs, nodes = FEW_ROWS if counts.sum() <= self.exact_rows else MORE_ROWS
        found = (
            closures_of(ladders, self.k, limit=closures, whole=whole)
            if len(counts) <= closures
            else None
        )
        if found is None:
            return None
        exact = ExactClusters(ladders, counts, self.k, closures=found, whole=whole)
        return exact.solve(preference, nodes=nodes) if exact.pairs <= pairs else None

    def _others(self, bins: Bins) -> tuple[Model, ...]:
        """The models that clusters of k rows do not keep anyway. Where people may be in several
        bins, k people is one of them: the searched clusters hold k pairs of person and bin."""
        models = with_k_people(self.models, bins, self.k)
        return tuple(
            model
            for model in models
            if not (bins.adds_up and isinstance(model, KAnonymity) and model.k <= self.k)
        )

    def _preference(self, ladders: Ladders) -> Floats:
        """Per column the cost of distortion that the recipient tolerates less; 0 where all fields
        are tolerated alike."""
        out = np.zeros(ladders.codes.shape[1])
        tolerated = [self.distortion.get(name, 0.5) for name in ladders.fields]
        if len(set(tolerated)) > 1:
            for span, tolerance in zip(ladders.spans, tolerated, strict=True):
                out[span] = (1 - tolerance) / max(span.stop - span.start, 1)
        return out

    def _steps(self, bins: Bins, released: Bins) -> tuple[Step, ...]:
        below = int(bins.counts[bins.counts < self.k].sum())
        levels = dict.fromkeys(bins.fields, 0)
        return (
            Step(
                what="start: every field as it is",
                levels=levels,
                bins=len(bins),
                rows_failing=below,
            ),
            Step(
                what=f"cluster at least {self.k} {bins.unit}",
                levels={},
                bins=len(released),
                rows_failing=0,
            ),
        )

    def _notes(
        self, bins: Bins, hierarchies: Hierarchies, recoding: LocalRecoding, *, proven: bool
    ) -> tuple[str, ...]:
        levels, rows = recoding.cell_levels(bins)
        heights = np.array([max(hierarchies[name].height, 1) for name in bins.fields])
        cells = max(bins.rows * len(bins.fields), 1)
        precision = 1 - float((levels / heights).sum(axis=1) @ rows) / cells
        among = "that cut no bin" if self.whole or self._others(bins) else "of these rows"
        best = (
            f"It is proven that no clusters {among} are better by {self.objective}."
            if proven
            else f"It is not proven that no other clusters are better by {self.objective}; the "
            "search found none."
        )
        return (f"Precision is {precision:.3f} (Sweeney 2000, Fig. 32).", best)


@dataclass(frozen=True, slots=True, kw_only=True)
class KSimilarSettings:
    """The settings of k-Similar in a policy."""

    distance: str = parameter(
        "rows are near by levels (`precision`) or by leaves (`loss`)",
        default=KSimilar.objective,
        words=DISTANCES,
    )
    exact_rows: int = parameter(
        "up to so many rows the optimum is sought at any price",
        default=KSimilar.exact_rows,
        least=0,
    )
    work: int = parameter("neighbourhoods that are tried again", default=KSimilar.tries, least=1)


def _build(settings: KSimilarSettings, request: SolverRequest) -> KSimilar:
    return KSimilar(
        k=request.largest_k,
        weights=request.told_weights,
        distortion=request.tolerated,
        models=request.models,
        objective=settings.distance,
        exact_rows=settings.exact_rows,
        tries=settings.work,
        whole=request.whole,
    )


DECLARATION = SolverDeclaration(
    key="k_similar",
    doc="k-Similar: clusters of at least k close rows, each cell only as coarse as its cluster "
    "needs",
    settings=KSimilarSettings,
    abilities=SolverAbilities(
        recodes=RecodingKind.LOCAL,
        shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        need=SolverNeed(
            requirements=("k", "anonymity"), because="groups rows by k", example="k = 5"
        ),
        limits=("work",),
        holds_finest=True,
    ),
    build=_build,
)
