"""Which types DuckDB's Parquet holds without a change, and what takes the place of the others.

DuckDB rounds whole numbers of 128 bits to real ones and moves times with a zone to UTC. It cuts
intervals to milliseconds and turns a union into a structure. A type that is not listed here is
therefore written as its canonical text."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError

from ..sql.queries import ENUMERATION, column, named

Types = exp.DataType.Type

HELD = frozenset(
    {
        Types.BOOLEAN,
        *(Types.TINYINT, Types.SMALLINT, Types.INT, Types.BIGINT),
        *(Types.UTINYINT, Types.USMALLINT, Types.UINT, Types.UBIGINT),
        *(Types.FLOAT, Types.DOUBLE, Types.DECIMAL),
        *(Types.DATE, Types.TIME, Types.TIME_NS),
        *(
            Types.TIMESTAMP,
            Types.TIMESTAMPNTZ,
            Types.TIMESTAMP_S,
            Types.TIMESTAMP_MS,
            Types.TIMESTAMP_NS,
        ),
        Types.TIMESTAMPTZ,
        *(Types.TEXT, Types.VARCHAR, Types.UUID, Types.BLOB, Types.VARBINARY, Types.JSON),
        *(Types.LIST, Types.ARRAY, Types.STRUCT, Types.MAP),
    }
)
"""Types whose values are the same when they are read back, alone or inside others."""
WIDE = frozenset({Types.INT128, Types.UINT128})
"""Whole numbers of 128 bits; Parquet has decimals of 38 digits, which hold all but the largest of
them."""
WIDEST_DECIMAL = "DECIMAL(38, 0)"


def needs_other_types(described: Sequence[tuple[str, str]]) -> bool:
    """Whether some field of a query, given with its type, cannot be written as it is."""
    return any(not is_held(declared) for _, declared in described)


def has_wide_numbers(described: Sequence[tuple[str, str]]) -> bool:
    return any(_is_wide(declared) for _, declared in described)


def with_held_types(
    query: exp.Expr, described: Sequence[tuple[str, str]], *, decimals: bool
) -> exp.Select:
    """The result of a query, in types that Parquet holds: `decimals` for wide whole numbers, and
    else text."""
    shown: list[exp.Expr] = []
    for name, declared in described:
        if is_held(declared):
            shown.append(column(name))
        else:
            kind = WIDEST_DECIMAL if decimals and _is_wide(declared) else "TEXT"
            shown.append(
                named(exp.cast(column(name), exp.DataType.build(kind, dialect="duckdb")), name)
            )
    made = exp.Subquery(this=query.copy(), alias=exp.TableAlias(this=exp.to_identifier("made")))
    return exp.select(*shown).from_(made)


def is_held(declared: str) -> bool:
    """Whether Parquet holds a type, as DuckDB calls it; one that cannot be understood is not held.

    Example:
        >>> [is_held(kind) for kind in ("BIGINT", "DECIMAL(38,10)", "ENUM('a')", "HUGEINT", "HUGEINT[]", "INTERVAL")]
        [True, True, True, False, False, False]
    """
    if declared.startswith("ENUM(") or declared == ENUMERATION:
        return True
    kind = _kind(declared)
    return kind is not None and all(each.this in HELD for each in kind.find_all(exp.DataType))


def _is_wide(declared: str) -> bool:
    kind = _kind(declared)
    return kind is not None and kind.this in WIDE and not kind.expressions


def _kind(declared: str) -> exp.DataType | None:
    try:
        return exp.DataType.build(declared, dialect="duckdb")
    except SqlglotError:
        return None
