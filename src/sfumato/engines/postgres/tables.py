"""Which tables a PostgreSQL database has, which of them is meant, and what their columns are as
fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from sfumato.errors import SourceError
from sfumato.parts import did_you_mean
from sfumato.wording import some_of

from ..engine import FieldInfo, FieldKind
from ..sql.queries import SOURCE, column, named
from .connection import Connection
from .errors import Server
from .queries import TEXT, in_c

PUBLIC = "public"
MANY = 10
# Tables, partitioned and foreign tables, views and materialised views. Of these the first can be
# locked.
LOCKED = ("r", "p", "v")
_TABLES = """
SELECT n.nspname, c.relname, c.relkind::text, c.relispartition,
  pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'),
  pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
"""
COLUMNS = """
SELECT a.attname, pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
TYPES = """
SELECT pg_catalog.format_type(o.oid, o.mod), t.typtype::text, t.typcategory::text
FROM unnest(%s::oid[], %s::int[]) WITH ORDINALITY AS o(oid, mod, place) JOIN pg_catalog.pg_type t ON t.oid = o.oid
ORDER BY o.place
"""
_KINDS = {
    **dict.fromkeys(("smallint", "integer", "bigint"), FieldKind.INTEGER),
    **dict.fromkeys(("real", "double precision", "numeric"), FieldKind.REAL),
    **dict.fromkeys(
        ("timestamp without time zone", "timestamp with time zone"), FieldKind.TIMESTAMP
    ),
    "text": FieldKind.TEXT,
    "date": FieldKind.DATE,
    "boolean": FieldKind.BOOLEAN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRelation:
    """A table or view: whether anything of it may be read, and all of it."""

    schema: str
    name: str
    kind: str
    partition: bool
    readable: bool
    wholly: bool

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


def relations(connection: Connection) -> list[ServerRelation]:
    """Everything in the database that can be read like a table, in order of name."""
    return [
        ServerRelation(
            schema=schema,
            name=name,
            kind=kind,
            partition=partition,
            readable=readable,
            wholly=wholly,
        )
        for schema, name, kind, partition, readable, wholly in connection.execute(_TABLES)
    ]


def chosen(found: Sequence[ServerRelation], asked: str, server: Server) -> ServerRelation:
    """The table called `asked`: `schema.table`, or `table` in public or else in the one schema that
    has it."""
    if not asked:
        return _only(found, server)
    named_so = [r for r in found if str(r) == asked] or [r for r in found if r.name == asked]
    if len(named_so) > 1:
        named_so = [r for r in named_so if r.schema == PUBLIC] or named_so
    if len(named_so) == 1:
        return _readable(named_so[0], server)
    if named_so:
        raise SourceError(
            f"Table {asked!r} of {server.title()} was asked for.",
            found=f"Several schemas have one: {some_of([str(r) for r in named_so], MANY)}.",
            attempt="naming the schema too: --table SCHEMA.TABLE.",
        )
    names = [str(r) for r in found if r.readable]
    nearest = did_you_mean(asked, [*names, *(r.name for r in found if r.readable)])
    raise SourceError(
        f"{server.title()} has no table called {asked!r}. {nearest}".rstrip(),
        found=f"Role {server.role} sees {some_of(names, MANY)}."
        if names
        else f"Role {server.role} sees none.",
        attempt="naming one with --table, or another database.",
    )


def _only(found: Sequence[ServerRelation], server: Server) -> ServerRelation:
    whole = [r for r in found if r.readable and not r.partition]
    if len(whole) == 1:
        return whole[0]
    raise SourceError(
        f"One table of {server.title()} was asked for.",
        found=f"It has {len(whole)}: {some_of([str(r) for r in whole], MANY)}."
        if whole
        else "It has none that may be read.",
        attempt="naming one with --table SCHEMA.TABLE."
        if whole
        else "another database, or GRANT SELECT on a table.",
    )


def _readable(found: ServerRelation, server: Server) -> ServerRelation:
    if not found.readable:
        raise SourceError(
            f"Role {server.role} may not read {found}.",
            attempt=f'GRANT USAGE ON SCHEMA "{found.schema}", and GRANT SELECT ON '
            f'"{found.schema}"."{found.name}", '
            f'TO "{server.role}".',
        )
    return found


def as_fields(schema: str, table: str, fields: Sequence[tuple[FieldInfo, bool]]) -> exp.Subquery:
    """A table as something to select from, under the name `source`."""
    place = exp.table_(
        exp.to_identifier(table, quoted=True), db=exp.to_identifier(schema, quoted=True)
    )
    shown = (_field(info, is_text=is_text) for info, is_text in fields)
    return exp.select(*shown).from_(place).subquery(SOURCE)


def _field(info: FieldInfo, *, is_text: bool) -> exp.Expr:
    """A column as a field: empty text is null, padding is removed, enumerations are their text."""
    value: exp.Expr = column(info.name)
    empty = exp.Literal.string("")
    if is_text:
        return named(in_c(exp.Nullif(this=exp.cast(value, TEXT), expression=empty)), info.name)
    if info.kind is FieldKind.OTHER:
        some = exp.NEQ(this=exp.cast(value.copy(), TEXT), expression=empty)
        return named(exp.Case().when(some, value), info.name)
    return named(value, info.name)


def kind_of(declared: str) -> FieldKind:
    """From the name of a type with its precision, such as `numeric(12,2)` or `timestamp(3) without
    time zone`."""
    start, bracket, rest = declared.partition("(")
    return _KINDS.get(start + rest.partition(")")[2] if bracket else declared, FieldKind.OTHER)


def is_text(declared: str, typtype: str, category: str) -> bool:
    """Text, character(n), names, enumerations and types of extensions that are text, such as
    citext."""
    return typtype == "e" or category == "S" or declared == '"char"'
