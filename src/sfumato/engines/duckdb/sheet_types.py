"""Which types of DuckDB a sheet of Excel holds; all others are written as their canonical text."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ..sql.queries import column, named

HELD = frozenset(
    "VARCHAR BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER "
    "UBIGINT UHUGEINT FLOAT DOUBLE "
    "DECIMAL DATE TIMESTAMP".split()
)


def with_sheet_types(query: exp.Expr, described: Sequence[tuple[str, str]]) -> exp.Expr:
    """What a query gives, with fields that a sheet has no type for as text, such as times with a
    zone and bytes."""
    if all(_is_held(declared) for _, declared in described):
        return query
    shown = [
        column(name)
        if _is_held(declared)
        else named(exp.cast(column(name), exp.DataType.Type.TEXT), name)
        for name, declared in described
    ]
    return exp.select(*shown).from_(
        exp.Subquery(this=query.copy(), alias=exp.TableAlias(this=exp.to_identifier("made")))
    )


def _is_held(declared: str) -> bool:
    return not declared.endswith("]") and declared.split("(")[0] in HELD
