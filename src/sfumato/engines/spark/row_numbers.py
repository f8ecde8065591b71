"""Random order, and numbers in that order, drawn by all workers at once.

One sort of all rows by one draw needs a pass over all of them to cut their range into parts.
Numbering them would be the work of a single worker. Instead each row draws a part, and its place
there. That is as random, because both draws are made for each row alone. The number of a row is the
sum of its place in its part and the sizes of the parts before. Spark has part and place in one
column."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from itertools import accumulate

from sqlglot import exp

from ..sql.queries import column, named, number, table

PLACE = f"place {secrets.token_hex(8)}"
"""A name that no field of a source has."""
# Spark's own id of a row: the part above, the place in it in so many bits.
PLACE_BITS = 33


def apart(query: exp.Select) -> exp.Select:
    """The rows of a query in random order: one draw gives the part of a row, another its place
    there."""
    query = query.copy()
    query.set("distribute", exp.Distribute(expressions=[exp.Rand()]))
    query.set("sort", exp.Sort(expressions=[exp.Ordered(this=exp.Rand())]))
    return query


def placed(rows: exp.Select) -> exp.Select:
    """All fields of rows, and their places in the order of reading."""
    return exp.select(
        exp.Star(), named(exp.Anonymous(this="monotonically_increasing_id"), PLACE)
    ).from_(rows.subquery("apart"))


def sizes(of_table: str) -> exp.Select:
    """How many rows each part has."""
    query = exp.select(named(_part(), "part"), named(exp.Count(this=exp.Star()), "n")).from_(
        table(of_table)
    )
    return query.group_by(number(1))


def numbers(parts: Mapping[int, int], start: int) -> exp.Expr:
    """The number of a row by its place, counted from `start`, where parts have so many rows."""
    before = _before(_in_order(parts))
    return exp.Add(
        this=exp.Add(this=before, expression=exp.paren(_within())), expression=number(start + 1)
    )


def _in_order(parts: Mapping[int, int]) -> list[int]:
    """Sizes by part, those without a row too.

    Example:
        >>> _in_order({2: 5, 0: 3})
        [3, 0, 5]
    """
    return [parts.get(part, 0) for part in range(max(parts, default=0) + 1)]


def _before(counts: Sequence[int]) -> exp.Expr:
    """How many rows are in the parts before a row's own."""
    before = [
        exp.cast(number(n), exp.DataType.Type.BIGINT) for n in accumulate(counts[:-1], initial=0)
    ]
    place = exp.Add(this=exp.cast(_part(), exp.DataType.Type.INT), expression=number(1))
    return exp.Anonymous(this="element_at", expressions=[exp.Array(expressions=before), place])


def _part() -> exp.Expr:
    return exp.Anonymous(this="shiftright", expressions=[column(PLACE), number(PLACE_BITS)])


def _within() -> exp.Expr:
    return exp.BitwiseAnd(this=column(PLACE), expression=number(2**PLACE_BITS - 1))
