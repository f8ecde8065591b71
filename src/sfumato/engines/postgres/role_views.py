"""Views in PostgreSQL through which a role reads the last release that was made for it.

A release is a schema of tables that no recipient may use. The views of a role are in another
schema, and all of them change over to new releases in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg.sql import SQL, Composed, Identifier

from sfumato.errors import TargetError

from ..role_views import RoleView
from .connection import Connection, connect
from .errors import reading, writing

_ROLE = "SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = %s"
_SCHEMA = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s"
_VIEW = "SELECT 1 FROM pg_catalog.pg_views WHERE schemaname = %s AND viewname = %s"
_MAY_READ = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY (%(schemas)s) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND (pg_catalog.cardinality(%(tables)s::text[]) = 0 OR c.relname = ANY (%(tables)s))
  AND (pg_catalog.has_any_column_privilege(%(role)s, c.oid, 'SELECT')
    OR pg_catalog.pg_has_role(%(role)s, c.relowner, 'MEMBER'))
ORDER BY 1, 2
"""
_CLAIM = "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('sfumato views', 0))"


class PostgresViews:
    """The views of a database. Nothing that a role reads changes but by `change_over`."""

    def __init__(self, address: str) -> None:
        self._connection, self._server = connect(address)
        self.title = self._server.title()

    def close(self) -> None:
        self._connection.close()

    def check_roles(self, roles: Sequence[str], *, schema: str, tables: Sequence[str]) -> None:
        """Refuse roles that are missing, or that may read the source itself."""
        problems, attempts = [], []
        with reading(self.title, self._server):
            for role in roles:
                found = self._connection.execute(_ROLE, (role,)).fetchone()
                if found is None:
                    problems.append(f"There is no role {role}.")
                    attempts.append(f'CREATE ROLE "{role}" NOLOGIN')
                    continue
                readable = self._readable(role, [schema], tables)
                if readable:
                    problems.append(f"Role {role} may read {', '.join(readable)} itself.")
                    attempts.append(
                        f'another role than the superuser "{role}"'
                        if found[0]
                        else f'REVOKE ALL ON ALL TABLES IN SCHEMA "{schema}" FROM "{role}", PUBLIC'
                    )
        if problems:
            raise TargetError(
                f"Views were asked for in {self.title}.",
                found=" ".join(problems),
                attempt="; ".join(attempts) + ".",
            )

    def _readable(self, role: str, schemas: Sequence[str], tables: Sequence[str]) -> list[str]:
        asked = {"role": role, "schemas": list(schemas), "tables": list(tables)}
        return [".".join(row) for row in self._connection.execute(_MAY_READ, asked).fetchall()]

    def has_view(self, schema: str, name: str) -> bool:
        with reading(self.title, self._server):
            return self._connection.execute(_VIEW, (schema, name)).fetchone() is not None

    def make_release_schema(self, name: str) -> None:
        """A new schema that only its owner may use; leftovers of a killed run in it are removed."""
        with self._transaction():
            self._drop(name)
            self._connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(name)))
            self._connection.execute(
                SQL("REVOKE ALL ON SCHEMA {} FROM PUBLIC").format(Identifier(name))
            )

    def drop_release_schema(self, name: str) -> None:
        with self._transaction():
            self._drop(name)

    def change_over(self, views: Sequence[RoleView], *, before: Sequence[str]) -> None:
        """Let every role read its new release, all at once, and drop the releases `before`."""
        with self._transaction():
            self._connection.execute(_CLAIM)
            for view in views:
                self._change(view)
            for name in before:
                self._drop(name)
            releases = [view.release for view in views]
            exposed = {name for view in views for name in self._readable(view.role, releases, ())}
            if exposed:
                raise TargetError(
                    f"The views of {self.title} were not changed.",
                    found=f"A role of theirs may read {', '.join(sorted(exposed))} itself, by "
                    "default privileges or as a member of another role.",
                    attempt="ALTER DEFAULT PRIVILEGES … REVOKE, or roles without members' rights.",
                )

    def _change(self, view: RoleView) -> None:
        schema, role = Identifier(view.schema), Identifier(view.role)
        if self._connection.execute(_SCHEMA, (view.schema,)).fetchone() is None:
            self._connection.execute(SQL("CREATE SCHEMA {}").format(schema))
        self._connection.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, role))
        for name, table in view.tables.items():
            place = Identifier(view.schema, name)
            self._replace(place, SQL("SELECT * FROM {}").format(Identifier(view.release, table)))
            self._connection.execute(SQL("GRANT SELECT ON {} TO {}").format(place, role))
        for name in view.gone:
            place = Identifier(view.schema, name)
            self._connection.execute(SQL("DROP VIEW IF EXISTS {}").format(place))

    def _replace(self, place: Identifier, over: Composed) -> None:
        """A view keeps what depends on it, unless its fields changed."""
        try:
            with self._connection.transaction():
                self._connection.execute(SQL("CREATE OR REPLACE VIEW {} AS {}").format(place, over))
        except psycopg.errors.InvalidTableDefinition:
            self._connection.execute(SQL("DROP VIEW {}").format(place))
            self._connection.execute(SQL("CREATE VIEW {} AS {}").format(place, over))

    def _drop(self, name: str) -> None:
        self._connection.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(name)))

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with writing(self.title, self._server, self.title), self._connection.transaction():
            yield self._connection
