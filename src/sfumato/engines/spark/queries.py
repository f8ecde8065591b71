"""Sfumato's questions as Spark asks them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from sqlglot import exp

from sfumato.policy import Order

from ..engine import FieldInfo, FieldKind, Lookup, WritePlan
from ..sql.queries import SOURCE, Queries, column, is_there, named, number, table
from . import canonical_text as spark_text
from . import row_numbers as spark_numbering

_NUMBERED = {"date": "DATE", "tinyint": "INT", "smallint": "INT", "int": "INT"}
_NO_VALUE = 2**62


def _or_empty(text: exp.Expr) -> exp.Expr:
    return exp.func("coalesce", text, exp.Literal.string(""))


def _number(value: exp.Expr, kind: str) -> exp.Expr:
    days = exp.Anonymous(this="unix_date", expressions=[value]) if kind == "DATE" else value
    return exp.cast(days, exp.DataType.Type.BIGINT)


class SparkQueries(Queries):
    """Every question over one source, in Spark's dialect."""

    dialect = spark_text.DIALECT

    def __init__(self, source: exp.Expr | None = None, *, shortest: bool = False) -> None:
        super().__init__(source)
        self._shortest = shortest

    def as_text(self, info: FieldInfo, of_table: str | None = None) -> exp.Expr:
        plain = column(info.name, of_table)
        return (
            plain
            if info.kind is FieldKind.TEXT
            else spark_text.as_text(info.declared, plain, shortest=self._shortest)
        )

    def same(self, text: exp.Expr, key: exp.Expr) -> exp.Expr:
        """Empty text is null, so that no text is empty: with null as such a text Spark joins by one
        value, not two."""
        return exp.EQ(this=_or_empty(text), expression=_or_empty(key))

    def same_number(self, number_: exp.Expr, key: exp.Expr) -> exp.Expr:
        """Null as a number drawn for this question, which no value has: one of 2^61."""
        null = -(2**62) - secrets.randbits(61)
        return exp.EQ(
            this=exp.func("coalesce", number_, number(null)),
            expression=exp.func("coalesce", key, number(null)),
        )

    def without_dropped(
        self, query: exp.Select, drop: Lookup, drop_table: str, infos: Mapping[str, FieldInfo]
    ) -> exp.Select:
        return query.where(self.not_dropped(drop, drop_table, infos))

    def person_number(self, info: FieldInfo) -> exp.Expr:
        if info.kind is FieldKind.INTEGER:
            return exp.cast(column(info.name), exp.DataType.Type.BIGINT)
        hashed = exp.Anonymous(this="xxhash64", expressions=[self.as_text(info)])
        positive = exp.BitwiseAnd(this=hashed, expression=number(2**63 - 1))
        return exp.Case().when(is_there(column(info.name)), positive)

    def values(self, info: FieldInfo, *, unique: bool) -> exp.Select:
        """The values of a key, each once."""
        query = (
            exp.select(named(self._key(info), "v"))
            .from_(self.source())
            .where(is_there(column(info.name)))
        )
        return query if unique else query.distinct()

    def numbered_values(self, info: FieldInfo, new: exp.Expr, of_table: str) -> exp.Select:
        """These values of a table with their numbers, and null without one."""
        given = exp.select(named(column("v"), "key:0"), named(new, "new:0")).from_(table(of_table))
        return self._and_null(given, info)

    def days_later(self, date: exp.Expr, days: exp.Expr) -> exp.Expr:
        return exp.Anonymous(
            this="date_add", expressions=[date, exp.cast(days, exp.DataType.Type.INT)]
        )

    def _is_key(self, info: FieldInfo, key: exp.Expr, *, plain: bool) -> exp.Expr:
        """Dates and whole numbers up to 32 bits are compared as numbers. A row's are not turned
        into text, and Spark joins by one whole number faster than by anything else. Null is a
        number that no value has.

        A key that is not the canonical text of a value, such as 007, stays without a row.
        """
        kind = _NUMBERED.get(info.declared)
        if plain or kind is None:
            return super()._is_key(info, key, plain=plain)
        as_kind = exp.TryCast(this=key.copy(), to=exp.DataType.build(kind))
        is_canonical = exp.EQ(
            this=exp.cast(as_kind.copy(), exp.DataType.Type.TEXT), expression=key.copy()
        )
        theirs = exp.Case().when(exp.Is(this=key, expression=exp.null()), number(_NO_VALUE))
        theirs = theirs.when(is_canonical, _number(as_kind, kind))
        mine = exp.func("coalesce", _number(column(info.name, SOURCE), kind), number(_NO_VALUE))
        return exp.EQ(this=mine, expression=theirs)

    def in_order(
        self, query: exp.Select, plan: WritePlan, infos: Mapping[str, FieldInfo]
    ) -> exp.Select:
        """Scrambled by all workers at once."""
        if plan.order is not Order.SCRAMBLE:
            return super().in_order(query, plan, infos)
        return spark_numbering.apart(query)


def compiled(query: exp.Expr) -> str:
    """A question as text. Draws are seeded by the system's entropy; places are those of the rows as
    Spark reads them.

    Spark numbers rows in no order only by an id that grows within each part, and from one part of a
    file to the next."""

    def spoken(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Rand):
            return exp.Rand(this=number(secrets.randbits(62)))
        if (
            isinstance(node, exp.Window)
            and not node.args.get("order")
            and not node.args.get("partition_by")
        ):
            return exp.Anonymous(this="monotonically_increasing_id")
        return node

    return query.transform(spoken).sql(dialect=spark_text.DIALECT, copy=False)
