"""Proposals of several tables that agree over the links between them.

A field that nothing protects and that determines a quasi-identifier of another table is a
quasi-identifier too. What a field discloses beyond that is accepted in the proposed policy
(`may_tell`) and marked as an open question: only a person can accept it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.engines import Database
from sfumato.errors import SourceError
from sfumato.policy import Role

from .linked_twins import (
    LinkedDependence,
    LinkedDependences,
    LinkedFields,
    find_linked_dependences,
)
from .records import SUPPRESS, FieldSurvey, Proposal
from .tables_records import RowOwner, TableSurvey

_CLEAR = (Role.SENSITIVE, Role.INSENSITIVE, Role.QUASI)


NOT_READ = (
    "Whether fields of different tables determine each other was not judged: their rows cannot be "
    "read beside each other. A release of these tables is refused until they can."
)


def agree_over_links(
    database: Database, tables: Sequence[TableSurvey]
) -> tuple[tuple[TableSurvey, ...], LinkedDependences]:
    """The tables, and the dependences between fields of different ones that a release would find
    under their proposals."""
    released = {item.name: item for item in tables if item.standing is not RowOwner.LEFT_OUT}
    if len(released) < 2:
        return tuple(tables), LinkedDependences()
    try:
        found = find_linked_dependences(
            database, {name: _linked_fields(item) for name, item in released.items()}
        )
    except SourceError:
        return tuple(tables), LinkedDependences(not_judged=(NOT_READ,))
    for each in found.found:
        twin = released[each.other].survey.field(each.twin).proposal
        if len(each.fields) == 1 and twin.role is Role.QUASI:
            released[each.table] = _protected(released[each.table], each)
    return tuple(released.get(item.name, item) for item in tables), found


def _linked_fields(item: TableSurvey) -> LinkedFields:
    keys = {item.key, *(link.field for link in item.links)}
    fields = [each for each in item.fields if each.name not in keys]
    return LinkedFields(
        key=item.key,
        links=item.links,
        telling=[each.name for each in fields if _may_be_clear(each)],
        told=[each.name for each in fields if each.proposal.role is not Role.TEXT],
    )


def _may_be_clear(item: FieldSurvey) -> bool:
    return item.proposal.role in _CLEAR and item.proposal.shift is None


def _protected(table: TableSurvey, found: LinkedDependence) -> TableSurvey:
    """The table, in which a field of people that nothing protects is treated as what it
    determines."""
    if table.standing is RowOwner.REFERENCE:
        return table
    fields = tuple(
        _as_quasi(each, found.target)
        if each.name == found.fields[0] and each.proposal.role is Role.INSENSITIVE
        else each
        for each in table.fields
    )
    return replace(table, survey=replace(table.survey, fields=fields))


def _as_quasi(item: FieldSurvey, target: str) -> FieldSurvey:
    reasons = (f"its values determine {target}, and it is treated alike",)
    return replace(item, proposal=Proposal(role=Role.QUASI, reasons=reasons, hierarchy=SUPPRESS))
