"""The steps of a policy of several tables: parents first. Child rows are dropped with a parent that
was not drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from sfumato.bins import Bins
from sfumato.engines import Database, Engine, Lookup, TableView, WritePlan
from sfumato.policy import Policy

from ..identifiers import Key
from ..steps import SteppedTable, SteppedTables, take_steps
from .people_models import person_in
from .quotas import objects
from .recoding import raw_view
from .table_view import Sight, sights

Progress = Callable[[str], None]


def take_table_steps(
    database: Database, policy: Policy, *, key: Key | None, progress: Progress
) -> SteppedTables:
    """Take the steps of every table, and have the database read the tables as they are afterwards.

    Within a table, steps are taken in the order of the file. Where people are drawn from a table,
    rows of other tables that link to undrawn rows are dropped before those tables take their own
    steps."""
    if not policy.steps:
        return SteppedTables()
    taking = _Taking(database, policy, key=key, progress=progress)
    for sight in sights(policy).values():
        taking.take(sight)
    return SteppedTables(steps=policy.steps, tables=taking.stepped, collected=taking.collected)


def try_table_steps(database: Database, policy: Policy) -> SteppedTables:
    """The same as a trial, under a key that is thrown away."""
    return take_table_steps(database, policy, key=Key.generate(), progress=lambda _: None)


@dataclass(eq=False, kw_only=True)
class _Source:
    """A table before its steps: with the person key, how many rows and people, and the values of
    its key."""

    engine: Engine
    rows: int
    people: int
    keys: frozenset[str] = field(default_factory=frozenset)


class _Taking:
    """The tables of a database on their way through the steps. `_gone` has the keys of rows that
    were not drawn."""

    def __init__(
        self, database: Database, policy: Policy, *, key: Key | None, progress: Progress
    ) -> None:
        self._database, self._policy, self._key, self._progress = database, policy, key, progress
        self._samples = any(step.declaration.samples_rows for step in policy.steps)
        self._gone: dict[str, frozenset[str]] = {}
        self.stepped: dict[str, SteppedTable] = {}
        self.collected: dict[str, Engine] = {}

    def take(self, sight: Sight) -> None:
        """One table, after all that it links to."""
        own = self._policy.of_table(sight.name)
        lost = {
            link.field: self._gone[link.table]
            for link in sight.policy.links
            if self._gone.get(link.table)
        }
        if not own.steps and not lost:
            return
        source = self._source(sight)
        for name, keys in lost.items():
            self._leave_out(sight.name, name, keys)
        taken = SteppedTable(engine=self._plain(sight.name), rows_source=source.rows)
        if own.steps:
            taken = self._taken(sight, own)
        self._database.substitute({sight.name: taken.engine})
        after = self._source(sight)
        self._gone[sight.name] = source.keys - after.keys
        self.collected[sight.name] = source.engine
        self.stepped[sight.name] = replace(
            taken,
            table=sight.name,
            rows_source=source.rows,
            people_sampled_out=source.people - after.people,
        )

    def _plain(self, name: str) -> Engine:
        return self._database.view(TableView(table=name))

    def _view(self, sight: Sight) -> Engine:
        """The table with the person key."""
        return (
            self._plain(sight.name)
            if sight.person is None
            else self._database.view(raw_view(sight, quasi=False))
        )

    def _source(self, sight: Sight) -> _Source:
        """People and keys are counted only where some step draws people."""
        engine, key, people = self._view(sight), sight.policy.key, 0
        keys: frozenset[str] = frozenset()
        if self._samples and sight.person is not None:
            people = Bins.from_frequencies(engine.rows_per_person(person_in(sight))).rows
            keys = frozenset(_values(engine, key)) if key else keys
        return _Source(engine=engine, rows=engine.count_rows(), people=people, keys=keys)

    def _leave_out(self, table: str, name: str, keys: frozenset[str]) -> None:
        """Rows whose field `name` has one of the keys."""
        plain = self._plain(table)
        batch = {f"key:{name}": objects(sorted(keys))}
        drop = Lookup(keys=(name,), fields=(), batches=lambda: iter([batch]))
        fields = tuple(info.name for info in plain.fields())
        self._database.substitute({table: plain.staged(WritePlan(fields=fields, drop=drop))})

    def _taken(self, sight: Sight, own: Policy) -> SteppedTable:
        """The own steps of a table; fields that the view brings for the person key are removed
        again."""
        view = self._view(sight)
        policy = own if sight.person is None else replace(own, entity=person_in(sight))
        taken = take_steps(view, policy, key=self._key, progress=self._progress, follows=False)
        names = tuple(info.name for info in self._plain(sight.name).fields())
        if len(names) == len(view.fields()):
            return taken
        return replace(taken, engine=taken.engine.staged(WritePlan(fields=names)))


def _values(engine: Engine, name: str) -> Iterator[str]:
    for batch in engine.distinct((name,)):
        yield from (value for value in batch[name].tolist() if value is not None)
