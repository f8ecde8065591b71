"""The section [solve] of a policy: which solver, and the settings that it declares; read, checked
and written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import Problem
from sfumato.hierarchies import nests
from sfumato.parts import Shape, parameters_of, with_question

from .declared_models import OutsideNeed
from .declared_solvers import SOLVERS, SolverNeed, solver_of, solvers_for, solvers_of
from .parameter_section import read_part, read_values
from .records import USUAL_SOLVER, Policy, SolveSettings, said_by_field
from .roles import NullRule, Role
from .table_cursor import Reader, joined

ALWAYS_WRITTEN = ("objective", "seed")


def read_solve(top: Reader) -> SolveSettings:
    """The section, with the settings of the solver that it names; a setting of another solver is a
    problem."""
    reader = top.table("solve")
    if reader is None:
        return SolveSettings()
    said = reader.text("solver", USUAL_SOLVER)
    solver = said if said in SOLVERS else USUAL_SOLVER
    if said != solver:
        reader.report(
            "solver",
            with_question(f'No solver is called "{said}".', said, SOLVERS),
            attempt=f"one of {', '.join(SOLVERS)}, or installing the package that brings it.",
        )
    reader = _without_settings_of_others(reader, solver, is_known=said == solver)
    shared = read_values(reader, SolveSettings, folder=Path())
    settings: Any = read_part(reader, SOLVERS[solver].settings, folder=Path())
    reader.close()
    return SolveSettings(solver=solver, settings=settings, **shared)


def _without_settings_of_others(reader: Reader, solver: str, *, is_known: bool) -> Reader:
    """The section without settings that this solver would ignore, which are reported; unchanged
    where the solver is not known."""
    own = {*settings_names(solver), "solver"}
    owners = {
        key: [name for name in SOLVERS if key in settings_names(name)]
        for key in reader.raw
        if key not in own
    }
    for key, names in owners.items():
        if names and is_known:
            whose = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
            reader.report(
                key,
                f"{key} is a setting of {whose}, and solver is {solver}.",
                attempt=f'leaving it out, or solver = "{names[0]}".',
            )
    kept = Reader(
        {key: value for key, value in reader.raw.items() if not owners.get(key)},
        where=reader.where,
        problems=reader.problems,
    )
    kept.get("solver")
    return kept


def settings_names(solver: str) -> tuple[str, ...]:
    """The keys of [solve] that a solver reads: those that all share and its own."""
    return tuple(
        each.name
        for record in (SolveSettings, SOLVERS[solver].settings)
        for each in parameters_of(record)
    )


def section_with_solver(section: Mapping[str, object], solver: str) -> dict[str, object]:
    """The section with another solver, without the settings that only others have."""
    others = {key for name in SOLVERS for key in settings_names(name)} - {*settings_names(solver)}
    return {
        "solver": solver,
        **{key: section[key] for key in section if key not in {*others, "solver"}},
    }


def solve_as_table(solve: SolveSettings) -> dict[str, object]:
    """Solver, objective and seed always; every other setting where it is not the usual one."""
    out: dict[str, object] = {"solver": solve.solver}
    for part in (solve, solve.settings):
        record: type = type(part)
        for each in parameters_of(record):
            value: Any = getattr(part, each.name)
            if each.name in ALWAYS_WRITTEN or value != each.default:
                out[each.name] = dict(value) if isinstance(value, Mapping) else value
    return out


def known_in_solve(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Settings for each field name quasi fields; an unknown name would be ignored silently."""
    names = {*policy.named(Role.QUASI), *unclear}
    for name, table in policy.tables.items():
        own = {key for key, item in table.fields.items() if item.role is Role.QUASI}
        names |= own | {f"{name}.{key}" for key in own}
    for key, said in {
        **said_by_field(policy.solve),
        **said_by_field(policy.solve.settings),
    }.items():
        for name in said:
            if name not in names:
                found = with_question(f'No quasi field is called "{name}".', name, names)
                yield Problem(
                    where=f"solve.{key}", found=found, attempt="the name of a quasi field."
                )


def has_what_it_needs(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Where a solver needs one of some requirements, one is given, and only one where they exclude
    each other."""
    need = solver_of(policy).abilities.need
    if need is None:
        return
    asked = [key for key in need.requirements if key in policy.require.keys]
    if not asked:
        yield _missing(policy.solve.solver, need)
    elif need.exclude and len(asked) > 1:
        yield Problem(
            where=f"require.{asked[0]}",
            found=f"{policy.solve.solver} {need.because}, and {' and '.join(asked)} each ask for "
            "others.",
            attempt=f"leaving out {' or '.join(asked)}.",
        )


def _missing(solver: str, need: SolverNeed) -> Problem:
    names = need.requirements
    none = f"no {names[0]} is" if len(names) == 1 else f"neither {' nor '.join(names)} is"
    return Problem(
        where="solve.solver",
        found=f"{solver} {need.because}, and {none} required.",
        attempt=f"{need.example}.",
    )


def takes_the_shape(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Weights and readings of nulls require solvers that can take them; other rules check
    households and people."""
    asked = [
        (Shape.WEIGHTS, f"require.{declared.key}")
        for declared, _ in policy.require.needing(OutsideNeed.WEIGHTS)
    ]
    if policy.nulls is not NullRule.VALUE:
        asked.append((Shape.NULL_READINGS, "nulls"))
    for shape, where in asked:
        able = solver_of(policy).abilities
        if shape not in able.shapes:
            because = f": {able.reasons[shape]}" if shape in able.reasons else ""
            yield Problem(
                where=where,
                found=f"{policy.solve.solver} cannot take {shape.value}{because}.",
                attempt=f"one of {solvers_of(shape)} as solver.",
            )


def holds_finest(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A finest level requires a solver that keeps to it."""
    if solver_of(policy).abilities.holds_finest:
        return
    able = solvers_for(lambda abilities: abilities.holds_finest)
    for name, decided in policy.fields.items():
        if decided.finest is not None and decided.role is Role.QUASI and name not in unclear:
            yield Problem(
                where=f"{joined('fields', name)}.finest",
                found=f"{policy.solve.solver} keeps to no finest level.",
                attempt=f"one of {able} as solver, or leaving finest out.",
            )


def levels_nest(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Levels that do not nest are for solvers that count each step from the source."""
    if solver_of(policy).abilities.only_climbs:
        return
    able = solvers_for(lambda abilities: abilities.only_climbs)
    for name, decided in policy.fields.items():
        if not nests(decided.hierarchy) and decided.role is Role.QUASI and name not in unclear:
            yield Problem(
                where=f"{joined('fields', name)}.hierarchy",
                found=f"Its levels do not nest, and {policy.solve.solver} takes coarser bins for "
                "sums of finer ones.",
                attempt=f"one of {able} as solver, or levels that nest.",
            )


def fits_its_settings(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The parts of the policy that do not fit the solver's settings, found by the solver itself."""
    yield from solver_of(policy).fits(policy.solve.settings, policy)


SOLVE_RULES = (known_in_solve,)
SOLVER_RULES = (has_what_it_needs, takes_the_shape, holds_finest, levels_nest, fits_its_settings)
