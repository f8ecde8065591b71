"""Whether what is asked of sets of values (k^m-anonymity) fits the table and the field that it names."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import Problem

from .field_checks import VALUED
from .nearest import with_question
from .records import Field, Policy
from .table_paths import find_person, reference_tables
from .table_records import KMRequirement
from .unclear import fields_of, is_settled

_WHERE = "require.k_m"


def km_of_one_table(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """With one table, a set is made of the rows that the person key puts together."""
    for asked in policy.require.k_m:
        if asked.table:
            yield Problem(
                where=f"{_WHERE}.table",
                found="The policy has one table, and so nothing to choose from.",
                attempt="leaving it out.",
            )
        elif policy.entity is None:
            yield Problem(
                where=_WHERE,
                found="The set of a person is made of their rows, and nothing says which rows are one person's.",
                attempt="naming the person key as entity.",
            )
        field = policy.fields.get(asked.field)
        if asked.field and field is None and asked.field not in unclear:
            said = with_question(f'There is no field "{asked.field}".', asked.field, policy.fields)
            yield Problem(where=f"{_WHERE}.field", found=said)
        elif field is not None and asked.field not in unclear:
            yield from _fits(field)


def km_of_tables(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """With several tables, the table is named, and its rows are somebody's."""
    for asked in policy.require.k_m:
        yield from _in_table(policy, unclear, asked)


def _in_table(policy: Policy, unclear: frozenset[str], asked: KMRequirement) -> Iterator[Problem]:
    table = policy.tables.get(asked.table)
    if asked.table in unclear:
        return
    if table is None:
        said = f'There is no table "{asked.table}".' if asked.table else "It does not say which table has the field."
        yield Problem(
            where=f"{_WHERE}.table",
            found=with_question(said, asked.table, policy.tables),
            attempt=f"one of {', '.join(policy.tables)}.",
        )
        return
    if is_settled(policy, unclear, table.name) and find_person(policy) and table.name in reference_tables(policy):
        yield Problem(
            where=f"{_WHERE}.table",
            found=f"No link leads from {table.name} to a person, so nobody has a set of its values.",
            attempt="a table that links to the person's, directly or over others.",
        )
    field = table.fields.get(asked.field)
    if asked.field in fields_of(unclear, table.name):
        return
    if field is not None:
        yield from _fits(field)
    elif asked.field:
        said = with_question(f'{table.name} has no field "{asked.field}".', asked.field, table.fields)
        yield Problem(where=f"{_WHERE}.field", found=said)


def _fits(field: Field) -> Iterator[Problem]:
    """A value of a set is generalised along its hierarchy, and nothing else changes it."""
    name, where = field.name, f"{_WHERE}.field"
    if field.role not in VALUED:
        yield Problem(
            where=where,
            found=f"{name} is {field.role.value}, and only a sensitive or insensitive field can be asked for here.",
            attempt=f'role = "sensitive" for {name}, or another field.',
        )
        return
    if field.hierarchy is None:
        yield Problem(
            where=where,
            found=f"{name} has no hierarchy along which its values could be generalised.",
            attempt=f'hierarchy = "{name}.csv" for {name}, or a builder.',
        )
    if field.shift is not None:
        yield Problem(
            where=where,
            found=f"The dates of {name} are moved, and values of a set are generalised as they are.",
            attempt=f"not moving {name}.",
        )
    if field.follows:
        yield Problem(
            where=where,
            found=f"{name} is suppressed where {field.follows} is, and values of a set are generalised on their own.",
            attempt=f"not letting {name} follow.",
        )
