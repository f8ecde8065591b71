"""Whether requirements and recipients fit a policy of several tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from sfumato.errors import Problem
from sfumato.parts import Shape

from .declared_models import MODELS, LooksAt, declared_model, model_keys
from .declared_solvers import abilities_of, solvers_of
from .records import Policy
from .require_checks import REQUIRE_RULES
from .roles import CellReading, NullRule, Role
from .table_names import fields_by_table, readings
from .table_paths import find_person, is_linkable, reference_tables
from .unread_parts import fields_of, is_settled

Found = Iterator[Problem]


def _of_other_tables(policy: Policy) -> tuple[str, ...]:
    """The quasi fields of tables other than the person's, as TABLE.FIELD."""
    person = find_person(policy)
    return tuple(
        f"{name}.{field}"
        for name, table in policy.tables.items()
        if person is not None and name != person[0] and name not in reference_tables(policy)
        for field, decided in table.fields.items()
        if decided.role is Role.QUASI
    )


def _requirements(policy: Policy, unclear: frozenset[str]) -> Found:
    """Requirements about fields are about those of the person's table, where there are no other
    quasi fields."""
    person = find_person(policy)
    if person is None:
        return
    across = _of_other_tables(policy)
    found = list(
        _of_people(policy, unclear, person[0]) if across else _of_person(policy, unclear, person[0])
    )
    yield from found
    if not any(problem.where in ("require", "require.k") for problem in found):
        yield from _shared_numbers(policy, unclear, person[0])


def _of_person(policy: Policy, unclear: frozenset[str], table: str) -> Found:
    """The rules of a single table, for the person's; a requirement that is not judged on other
    tables is not promised for them."""
    elsewhere = list(_named_elsewhere(policy, table))
    told = [*_only_fields_of(table, elsewhere), *_all_sensitive(policy, table)]
    apart = [
        key for key in policy.require.keys if Shape.SEVERAL_TABLES not in declared_model(key).shapes
    ]
    told += [
        Problem(
            where=f"require.{key}",
            found=_in_tables(
                key,
                f"With several tables, it would judge only {table}, which is not enough",
            ),
            attempt="leaving it out.",
        )
        for key in apart
    ]
    if Shape.SEVERAL_TABLES not in abilities_of(policy).shapes:
        told.append(
            Problem(
                where="solve.solver",
                found=f"{policy.solve.solver} cannot take {Shape.SEVERAL_TABLES.value}.",
                attempt=f"one of {solvers_of(Shape.SEVERAL_TABLES)}.",
            )
        )
    yield from told
    view = policy.of_table(table)
    view = replace(view, require=view.require.without(apart))
    unread = fields_of(unclear, table) | {name for _, name in elsewhere}
    places = {problem.where for problem in told}
    for rule in REQUIRE_RULES:
        yield from (problem for problem in rule(view, unread) if problem.where not in places)


def _in_tables(key: str, otherwise: str) -> str:
    """Why a requirement has no meaning with several tables, by its declaration, or the other
    message."""
    reason = declared_model(key).reasons.get(Shape.SEVERAL_TABLES)
    return f"There are several tables, and {reason}." if reason else f"{otherwise}."


def _only_fields_of(table: str, elsewhere: Iterable[tuple[str, str]]) -> Found:
    for where, name in elsewhere:
        yield Problem(
            where=where,
            found=f"{name} is written as TABLE.FIELD, and only fields of {table} can be asked for "
            "here.",
            attempt=f"a field of {table} by its name alone, or leaving it out.",
        )


def _all_sensitive(policy: Policy, table: str) -> Found:
    """A requirement of all sensitive fields would be kept in the person's table only."""
    view = policy.of_table(table)
    others = [
        f"{name}.{field}"
        for name, other in policy.tables.items()
        for field, decided in other.fields.items()
        if name != table and decided.role is Role.SENSITIVE
    ]
    for declared, asked in policy.require.looking_at(LooksAt.SENSITIVE):
        if others and not declared.sensitive(asked, policy):
            own = ", ".join(f'"{name}"' for name in view.named(Role.SENSITIVE))
            yield Problem(
                where=f"require.{declared.key}",
                found=f"It is asked of every sensitive field; outside {table}: "
                f"{', '.join(others)}.",
                attempt=f"fields = [{own}], and k_m for the others."
                if own
                else "leaving it out, or k_m.",
            )


