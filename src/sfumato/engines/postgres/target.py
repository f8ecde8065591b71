"""Released tables in a schema of PostgreSQL: all of them appear at once, when they are published,
or none does."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from sqlglot import exp

from sfumato.errors import TargetError

from ..engine import Engine, FieldInfo, FieldKind, WritePlan
from ..sql.database import SqlDatabase
from ..sql.queries import column, named
from .database import written_tables
from .engine import PostgresEngine
from .errors import NOTHING
from .queries import TEXT
from .session import PostgresSession
from .transaction import DEFAULT_MEMORY, LONGEST_NAME

_SCHEMA = """
SELECT pg_catalog.has_schema_privilege(oid, 'CREATE') FROM pg_catalog.pg_namespace WHERE nspname = %s
"""
_NAMED = """
SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s
"""
_CLAIM = "SELECT pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(%s, 0))"
_KNOWN = "SELECT pg_catalog.to_regtype(%s) IS NOT NULL"


class PostgresTarget:
    """A schema that tables are being written to, in one transaction. Closing without `publish`
    removes everything.

    Given an open session of the source instead of an address, tables are made where the rows are,
    in the transaction that reads them. Its role then needs CREATE on the schema. Given an address,
    rows are copied to a second connection, whose role need not know the source."""

    def __init__(
        self, where: str | PostgresSession, schema: str, *, memory: str = DEFAULT_MEMORY
    ) -> None:
        self._schema = schema
        self._shared = isinstance(where, PostgresSession)
        self._session = (
            where if isinstance(where, PostgresSession) else PostgresSession(where, memory=memory)
        )
        self.title = f"{self._session.server.title()}.{schema}"
        try:
            with self._session.reading(self.title):
                self._check_schema()
                self._claim()
        except BaseException:
            self.close()
            raise

    def _check_schema(self) -> None:
        found = self._session.asked(_SCHEMA, self._schema)
        if not found:
            raise TargetError(
                f"The release cannot be written to {self.title}.",
                found="There is no schema of that name.",
                attempt=f'CREATE SCHEMA "{self._schema}", or another one; {NOTHING}',
            )
        if not found[0][0]:
            role = self._session.server.role
            raise TargetError(
                f"The release cannot be written to {self.title}.",
                found=f"Role {role} may not make tables there.",
                attempt=f'GRANT CREATE ON SCHEMA "{self._schema}" TO "{role}"; {NOTHING}',
            )

    def _claim(self) -> None:
        """One run at a time writes to a schema. The server gives the lock back with the
        transaction, also of a run that was killed, so that nothing is left of it."""
        if not self._session.asked(_CLAIM, f"sfumato release into schema {self._schema}")[0][0]:
            raise TargetError(
                f"Another run writes to {self.title}.",
                attempt=f"again when it has ended, or another schema; {NOTHING}",
            )

    def write(self, engine: Engine, plan: WritePlan, name: str) -> int:
        """Write the release that `plan` describes to a new table; the number of rows."""
        if not isinstance(engine, PostgresEngine):
            raise TargetError(
                f"The release cannot be written to {self.title}.",
                found=f"Its source is read with {engine.name}, and tables are made there only "
                "out of tables.",
                attempt=f"a folder, whose files can be copied in; {NOTHING}",
            )
        self._check_name(name, plan.fields)
        place = exp.table_(name, db=self._schema, quoted=True)
        with (
            engine.releasing(plan, f"{self.title}.{name}") as (session, query),
            session.in_order(plan.order),
        ):
            infos = session.described(query)
            if session is self._session:
                return self._session.create(place, _as_usual(query, infos))
            types = {info.name: self._type(info) for info in infos}
            return self._session.create_from(session, place, query, types)

    def _check_name(self, name: str, fields: Sequence[str]) -> None:
        long = [field for field in (name, *fields) if len(field.encode()) > LONGEST_NAME]
        if long:
            raise TargetError(
                f"{self.title}.{name} cannot be made: names in PostgreSQL have at most "
                f"{LONGEST_NAME} bytes.",
                found=f"Longer are {', '.join(long)}.",
                attempt=f"shorter names, or a file; {NOTHING}",
            )
        with self._session.reading(self.title):
            taken = self._session.asked(_NAMED, self._schema, name)
        if taken:
            raise TargetError(
                f"{self.title} has something called {name!r} already.",
                attempt=f"another schema; {NOTHING}",
            )

    def _type(self, info: FieldInfo) -> str:
        """The type of a field over here; text where it is text, or where there is no such type."""
        known = info.kind is not FieldKind.TEXT and bool(
            self._session.asked(_KNOWN, info.declared)[0][0]
        )
        return info.declared if known else "text"

    def opened(self, name: str) -> PostgresEngine:
        """A table that was written, as a source: what it holds can be counted before anybody else
        sees it."""
        place = self._session.from_table(self._schema, name)
        return PostgresEngine.over(self._session, place, title=f"{self.title}.{name}")

    def database(self, names: Sequence[str]) -> SqlDatabase:
        """Several of them. It is not to be closed: that would end the transaction in which they
        are."""
        return written_tables(self._session, self._schema, names, title=self.title)

    def note(self, name: str, text: str) -> None:
        """A new table with one row, which holds a text in JSON under the name of `manifest`."""
        self._check_name(name, ())
        row = exp.select(
            named(exp.cast(exp.Literal.string(text), exp.DataType.Type.JSON), "manifest")
        )
        with self._session.writing(self.title, f"{self.title}.{name}"):
            self._session.create(exp.table_(name, db=self._schema, quoted=True), row)

    def publish(self) -> None:
        """Let everybody see the tables. The transaction ends with it, and so does the session."""
        with self._session.writing(self.title, self.title):
            self._session.commit()

    def close(self) -> None:
        if not self._shared:
            self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_postgres_target(address: str, schema: str, *, opened: object | None) -> PostgresTarget:
    """A schema at an address; in the transaction of `opened`, an engine or a database of the same
    address, if given."""
    session = getattr(opened, "session", None) if opened is not None else None
    return PostgresTarget(session if isinstance(session, PostgresSession) else address, schema)


def _as_usual(query: exp.Select, infos: Sequence[FieldInfo]) -> exp.Select:
    """Text in the database's own collation, the default of new tables. The order stays."""
    usual = exp.to_identifier("default", quoted=True)
    shown = [
        named(
            exp.Collate(this=exp.cast(column(info.name), TEXT), expression=usual.copy()), info.name
        )
        if info.kind is FieldKind.TEXT
        else column(info.name)
        for info in infos
    ]
    return exp.select(*shown).from_(query.subquery("made"))
