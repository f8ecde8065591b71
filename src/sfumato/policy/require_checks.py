"""Whether the requirements of a policy fit its fields, its solver and each other.

The rules use the requirements and the declarations of their models; none knows a model by its name,
except `k`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from sfumato.errors import Problem
from sfumato.parts import Shape, with_question

from .compatibility import why_not_with
from .declared_models import LooksAt, OutsideNeed, declared_model
from .declared_solvers import (
    SOLVERS,
    ModelScope,
    RecodingKind,
    SolverAbilities,
    abilities_of,
    solver_of,
)
from .records import Policy
from .roles import NullRule, Role
from .solve_section import SOLVER_RULES
from .table_cursor import joined


def _something_required(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    asked = any(
        declared.look_of(record) is not LooksAt.SETS for declared, record in policy.require.items()
    )
    if policy.named(Role.QUASI) and not asked and policy.channels is None:
        yield Problem(
            where="require",
            found=f"No requirement protects {', '.join(policy.named(Role.QUASI))}, which could "
            "identify a person.",
            attempt="k = 5 under [require].",
        )


def _named_fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Each field that a requirement names exists, and has a role that the model can judge."""
    for fields in policy.require.quasi_identifiers:
        yield from of_role(
            policy, unclear, fields, where="require.quasi_identifiers", roles=(Role.QUASI,)
        )
    for declared, asked in policy.require.items():
        if declared.look_of(asked) is LooksAt.SETS:
            continue
        for parameter, roles in declared.roles.items():
            for name in declared.named(asked, parameter):
                where = declared.place_of(parameter, name)
                yield from of_role(policy, unclear, (name,), where=where, roles=roles)


def of_role(
    policy: Policy,
    unclear: frozenset[str],
    names: Iterable[str],
    *,
    where: str,
    roles: tuple[Role, ...],
) -> Iterator[Problem]:
    """Names that are no field, or one with another role; with no roles, every field will do."""
    words = " or ".join(role.value for role in roles)
    for name in names:
        field = policy.fields.get(name)
        if field is None and name not in unclear:
            yield Problem(
                where=where,
                found=with_question(f'There is no field "{name}".', name, policy.fields),
            )
        elif field is not None and name not in unclear and roles and field.role not in roles:
            yield Problem(
                where=where,
                found=f"{name} is {field.role.value}, and only a {words} field can be asked for "
                "here.",
                attempt=f'role = "{roles[0].value}" for {name}, or leaving it out.',
            )