def _shared_numbers(policy: Policy, unclear: frozenset[str], person: str) -> Found:
    """How many rows a person has is shared by b_tabf people (Sweeney 1997, section 3.8), and
    something sets that number."""
    require, nobodys = policy.require, reference_tables(policy)
    open_ = [
        name
        for name, table in policy.tables.items()
        if name != person
        and name not in nobodys
        and is_settled(policy, unclear, name)
        and is_linkable(policy, name)
        if table.row_counts.bin_size is None and table.row_counts.linking != 0
    ]
    if open_ and require.k is None and require.one("anonymity") is None:
        yield Problem(
            where="require.k",
            found=f"The number of a person's rows in {', '.join(open_)} may identify the "
            "person, and no rule says how many people must share it.",
            attempt="k = 5 under [require], or row_counts = { bin_size = 5 } or { linking = 0 } "
            "for each table.",
        )


def _named_elsewhere(policy: Policy, table: str) -> Iterator[tuple[str, str]]:
    """Each field that a requirement names as TABLE.FIELD, with the place."""
    require, own = policy.require, policy.tables[table].fields
    named = [
        ("require.quasi_identifiers", name) for names in require.quasi_identifiers for name in names
    ]
    named += [
        (declared.place_of(parameter, name), name)
        for declared, asked in require.items()
        for parameter in declared.roles
        for name in declared.named(asked, parameter)
    ]
    tables = fields_by_table(policy)
    yield from (
        (where, name) for where, name in named if name not in own and readings(name, tables)
    )


def _of_people(policy: Policy, unclear: frozenset[str], table: str) -> Found:
    """The requirements on bins that span several tables, in each of which people are counted."""
    quasi, require, solver = _of_other_tables(policy), policy.require, policy.solve.solver
    those = ", ".join(quasi)
    told = []
    looking = (LooksAt.QUASI, LooksAt.SENSITIVE)
    if not any(True for _ in require.looking_at(*looking)):
        told.append(
            Problem(
                where="require.k",
                found=f"{those} could identify a person, and no k is required.",
                attempt="k = 5 under [require].",
            )
        )
    for key, reason in not_of_people(policy, Shape.ACROSS_TABLES):
        told.append(
            Problem(
                where=f"require.{key}",
                found=f"Outside the person's table: {those}. With several tables, {reason}.",
                attempt=f"one of {_keys_for(Shape.ACROSS_TABLES)}, or other roles for {those}.",
            )
        )
    if require.reading is not CellReading.STRICT:
        told.append(
            Problem(
                where="require.reading",
                found=f"Outside the person's table: {those}. A suppressed cell is then a "
                "value of its own.",
                attempt='reading = "strict".',
            )
        )
    if policy.nulls is not NullRule.VALUE:
        told.append(
            Problem(
                where="nulls",
                found=f"Outside the person's table: {those}. A missing value is then a value "
                "of its own.",
                attempt='nulls = "value".',
            )
        )
    if Shape.ACROSS_TABLES not in abilities_of(policy).shapes:
        told.append(
            Problem(
                where="solve.solver",
                found=f"Outside the person's table: {those}. {solver} counts rows where "
                "people must be counted.",
                attempt=f"one of {solvers_of(Shape.ACROSS_TABLES)}.",
            )
        )
    told += _values_out_of_sight(policy)
    yield from told
    places = {problem.where for problem in told}
    places |= {"require"} & {place.removesuffix(".k") for place in places}
    whole, names = _all_fields(policy, unclear, table)
    whole = replace(
        whole, require=whole.require.without(place.removeprefix("require.") for place in places)
    )
    for rule in REQUIRE_RULES:
        yield from (problem for problem in rule(whole, names) if problem.where not in places)


