"""PostgreSQL's differences: canonical text, order by code point, and joins where null equals
null."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.policy import Order

from ..engine import FieldInfo, FieldKind, Lookup, WritePlan
from ..sql.queries import WEIGHT_PLACES, Queries, column, joined, number

TEXT = exp.DataType.Type.TEXT
KEPT = "kept_"
"""How the names of a session's own tables begin."""

BY_CODE_POINT = ("UTF8", "LATIN1", "SQL_ASCII")
"""Encodings whose bytes are in the order of Unicode's code points."""

# From here on PostgreSQL writes an exponent, where canonical text does so from 10^16 on (float4 has
# 6 sure digits).
_PLAIN_BELOW = {"real": 10**6, "double precision": 10**15}
_EXPONENT_FROM = 10**16
_HUGE_EXPONENT = "[eE][+-]?0*[1-9][0-9]{3,}$"


class PostgresQueries(Queries):
    """Every question over one source, in PostgreSQL's dialect.

    `stand_in` is a random number that replaces null, as a number or as text, where keys of lookups
    are compared. IS NOT DISTINCT FROM can be neither hashed nor merged. No value is likely to be
    it: there are 2^62 of them."""

    dialect = "postgres"

    def __init__(
        self, source: exp.Expr | None = None, *, stand_in: int, encoding: str = "UTF8"
    ) -> None:
        super().__init__(source)
        self._stand_in = stand_in
        self._by_code_point = encoding in BY_CODE_POINT

    def as_text(self, info: FieldInfo, of_table: str | None = None) -> exp.Expr:
        """Without regard to the collation that a column or the database has."""
        return in_c(canonical(column(info.name, of_table), info))

    def same(self, text: exp.Expr, key: exp.Expr) -> exp.Expr:
        """By equality, which can be hashed and merged. Keys of entries that were loaded hold no
        null."""
        nothing = exp.Literal.string(str(self._stand_in))
        return exp.EQ(
            this=_there(text, nothing), expression=key if _is_loaded(key) else _there(key, nothing)
        )

    def same_number(self, number_: exp.Expr, key: exp.Expr) -> exp.Expr:
        nothing = number(self._stand_in)
        return exp.EQ(
            this=_there(number_, nothing),
            expression=key if _is_loaded(key) else _there(key, nothing),
        )

    def without_dropped(
        self, query: exp.Select, drop: Lookup, drop_table: str, infos: Mapping[str, FieldInfo]
    ) -> exp.Select:
        return query.where(self.not_dropped(drop, drop_table, infos))

    def try_decimal(self, text: exp.Expr) -> exp.Expr:
        """Of a text that looks like a number. A text too long or too large for a number of
        PostgreSQL's is none."""
        huge = exp.RegexpLike(this=text, expression=exp.Literal.string(_HUGE_EXPONENT))
        short = exp.LT(this=exp.Length(this=text.copy()), expression=number(1_000))
        exact = exp.cast(text.copy(), exp.DataType.Type.DECIMAL)
        rounded = exp.Round(this=exact, decimals=number(WEIGHT_PLACES))
        return exp.Case().when(exp.and_(short, exp.Not(this=huge)), rounded)

    def person_number(self, info: FieldInfo) -> exp.Expr:
        if self.is_whole(info):
            return super().person_number(info)
        hashed = exp.Anonymous(this="hashtextextended", expressions=[self.as_text(info), number(0)])
        return exp.BitwiseAnd(this=hashed, expression=number(2**63 - 1))

    def about_distinct(self, fields: Sequence[FieldInfo]) -> exp.Select:
        counts = (exp.Count(this=exp.Distinct(expressions=[self.as_text(info)])) for info in fields)
        return exp.select(*counts).from_(self.source())

    def _and_null(self, given: exp.Select, info: FieldInfo) -> exp.Select:
        """Null is written as its replacement, so that the key can be joined as it is."""
        query = super()._and_null(given, info)
        nulls = (cast for cast in query.find_all(exp.Cast) if isinstance(cast.this, exp.Null))
        key = next(
            cast for cast in nulls if cast.parent is not None and cast.parent.alias == "key:0"
        )
        nothing = exp.cast(exp.Literal.string(str(self._stand_in)), key.to)
        key.replace(nothing if self.is_whole(info) else in_c(nothing))
        return query

    def dictionary(self, of_table: str, name: str) -> exp.Select:
        query = super().dictionary(of_table, name)
        for ordered in query.find_all(exp.Ordered):
            ordered.set("this", self.by_code_point(ordered.this))
        return query

    def distinct(self, fields: Sequence[FieldInfo]) -> exp.Select:
        query = super().distinct(fields)
        if self._by_code_point:
            return query
        query.set("order", None)
        names = [column(f"q{i}") for i in range(len(fields))]
        return (
            exp.select(*names)
            .from_(query.subquery("found"))
            .order_by(*map(self.by_code_point, names))
        )

    def stored(self, info: FieldInfo) -> exp.Expr:
        """A field as it is grouped: as it is stored where equal values have equal text, else as
        text."""
        plain = self.groups_plainly(info) and info.kind is not FieldKind.TEXT
        return column(info.name) if plain else self.as_text(info)

    def by_code_point(self, text: exp.Expr) -> exp.Expr:
        """To order text by; null is last by itself."""
        return in_c(text.copy()) if self._by_code_point else in_utf8(text.copy())

    def starts_with(self, text: exp.Expr, characters: str) -> exp.Expr:
        """By code point, whatever the database's own order of texts is."""
        return super().starts_with(in_c(text), characters)

    def sample(self, info: FieldInfo, size: int) -> exp.Select:
        query = super().sample(info, size)
        for digest in query.find_all(exp.MD5):
            digest.set("this", in_utf8(digest.this))
        return query

    def released(
        self,
        plan: WritePlan,
        infos: Mapping[str, FieldInfo],
        lookup_tables: Sequence[str],
        *,
        drop_table: str | None = None,
        moved_tables: Sequence[str] = (),
        cut_table: str | None = None,
        ordered: bool = True,
    ) -> exp.Select:
        """With outer joins, and then without rows that lack an entry. PostgreSQL underestimates how
        many rows an inner join of expressions returns, and plans for too few."""
        query = super().released(
            plan,
            infos,
            lookup_tables,
            drop_table=drop_table,
            moved_tables=moved_tables,
            cut_table=cut_table,
            ordered=False,
        )
        missing: list[exp.Expr] = []
        for join, lookup in zip(query.args.get("joins") or [], joined(plan), strict=True):
            join.set("kind", None)
            join.set("side", "LEFT")
            key = "key:0" if lookup.stored else f"key:{lookup.keys[0]}"
            missing.append(exp.Is(this=column(key, join.alias_or_name), expression=exp.null()))
        if missing:
            query = query.where(exp.Case().when(exp.or_(*missing), exp.false()).else_(exp.true()))
        return self.in_order(query, plan, infos) if ordered else query

    def in_order(
        self, query: exp.Select, plan: WritePlan, infos: Mapping[str, FieldInfo]
    ) -> exp.Select:
        """Sorted text is in order of code points, and so is a type without an order of its own,
        such as JSON."""
        if plan.order is not Order.SORTED:
            return super().in_order(query, plan, infos)
        kinds = {name: info.kind for name, info in infos.items()}
        stored = {
            lookup.fields[0] for lookup in plan.lookups if lookup.stored or lookup.whole
        } | set(plan.taken)
        given = {name for lookup in plan.lookups for name in lookup.fields} - stored
        moved = {
            name
            for moved in plan.moved
            for name in moved.fields
            if kinds[name] is not FieldKind.DATE
        }
        texts = given | moved | set(plan.constants) | set(plan.follows)
        texts |= {
            name
            for name in plan.fields
            if name not in stored and kinds[name] in (FieldKind.TEXT, FieldKind.OTHER)
        }
        order = [
            self.by_code_point(exp.cast(column(name), TEXT)) if name in texts else column(name)
            for name in plan.fields
        ]
        return exp.select(*map(column, plan.fields)).from_(query.subquery("made")).order_by(*order)


