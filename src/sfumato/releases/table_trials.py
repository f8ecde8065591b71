"""Trials of a policy for several tables, or for one with several rows per person: solved and staged as
a release would be, and not written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from sfumato.engines import Database, Engine
from sfumato.errors import CandidateFailed, NoRecodingFound, PolicyError
from sfumato.hierarchies import Label
from sfumato.policy import Field, Policy, Replacement, Role

from .advice_trials import PolicyTrial
from .steps import take_steps
from .tables import OneTable, StagedPlan, as_tables, staged_plan, take_table_steps

SECONDS = 5.0
"""The limit of a quick search."""
_NEVER = (NoRecodingFound, CandidateFailed)


class TableTrials:
    """Tries policies on open tables, or on the one of `engine`. A quick trial has the whole tables
    and few seconds to search."""

    quick = f"at most {SECONDS:g} seconds"

    def __init__(
        self, source: Database | Engine, policy: Policy, *, seconds: float = math.inf
    ) -> None:
        self._source, self._asked, self.seconds = source, policy, seconds
        self.done = 0

    def telling(self, name: str) -> Sequence[str]:
        return ()

    def values(self, names: Sequence[str]) -> dict[str, tuple[Label, ...]]:
        return {}

    def asked(self, policy: Policy) -> PolicyTrial | None:
        return self.whole(policy)

    def whole(self, policy: Policy) -> PolicyTrial | None:
        return self._tried(_limited(policy, self.seconds), sample=False)

    def sampled(self, policy: Policy) -> PolicyTrial | None:
        return self._tried(_limited(policy, min(SECONDS, self.seconds)), sample=True)

    def _tried(self, policy: Policy, *, sample: bool) -> PolicyTrial | None:
        self.done += 1
        try:
            found = self._staged(_without_texts(policy))
        except _NEVER:
            return None
        except PolicyError:
            if replace(policy, solve=self._asked.solve) == self._asked:
                raise
            return None
        uses = found.uses
        kept = [1 - use.loss for use in uses]
        return PolicyTrial(
            policy=policy,
            uses=uses,
            precision=sum(kept) / max(len(kept), 1),
            rows=found.rows,
            rows_suppressed=found.rows_left_out,
            choice=found.choice,
            sample=sample,
        )

    def _staged(self, policy: Policy) -> StagedPlan:
        if policy.tables:
            database: Any = self._source
            take_table_steps(database, policy, key=None, progress=_silent)
            return staged_plan(database, policy)
        engine: Any = self._source
        stepped = take_steps(engine, policy, key=None, progress=_silent)
        return staged_plan(OneTable(stepped.engine), as_tables(policy))


def _limited(policy: Policy, seconds: float) -> Policy:
    """The policy, whose solver ends its search after so many seconds, if it would search longer."""
    settings = policy.solve.settings
    given = getattr(settings, "seconds", None)
    if not math.isfinite(seconds) or "seconds" not in {each.name for each in fields(settings)}:
        return policy
    least = seconds if given is None else min(seconds, given)
    return replace(policy, solve=replace(policy.solve, settings=replace(settings, seconds=least)))


def _silent(stage: str) -> None:
    """Trials report no stages of their own."""


def _without_texts(policy: Policy) -> Policy:
    """Texts are left out of trials: scrubbing them changes no other field."""
    return replace(
        policy,
        fields=_removed_texts(policy.fields),
        tables={
            name: replace(table, fields=_removed_texts(table.fields))
            for name, table in policy.tables.items()
        },
    )


def _removed_texts(decided: Mapping[str, Field]) -> dict[str, Field]:
    return {
        name: Field(name=name, role=Role.DIRECT, replace=Replacement())
        if field.role is Role.TEXT
        else field
        for name, field in decided.items()
    }
