"""Whether a policy holds together: an ordered tuple of rules, all of them run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from sfumato.errors import Problem
from sfumato.parts import Shape, with_question

from .channel_checks import channels, no_channels
from .declared_solvers import abilities_of, solvers_of
from .field_checks import FIELD_RULES, kept_fields
from .records import Policy
from .require_checks import REQUIRE_RULES, set_checks
from .roles import Role
from .solve_section import SOLVE_RULES, known_in_solve
from .step_checks import steps, table_steps
from .table_checks import TABLE_RULES
from .table_cursor import joined
from .table_names import fields_by_table, readings
from .table_paths import find_person
from .table_records import RowCountPolicy
from .text_checks import TEXT_RULES, TEXT_TABLE_RULES

Rule = Callable[[Policy, frozenset[str]], Iterable[Problem]]


def problems_in(policy: Policy, *, unclear: frozenset[str] = frozenset()) -> tuple[Problem, ...]:
    """Everything that contradicts something else in the policy.

    `unclear` are fields with a worse problem already; nothing that depends on their role is
    reported. With several tables they are TABLE.FIELD, and it also names tables that could not be
    read whole."""
    if policy.fields and policy.tables:
        found = "There are [fields] and [tables], and a policy is about one table or about several."
        return (
            Problem(
                where="tables", found=found, attempt="moving the fields to [tables.NAME.fields]."
            ),
        )
    if policy.tables:
        return tuple(chain.from_iterable(rule(policy, unclear) for rule in SEVERAL))
    if not policy.fields:
        attempt = "[fields.NAME] with a role, or [tables.NAME.fields] for each of several tables."
        nothing = Problem(where="fields", found="The policy names no field.", attempt=attempt)
        return () if unclear else (nothing,)
    return tuple(chain.from_iterable(rule(policy, unclear) for rule in RULES))


def _shift_keys(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    known = {*policy.fields, *unclear}
    for name, field in policy.fields.items():
        if field.shift is not None and field.shift.per not in known:
            said = with_question(
                f'There is no field "{field.shift.per}".', field.shift.per, policy.fields
            )
            yield Problem(
                where=f"{joined('fields', name)}.shift.per", found=said, attempt="the person key."
            )


def _entity(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The person key exists, and is not released as it is."""
    name = policy.entity
    if name is None or name in unclear:
        return
    if name not in policy.fields:
        said = with_question(f'There is no field "{name}".', name, policy.fields)
        yield Problem(
            where="entity", found=said, attempt="the field that identifies the person of a row."
        )
    elif policy.fields[name].role is not Role.DIRECT:
        yield Problem(
            where="entity",
            found=f"The person key {name} is {policy.fields[name].role.value}, so it would be "
            "released as it is.",
            attempt='role = "direct" with replace = "made-up", which keeps the rows of one person '
            "together.",
        )


def _household(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The household key exists, and the solver suppresses rows and not parts of bins."""
    if policy.household is None:
        return
    if policy.household not in {*policy.fields, *unclear}:
        said = with_question(
            f'There is no field "{policy.household}".', policy.household, policy.fields
        )
        yield Problem(
            where="household",
            found=said,
            attempt="the field that identifies the household of a row.",
        )
    able = abilities_of(policy)
    if Shape.HOUSEHOLDS not in able.shapes:
        yield Problem(
            where="household",
            found=f"{policy.solve.solver} recodes {able.recodes.value}, and does not keep "
            "households together yet.",
            attempt=f"one of {solvers_of(Shape.HOUSEHOLDS)} as solver.",
        )


def _row_counts(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A person has a number of rows where something identifies them."""
    if policy.row_counts != RowCountPolicy() and policy.entity is None:
        yield Problem(
            where="row_counts",
            found=(
                "No field identifies the person of a row, so rows per person cannot be counted."
            ),
            attempt="naming the person key as entity.",
        )
    if policy.row_counts.together:
        yield Problem(
            where="row_counts.together",
            found="There is one table, so no other number of rows is known with its own.",
            attempt="leaving it out.",
        )


# Whether what is said of recipients fits the fields of a policy.

Found = Iterator[Problem]


def release_to(policy: Policy, unclear: frozenset[str]) -> Found:
    """The release is for a recipient who is described."""
    if policy.recipient not in policy.recipients:
        said = with_question(
            f'There is no profile "{policy.recipient}".', policy.recipient, policy.recipients
        )
        yield Problem(
            where="release_to", found=said, attempt=f"one of {', '.join(policy.recipients)}."
        )


def known_fields(policy: Policy, unclear: frozenset[str]) -> Found:
    """With one table, each field that a recipient knows is one of its fields."""
    known = {*policy.fields, *unclear}
    for section, given in _known(policy):
        for name in given:
            if name not in known:
                said = with_question("There is no such field.", name, policy.fields)
                yield Problem(where=joined(section, name), found=said)


def known_table_fields(policy: Policy, unclear: frozenset[str]) -> Found:
    """With several, it is a field of the person's table, by its name, or TABLE.FIELD of any."""
    person, names = find_person(policy), fields_by_table(policy)
    if person is None:
        return
    table, own = person[0], policy.tables[person[0]].fields
    options = [*own, *(f"{other}.{field}" for other, fields in names.items() for field in fields)]
    for section, given in _known(policy):
        for name in given:
            meant = [*([(table, name)] if name in own else []), *readings(name, names)]
            if len(meant) > 1:
                said = " and ".join(f'"{field}" of "{other}"' for other, field in meant)
                yield Problem(
                    where=joined(section, name),
                    found=f"It could be {said}.",
                    attempt="names without dots.",
                )
            elif not meant and not unclear:
                yield Problem(
                    where=joined(section, name),
                    found=with_question("There is no such field.", name, options),
                    attempt=f"a field of {table} by its name, or TABLE.FIELD of any table.",
                )
            elif name in own and f"{table}.{name}" in given:
                said = f'"{table}.{name}" is the same field, and named too.'
                yield Problem(where=joined(section, name), found=said, attempt="naming it once.")


def _known(policy: Policy) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The entries of each profile about fields, with their place."""
    for name, profile in policy.recipients.items():
        yield f"{joined('recipient', name)}.linking", profile.linking
        yield f"{joined('recipient', name)}.distortion", profile.distortion


RULES: tuple[Rule, ...] = (
    *FIELD_RULES,
    kept_fields,
    _shift_keys,
    _entity,
    _household,
    _row_counts,
    known_fields,
    release_to,
    *REQUIRE_RULES,
    *SOLVE_RULES,
    set_checks,
    steps,
    channels,
    *TEXT_RULES,
)
SEVERAL: tuple[Rule, ...] = (
    *TABLE_RULES,
    kept_fields,
    known_table_fields,
    known_in_solve,
    release_to,
    table_steps,
    no_channels,
    *TEXT_TABLE_RULES,
)
