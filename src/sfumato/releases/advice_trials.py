"""Trials of a policy without a release: searches of a sample to compare many changes, and of the
whole table for what is promised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from sfumato.engines import Engine
from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.hierarchies import Label
from sfumato.measures import FieldUse, field_uses, utility
from sfumato.policy import Policy
from sfumato.solvers import Solver

from .households import keep_together
from .prepared_source import PreparedSource
from .steps import prepare_after_steps
from .treatments import recoding_words
from .weaker_twins import TwinCheck

SAMPLE = 1_500
"""Bins of a sample."""
QUICK: Mapping[str, Any] = {"work": 300, "rounds": 4, "seconds": 10.0}
"""The limits of a search of a sample."""


@dataclass(frozen=True, kw_only=True)
class PolicyTrial:
    """The release that a policy would give: each known field, precision as in the manifest,
    suppressed rows, and the recoding. A `sample` promises nothing."""

    policy: Policy
    uses: tuple[FieldUse, ...]
    precision: float
    rows: int
    rows_suppressed: int
    choice: str = ""
    sample: bool = False

    @property
    def lost(self) -> tuple[str, ...]:
        return tuple(use.name for use in self.uses if use.is_lost)

    def kept(self, name: str) -> float:
        """The share of a field that is left; 0 where it is not released."""
        return next((1 - use.loss for use in self.uses if use.name == name), 0.0)

    def is_useful(self, name: str) -> bool:
        return any(use.name == name and not use.is_lost for use in self.uses)


class Trials(Protocol):
    """Tries policies on an open source. Nothing is written."""

    done: int
    quick: str

    def telling(self, name: str) -> Sequence[str]:
        """The fields that determine this one."""
        ...

    def values(self, names: Sequence[str]) -> dict[str, tuple[Label, ...]]: ...

    def asked(self, policy: Policy) -> PolicyTrial | None: ...

    def whole(self, policy: Policy) -> PolicyTrial | None: ...

    def sampled(self, policy: Policy) -> PolicyTrial | None: ...


class PolicyTrials:
    """Trials of one table with one row per person."""

    quick = f"at most {SAMPLE:,} bins"

    def __init__(self, engine: Engine, policy: Policy) -> None:
        self._engine, self._asked, self._seed = engine, policy, policy.solve.seed
        self.twins = TwinCheck.of(engine, policy)
        self.done = 0

    def telling(self, name: str) -> Sequence[str]:
        return tuple(self.twins.telling(name))

    def values(self, names: Sequence[str]) -> dict[str, tuple[Label, ...]]:
        """The different values of each field of the source."""
        return {name: self._engine.frequencies((name,)).values[0] for name in names}

    def asked(self, policy: Policy) -> PolicyTrial | None:
        """The policy that advice is asked about: what a release would refuse in it is raised."""
        self.twins.check(policy, {})
        return self.whole(policy)

    def whole(self, policy: Policy) -> PolicyTrial | None:
        """The policy as a release would follow it; None where there is no recoding."""
        prepared = self._prepared(policy)
        return None if prepared is None else self._solved(prepared, sample=False)

    def sampled(self, policy: Policy) -> PolicyTrial | None:
        """The policy on a sample of the bins, within limits of work."""
        prepared = self._prepared(policy)
        if prepared is None:
            return None
        if len(prepared.bins) > SAMPLE:
            random = np.random.default_rng(self._seed)
            taken = np.zeros(len(prepared.bins), bool)
            taken[random.choice(len(prepared.bins), SAMPLE, replace=False)] = True
            prepared = replace(prepared, bins=prepared.bins.only(taken))
        return self._solved(replace(prepared, solver=_quick(prepared.solver)), sample=True)

    def _prepared(self, policy: Policy) -> PreparedSource | None:
        self.done += 1
        try:
            return prepare_after_steps(self._engine, policy, limit=policy.solve.max_bins)
        except NoRecodingFound:
            return None
        except PolicyError:
            if policy is self._asked:
                raise
            return None

    def _solved(self, prepared: PreparedSource, *, sample: bool) -> PolicyTrial | None:
        try:
            solution = prepared.solver.solve(prepared.bins, prepared.hierarchies)
            if not sample:
                together = keep_together(prepared.engine, prepared, solution)
                prepared, solution = together.prepared, together.solution
                words = recoding_words(solution, prepared.bins, prepared.hierarchies)
                self.twins.check(prepared.policy, words)
        except (NoRecodingFound, PolicyError):
            return None
        measured = utility(prepared.bins, prepared.hierarchies, solution.recoding)
        return PolicyTrial(
            policy=prepared.policy,
            uses=field_uses(prepared.bins, prepared.hierarchies, solution.recoding),
            precision=measured.precision,
            rows=prepared.bins.rows,
            rows_suppressed=measured.rows_suppressed,
            choice=solution.choice or solution.solver,
            sample=sample,
        )


def _quick(solver: Solver) -> Solver:
    """The solver within limits of work, where it has any."""
    made: Any = solver
    limits = {name: most for name, most in QUICK.items() if hasattr(made, name)}
    return replace(made, **limits) if limits else solver
