"""PostgreSQL: rows are counted, joined and put in order where they are; only bins and the release
are transferred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import ClassVar

from sqlglot import exp

from ..declarations.postgres import ABILITIES
from ..engine import Abilities, Column, KeyMap, Witnesses, WritePlan
from ..sql.codes import objects
from ..sql.engine import SqlEngine
from . import people as postgres_people
from .people import CodePacking
from .session import PostgresSession
from .transaction import DEFAULT_MEMORY


class PostgresEngine(SqlEngine):
    """One table or view of a database, in one snapshot. Use it as a context manager: closing ends
    the transaction.

    `table` is `schema.table`, or `table` in the schema public or the only one that has it.
    """

    name: ClassVar[str] = "postgres"
    abilities: ClassVar[Abilities] = ABILITIES
    _session: PostgresSession

    def __init__(self, source: str, *, table: str = "", memory: str = DEFAULT_MEMORY) -> None:
        session = PostgresSession(source, table=table, memory=memory)
        try:
            found = session.table
            assert found is not None
            place = session.from_table(found.schema, found.name)
            super().__init__(session, place, title=f"{session.server.title()}.{found}", owns=True)
        except BaseException:
            session.close()
            raise

    def _stored(self, kept: str) -> KeyMap:
        """Null is kept as its replacement."""
        numbers = super()._stored(kept)

        def batches() -> Iterator[Mapping[str, Column]]:
            for batch in numbers.batches():
                old = [
                    None if value == str(self._session.stand_in) else value
                    for value in batch["key:0"].tolist()
                ]
                yield {**batch, "key:0": objects(old)}

        return replace(numbers, batches=batches)

    def witnesses(self, fields: Sequence[str], *, person: str, k: int) -> Witnesses:
        """Bins as whole numbers, where there are not too many to be distinguished so."""
        infos, who = tuple(self._info(name) for name in fields), self._info(person)
        ask = self._session.queries(self.source())
        with self._session.reading(self.title), ExitStack() as tidy:
            tables = tuple(self._keep(postgres_people.numbering(ask, info), tidy) for info in infos)
            packing = CodePacking(
                infos=infos, tables=tables, values=tuple(map(self._values, tables))
            )
            if fields and packing.fits():
                pairs = self._keep(postgres_people.pairs(ask, packing, who), tidy, large=True)
                bins = self._session.columns(postgres_people.rows_in(pairs))
                people = self._session.columns(postgres_people.people_in(pairs, k))
                return postgres_people.witnesses_of(fields, packing, bins, people, k=k)
        return super().witnesses(fields, person=person, k=k)

    @contextmanager
    def releasing(
        self, plan: WritePlan, target: str
    ) -> Iterator[tuple[PostgresSession, exp.Select]]:
        """The session and the query that gives a plan's rows, while what they need is there; errors
        are about writing `target`."""
        with ExitStack() as tidy, self._session.writing(self.title, target):
            yield self._session, self._released(self._eased(plan), tidy)
