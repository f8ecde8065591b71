"""The names of PostgreSQL's catalogue: its tables with their columns, and its types. Names only; no
rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

PG: Final = "pg_catalog"
INFORMATION: Final = "information_schema"
PAD_TYPES: Final = {
    "text": "VARCHAR",
    "oid": "UINTEGER",
    "bool": "BOOLEAN",
    "short": "SMALLINT",
    "int": "INTEGER",
    "long": "BIGINT",
    "real": "DOUBLE",
    "time": "TIMESTAMP",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueRelation:
    """A table of PostgreSQL's catalogue."""

    schema: str
    name: str
    oid: int
    columns: Mapping[str, str]

    @property
    def pad_schema(self) -> str:
        """DuckDB has schemas of these names itself; ours are others."""
        return f"made_{self.schema}"

    def pad_columns(self) -> dict[str, str]:
        """Its columns with the types of the pad."""
        return {name: _pad_type(kind) for name, kind in self.columns.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """A type as in `pg_type`; `said` is its name in SQL."""

    oid: int
    name: str
    length: int
    by_value: bool
    category: str
    preferred: bool
    element: int
    array: int
    align: str
    storage: str
    said: str


@cache
def relations() -> Mapping[tuple[str, str], CatalogueRelation]:
    """By schema and name.

    Example:
        >>> relations()["pg_catalog", "pg_class"].oid
        1259
    """
    out: dict[tuple[str, str], CatalogueRelation] = {}
    for name, oid, *columns in _lines("relations.txt"):
        schema, _, table = name.partition(".")
        pairs = dict(column.rsplit(":", 1) for column in columns)
        out[schema, table] = CatalogueRelation(
            schema=schema, name=table, oid=int(oid), columns=pairs
        )
    return out


@cache
def types() -> Mapping[int, Type]:
    """By oid."""
    out: dict[int, Type] = {}
    for (
        oid,
        name,
        length,
        by_value,
        category,
        preferred,
        element,
        array,
        align,
        storage,
        *said,
    ) in _lines("types.txt"):
        out[int(oid)] = Type(
            oid=int(oid),
            name=name,
            length=int(length),
            by_value=by_value == "true",
            category=category,
            preferred=preferred == "true",
            element=int(element),
            array=int(array),
            align=align,
            storage=storage,
            said=" ".join(said),
        )
    return out


def _lines(name: str) -> Iterator[list[str]]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    yield from (line.split() for line in text.splitlines() if line and not line.startswith("#"))


def _pad_type(kind: str) -> str:
    return PAD_TYPES[kind.removesuffix("[]")] + ("[]" if kind.endswith("[]") else "")
