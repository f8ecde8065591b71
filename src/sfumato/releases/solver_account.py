"""The solver that a policy leads to, with its settings, as a manifest must state it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.policy import Policy
from sfumato.protection import Model
from sfumato.solvers import only_global, settings_of

from .requirements import solver_for


@dataclass(frozen=True, kw_only=True)
class SolverAccount:
    """The name of a solver and every setting that it is made with; nothing where none is asked."""

    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "settings": dict(self.settings)}


def solver_of_table(
    policy: Policy,
    models: tuple[Model, ...],
    known: tuple[str, ...],
    *,
    numeric: Sequence[str],
    because: str = "",
) -> SolverAccount:
    """The solver of one table. Only the source shows which fields are `numeric`. `because` is why
    only a global recoding may be taken."""
    solver = only_global(solver_for(policy, models, known, numeric=numeric), because)
    return SolverAccount(name=policy.solve.solver, settings=settings_of(solver))


def told_numeric(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that are numbers or dates in a manifest; only names are taken from it."""
    told = facts["solver"].get("settings", {}).get("numeric", ())
    names = told if isinstance(told, list) else ()
    return tuple(name for name in names if isinstance(name, str))
