"""The source that commands about one table or one field open, also where the policy is about
several tables."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .shared_arguments import database_options, source_options

if TYPE_CHECKING:
    from sfumato.engines import Database, Engine
    from sfumato.policy import Field, Policy
    from sfumato.releases import PreparedSource


def prepared_for(
    options: argparse.Namespace, policy: Policy, *, limit: int | None = None
) -> PreparedSource:
    """The bins, hierarchies and models of the one table in which recodings can be looked at by
    themselves.

    More than `limit` bins are rolled up first, as a release rolls them up.
    """
    from sfumato.engines import TableView, open_database, open_source
    from sfumato.policy import person_table
    from sfumato.releases import prepare_after_steps

    if not policy.tables:
        with open_source(options.source, policy=policy, **source_options(options)) as engine:
            return prepare_after_steps(engine, policy, limit=limit)
    _check_one_is_enough(options, policy)
    person = person_table(policy)
    with open_database(
        options.source, policy=policy, tables=(person,), **database_options(options)
    ) as database:
        return prepare_after_steps(database.view(TableView(table=person)), policy.of_table(person))


def _check_one_is_enough(options: argparse.Namespace, policy: Policy) -> None:
    from sfumato.errors import Mistake
    from sfumato.releases.tables import sights

    others = [
        item.name for sight in sights(policy).values() if not sight.is_person for item in sight.own
    ]
    if others:
        raise Mistake(
            f"sfumato {options.command} looks at the recodings of the person's table.",
            found=f"{', '.join(others)} may identify a person too, so the tables are recoded "
            "together.",
            attempt="sfumato release, whose report shows the levels that were chosen, or other "
            "roles for these fields.",
        )


@dataclass(frozen=True, kw_only=True)
class OpenField:
    """A field, the open table that has it, and what the policy decided about it."""

    engine: Engine
    name: str
    decided: Field | None
    table: str = ""


@contextmanager
def opened_field(options: argparse.Namespace, policy: Policy | None) -> Iterator[OpenField]:
    """The field that was asked for: FIELD of a table, or TABLE.FIELD of several."""
    from sfumato.engines import open_database, open_several, open_source

    several: Database | None
    if policy is not None and policy.tables:
        several = open_database(
            options.source, policy=policy, tables=tuple(policy.tables), **database_options(options)
        )
    else:
        several = (
            open_several(options.source, **source_options(options)) if policy is None else None
        )
    if several is not None:
        with several as database:
            yield _in_database(database, options.field, policy)
        return
    with open_source(options.source, policy=policy, **source_options(options)) as engine:
        _check_has(engine.title, options.field, [info.name for info in engine.fields()])
        yield OpenField(
            engine=engine,
            name=options.field,
            decided=policy.fields.get(options.field) if policy else None,
        )


def key_behind(policy: Policy, asked: str) -> str:
    """The key that a link refers to, whose replacement it has; the field itself where it is no
    link."""
    from sfumato.policy import fields_by_table, readings

    found = readings(asked, fields_by_table(policy))
    links = policy.tables[found[0][0]].links if len(found) == 1 else ()
    link = next((link for link in links if link.field == found[0][1]), None)
    return asked if link is None else key_behind(policy, f"{link.table}.{link.key}")


def _in_database(database: Database, asked: str, policy: Policy | None) -> OpenField:
    from sfumato.engines import TableView

    engines = {name: database.view(TableView(table=name)) for name in database.tables()}
    table, name = _meant(
        database.title,
        asked,
        {name: [info.name for info in engine.fields()] for name, engine in engines.items()},
    )
    decided = policy.tables[table].fields.get(name) if policy else None
    return OpenField(engine=engines[table], name=name, decided=decided, table=table)


def _meant(title: str, asked: str, fields: Mapping[str, Collection[str]]) -> tuple[str, str]:
    """The table and the field: by TABLE.FIELD, or by FIELD where one table alone has it."""
    from sfumato.errors import SourceError
    from sfumato.policy import readings

    found = readings(asked, fields) or tuple(
        (table, asked) for table, names in fields.items() if asked in names
    )
    if len(found) > 1:
        named = ", ".join(f"{table}.{name}" for table, name in found)
        raise SourceError(
            f"Several tables of {title} have a field {asked}.", attempt=f"one of {named}."
        )
    if not found:
        _check_has(
            title, asked, [f"{table}.{name}" for table, names in fields.items() for name in names]
        )
    return found[0]


def _check_has(title: str, asked: str, names: Collection[str]) -> None:
    from sfumato.errors import SourceError
    from sfumato.parts import did_you_mean

    if asked not in names:
        raise SourceError(f"{title} has no field {asked}. {did_you_mean(asked, names)}".rstrip())
