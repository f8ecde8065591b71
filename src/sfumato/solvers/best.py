"""The recoding that loses least of two or three: the best global one, a local one and, under
bounded knowledge, levels with blank cells.

A global recoding is easy to use and proves a bound. A local one loses less where few rows are far
from the others, which on wide tables is everywhere. They are searched one after the other, in the
time given, and compared by the same weighted loss. Where only a global recoding meets the request,
no other is searched, and the notes give the reason. docs/solvers/best.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from sfumato.bins import Bins, Recoding, field_losses
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import SUPPRESSED
from sfumato.parts import parameter
from sfumato.policy import LooksAt, OutsideNeed, Policy
from sfumato.protection import BoundedInference, BoundedKnowledge, Model

from .declaration import RecodingKind, SolverDeclaration, SolverRequest
from .effort import USUAL_SECONDS, Effort, cpu_seconds
from .greedy import Greedy
from .lattice import Anytime, AnytimeSettings
from .lattice.optimal import SEARCH_ABILITIES, build_people_search
from .local import Local, LocalSettings
from .solver import Hierarchies, Solution, Solver

COMPARED = ("loss", "ncp")
"""The objectives that a local recoding optimises."""
MOST_BINS = 500_000
"""A local recoding of more bins takes longer than the usual time."""
FIRST_SHARE = 0.5
"""Of the seconds, what the global search may take where a local one follows."""
LEAST_SECONDS = 1.0
BLANKS = "recoding with blank cells"
LOST = 0.5
"""A field that has lost more of its information is of little use."""


@dataclass(frozen=True, kw_only=True)
class Best:
    """Whichever of `Anytime` and `Local` loses less by `objective` and `weights`; where the models
    bound what a recipient knows, `Greedy` is tried too.

    `seconds` of CPU time are for all of them. `work` limits the nodes of the global search and
    `rounds` the rounds of the local one. Under these alone the answer is the same on every machine.
    `only_global` is why no local recoding may be taken; empty where one may.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("age",), {("17",): 1, ("19",): 1, ("64",): 2, ("66",): 2})
        >>> ages = {"age": Hierarchy.from_rows([(a, a[0] + "*", "*") for a in bins.labels[0]])}
        >>> found = Best(k=2, models=(KAnonymity(k=2, fields=("age",)),)).solve(bins, ages)
        >>> found.choice
        'local recoding, loss 0.11111; the best global recoding found loses 0.33333'
    """

    k: int
    models: Sequence[Model]
    max_suppression: float = 0.0
    objective: str = "loss"
    weights: Mapping[str, float] = field(default_factory=dict)
    seconds: float = USUAL_SECONDS
    work: int | None = None
    gap: float = 0.0
    rounds: int = Local.rounds
    seed: int = 0
    whole: bool = False
    keeps_best: bool = True
    only_global: str = ""

    name: ClassVar[str] = "best"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        effort = Effort(seconds=self.seconds)
        because = self._only_global(bins, hierarchies)
        blanked: Solution | None = None
        if not because and self._may_blank(bins, hierarchies):
            blanked, _ = _tried(self._greedy(self.seconds * FIRST_SHARE), bins, hierarchies)
        if blanked is not None and self._is_slow_to_check:
            loss = self._lost(blanked, bins, hierarchies)
            return _told(
                blanked,
                f"{BLANKS}, {self.objective} {loss:.5f}; no other was searched, because each check "
                "of a confidence counts every combination",
            )
        share = 1.0 if because else FIRST_SHARE
        found, refused = _tried(self._global(self._left(effort) * share), bins, hierarchies)
        if because:
            if found is None:
                raise refused
            return _told(found, f"global recoding, because {because}")
        if found is not None and found.proof is not None and not found.proof.loss:
            return _told(found, "global recoding, which loses nothing")
        local, _ = _tried(self._local(self._left(effort)), bins, hierarchies)
        if found is None and local is None and blanked is None:
            raise refused
        if blanked is not None:
            return self._least_lost(found, local, blanked, bins, hierarchies)
        return self._less_lost(found, local, bins, hierarchies)

    def _left(self, effort: Effort) -> float:
        """The seconds that are left, a few at least."""
        return max(self.seconds - (cpu_seconds() - effort.started), LEAST_SECONDS)

    @property
    def _is_slow_to_check(self) -> bool:
        """Whether a check counts sensitive values in every combination: it takes seconds, and a
        search ends only between two checks. Blank cells are found without them."""
        return self.seconds < float("inf") and any(
            isinstance(each, BoundedInference) for each in self.models
        )

    def _may_blank(self, bins: Bins, hierarchies: Hierarchies) -> bool:
        """Whether something bounds what a recipient knows, and every cell can be blank."""
        is_bounded = any(
            isinstance(each, BoundedKnowledge | BoundedInference) for each in self.models
        )
        return is_bounded and all(
            hierarchies[name].labels[-1] == (SUPPRESSED,) for name in bins.fields
        )

    def _least_lost(
        self,
        found: Solution | None,
        local: Solution | None,
        blanked: Solution,
        bins: Bins,
        hierarchies: Hierarchies,
    ) -> Solution:
        """The one of three with the fewest kept fields lost; of these, the one that loses least. Of
        equals, it is the one that discloses least to an attacker."""
        named = (("global recoding", found), ("local recoding", local), (BLANKS, blanked))
        losses = {
            words: (self._lost(each, bins, hierarchies), each)
            for words, each in named
            if each is not None
        }
        gone = {
            words: self._kept_lost(each, bins, hierarchies) for words, (_, each) in losses.items()
        }
        best = min(losses, key=lambda words: (gone[words], losses[words][0]))
        others = [
            f"{words} loses {losses[words][0]:.5f}" if words in losses else f"no {words} was found"
            for words, _ in named
            if words != best
        ]
        loss, taken = losses[best]
        why = (
            ", losing fewer kept fields" if loss > min(each for each, _ in losses.values()) else ""
        )
        return _told(taken, f"{best}{why}, {self.objective} {loss:.5f}; {' and '.join(others)}")

    def _kept_lost(self, solution: Solution, bins: Bins, hierarchies: Hierarchies) -> int:
        """How many of the fields that weigh most have lost more than half of their information."""
        by_field = np.array([self.weights.get(name, 1.0) for name in bins.fields], np.float64)
        heavy = (by_field >= by_field.max(initial=0.0)) & (by_field > by_field.min(initial=np.inf))
        lost = field_losses(bins, hierarchies, solution.recoding) > LOST
        return int((heavy & lost).sum())

    def _less_lost(
        self, found: Solution | None, local: Solution | None, bins: Bins, hierarchies: Hierarchies
    ) -> Solution:
        """The one of less loss; the global one of equals, which discloses less to an attacker."""
        if local is None:
            assert found is not None
            return _told(found, "global recoding, because no local one keeps the requirements")
        there = self._lost(local, bins, hierarchies)
        if found is None:
            words = f"local recoding, {self.objective} {there:.5f}; no global recoding was found"
            return _told(local, words)
        here = self._lost(found, bins, hierarchies)
        if there < here:
            return _told(
                local,
                f"local recoding, {self.objective} {there:.5f}; the best global recoding found "
                f"loses {here:.5f}",
            )
        return _told(
            found,
            f"global recoding, {self.objective} {here:.5f}; the local recoding found loses "
            f"{there:.5f}",
        )

    def _lost(self, solution: Solution, bins: Bins, hierarchies: Hierarchies) -> float:
        return weighted_loss(
            bins, hierarchies, solution.recoding, self.weights, geometric=self.objective == "loss"
        )

    def _only_global(self, bins: Bins, hierarchies: Hierarchies) -> str:
        if self.only_global:
            return self.only_global
        if any(hierarchies[name].start for name in bins.fields):
            return "the table was rolled up first"
        if len(bins) > MOST_BINS:
            return f"more than {MOST_BINS:,} bins are too many for a local recoding"
        return ""

    def _global(self, seconds: float) -> Anytime:
        return Anytime(
            models=self.models,
            max_suppression=self.max_suppression,
            objective=self.objective,
            weights=self.weights,
            seconds=seconds,
            work=self.work,
            gap=self.gap,
            keeps_best=self.keeps_best,
        )

    def _greedy(self, seconds: float) -> Greedy:
        return Greedy(
            models=self.models,
            max_suppression=self.max_suppression,
            weights=self.weights,
            seconds=seconds,
            work=self.work,
        )

    def _local(self, seconds: float) -> Local:
        return Local(
            k=self.k,
            models=self.models,
            weights=self.weights,
            rounds=self.rounds,
            seconds=seconds,
            seed=self.seed,
            whole=self.whole,
        )


def weighted_loss(
    bins: Bins,
    hierarchies: Hierarchies,
    recoding: Recoding,
    weights: Mapping[str, float],
    *,
    geometric: bool = False,
) -> float:
    """The loss of a recoding: the mean of the fields' losses by weight, or their geometric
    aggregate, as the lattice counts them."""
    by_field = np.array([weights.get(name, 1.0) for name in bins.fields], np.float64)
    if not by_field.size:
        return 0.0
    losses, shares = field_losses(bins, hierarchies, recoding), by_field / by_field.sum()
    return float(np.expm1(np.log1p(losses) @ shares) if geometric else losses @ shares)


def shared_out(policy: Policy) -> tuple[Policy, Policy]:
    """The policy with half of the time for a global search, and with local recoding for the rest."""
    solve, settings = policy.solve, policy.solve.settings
    seconds = None if settings.seconds is None else settings.seconds * FIRST_SHARE
    rest = LocalSettings() if seconds is None else LocalSettings(seconds=settings.seconds - seconds)
    local = replace(solve, solver=Local.name, settings=replace(rest, work=settings.rounds))
    first = replace(solve, settings=replace(settings, seconds=seconds))
    return replace(policy, solve=first), replace(policy, solve=local)


def _tried(
    solver: Solver, bins: Bins, hierarchies: Hierarchies
) -> tuple[Solution | None, NoRecodingFound]:
    """The result of a solver, or why there is none."""
    try:
        return solver.solve(bins, hierarchies), NoRecodingFound("")
    except NoRecodingFound as error:
        return None, error


def _told(found: Solution, choice: str) -> Solution:
    return replace(found, solver=Best.name, choice=choice, notes=(f"{choice}.", *found.notes))


@dataclass(frozen=True, slots=True, kw_only=True)
class BestSettings(AnytimeSettings):
    """The settings of the best of two in a policy."""

    seconds: float | None = parameter(
        "CPU seconds for all searches together", default=USUAL_SECONDS, least=0.1
    )
    rounds: int = parameter("rounds of the local search at most", default=Local.rounds, least=1)


def _build(settings: BestSettings, request: SolverRequest) -> Best:
    solve = request.policy.solve
    return Best(
        k=request.policy.require.k or 1,
        models=request.models,
        max_suppression=request.max_suppression,
        objective=solve.objective,
        weights=request.weights,
        seconds=float("inf") if settings.seconds is None else settings.seconds,
        work=settings.work,
        gap=settings.gap,
        rounds=settings.rounds,
        seed=solve.seed,
        whole=request.whole,
        keeps_best=False,
        only_global=why_global(request.policy),
    )


def why_global(policy: Policy) -> str:
    """Why a policy needs a global recoding; empty where it does not."""
    for declared, _ in policy.require.looking_at(LooksAt.LABELS):
        return f"{declared.key} asks for coarse labels everywhere"
    for declared, _ in policy.require.needing(OutsideNeed.POPULATION):
        return (
            f"{declared.key} counts people outside the table, who have no bin of a local recoding"
        )
    if any(getattr(asked, "within_bins", False) for _, asked in policy.require.items()):
        return "sets of values are counted in each bin, and a local recoding makes small ones"
    if policy.solve.objective not in COMPARED:
        return f"a local recoding does not optimise {policy.solve.objective}"
    return ""


def only_global(solver: Solver, because: str) -> Solver:
    """The solver; one that takes either kind of recoding takes a global one where there is a reason."""
    return replace(solver, only_global=because) if because and isinstance(solver, Best) else solver


DECLARATION = SolverDeclaration(
    key="best",
    doc="a global or a local recoding, or one with blank cells, whichever loses least in the time given",
    settings=BestSettings,
    abilities=replace(SEARCH_ABILITIES, recodes=RecodingKind.EITHER, proves=False),
    build=_build,
    build_people=build_people_search,
    page="solvers/best.md",
)
