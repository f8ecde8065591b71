"""The links that lead from the tables of a policy to the table of the person, and the order of the
tables.

A table from which no chain of links leads to the person's is a *reference table*: its rows are
nobody's."""

from __future__ import annotations

from sfumato.errors import Bug

from .records import Field, Policy, Replacement
from .roles import Role
from .table_names import fields_by_table, readings
from .table_records import Link

Chain = tuple[Link, ...]


def find_person(policy: Policy) -> tuple[str, str] | None:
    """The table and the field of the person key; None where the policy's `entity` does not name one
    of each."""
    found = readings(policy.entity or "", fields_by_table(policy))
    return found[0] if len(found) == 1 else None


def person_table(policy: Policy) -> str:
    """The table that has one row for each person."""
    return _person(policy)[0]


def person_field(policy: Policy) -> str:
    """The field of the person's table that is the person key."""
    return _person(policy)[1]


def _person(policy: Policy) -> tuple[str, str]:
    found = find_person(policy)
    if found is None:
        raise Bug(
            "the person key of a policy that was not checked, or that has one table only, "
            "was asked for"
        )
    return found


def ancestors(policy: Policy, table: str) -> tuple[str, ...]:
    """Every table that the links of `table` lead to, directly or over others; the nearest first,
    itself left out."""
    found = {table: None}
    waiting = [table]
    for name in waiting:
        for link in policy.tables[name].links:
            if link.table in policy.tables and link.table not in found:
                found[link.table] = None
                waiting.append(link.table)
    return tuple(found)[1:]


def order_of_tables(policy: Policy) -> tuple[str, ...]:
    """The tables, each after all that it links to; the person's as early as that allows, then as in
    the policy."""
    person = person_table(policy)
    waiting = list(dict.fromkeys((person, *ancestors(policy, person), *policy.tables)))
    order: list[str] = []
    while waiting:
        ready = (
            name
            for name in waiting
            if all(link.table in order for link in policy.tables[name].links)
        )
        name = next(ready, None)
        if name is None:
            raise Bug(
                "the links of a policy lead nowhere or go round in a circle, and it was not checked"
            )
        order.append(name)
        waiting.remove(name)
    return tuple(order)


def path_to_person(policy: Policy, table: str) -> Chain | None:
    """The shortest chain of links from a table to the person's, of several the first in the
    policy's order.

    It is empty for the person's table, and None for a reference table.
    """
    return next(iter(_chains(policy, table, shortest=True)), None)


def all_paths_to_person(policy: Policy, table: str) -> tuple[Chain, ...]:
    """Every chain of links from a table to the person's, the shortest first. In the data, they must
    agree."""
    return _chains(policy, table, shortest=False)


def reference_tables(policy: Policy) -> tuple[str, ...]:
    """The tables whose rows are nobody's, in the policy's order."""
    person = person_table(policy)
    return tuple(
        name for name in policy.tables if name != person and person not in ancestors(policy, name)
    )


def is_linkable(policy: Policy, table: str) -> bool:
    """Whether the release of a table discloses which rows are one person's, by any chain of
    released links.

    The shortest chain alone does not decide it: a link to the patient may be removed while one to
    the visit is released."""
    person = person_table(policy)
    waiting = [table]
    for name in waiting:
        if name == person:
            return _leaves(policy.tables[name].fields[person_field(policy)])
        for link in policy.tables[name].links:
            fields = policy.tables[name].fields
            if link.field in fields and _leaves(fields[link.field]) and link.table in policy.tables:
                waiting += [link.table] if link.table not in waiting else []
    return False


def _leaves(field: Field) -> bool:
    replaced = field.replace or Replacement()
    return field.role is not Role.DIRECT or replaced.tells_rows_apart


def _chains(policy: Policy, table: str, *, shortest: bool) -> tuple[Chain, ...]:
    """Chains grow by a link at a time, from the table upwards; `shortest` visits each table once
    and stops early."""
    person = person_table(policy)
    found: list[Chain] = []
    seen = {table}
    growing: list[tuple[str, Chain]] = [(table, ())]
    for name, chain in growing:
        if name == person:
            found.append(chain)
            if shortest:
                break
            continue
        for link in policy.tables[name].links:
            behind = seen if shortest else {table, *(passed.table for passed in chain)}
            if link.table in policy.tables and link.table not in behind:
                seen.add(link.table)
                growing.append((link.table, (*chain, link)))
    return tuple(found)
