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
        session = PostgresSession(source, schema=schema, memory=memory)
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
