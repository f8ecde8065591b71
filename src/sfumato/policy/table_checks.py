"""Whether a policy of several tables holds together: an ordered tuple of rules, all of them run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sfumato.errors import Problem
from sfumato.parts import with_question

from .field_checks import FIELD_RULES, may_tell_role
from .link_checks import LINK_RULES
from .records import Intervals, Policy
from .roles import Role
from .table_cursor import joined
from .table_names import fields_by_table, readings
from .table_paths import find_person, reference_tables
from .table_records import Orphans, RowCountPolicy, TablePolicy
from .table_require_checks import TABLE_REQUIRE_RULES
from .unread_parts import fields_of, is_settled

Found = Iterator[Problem]


def _not_with_tables(policy: Policy, unclear: frozenset[str]) -> Found:
    """Keys for a single table only."""
    if policy.household is not None:
        yield Problem(
            where="household",
            found="Households are not kept together over several tables yet.",
            attempt="leaving it out.",
        )
    if policy.row_counts != RowCountPolicy():
        yield Problem(
            where="row_counts",
            found="With several tables, a person has a number of rows in each of them.",
            attempt="row_counts under [tables.NAME].",
        )


def _fields(policy: Policy, unclear: frozenset[str]) -> Found:
    """The rules about the fields of one table, for each."""
    for name, table in policy.tables.items():
        section = joined("tables", name)
        if not table.fields and not fields_of(unclear, name) and name not in unclear:
            yield Problem(
                where=f"{section}.fields",
                found="The table names no field.",
                attempt=f"[{section}.fields.NAME] with a role, or leaving the table out.",
            )
        own = _without_linked_twins(policy, name)
        for rule in FIELD_RULES:
            for problem in rule(own, fields_of(unclear, name)):
                yield replace(problem, where=f"{section}.{problem.where}")


def _without_linked_twins(policy: Policy, name: str) -> Policy:
    """The policy of one table, in which `may_tell` names no field of another table."""
    tables = {other: each for other, each in fields_by_table(policy).items() if other != name}
    own = policy.of_table(name)
    fields = {
        key: replace(
            field,
            may_tell=tuple(
                each for each in field.may_tell if each in own.fields or not readings(each, tables)
            ),
        )
        for key, field in own.fields.items()
    }
    return replace(own, fields=fields)


def _linked_twins(policy: Policy, unclear: frozenset[str]) -> Found:
    """A field may disclose fields of other tables too, where it is released itself."""
    for name, table in policy.tables.items():
        own = _without_linked_twins(policy, name).fields
        for key, field in table.fields.items():
            where = f"{joined(joined('tables', name) + '.fields', key)}.may_tell"
            if field.may_tell and not own[key].may_tell and key not in fields_of(unclear, name):
                yield from may_tell_role(field, where=where)


def _nobodys(policy: Policy, unclear: frozenset[str]) -> Iterator[TablePolicy]:
    """The tables of which it is known that their rows are nobody's."""
    if find_person(policy) is not None:
        for name in reference_tables(policy):
            if is_settled(policy, unclear, name):
                yield policy.tables[name]


def _nobodys_fields(policy: Policy, unclear: frozenset[str]) -> Found:
    """Bins count people, and the dates of a person move together: neither is possible where there
    is no person."""
    for table in _nobodys(policy, unclear):
        section = f"{joined('tables', table.name)}.fields"
        said = f"No link leads from {table.name} to a person, so its rows belong to nobody"
        for field in table.fields.values():
            if field.role is Role.QUASI and field.name not in fields_of(unclear, table.name):
                yield Problem(
                    where=f"{joined(section, field.name)}.role",
                    found=f"{said}, and quasi fields are about people.",
                    attempt='a link towards the person, role = "sensitive" or "insensitive", or '
                    '"direct" to remove it.',
                )
            if field.shift is not None:
                yield Problem(
                    where=f"{joined(section, field.name)}.shift",
                    found=f"{said}, and dates are moved person by person.",
                    attempt="a link towards the person, or leaving the shift out.",
                )


