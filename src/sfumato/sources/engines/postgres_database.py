"""A database in PostgreSQL: the tables of one schema, in one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sfumato.errors import SourceError

from ..engine import Abilities
from .postgres import PostgresEngine
from .postgres_asking import DEFAULT_MEMORY
from .postgres_session import PostgresSession
from .postgres_tables import PUBLIC
from .sql_database import SqlDatabase

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


class PostgresDatabase(SqlDatabase):
    """The tables and views of a schema that may be read. Use it as a context manager: closing ends the transaction."""

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
            super().__init__(session, {name: session.from_table(schema, name) for name in wanted}, title=title)
        except BaseException:
            session.close()
            raise

    def declared_links(self) -> tuple[tuple[str, str, str, str], ...]:
        """The foreign keys that the database declares: table and field, and the table and key that it refers to."""
        with self._session.reading(self.title):
            found = self._asked(_FOREIGN_KEYS, self._schema)
        return tuple((table, field, to, key) for table, field, to, key in found)


class _Written(SqlDatabase):
    name: ClassVar[str] = "postgres"
    abilities: ClassVar[Abilities] = PostgresEngine.abilities
    engine = PostgresEngine


def written_tables(session: PostgresSession, schema: str, names: Sequence[str], *, title: str) -> SqlDatabase:
    """Tables that a session has made, as a database."""
    return _Written(session, {name: session.from_table(schema, name) for name in names}, title=title)
