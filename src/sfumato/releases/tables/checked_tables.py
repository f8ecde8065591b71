"""Whether a policy of several tables fits a source, before anything is released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sfumato.engines import Database, TableView
from sfumato.errors import HierarchyError, PolicyError, Problem
from sfumato.policy import Policy, check_tables_against

from .replacements import check_shifts
from .source_checks import check_source
from .table_view import Sight, sights


@dataclass(frozen=True, kw_only=True)
class CheckedTable:
    """One table of a source that the policy fits: how it is seen, its rows, and how many of them
    are nobody's."""

    sight: Sight
    rows: int
    orphans: int


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckedTables:
    """Tables that fit the policy: how each is seen, parents first, and how many of its rows are
    nobody's."""

    seen: Mapping[str, Sight]
    orphans: Mapping[str, int]


def check_fit(database: Database, policy: Policy) -> CheckedTables:
    """Compare tables, fields, keys and links of the source with the policy; PolicyError with all
    that does not fit."""
    names = {
        name: [info.name for info in database.view(TableView(table=name)).fields()]
        for name in database.tables()
        if name in policy.tables
    }
    check_tables_against(policy, names)
    check_shifts(policy)
    seen = sights(policy)
    return CheckedTables(seen=seen, orphans=check_source(database, policy, seen))


def check_tables(database: Database, policy: Policy) -> dict[str, CheckedTable]:
    """Every table of the policy, parents first; PolicyError with all that does not fit.

    Tables and fields are compared first, then keys and links, then hierarchies with the values that
    they must cover."""
    fit = check_fit(database, policy)
    problems = list(_holes(database, policy, fit.seen))
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}, compared with the source,")
    return {
        name: CheckedTable(
            sight=sight,
            rows=database.view(TableView(table=name)).count_rows(),
            orphans=fit.orphans.get(name, 0),
        )
        for name, sight in fit.seen.items()
    }


def _holes(database: Database, policy: Policy, seen: Mapping[str, Sight]) -> Iterator[Problem]:
    """The hierarchies that do not cover the values of their field."""
    for name, sight in seen.items():
        generalised = {item.field for item in sight.own} | {
            a.field for a in policy.require.each("k_m") if a.table == name
        }
        view = database.view(TableView(table=name))
        for field, decided in sight.policy.fields.items():
            if field not in generalised or decided.hierarchy is None:
                continue
            try:
                decided.bind(view.frequencies((field,)).values[0])
            except HierarchyError as error:
                where = f"tables.{name}.fields.{field}.hierarchy"
                yield Problem(
                    where=where, found=f"{error.asked} {error.found}".strip(), attempt=error.attempt
                )
