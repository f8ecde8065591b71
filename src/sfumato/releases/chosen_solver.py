"""The solver that a release is asked for from Python, in place of the one that its policy names."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from sfumato.errors import Mistake, PolicyError, Problem
from sfumato.policy import (
    Policy,
    Reader,
    SolveSettings,
    declared_solver,
    problems_in,
    read_solve,
    solve_as_table,
)
from sfumato.solvers import SOLVERS, SolverDeclaration


def known_solver(chosen: object) -> AbstractContextManager[None]:
    """For one call, the solver of settings whose class brings a `declaration` that no package
    registers."""
    brought = getattr(type(chosen), "declaration", None)
    is_new = isinstance(brought, SolverDeclaration) and brought not in SOLVERS.all().values()
    return SOLVERS.including(brought) if is_new and brought is not None else nullcontext()


def with_solver(policy: Policy, chosen: object, *, is_checked: bool = True) -> Policy:
    """The policy with the chosen solver: the name of one, or a record of its settings. None keeps
    the policy's solver.

    Settings that all solvers share, such as seed and weights, stay those of the policy. Settings
    that do not fit are refused at once, unless the caller checks them."""
    if chosen is None:
        return policy
    key, settings = _declared(chosen)
    out = replace(policy, solve=replace(policy.solve, solver=key, settings=settings))
    problems = [*_problems_of(out.solve), *problems_in(out)] if is_checked else []
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")
    return out


def _declared(chosen: object) -> tuple[str, Any]:
    if isinstance(chosen, str):
        return chosen, declared_solver(chosen).settings()
    for key, declared in SOLVERS.all().items():
        if declared.settings is type(chosen):
            return key, chosen
    names = ", ".join(declared.settings.__name__ for declared in SOLVERS.all().values())
    raise Mistake(
        "A solver was chosen that is not declared.",
        found=f"No declaration has settings of the class {type(chosen).__name__}.",
        attempt=f"the name of a solver, or one of {names}.",
    )


def _problems_of(solve: SolveSettings) -> list[Problem]:
    """Values out of range, as a policy file with them would have."""
    problems: list[Problem] = []
    read_solve(Reader({"solve": solve_as_table(solve)}, where="", problems=problems))
    return problems
