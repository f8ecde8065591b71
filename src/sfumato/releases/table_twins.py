"""Fields in clear of one table that determine a treated field of the table that its rows link to.

A city that is removed from the patients is disclosed by a code of it among their visits: both
tables are released and linked. Counted as within one table, on one row of each linked key; reported
as a warning, since a policy cannot accept it field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sfumato.engines import Database, Join, TableView
from sfumato.policy import Link, Policy, Role
from sfumato.surveys import find_dependences, telling_fields

from .treatments import KEPT

_TELLING, _TOLD = (Role.SENSITIVE, Role.INSENSITIVE), (Role.DIRECT, Role.QUASI)


@dataclass(frozen=True, kw_only=True)
class TableTwin:
    """Fields of `table` that together determine the field `twin` of the table `above`."""

    table: str
    fields: tuple[str, ...]
    above: str
    twin: str

    def sentence(self, treatment: str) -> str:
        named = " and ".join(f"{self.table}.{name}" for name in self.fields)
        return (
            f"{self.above}.{self.twin} is {treatment.split(':', 1)[0]}, and {named} in clear "
            "discloses it over the link, so that treatment protects nothing."
        )


def find_table_twins(database: Database, policy: Policy) -> tuple[TableTwin, ...]:
    """The removed values that fields in clear disclose of the tables that their rows link to."""
    return tuple(
        found
        for name, table in policy.tables.items()
        for link in table.links
        if link.table in policy.tables
        for found in _over_link(database, policy, name, link)
    )


def warn_of_table_twins(
    found: tuple[TableTwin, ...], words: Mapping[str, Mapping[str, str]]
) -> tuple[str, ...]:
    """A sentence for each of them whose determined field is treated by the plan."""
    treated = ((each, words.get(each.above, {}).get(each.twin, KEPT)) for each in found)
    return tuple(each.sentence(treatment) for each, treatment in treated if treatment != KEPT)


def _over_link(database: Database, policy: Policy, name: str, link: Link) -> Iterator[TableTwin]:
    table, above = policy.tables[name], policy.tables[link.table]
    keys = {above.key, link.key, *(each.field for each in above.links)}
    there = {info.name for info in database.view(TableView(table=link.table)).fields()}
    told = {
        field: f"{link.table}.{field}"
        for field, decided in above.fields.items()
        if decided.role in _TOLD and field not in keys and field in there
    }
    join = Join(field=link.field, table=link.table, key=link.key, bring=told)
    view = database.view(TableView(table=name, joins=(join,)))
    own = {info.name for info in view.fields()} - set(told.values())
    telling = [
        field
        for field, decided in table.fields.items()
        if decided.role in _TELLING and decided.shift is None and field in own
    ]
    if not told or not telling or link.field not in own:
        return
    called = {said: field for field, said in told.items()}
    names = tuple(called)
    for found in find_dependences(
        view, telling=telling, told=names, twins=names, person=link.field
    ):
        for fields, twin in telling_fields(found):
            if twin in called and all(field in telling for field in fields):
                yield TableTwin(table=name, fields=fields, above=link.table, twin=called[twin])
