"""The set of a key's whole numbers as bits, 64 numbers in each row: for repeated keys and links
that lead nowhere.

A key's numbers are close to each other as a rule. A hundred million of them are therefore less than
two million rows, which every worker gets. A link is looked up in place, and neither side is sorted
or moved. Numbers that are far apart have a row each, as they would in any other set."""

from __future__ import annotations

from sqlglot import exp

from ..sql.queries import column, count_all, is_there, named, number, table
from .canonical_text import DIALECT

WORD, BITS = "word", "bits"
# Rows of a set up to which it is sent to the workers, some 40 bytes each.
LARGEST_SENT = 4_000_000
_BIGINT = exp.DataType.Type.BIGINT


def key_set(key: str, source: exp.Expr) -> exp.Select:
    """A row for each 64 numbers of a field of `source`: which of them are there, and in how many
    rows, as `n`."""
    bit = _call("shiftleft", exp.cast(number(1), _BIGINT), _bit_of(column(key)))
    query = exp.select(
        named(_word_of(column(key)), WORD),
        named(_call("bit_or", bit), BITS),
        named(count_all(), "n"),
    ).from_(source)
    return query.where(is_there(column(key))).group_by(number(1))


def sums(of_table: str) -> exp.Select:
    """How many rows a set was made of, and how many numbers it holds."""
    rows = exp.func("coalesce", exp.Sum(this=column("n")), number(0))
    different = exp.func("coalesce", exp.Sum(this=_call("bit_count", column(BITS))), number(0))
    return exp.select(named(rows, "n"), named(different, "numbers")).from_(table(of_table))


def outside(field: exp.Expr, of_table: str, source: exp.Expr) -> exp.Select:
    """How many rows of `source` have a number, or none, that is not in a set."""
    same = exp.EQ(this=_word_of(field), expression=column(WORD, of_table))
    found = _call("shiftright", column(BITS, of_table), _bit_of(field))
    missing = exp.func("coalesce", exp.BitwiseAnd(this=found, expression=number(1)), number(0))
    query = (
        exp.select(named(count_all(), "n"))
        .from_(source)
        .join(table(of_table), on=same, join_type="left")
    )
    query = query.hint(f"BROADCAST({of_table})", dialect=DIALECT)
    return query.where(exp.EQ(this=missing, expression=number(0)))


def _word_of(value: exp.Expr) -> exp.Expr:
    return _call("shiftright", exp.cast(value.copy(), _BIGINT), number(6))


def _bit_of(value: exp.Expr) -> exp.Expr:
    low = exp.BitwiseAnd(this=exp.cast(value.copy(), _BIGINT), expression=number(63))
    return exp.cast(exp.paren(low), exp.DataType.Type.INT)


def _call(name: str, *values: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(values))
