"""The section [solve] of a policy: which solver, and every setting that a solver has; read, checked and written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from sfumato.errors import Problem

from .nearest import with_question
from .reading import Reader
from .records import AGGREGATES, DISTANCES, LABELS, OBJECTIVES, PENALTIES, SOLVERS, Policy, SolveSettings
from .roles import Role

MOST_DIGITS = 12
LARGEST_COMBINATION = 3


def read_solve(top: Reader) -> SolveSettings:
    reader = top.table("solve")
    usual = SolveSettings()
    if reader is None:
        return usual
    given: dict[str, Any] = {
        "solver": reader.word("solver", SOLVERS, usual.solver),
        "objective": reader.word("objective", OBJECTIVES, usual.objective),
        "seed": reader.whole("seed", least=0),
        "seconds": reader.number("seconds", least=0.1),
        "work": reader.whole("work", least=1),
        "gap": reader.number("gap"),
        "max_bins": reader.whole("max_bins", least=1),
        "levels": _levels(reader),
        "weights": _weights(reader),
        "labels": reader.word("labels", LABELS, usual.labels),
        "penalty": reader.word("penalty", PENALTIES, usual.penalty),
        "distance": reader.word("distance", DISTANCES, usual.distance),
        "exact_rows": reader.whole("exact_rows", least=0),
        "aggregate": reader.word("aggregate", AGGREGATES, usual.aggregate),
        "digits": reader.whole("digits", least=0, most=MOST_DIGITS),
        "max_size": reader.whole("max_size", least=1, most=LARGEST_COMBINATION),
        "repeat": reader.flag("repeat") or "repeat" not in reader.raw,
        "undo": reader.whole("undo", least=0),
    }
    reader.close()
    return replace(usual, **{key: value for key, value in given.items() if value is not None})


def _levels(reader: Reader) -> dict[str, int]:
    inner = reader.table("levels")
    return {} if inner is None else {name: inner.whole(name, least=0) or 0 for name in tuple(inner.raw)}


def _weights(reader: Reader) -> dict[str, float]:
    """A positive number for each field: one of 0 would hide what is lost in it."""
    inner = reader.table("weights")
    out = {}
    for name in tuple(inner.raw) if inner is not None else ():
        value = inner.number(name) if inner is not None else None
        if value == 0 and inner is not None:
            inner.report(name, "It is 0, and must be more than 0.", attempt="a small number such as 0.1.")
        out[name] = value or 1.0
    return out


def solve_as_table(solve: SolveSettings) -> dict[str, object]:
    """Solver, objective and seed always; every other setting where it is not the usual one."""
    usual = SolveSettings()
    out: dict[str, object] = {"solver": solve.solver, "objective": solve.objective, "seed": solve.seed}
    for setting in fields(solve):
        value = getattr(solve, setting.name)
        if setting.name not in out and value != getattr(usual, setting.name):
            out[setting.name] = dict(value) if isinstance(value, Mapping) else value
    return out


def known_in_solve(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Levels and weights name quasi fields; a name that nothing has would be passed over in silence."""
    names = {*policy.named(Role.QUASI), *unclear}
    for name, table in policy.tables.items():
        own = {key for key, item in table.fields.items() if item.role is Role.QUASI}
        names |= own | {f"{name}.{key}" for key in own}
    for key in ("levels", "weights"):
        for name in getattr(policy.solve, key):
            if name not in names:
                said = with_question(f'No quasi field is called "{name}".', name, names)
                yield Problem(where=f"solve.{key}", found=said, attempt="the name of a quasi field.")


def combinations_are_searched(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """mu-Argus counts combinations as large as those that are required."""
    asked = policy.require.one("combinations")
    if policy.solve.solver == "mu_argus" and asked is not None and policy.solve.max_size < max(asked.sizes):
        yield Problem(
            where="solve.max_size",
            found=f"It is {policy.solve.max_size}, and combinations of {max(asked.sizes)} fields are required.",
            attempt=f"max_size = {max(asked.sizes)}, or smaller sizes.",
        )


SOLVE_RULES = (known_in_solve, combinations_are_searched)
