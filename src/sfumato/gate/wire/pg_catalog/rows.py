"""The rows of the made-up catalogue: the facts about tables that the policy discloses to anybody,
and nothing else.

They hold names, types, and the role of a field. No row of a table is counted, and nobody else's
account is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sfumato.engines import FieldKind
from sfumato.engines.duckdb import PadTable

from ..cells import OF_KIND
from ..variables import FIXED, USUAL
from .relations import PG, relations, types

Row = dict[str, Any]

FIRST: Final = 16_384
"""The oid of the first table, as PostgreSQL gives them to users' tables."""
OWNER, OWNER_NAME = 10, "sfumato"
ASKER, ASKER_NAME = 16_000, ":asker"
"""The made catalogue has a placeholder for the asking account; each answer replaces it by the
account's own name."""
DATABASE: Final = 5
SCHEMAS: Final = {"pg_catalog": 11, "public": 2200, "information_schema": 13_000}
DEFAULT_COLLATION: Final = 100
HEAP: Final = 2
_TELLS_SCHEMA: Final = {"public": "what may be asked", "pg_catalog": "system catalog schema"}


@dataclass(frozen=True, slots=True)
class ToldField:
    """A field that may be named: its name, its kind, and its treatment in words."""

    name: str
    kind: FieldKind
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ToldTable:
    """A table that may be asked."""

    name: str
    fields: tuple[ToldField, ...]
    comment: str = ""


@dataclass(frozen=True, slots=True)
class CatalogueFacts:
    """Everything the made catalogue is made of. Equal ones make equal catalogues."""

    database: str
    tables: tuple[ToldTable, ...]

    def oid(self, name: str) -> int | None:
        """The oid of a table that may be asked."""
        return next((FIRST + n for n, table in enumerate(self.tables) if table.name == name), None)


def pad_tables(told: CatalogueFacts) -> Iterator[PadTable]:
    """All tables of the catalogue; those without facts are empty."""
    made: Mapping[str, list[Row]] = {
        "pg_namespace": [_namespace(name, oid) for name, oid in SCHEMAS.items()],
        "pg_class": [_class(table, FIRST + n) for n, table in enumerate(told.tables)],
        "pg_attribute": [
            row for n, table in enumerate(told.tables) for row in _attributes(table, FIRST + n)
        ],
        "pg_type": list(_types()),
        "pg_database": [_database(told)],
        "pg_description": list(_descriptions(told)),
        "pg_am": [
            {"oid": HEAP, "amname": "heap", "amtype": "t", "amhandler": "heap_tableam_handler"}
        ],
        "pg_collation": [_collation(DEFAULT_COLLATION, "default", "d"), _collation(950, "C", "c")],
        "pg_tablespace": [{"oid": 1663, "spcname": "pg_default", "spcowner": OWNER}],
        "pg_roles": [_role(OWNER, OWNER_NAME), _role(ASKER, ASKER_NAME)],
        "pg_user": [
            {"usename": ASKER_NAME, "usesysid": ASKER, "usecreatedb": False, "usesuper": False}
        ],
        "pg_tables": [_pg_table(table) for table in told.tables],
        "pg_settings": [
            _setting(name, value) for name, value in sorted({**FIXED, **USUAL}.items())
        ],
        "schemata": [_schema(name, told) for name in SCHEMAS],
        "tables": [_table(table, told) for table in told.tables],
        "columns": [row for table in told.tables for row in _columns(table, told)],
        "table_privileges": [_privilege(table, told) for table in told.tables],
        "role_table_grants": [_privilege(table, told) for table in told.tables],
    }
    for relation in relations().values():
        rows = made.get(relation.name, [])
        columns = relation.pad_columns()
        filled = [tuple(row.get(name, _blank(columns[name])) for name in columns) for row in rows]
        yield PadTable(schema=relation.pad_schema, name=relation.name, columns=columns, rows=filled)


def said_table(told: CatalogueFacts) -> PadTable:
    """Names and comments by oid, in columns that no table of the catalogue has: questions use those
    bare."""
    rows: list[tuple[str, int, int, str]] = [
        ("type", kind.oid, 0, kind.said) for kind in types().values()
    ]
    rows += [("namespace", oid, 0, name) for name, oid in SCHEMAS.items()]
    rows += [("class", FIRST + n, 0, table.name) for n, table in enumerate(told.tables)]
    for row in _descriptions(told):
        number = row["objsubid"]
        rows.append(("column" if number else "object", row["objoid"], number, row["description"]))
    columns = {
        "said_sort": "VARCHAR",
        "said_oid": "UINTEGER",
        "said_number": "INTEGER",
        "said": "VARCHAR",
    }
    return PadTable(
        schema=relations()[PG, "pg_class"].pad_schema, name="said", columns=columns, rows=rows
    )


def _blank(kind: str) -> Any:
    """Flags are off and numbers are 0 by default; any other column that may be null is null."""
    return {"BOOLEAN": False, "UINTEGER": 0, "SMALLINT": 0, "INTEGER": 0}.get(kind)


def _namespace(name: str, oid: int) -> Row:
    return {"oid": oid, "nspname": name, "nspowner": OWNER}


def _class(table: ToldTable, oid: int) -> Row:
    return {
        "oid": oid, "relname": table.name, "relnamespace": SCHEMAS["public"], "relowner": OWNER, "relam": HEAP,
        "relkind": "r", "relpersistence": "p", "relnatts": len(table.fields), "relreplident": "d", "relpages": 0,
        "reltuples": -1.0, "relispopulated": True, "relacl": [f"=r/{OWNER_NAME}"],
    }  # fmt: skip


