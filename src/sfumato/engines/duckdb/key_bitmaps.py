"""Keys that are whole numbers close together, as one bit each: which of them there are, without
hashing any.

Ten million keys are a string of some ten million bits, in which a key is set or found at its place.
A hash table of them takes ten times as long, and is spilled to disk where memory ends."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from ..engine import FieldInfo
from ..sql.queries import Queries, column, count_all, is_there, named, number, table

MOST_BITS = 1_000_000_000
"""DuckDB makes no longer strings of bits; these are 125 MB."""
BITS_FOR_EACH = 64
"""Keys further apart than this on average are hashed: their bits would take more room than they
do."""

WHOLE = exp.DataType.Type.BIGINT


@dataclass(frozen=True, slots=True, kw_only=True)
class Bits:
    """The keys of a table: `kept` is the session's table of one row with their bits, the lowest of
    which is first."""

    kept: str
    lowest: int
    highest: int
    keys: int
    different: int


def ends(source: exp.Expr, key: str) -> exp.Select:
    """The lowest and the highest key, and how many rows have one."""
    value = exp.cast(column(key, "k"), WHOLE)
    return exp.select(
        exp.Min(this=value), exp.Max(this=value.copy()), exp.Count(this=column(key, "k"))
    ).from_(source)


def are_close(lowest: int | None, highest: int | None, keys: int) -> bool:
    """Whether bits are worth their room.

    Example:
        >>> are_close(1_000_001, 1_500_000, 400_000), are_close(0, 10**12, 400_000), are_close(None, None, 0)
        (True, False, False)
    """
    if lowest is None or highest is None:
        return False
    return highest - lowest < min(MOST_BITS, BITS_FOR_EACH * keys)


def bits_of(source: exp.Expr, key: str, lowest: int, highest: int) -> exp.Select:
    value = exp.cast(column(key, "k"), WHOLE)
    found = exp.Anonymous(
        this="bitstring_agg", expressions=[value, number(lowest), number(highest)]
    )
    return exp.select(named(found, "bits")).from_(source)


def how_many(kept: str) -> exp.Select:
    """How many keys there are, each counted once."""
    return exp.select(exp.Anonymous(this="bit_count", expressions=[column("bits")])).from_(
        table(kept)
    )


def not_among(bits: Bits, source: exp.Expr, field: str, *, nulls: bool) -> exp.Select:
    """How many rows of `source`, which is called t, have a value that is none of the keys."""
    value = exp.cast(column(field, "t"), WHOLE)
    place = exp.Sub(this=value, expression=number(bits.lowest))
    here = exp.Subquery(this=exp.select(column("bits")).from_(table(bits.kept)))
    bit = exp.Anonymous(this="get_bit", expressions=[here, exp.cast(place, exp.DataType.Type.INT)])
    within = exp.Between(this=value.copy(), low=number(bits.lowest), high=number(bits.highest))
    missing = exp.Case().when(within, exp.EQ(this=bit, expression=number(0))).else_(exp.true())
    without = exp.Is(this=column(field, "t"), expression=exp.null())
    wanted = exp.or_(without, missing) if nulls else exp.and_(is_there(column(field, "t")), missing)
    return exp.select(named(count_all(), "n")).from_(source).where(wanted)


def are_whole(queries: Queries, *infos: FieldInfo) -> bool:
    return all(map(queries.is_whole, infos))