def _is_loaded(key: exp.Expr) -> bool:
    """Whether it is a key of entries in a table of the session's own."""
    return (
        isinstance(key, exp.Column) and key.table.startswith(KEPT) and key.name.startswith("key:")
    )


def _there(value: exp.Expr, nothing: exp.Expr) -> exp.Expr:
    return exp.func("coalesce", value, nothing.copy())


def canonical(value: exp.Expr, info: FieldInfo) -> exp.Expr:
    """A value as canonical text (docs/engines.md)."""
    if info.kind is FieldKind.TEXT:
        return value
    if info.declared in _PLAIN_BELOW:
        return _real(value, _PLAIN_BELOW[info.declared])
    return exp.cast(value, TEXT)


def _real(value: exp.Expr, plain_below: int) -> exp.Expr:
    """The digits of a float with a point, the exponent where canonical text has one, and nan, inf,
    -inf."""

    def text() -> exp.Expr:
        return exp.cast(value.copy(), TEXT)

    def with_point(digits: exp.Expr) -> exp.Expr:
        return exp.DPipe(this=digits, expression=exp.Literal.string(".0"))

    size = exp.Abs(this=value)
    plain = exp.LT(this=size, expression=number(plain_below))
    whole = exp.EQ(
        this=value.copy(), expression=exp.Anonymous(this="trunc", expressions=[value.copy()])
    )
    out = exp.Case().when(exp.and_(plain, whole), with_point(text())).when(plain.copy(), text())
    for theirs, ours in (("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")):
        out = out.when(
            exp.EQ(this=value.copy(), expression=exp.Literal.string(theirs)),
            exp.Literal.string(ours),
        )
    out = out.when(exp.GTE(this=size.copy(), expression=number(_EXPONENT_FROM)), text())
    digits = exp.cast(exp.cast(text(), exp.DataType.Type.DECIMAL), TEXT)
    return out.when(whole.copy(), with_point(digits)).else_(digits.copy())


def in_c(text: exp.Expr) -> exp.Expr:
    """Compared byte by byte."""
    return exp.Collate(
        this=exp.paren(text, copy=False), expression=exp.to_identifier("C", quoted=True)
    )


def in_utf8(text: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="convert_to", expressions=[text, exp.Literal.string("UTF8")])