def _nothing_overlooked(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Where sets of quasi fields are named, every quasi field is in one, or in another
    requirement."""
    naming = [declared.key for declared, _ in policy.require.items() if declared.names_a_set]
    key = "quasi_identifiers" if policy.require.quasi_identifiers else naming[0] if naming else ""
    seen = {
        name
        for declared, asked in policy.require.items()
        for name in declared.covered(asked, policy)
    }
    seen |= {name for fields in policy.require.quasi_identifiers for name in fields}
    for name in policy.named(Role.QUASI) if key else ():
        if name not in seen and name not in unclear:
            yield Problem(
                where=f"require.{key}",
                found=f"{name} is quasi, and no requirement looks at it.",
                attempt=f"adding {name} to one of the sets, or giving it another role.",
            )


def _sets_need_k(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    if policy.require.quasi_identifiers and policy.require.k is None:
        yield Problem(
            where="require.k",
            found="quasi_identifiers names sets of fields, and no k is asked of them.",
        )


def _solver_works_towards(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    solver, able = policy.solve.solver, abilities_of(policy)
    beyond = dict.fromkeys(
        declared.key for declared, _ in policy.require.items() if not declared.counted
    )
    if beyond and able.models is not ModelScope.EVERY:
        because = f": {able.counts_because}" if able.counts_because else ""
        yield Problem(
            where="solve.solver",
            found=f"{solver} does not support {', '.join(beyond)}{because}.",
            attempt=_other_solvers(policy, lambda able: able.models is ModelScope.EVERY),
        )


def _coarse_labels(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A local recoding meets a model about the coarseness of labels only above a finest level."""
    solver = solver_of(policy)
    if solver.abilities.recodes is not RecodingKind.LOCAL:
        return
    for declared, asked in policy.require.looking_at(LooksAt.LABELS):
        refused = why_not_with(declared, solver)
        if refused:
            yield Problem(
                where="solve.solver",
                found=f"{refused}.",
                attempt=_other_solvers(policy, _keeps_labels_coarse),
            )
            continue
        named = {name for parameter in declared.roles for name in declared.named(asked, parameter)}
        for name in policy.named(Role.QUASI):
            field = policy.fields[name]
            if name in named - unclear and field.hierarchy is not None and field.finest is None:
                yield Problem(
                    where=f"{joined('fields', name)}.finest",
                    found=f"{solver.key} makes a cell only as coarse as its bin needs, and "
                    f"{declared.key} asks for coarse labels everywhere.",
                    attempt=f"the first level of {name} that {declared.key} allows, as finest.",
                )


def _blanked_cells(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A model that a blanked cell breaks is not met by a solver that blanks cells."""
    for key in policy.require.keys:
        declared = declared_model(key)
        if declared.against_blanks and abilities_of(policy).blanks_cells:
            yield Problem(
                where="solve.solver",
                found=f"{why_not_with(declared, solver_of(policy))}.",
                attempt=_other_solvers(policy, lambda able: not able.blanks_cells),
            )


def _other_solvers(policy: Policy, able: Callable[[SolverAbilities], bool]) -> str:
    """The solvers with the ability, with which every requirement of the policy has a meaning."""
    asked = [declared_model(key) for key in policy.require.keys]
    names = [
        key
        for key, solver in SOLVERS.all().items()
        if able(solver.abilities) and not any(why_not_with(each, solver) for each in asked)
    ]
    return f"one of {', '.join(names)}." if names else "leaving out one of the requirements."


def _keeps_labels_coarse(able: SolverAbilities) -> bool:
    coarse = able.recodes in (RecodingKind.GLOBAL, RecodingKind.EITHER) or able.holds_finest
    return coarse and able.models is ModelScope.EVERY


def _sensitive_values(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Values that are counted inside bins must be released as they are, and not suppressed or
    generalised."""
    sets = {asked.field for _, asked in policy.require.looking_at(LooksAt.SETS)}
    for declared, asked in policy.require.looking_at(LooksAt.SENSITIVE):
        where, names = f"require.{declared.key}", declared.sensitive(asked, policy)
        if not names and not unclear:
            yield Problem(
                where=where, found="No field is sensitive.", attempt='role = "sensitive" for one.'
            )
        for name in names:
            field = policy.fields.get(name)
            if (
                field is not None
                and field.shift is not None
                and declared.need_of(asked) is OutsideNeed.SOURCE
            ):
                yield Problem(
                    where=where,
                    found=f"The dates of {name} are moved, so that no bin is near to the "
                    "source's values.",
                    attempt=f"leaving {name} out of its fields, or not moving it.",
                )
            if field is not None and field.follows:
                yield Problem(
                    where=where,
                    found=f"{name} is suppressed where {field.follows} is, and a suppressed cell "
                    "is no value to count.",
                    attempt=f"leaving {name} out of its fields, or not letting it follow.",
                )
            if name in sets and name not in unclear:
                yield Problem(
                    where=where,
                    found=f"k_m generalises {name}, so that its values are no longer there to be "
                    "counted in bins.",
                    attempt=f"leaving {name} out of its fields, or out of k_m.",
                )


def _shapes(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The shapes that a model declares a meaning for."""
    for key in policy.require.keys:
        declared = declared_model(key)
        if policy.nulls is not NullRule.VALUE and Shape.NULL_READINGS not in declared.shapes:
            yield Problem(
                where="nulls",
                found="A missing value may be any value, and "
                f"{declared.reason_against(Shape.NULL_READINGS)}.",
                attempt='nulls = "value".',
            )
        if policy.household is not None and Shape.HOUSEHOLDS not in declared.shapes:
            yield Problem(
                where="household",
                found="Households are kept together, and "
                f"{declared.reason_against(Shape.HOUSEHOLDS)}.",
                attempt=f"leaving out the household, or {key}.",
            )


def declared_checks(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The problems that each model finds."""
    rules = {
        declared.key: declared.checks
        for declared, _ in policy.require.items()
        if not declared.table_checks
    }
    for rule in chain.from_iterable(rules.values()):
        yield from rule(policy, unclear)


def set_checks(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The problems that models with other rules for several tables find."""
    rules = {
        declared.key: declared.checks
        for declared, _ in policy.require.items()
        if declared.table_checks
    }
    for rule in chain.from_iterable(rules.values()):
        yield from rule(policy, unclear)


REQUIRE_RULES = (
    _something_required,
    _named_fields,
    _nothing_overlooked,
    _sets_need_k,
    *SOLVER_RULES,
    _sensitive_values,
    _shapes,
    _solver_works_towards,
    _coarse_labels,
    _blanked_cells,
    declared_checks,
)