def _shifts(policy: Policy, unclear: frozenset[str]) -> Found:
    """All dates of a person move together over all tables, so there is one person key for them, and
    one shift."""
    person = find_person(policy)
    nobodys = {table.name for table in _nobodys(policy, unclear)}
    for name, table in policy.tables.items():
        if person is None or name in nobodys:
            continue
        links = [link.field for link in table.links if link.table == person[0]]
        plain = [person[1]] if name == person[0] or person[1] not in table.fields else []
        known = {policy.entity, *links, *plain}
        for field in table.fields.values():
            where = f"{joined(joined('tables', name) + '.fields', field.name)}.shift"
            if (
                field.shift is not None
                and field.shift.per not in known
                and is_settled(policy, unclear, name)
            ):
                said = with_question(
                    f'"{field.shift.per}" is not the person key.',
                    field.shift.per,
                    [item for item in known if item],
                )
                yield Problem(
                    where=f"{where}.per",
                    found=said,
                    attempt=f"leaving it out: it is {policy.entity}.",
                )
            if field.shift is not None and field.shift.intervals is Intervals.PERTURB:
                yield Problem(
                    where=f"{where}.intervals",
                    found="With several tables, the days between a person's dates are not "
                    "perturbed yet.",
                    attempt='intervals = "keep".',
                )
            if field.shift is not None and field.shift.holidays:
                yield Problem(
                    where=f"{where}.holidays",
                    found="With several tables, a shift does not see all dates of a person, and "
                    "cannot keep holidays.",
                    attempt="weekdays = true.",
                )


def _one_shift(policy: Policy, unclear: frozenset[str]) -> Found:
    """All dates of a person move by the same number of days, so it is drawn from the same span."""
    shifts = {
        (name, field.name): field.shift.days
        for name, table in policy.tables.items()
        for field in table.fields.values()
        if field.shift is not None
    }
    (first, field), days = next(iter(shifts.items()), (("", ""), 0))
    for (name, other), asked in shifts.items():
        if asked != days:
            yield Problem(
                where=f"{joined(joined('tables', name) + '.fields', other)}.shift.days",
                found=f"It is {asked}, and {days} for {first}.{field}: the dates of one person "
                "move together.",
                attempt=f"days = {days} for all of them.",
            )


def _row_counts(policy: Policy, unclear: frozenset[str]) -> Found:
    """The number of rows is counted where a person can have several."""
    person = find_person(policy)
    nobodys = {table.name for table in _nobodys(policy, unclear)}
    for name, table in policy.tables.items():
        where = f"{joined('tables', name)}.row_counts"
        if table.row_counts != RowCountPolicy() and person is not None and name == person[0]:
            said = f"{name} has one row for each person, so that their number discloses nothing."
            yield Problem(where=where, found=said, attempt="leaving it out.")
        elif table.row_counts != RowCountPolicy() and name in nobodys:
            said = f"No link leads from {name} to a person, so nobody has a number of rows in it."
            yield Problem(
                where=where, found=said, attempt="leaving it out, or a link towards the person."
            )
        elif table.row_counts.together and table.row_counts.linking == 0:
            yield Problem(
                where=f"{where}.together",
                found="With linking = 0 nobody knows the number of rows, by itself or with others.",
                attempt="linking above 0, or leaving together out.",
            )


def _orphans(policy: Policy, unclear: frozenset[str]) -> Found:
    for name, table in policy.tables.items():
        if table.orphans is not Orphans.REFUSE and not table.links and name not in unclear:
            yield Problem(
                where=f"{joined('tables', name)}.orphans",
                found=f"{name} has no links, so that none can lead nowhere.",
                attempt="leaving it out, or naming the links.",
            )


TABLE_RULES = (
    *LINK_RULES,
    _not_with_tables,
    _fields,
    _linked_twins,
    _nobodys_fields,
    _shifts,
    _one_shift,
    _row_counts,
    _orphans,
    *TABLE_REQUIRE_RULES,
)
