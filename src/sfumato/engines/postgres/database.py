"""A database in PostgreSQL: the tables of one schema, in one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from sqlglot import exp

from sfumato.errors import SourceError

from ..engine import Abilities, FieldKind
from ..sql.database import SqlDatabase
from ..sql.queries import SOURCE, column, count_all, named
from .engine import PostgresEngine
from .session import PostgresSession
from .tables import PUBLIC
from .transaction import DEFAULT_MEMORY

# Foreign keys of one field within a schema, of which the server has checked that they hold.
_FOREIGN_KEYS = """
SELECT c.relname, a.attname, f.relname, b.attname
FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
  JOIN pg_catalog.pg_class f ON f.oid = k.confrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
  JOIN pg_catalog.pg_attribute b ON b.attrelid = f.oid AND b.attnum = k.confkey[1]
WHERE k.contype = 'f' AND k.convalidated AND n.nspname = %s AND f.relnamespace = c.relnamespace
  AND pg_catalog.array_length(k.conkey, 1) = 1
ORDER BY c.relname COLLATE "C", a.attnum, f.relname COLLATE "C"
"""

# Fields that the server keeps unique. Of neither are parents counted that have children, whose rows
# no index of the parent covers, or tables with policies by row, of which a role may see a part.
_KEYS = """
SELECT c.relname, a.attname
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE i.indisunique AND i.indisvalid AND i.indimmediate AND i.indnkeyatts = 1 AND i.indpred IS NULL
  AND i.indexprs IS NULL AND n.nspname = %s
"""
_WHOLE = """
SELECT c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r' AND NOT c.relrowsecurity AND NOT c.relhassubclass
"""


class PostgresDatabase(SqlDatabase):
    """The tables and views of a schema that may be read. Use it as a context manager: closing ends
    the transaction."""

    name: ClassVar[str] = "postgres"
    abilities: ClassVar[Abilities] = PostgresEngine.abilities
    engine = PostgresEngine

    def __init__(
        self,
        source: str,
        *,
        tables: Sequence[str] | None = None,
        schema: str = PUBLIC,
        memory: str = DEFAULT_MEMORY,
    ) -> None:
        session = PostgresSession(source, schema=schema, tables=tables, memory=memory)
        self._asked, self._schema = session.asked, schema
        try:
            title = f"{session.server.title()}.{schema}"
            found = session.list_tables(schema)
            if not found:
                raise SourceError(
                    f"{title} has no table that role {session.server.role} may read.",
                    attempt="another schema, or GRANT USAGE on it and SELECT on its tables.",
                )
            wanted = [name for name in found if tables is None or name in tables]
            super().__init__(
                session, {name: session.from_table(schema, name) for name in wanted}, title=title
            )
        except BaseException:
            session.close()
            raise

    def declared_links(self) -> tuple[tuple[str, str, str, str], ...]:
        """The foreign keys that the database declares: table and field, and the table and key that
        it refers to."""
        with self._session.reading(self.title):
            found = self._asked(_FOREIGN_KEYS, self._schema)
        return tuple((table, field, to, key) for table, field, to, key in found)

    @cached_property
    def _whole(self) -> frozenset[str]:
        with self._session.reading(self.title):
            return frozenset(name for (name,) in self._asked(_WHOLE, self._schema))

    @cached_property
    def _keys(self) -> frozenset[tuple[str, str]]:
        with self._session.reading(self.title):
            found = self._asked(_KEYS, self._schema)
        return frozenset((table, field) for table, field in found if table in self._whole)

    @cached_property
    def _links(self) -> frozenset[tuple[str, str, str, str]]:
        return frozenset(
            link for link in self.declared_links() if {link[0], link[2]} <= self._whole
        )

    def repeated(self, table: str, key: str) -> int:
        """Keys that the server has checked are not counted again; as text, only whole numbers are
        as different as before."""
        is_checked = (table, key) in self._keys and table not in self._substituted
        if is_checked and self._field(table, key).kind is FieldKind.INTEGER:
            return 0
        return super().repeated(table, key)

    def loose(self, table: str, field: str, *, to: str, key: str, nulls: bool = False) -> int:
        is_checked = (table, field, to, key) in self._links and not self._substituted & {table, to}
        if not is_checked or self._field(table, field).kind is not FieldKind.INTEGER:
            return super().loose(table, field, to=to, key=key, nulls=nulls)
        return self._number(table, self._nulls(table, field)) if nulls else 0

    def _nulls(self, table: str, field: str) -> exp.Select:
        missing = exp.Is(this=column(field, "t"), expression=exp.null())
        return exp.select(named(count_all(), "n")).from_(self._from(table, "t")).where(missing)


class _Written(SqlDatabase):
    name: ClassVar[str] = "postgres"
    abilities: ClassVar[Abilities] = PostgresEngine.abilities
    engine = PostgresEngine

    def repeated(self, table: str, key: str) -> int:
        """Numbers are written in their order, and a sort of what is in order costs next to
        nothing."""
        if self._field(table, key).kind is FieldKind.INTEGER and not self._number(
            table, self._more_than_different(table, key)
        ):
            return 0
        return super().repeated(table, key)

    def _more_than_different(self, table: str, key: str) -> exp.Select:
        """How many keys there are more than different ones."""
        value = column(key)
        more = exp.Sub(
            this=exp.Count(this=value),
            expression=exp.Count(this=exp.Distinct(expressions=[value.copy()])),
        )
        return exp.select(named(more, "n")).from_(self._from(table, SOURCE))


def written_tables(
    session: PostgresSession, schema: str, names: Sequence[str], *, title: str
) -> SqlDatabase:
    """Tables that a session has made, as a database."""
    return _Written(
        session, {name: session.from_table(schema, name) for name in names}, title=title
    )
