"""Lookups in DuckDB: labels as enumerations, which sort four times faster than text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray
from sqlglot import exp

from ..engine import Lookup
from ..sql import queries
from .session import DuckDBSession

# Up to this many labels a looked-up field travels as a small integer: sorting gets 4x faster.
ENUM_LABELS = 2_000
# Below this many rows, or above this many fields, making enumerations takes longer than it spares.
FEWEST_ROWS, MOST_EASED = 100_000, 50
LONGEST_LABEL = 200  # Not text of any length, which would all stand in the query.


def itself(name: str, values: NDArray[Any]) -> Lookup:
    """A lookup that keeps a field as it is."""
    batch = {f"key:{name}": values, f"new:{name}": values}
    return Lookup(keys=(name,), fields=(name,), batches=lambda: iter([batch]))


def with_enumerations(session: DuckDBSession, name: str, lookup: Lookup) -> exp.Select | None:
    """The rows of table `name`, its few-labelled new fields as enumerations; None where there are
    none of these."""
    shown: list[exp.Expr] = [queries.column(f"key:{key}") for key in lookup.keys]
    shown += [queries.column(name) for name in ("first", "last")] if lookup.portions else []
    fewer = False
    for field in lookup.fields:
        column: exp.Expr = queries.column(f"new:{field}")
        labels = _labels(session, name, f"new:{field}")
        plain = not any("\0" in label or len(label) > LONGEST_LABEL for label in labels)
        if 0 < len(labels) <= ENUM_LABELS and plain:
            literals = [exp.Literal.string(label) for label in labels]
            kind = exp.DataType(this=exp.DataType.Type.ENUM, expressions=literals)
            alias = exp.to_identifier(f"new:{field}", quoted=True)
            column, fewer = exp.Alias(this=exp.Cast(this=column, to=kind), alias=alias), True
        shown.append(column)
    # Built without copies: two thousand labels, copied at each step, took a sixth of a small
    # release.
    return (
        exp.Select().select(*shown, copy=False).from_(queries.table(name), copy=False)
        if fewer
        else None
    )


def enumeration(values: NDArray[Any]) -> exp.DataType | None:
    """The type of some values in order, null left out; None where there are none, or where they are
    too long."""
    labels = [value for value in values.tolist() if value is not None]
    if not labels or any("\0" in label or len(label) > LONGEST_LABEL for label in labels):
        return None
    return exp.DataType(
        this=exp.DataType.Type.ENUM, expressions=[exp.Literal.string(label) for label in labels]
    )


def labels_used(fields: Sequence[str], source: exp.Expr) -> exp.Select:
    """For each field, how many of its labels are in a row, and how many it has: two structures of
    one row."""

    def each(found: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
        pairs = [
            exp.PropertyEQ(this=exp.Literal.string(f), expression=found(queries.column(f)))
            for f in fields
        ]
        return exp.Struct(expressions=pairs)

    used = each(lambda column: exp.Count(this=exp.Distinct(expressions=[column])))
    labels = each(
        lambda column: exp.func(
            "len", exp.Anonymous(this="enum_range", expressions=[exp.AnyValue(this=column)])
        )
    )
    return exp.select(used, labels).from_(source)


def _labels(session: DuckDBSession, name: str, field: str) -> list[str]:
    """The labels of a new field in order; none where an enumeration does not take that many."""
    column = queries.column(field)
    about = exp.select(exp.ApproxDistinct(this=column.copy())).from_(queries.table(name))
    if session.rows(about)[0][0] > 2 * ENUM_LABELS:
        return []
    query = (
        exp.select(column)
        .distinct()
        .from_(queries.table(name))
        .where(queries.is_there(column.copy()))
    )
    return [
        row[0] for row in session.rows(query.order_by(queries.number(1)).limit(ENUM_LABELS + 1))
    ]
