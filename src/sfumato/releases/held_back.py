"""People who are held back from a release: beside releases that were made before, their rows would
single them out.

The source is read without them, so that everything is counted, solved and judged as if they were
not in it. They are named by the keyed numbers of a people record, and by nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Database, Engine, Lookup, TableView, WritePlan
from sfumato.errors import Mistake
from sfumato.keys import Key
from sfumato.policy import Policy

from .people_record import Tags, person_tags
from .source import OpenedSource


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldBack:
    """The people whom a release excludes: keyed numbers of people, the key, and the field of the
    source that identifies the person of a row."""

    tags: Tags = field(repr=False)
    key: Key = field(repr=False)
    person: str

    def __len__(self) -> int:
        return len(self.tags)


def without_held_back(opened: OpenedSource, held: HeldBack | None) -> OpenedSource:
    """The source without the rows of people who are held back."""
    if held is None or not len(held):
        return opened
    if opened.database is not None:
        _leave_out_of_tables(opened.database, opened.policy, held)
        return opened
    return replace(opened, table=_without(opened.engine, held.person, _keys(opened.engine, held)))


def _leave_out_of_tables(database: Database, policy: Policy, held: HeldBack) -> None:
    """Leave people out of their table, and every row of the tables below that leads to one."""
    from .tables import sights

    table, _, name = held.person.rpartition(".")
    gone: dict[str, NDArray[np.object_]] = {}
    for sight in sights(policy).values():
        plain = database.view(TableView(table=sight.name))
        out = plain
        if sight.name == table:
            out = _without(out, name, _keys(plain, replace(held, person=name)))
        for link in sight.policy.links:
            if len(gone.get(link.table, ())):
                out = _without(out, link.field, gone[link.table])
        if out is plain:
            continue
        database.substitute({sight.name: out})
        key = sight.policy.key
        if key:
            gone[sight.name] = np.setdiff1d(_values(plain, key), _values(out, key))


def _keys(engine: Engine, held: HeldBack) -> NDArray[np.object_]:
    """The cells of the source that name the people who are held back."""
    if held.person not in {info.name for info in engine.fields()}:
        raise Mistake(
            f"People were to be held back by {held.person!r}.",
            found="There is no such field.",
            attempt="--person FIELD, a field that is the same for one person in every source.",
        )
    people = _values(engine, held.person)
    return people[np.isin(person_tags(people.tolist(), key=held.key), held.tags)]


def _values(engine: Engine, name: str) -> NDArray[np.object_]:
    found = [value for batch in engine.distinct((name,)) for value in batch[name].tolist()]
    return np.array([value for value in found if value is not None], object)


def _without(engine: Engine, name: str, values: NDArray[np.object_]) -> Engine:
    """A stage of the rows in which a field has none of the values."""

    def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
        yield {f"key:{name}": values}

    drop = Lookup(keys=(name,), fields=(), batches=batches)
    fields = tuple(info.name for info in engine.fields())
    return engine.staged(WritePlan(fields=fields, drop=drop))