def _attributes(table: ToldTable, oid: int) -> Iterator[Row]:
    for number, field in enumerate(table.fields, start=1):
        kind = types()[OF_KIND[field.kind]]
        yield {
            "attrelid": oid, "attname": field.name, "atttypid": kind.oid, "attlen": kind.length, "attnum": number,
            "atttypmod": -1, "attbyval": kind.by_value, "attalign": kind.align, "attstorage": kind.storage,
            "attislocal": True, "attcollation": DEFAULT_COLLATION if kind.category == "S" else 0, "attstattarget": -1,
            "attcompression": "", "attidentity": "", "attgenerated": "", "attcacheoff": -1,
        }  # fmt: skip


def _types() -> Iterator[Row]:
    for kind in types().values():
        yield {
            "oid": kind.oid, "typname": kind.name, "typnamespace": SCHEMAS["pg_catalog"], "typowner": OWNER,
            "typlen": kind.length, "typbyval": kind.by_value, "typtype": "b", "typcategory": kind.category,
            "typispreferred": kind.preferred, "typisdefined": True, "typdelim": ",", "typelem": kind.element,
            "typarray": kind.array, "typalign": kind.align, "typstorage": kind.storage, "typtypmod": -1,
            "typcollation": DEFAULT_COLLATION if kind.category == "S" else 0,
            "typinput": "array_in" if kind.category == "A" and kind.name.startswith("_") else f"{kind.name}in",
            "typoutput": f"{kind.name}out", "typreceive": f"{kind.name}recv", "typsend": f"{kind.name}send",
        }  # fmt: skip


def _database(told: CatalogueFacts) -> Row:
    return {
        "oid": DATABASE, "datname": told.database, "datdba": OWNER, "encoding": 6, "datlocprovider": "c",
        "datallowconn": True, "datconnlimit": -1, "dattablespace": 1663, "datcollate": "C", "datctype": "C",
    }  # fmt: skip


def _descriptions(told: CatalogueFacts) -> Iterator[Row]:
    class_oid, schema_oid = relations()[PG, "pg_class"].oid, relations()[PG, "pg_namespace"].oid
    for name, said in _TELLS_SCHEMA.items():
        yield {"objoid": SCHEMAS[name], "classoid": schema_oid, "objsubid": 0, "description": said}
    for n, table in enumerate(told.tables):
        comments = (table.comment, *(field.comment for field in table.fields))
        for number, comment in enumerate(comments):
            if comment:
                yield {
                    "objoid": FIRST + n,
                    "classoid": class_oid,
                    "objsubid": number,
                    "description": comment,
                }


def _collation(oid: int, name: str, provider: str) -> Row:
    return {
        "oid": oid, "collname": name, "collnamespace": SCHEMAS["pg_catalog"], "collowner": OWNER,
        "collprovider": provider, "collisdeterministic": True, "collencoding": -1, "collcollate": "C", "collctype": "C",
    }  # fmt: skip


def _role(oid: int, name: str) -> Row:
    return {
        "oid": oid, "rolname": name, "rolinherit": True, "rolcanlogin": oid == ASKER, "rolconnlimit": -1,
        "rolpassword": "********",
    }  # fmt: skip


def _setting(name: str, value: str) -> Row:
    """As it is where nobody has set it."""
    context = "internal" if name in FIXED else "user"
    return {
        "name": name,
        "setting": value,
        "context": context,
        "vartype": "string",
        "boot_val": value,
    }


def _pg_table(table: ToldTable) -> Row:
    return {"schemaname": "public", "tablename": table.name, "tableowner": OWNER_NAME}


def _schema(name: str, told: CatalogueFacts) -> Row:
    return {"catalog_name": told.database, "schema_name": name, "schema_owner": OWNER_NAME}


def _table(table: ToldTable, told: CatalogueFacts) -> Row:
    return {
        "table_catalog": told.database, "table_schema": "public", "table_name": table.name, "table_type": "BASE TABLE",
        "is_insertable_into": "NO", "is_typed": "NO",
    }  # fmt: skip


def _columns(table: ToldTable, told: CatalogueFacts) -> Iterator[Row]:
    for number, field in enumerate(table.fields, start=1):
        kind = types()[OF_KIND[field.kind]]
        yield {
            "table_catalog": told.database, "table_schema": "public", "table_name": table.name,
            "column_name": field.name, "ordinal_position": number, "is_nullable": "YES", "data_type": kind.said,
            "character_maximum_length": None, "character_octet_length": None, "numeric_precision": None,
            "numeric_precision_radix": None, "numeric_scale": None, "datetime_precision": None,
            "interval_precision": None, "maximum_cardinality": None, "udt_catalog": told.database,
            "udt_schema": PG, "udt_name": kind.name, "dtd_identifier": str(number), "is_self_referencing": "NO",
            "is_identity": "NO", "is_generated": "NEVER", "is_updatable": "NO",
        }  # fmt: skip


def _privilege(table: ToldTable, told: CatalogueFacts) -> Row:
    return {
        "grantor": OWNER_NAME, "grantee": "PUBLIC", "table_catalog": told.database, "table_schema": "public",
        "table_name": table.name, "privilege_type": "SELECT", "is_grantable": "NO", "with_hierarchy": "NO",
    }  # fmt: skip
