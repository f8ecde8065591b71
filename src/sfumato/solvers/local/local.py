"""Local recoding: every cell only as coarse as its own cluster of rows needs, with labels of trees,
ranges or sets.

The method is a mixture of known ones. Clusters are taken cheapest first over a lattice
(`start_clusters`). Neighbourhoods of a few are then grown again by k-member clustering for as long
as that loses less (Byun et al. 2007; `k_member`, `rounds`), and near clusters exchange rows
(`exchanges`). Under models that need large clusters,
splitting from the top (Mondrian, LeFevre et al. 2006; `top_down`) is tried too. Departures: labels
may be ranges and sets. Rows of one bin may go to different clusters, unless a model looks at
sensitive values. Every protection model may be required; each change is judged on the bins of the
whole release. For t-closeness, rows of a bin may be divided by their sensitive value
(`balanced`). A row is suppressed only there, and where that is allowed. docs/solvers/local.md names
what this does not protect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, Recoding
from sfumato.errors import Bug, Mistake, NoRecodingFound, Problem
from sfumato.parts import parameter
from sfumato.policy import Policy
from sfumato.protection import Model, is_bin_monotone, needs_of, reads_labels

from ..declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverRequest,
    labels_looked_up,
)
from ..effort import USUAL_SECONDS, Effort
from ..solver import DOWNCODING, MINIMALITY, Hierarchies, Solution, Step, how_many, with_k_people
from .balanced import BalancedClusters, balanced_clusters, closeness_alone
from .cluster_merge import Pull, merge_failing
from .cluster_verdicts import ClusterJudge, plain_k
from .clusters import Clusters, cut
from .penalties import Penalty
from .recoded import no_rows, recoding_of
from .rounds import Rounds
from .space import LABELS, Space
from .start_clusters import first_clusters
from .top_down import split_down

PENALTIES = ("ncp", "gcp")
PULLS = (0.0, 1.0, 4.0, 12.0, 18.0)
"""How much a cluster that is unlike the whole table is shunned when clusters are merged; all are
tried."""
DEAR_MERGE = 1.5
"""How many times as much clusters may lose when merged by nearness alone. Beyond that, likeness to
the table is tried for models that hold the sooner the larger a cluster is."""


FEW_BINS = 2_000
"""Up to so many bins, clusters of whole bins are tried for t-closeness too."""
BY_VALUE = (
    "The rows of a bin are divided by their sensitive value, and which rows are suppressed depends on "
    "it: whoever knows that a person is in the source and not in the release can learn from that."
)


@dataclass(frozen=True, kw_only=True)
class Local:
    """Clusters of at least `k` close rows that keep `models`, each with its own labels; no row is
    left out, but up to `max_suppression` of them for t-closeness.

    `labels` are "tree" (of the hierarchies) or "ranges" (ranges for the fields of `numeric`, sets
    for others). `weights` makes a field's loss count more (default 1); `penalty` is "ncp" or "gcp".
    At most `rounds` rounds of improvement are made, and none is begun after `seconds` of CPU time.
    `seed` decides what is tried. No bin is cut where they must stay `whole`.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> bins = Bins.of(("age",), {("17",): 1, ("19",): 1, ("64",): 2})
        >>> ages = Hierarchy.from_rows([(a, a[0] + "*", "*") for a in ("17", "19", "64")])
        >>> Local(k=2).solve(bins, {"age": ages}).recoding.apply(bins, {"age": ages}).sizes()
        {('64',): 2, ('1*',): 2}
        >>> ranges = Local(k=2, labels="ranges", numeric=("age",)).solve(bins, {"age": ages}).recoding
        >>> ranges.apply(bins, {"age": ages}).sizes()
        {('17..19',): 2, ('64',): 2}
    """

    k: int
    models: Sequence[Model] = ()
    labels: str = "tree"
    weights: Mapping[str, float] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()
    penalty: str = "ncp"
    rounds: int = 80
    seconds: float = float("inf")
    seed: int = 0
    whole: bool = False
    max_suppression: float = 0.0

    name: ClassVar[str] = "local"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        effort = Effort(seconds=self.seconds, work=self.rounds)
        self._check(bins)
        if not len(bins):
            return self._solution(bins, hierarchies, no_rows(bins), rounds=0, stopped="")
        asked, models = plain_k(with_k_people(self.models, bins, self.k), bins)
        k, whole = max(self.k, asked, 1), self.whole or bool(needs_of(models)) or not bins.adds_up
        penalty = Penalty(kind=self.penalty, numeric=self.numeric, weights=self.weights)
        space = Space.of(bins, hierarchies, penalty, labels=self.labels)
        judge = ClusterJudge(bins, models, space.namers, whole=whole) if models else None
        balanced = self._balanced(space, models, k, effort)
        if balanced is not None and len(bins) > FEW_BINS:
            return self._balanced_solution(space, balanced)
        start = self._start(space, k, judge)
        rounds = Rounds(k=k, whole=whole, effort=effort, seed=self.seed, failing=judge)
        clusters, done = rounds.improve(start, space.ranks)
        if (clusters.sizes < k).any() or (judge is not None and judge(clusters).any()):
            raise Bug("local recoding made clusters that break what it was asked to keep")
        if balanced is not None and balanced.total(len(bins.fields)) < clusters.total:
            return self._balanced_solution(space, balanced)
        stopped = effort.spent(done) if done < self.rounds and clusters.total > 0 else ""
        return self._solution(
            bins, hierarchies, recoding_of(space, clusters), rounds=done, stopped=stopped
        )

    def _balanced(
        self, space: Space, models: Sequence[Model], k: int, effort: Effort
    ) -> BalancedClusters | None:
        """Clusters by sensitive value, where t-closeness is asked for alone and bins may be cut."""
        model = None if self.whole else closeness_alone(models, space)
        if model is None or space.bins.rows < k:
            return None
        may_leave = int(self.max_suppression * space.bins.rows)
        found = balanced_clusters(space, model, k=k, may_leave=may_leave, effort=effort)
        return None if found.fails(space, model, k) else found

    def _balanced_solution(self, space: Space, found: BalancedClusters) -> Solution:
        bins, recoding = space.bins, found.recoding(space)
        return self._solution(
            bins, space.hierarchies, recoding, rounds=0, stopped="", notes=(BY_VALUE,)
        )

    def _check(self, bins: Bins) -> None:
        for what, given, known in (
            ("labels", self.labels, LABELS),
            ("penalty", self.penalty, PENALTIES),
        ):
            if given not in known:
                raise Mistake(
                    f"Local has no {what} '{given}'.", attempt=f"one of: {', '.join(known)}."
                )
        unread = [model.name for model in self.models if reads_labels(model)]
        if self.labels == "ranges" and unread:
            raise Mistake(
                f"Ranges and sets cannot be judged by {', '.join(unread)}.",
                found="It looks up in the hierarchies what a label covers, and they have no "
                "ranges or sets.",
                attempt="labels = 'tree'.",
            )
        k, _ = plain_k(self.models, bins)
        k = max(k, self.k)
        if 0 < bins.people < k:
            raise NoRecodingFound(
                f"No recoding of ({', '.join(bins.fields)}) meets k = {k}.",
                found=f"The table has only {how_many(bins)}, and local recoding leaves none out.",
                attempt=f"a k of at most the number of {bins.unit}.",
            )

    def _start(self, space: Space, k: int, judge: ClusterJudge | None) -> Clusters:
        """Clusters that keep everything asked for, or NoRecodingFound."""
        counts, met = space.bins.counts, space.bins.sizes_of(space.component)
        if (met < k).any():
            raise self._not_found(space.bins, (met < k)[space.component], k)
        first = first_clusters(space.ladders(k), counts, k, component=space.component)
        clusters = space.clusters(first)
        if judge is None:
            return cut(clusters, k, np.argsort(np.lexsort(space.ranks.T)))
        merged = self._merged(space, clusters, judge)
        if merged is not None and all(is_bin_monotone(model) for model in judge.models):
            return merged
        top = space.clusters(space.component)
        failing = judge(top)
        if failing.any():
            if merged is None:
                raise self._not_found(space.bins, failing[_cluster_of(top)], k)
            return merged
        split = split_down(top, space.splitters(), judge, k=k)
        return merged if merged is not None and merged.total <= split.total else split

    def _merged(self, space: Space, clusters: Clusters, judge: ClusterJudge) -> Clusters | None:
        """The best of merging by nearness alone and, where sensitive values are judged, by likeness
        to the table."""
        best: Clusters | None = None
        strict = not all(is_bin_monotone(model) for model in judge.models)
        for weight in PULLS[: (5 if strict else 3) if judge.histograms else 1]:
            if not strict and best is not None and best.total <= DEAR_MERGE * clusters.total:
                break
            pull = Pull(judge.histograms, weight) if weight else None
            found = merge_failing(clusters, space.ranks, judge, seed=self.seed, pull=pull)
            if found is not None and (best is None or found.total < best.total):
                best = found
        return best

    def _not_found(self, bins: Bins, failing: NDArray[np.bool_], k: int) -> NoRecodingFound:
        names = "".join(f" and {model.name}" for model in self.models)
        return NoRecodingFound(
            f"No local recoding of ({', '.join(bins.fields)}) meets k = {k}{names}.",
            found="Even with all rows that can meet in one cluster, "
            f"{bins.people_in(failing)} of {bins.people} {bins.unit} are in bins that fail.",
            attempt="weaker numbers for these models, hierarchies that end in one value, or a "
            "solver that may "
            "suppress rows.",
        )

    def _solution(
        self,
        bins: Bins,
        hierarchies: Hierarchies,
        recoding: Recoding,
        *,
        rounds: int,
        stopped: str,
        notes: tuple[str, ...] = (),
    ) -> Solution:
        released = recoding.apply(bins, hierarchies)
        if released.people + recoding.rows_suppressed(bins) != bins.people:
            raise Bug(f"local recoding lost {bins.unit}")
        below = int(bins.counts[bins.counts < self.k].sum())
        steps = (
            Step(
                what="start: every field as it is",
                levels=dict.fromkeys(bins.fields, 0),
                bins=len(bins),
                rows_failing=below,
            ),
            Step(
                what=f"clusters of at least {self.k} {bins.unit}, {rounds} rounds of growing "
                "neighbourhoods again",
                levels={},
                bins=len(released),
                rows_failing=0,
            ),
        )
        kind = "labels of the hierarchies" if self.labels == "tree" else "ranges and sets"
        warned = (DOWNCODING, MINIMALITY) if needs_of(self.models) else (DOWNCODING,)
        about = f"Cells have {kind}; seed {self.seed}. The result is not proven to be the optimum."
        ended = (
            (f"The limit of {stopped} ended the search after {rounds} of {self.rounds} rounds.",)
            if stopped
            else ()
        )
        notes = (about, *ended, *notes, *warned)
        return Solution(solver=self.name, recoding=recoding, steps=steps, notes=notes)


def _cluster_of(clusters: Clusters) -> NDArray[np.int64]:
    """The cluster of each bin, where bins are whole."""
    out = np.zeros(len(clusters.codes), np.int64)
    out[clusters.bin_of] = clusters.cluster
    return out


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """The settings of local recoding in a policy."""

    labels: str = parameter(
        "`tree`: labels of the hierarchies; `ranges`: ranges of numbers and dates, sets of others",
        default=Local.labels,
        words=LABELS,
    )
    penalty: str = parameter("what a range loses", default=Local.penalty, words=PENALTIES)
    seconds: float = parameter(
        "CPU seconds after which no round is begun", default=USUAL_SECONDS, least=0.1
    )
    work: int = parameter("rounds of improvement at most", default=Local.rounds, least=1)
    suppress: bool = parameter(
        "for t-closeness, rows may be suppressed, up to max_suppression", default=False
    )


def _build(settings: LocalSettings, request: SolverRequest) -> Local:
    return Local(
        k=request.policy.require.k or 1,
        models=request.models,
        labels=settings.labels,
        numeric=request.numeric,
        weights=request.weights,
        penalty=settings.penalty,
        rounds=settings.work,
        seconds=settings.seconds,
        seed=request.policy.solve.seed,
        whole=request.whole,
        max_suppression=request.max_suppression if settings.suppress else 0.0,
    )


def _fits(settings: LocalSettings, policy: Policy) -> Iterator[Problem]:
    """A model that looks labels up in the hierarchies finds no ranges there, and ranges have no
    levels."""
    bounded = [name for name, decided in policy.fields.items() if decided.finest is not None]
    if settings.labels == "ranges" and bounded:
        yield Problem(
            where="solve.labels",
            found=f"Ranges and sets have no levels, and {', '.join(bounded)} has a finest one.",
            attempt='labels = "tree", or leaving finest out.',
        )
    by_label = labels_looked_up(policy)
    if settings.labels == "ranges" and by_label:
        yield Problem(
            where="solve.labels",
            found=f"{', '.join(by_label)} looks labels up in the hierarchies, and ranges are not "
            "among them.",
            attempt='labels = "tree".',
        )


DECLARATION = SolverDeclaration(
    key="local",
    doc="local recoding: every cell only as coarse as its own cluster of rows needs",
    settings=LocalSettings,
    abilities=SolverAbilities(
        recodes=RecodingKind.LOCAL,
        shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        limits=("seconds", "work"),
        orders_values=True,
        holds_finest=True,
    ),
    build=_build,
    fits=_fits,
)