def _all_fields(
    policy: Policy, unclear: frozenset[str], table: str
) -> tuple[Policy, frozenset[str]]:
    """The policy as if all fields were in one table: those of the person's table by their names,
    all others as TABLE.FIELD; and the fields with a worse problem already."""
    fields = dict(policy.tables[table].fields)
    unread = set(fields_of(unclear, table))
    said = {name: name for name in fields} | {f"{table}.{name}": name for name in fields}
    for other, decided in policy.tables.items():
        if other != table:
            fields |= {
                f"{other}.{name}": replace(field, name=f"{other}.{name}")
                for name, field in decided.fields.items()
            }
            unread |= {f"{other}.{name}" for name in fields_of(unclear, other)}
    said |= {name: name for name in (*fields, *_names_in(policy)) if name not in said}
    return replace(
        policy, fields=fields, tables={}, require=policy.require.in_view(said)
    ), frozenset(unread)


def _names_in(policy: Policy) -> Iterator[str]:
    """Every name of a field that a requirement gives, also one that nothing has."""
    yield from (name for names in policy.require.quasi_identifiers for name in names)
    for declared, asked in policy.require.items():
        for parameter in declared.roles:
            yield from declared.named(asked, parameter)


def _values_out_of_sight(policy: Policy) -> Found:
    """Values that a recipient can link to from bins of a table in which they are not counted.

    The bins of a table hold the values of its own rows and of their parents. Over links, a
    recipient also reaches those of tables below and beside; the ones below are counted there, if
    quasi-identifiers are."""
    nobodys = reference_tables(policy)
    counting = {
        name
        for name, table in policy.tables.items()
        if name not in nobodys and any(field.role is Role.QUASI for field in table.fields.values())
    }
    above = {name: _tables_above(policy, name) for name in policy.tables if name not in nobodys}
    for declared, asked in policy.require.looking_at(LooksAt.SENSITIVE):
        unseen = []
        for name, table in policy.tables.items():
            held = [
                field for field, decided in table.fields.items() if decided.role is Role.SENSITIVE
            ]
            apart = [
                other
                for other in counting
                if name in above
                and name not in above[other]
                and not (name in counting and other in above[name])
            ]
            unseen += [f"{name}.{field}" for field in held if apart]
        named = {named for key in declared.roles for named in declared.named(asked, key)}
        unseen = [name for name in unseen if not named or name in named]
        if unseen:
            yield Problem(
                where=f"require.{declared.key}",
                found=f"{', '.join(unseen)} is reached over links from tables in whose bins it "
                "is not counted.",
                attempt="fields that names the sensitive fields of the person's table, and k_m for "
                "the others.",
            )


def _tables_above(policy: Policy, name: str) -> set[str]:
    """The table itself and all parents of its rows, directly or not."""
    found, waiting = {name}, [name]
    while waiting:
        links = policy.tables[waiting.pop()].links
        fresh = {link.table for link in links if link.table in policy.tables} - found
        found |= fresh
        waiting += fresh
    return found


def not_of_people(policy: Policy, shape: Shape) -> Iterator[tuple[str, str]]:
    """The keys of [require] that have no meaning in a shape, and why."""
    for key in policy.require.keys:
        declared = declared_model(key)
        if shape not in declared.shapes:
            yield key, declared.reason_against(shape)


def _keys_for(shape: Shape) -> str:
    """The keys of [require] that can be asked for in a shape, for a message."""
    return ", ".join(key for key in model_keys() if shape in MODELS[key].shapes)


def _table_checks(policy: Policy, unclear: frozenset[str]) -> Found:
    """The problems that each model finds with several tables."""
    rules = {declared.key: declared.table_checks for declared, _ in policy.require.items()}
    for rule in chain.from_iterable(rules.values()):
        yield from rule(policy, unclear)


TABLE_REQUIRE_RULES = (_requirements, _table_checks)
