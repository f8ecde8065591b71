"""Derived fields: an expression of a query over the fields of one row, as a field of its own.

`FLOOR(age / 10)` is a function of `age`, so it discloses no more than `age` does, and mostly far
less. It is judged, grouped and summed like a field whose values are the different outcomes. Nothing
here reads a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .expression_spelling import respelt
from .qualification import dialect
from .queryable_table import PERSON, QueryableTable

SIGN: Final = "= "
"""How the name of a derived field begins; the rest is its expression."""
SCALARS: Final = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.Neg, exp.Floor, exp.Ceil, exp.Round, exp.Trunc,
    exp.Abs, exp.Sqrt, exp.Ln, exp.Log, exp.Exp, exp.Pow, exp.Sign, exp.Case, exp.If, exp.Coalesce, exp.Nullif,
    exp.Greatest, exp.Least, exp.Cast, exp.Lower, exp.Upper, exp.Substring, exp.Left, exp.Right, exp.Trim,
    exp.Length, exp.Concat, exp.DPipe, exp.Extract, exp.TimestampTrunc, exp.DateTrunc, exp.TimeToStr,
    exp.StrToDate, exp.WidthBucket, exp.Interval, exp.DataTypeParam, exp.IntervalSpan,
)  # fmt: skip
"""The functions that may be applied to the fields of a row."""
_BARE: Final = (exp.Column, exp.Literal, exp.Star, exp.Boolean, exp.Null)
_COMPARISONS: Final = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Is, exp.Like, exp.ILike,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedField:
    """A field that a query makes of others, `fields`. It is known where all of them are."""

    name: str
    tree: exp.Expr = field(repr=False)
    fields: tuple[str, ...]
    is_known: bool


@dataclass(slots=True, kw_only=True)
class Derivation:
    """Puts columns in place of expressions, and keeps their expressions."""

    table: QueryableTable
    found: dict[str, DerivedField] = field(default_factory=dict)

    def read(self, tree: exp.Select) -> exp.Select:
        """Take every expression over the fields of a row out of a query.

        Where rows are counted or grouped, expressions outside of aggregates follow from the groups,
        and stay in the query."""
        _spell_out(tree, has_people=PERSON not in self.table.shown)
        group, where = tree.args.get("group"), tree.args.get("where")
        keys = [*group.expressions] if group else []
        for key in keys:
            if not isinstance(key, exp.Column):
                key.replace(self._column(key))
        counts = bool(keys) or any(map(_aggregates_in, tree.expressions))
        outer = [*tree.expressions]
        outer += [part for part in (tree.args.get("having"), tree.args.get("order")) if part]
        for each in outer:
            self._outside(each, grouped=counts)
        if where:
            whole = where.this if _compares_fields(where.this) else respelt(where.this)
            where.set("this", self._condition(whole))
        return tree

    def _outside(self, tree: exp.Expr, *, grouped: bool) -> None:
        """The expressions that a query shows, sorts by or chooses groups by."""
        for node in [*tree.walk(prune=is_aggregate)]:
            if is_aggregate(node):
                self._arguments(node)
        if grouped:
            known = set(self.found)
            if not known:
                return
            for node in [*tree.walk(prune=is_aggregate)]:
                if not isinstance(node, _BARE) and name_of(node) in known:
                    node.replace(self._column(node))
            return
        inner = tree.this if isinstance(tree, exp.Alias) else tree
        parts = (
            [each.this for each in inner.expressions] if isinstance(tree, exp.Order) else [inner]
        )
        for part in parts:
            if not isinstance(part, _BARE) and _columns(part) and not part.find(exp.Window):
                part.replace(self._column(part))

    def _arguments(self, node: exp.Expr) -> None:
        inner = node.this
        places = inner.expressions if isinstance(inner, exp.Distinct) else [inner]
        if isinstance(node, _OF_TWO):
            places = [*places, node.expression]
        for each in places:
            chosen = chosen_people(each)
            if chosen is not None:
                if not isinstance(chosen, exp.Column):
                    chosen.replace(self._column(chosen))
            elif isinstance(each, exp.Paren) and isinstance(each.this, exp.Column):
                each.replace(each.this)
            elif not isinstance(each, _BARE) and _columns(each):
                each.replace(self._column(each))

    def _condition(self, tree: exp.Expr) -> exp.Expr:
        """A condition in which every comparison of something other than a field with a constant is
        a field."""
        if isinstance(tree, (exp.And, exp.Or)):
            tree.set("this", self._condition(tree.this))
            tree.set("expression", self._condition(tree.expression))
            return tree
        if isinstance(tree, (exp.Not, exp.Paren)):
            tree.set("this", self._condition(tree.this))
            return tree
        if not _columns(tree) or isinstance(tree, exp.Column) or _is_plain(tree):
            return tree
        return self._column(tree)

    def whole(self, tree: exp.Expr) -> exp.Column:
        """A condition as one field, whatever it compares."""
        return self._column(tree)

    def _column(self, tree: exp.Expr) -> exp.Column:
        plain = self._spelt(tree)
        name = name_of(plain)
        used = tuple(dict.fromkeys(column.name for column in plain.find_all(exp.Column)))
        if not used:
            raise NotAdmitted("Groups are made by fields.", code="not-listed")
        known = all(each in self.table.known for each in used)
        self.found[name] = DerivedField(name=name, tree=plain, fields=used, is_known=known)
        return exp.column(exp.to_identifier(name, quoted=True))

    def _spelt(self, tree: exp.Expr) -> exp.Expr:
        """An expression by the fields of the table, without those that were derived before."""
        out: exp.Paren = exp.Paren(this=_without_tables(tree))
        for column in [*out.find_all(exp.Column)]:
            if column.name in self.found:
                column.replace(exp.Paren(this=self.found[column.name].tree.copy()))
        return respelt(out.this)


def name_of(tree: exp.Expr) -> str:
    """The name of a derived field: its expression in one spelling, so that one expression is one
    field."""
    return SIGN + dialect().generate(respelt(_without_tables(tree)), copy=False)


def _without_tables(tree: exp.Expr) -> exp.Expr:
    copy = tree.copy()
    for column in [*copy.find_all(exp.Column)]:
        column.set("table", None)
    return copy


def _columns(tree: exp.Expr) -> bool:
    return tree.find(exp.Column) is not None


def _compares_fields(tree: exp.Expr) -> bool:
    """Whether a condition compares nothing but fields with constants."""
    if isinstance(tree, (exp.And, exp.Or)):
        return _compares_fields(tree.this) and _compares_fields(tree.expression)
    if isinstance(tree, (exp.Not, exp.Paren)):
        return _compares_fields(tree.this)
    return isinstance(tree, exp.Column) or _is_plain(tree)


def _is_plain(tree: exp.Expr) -> bool:
    """Whether a comparison has a field on one side and constants on the other."""
    if not isinstance(tree, _COMPARISONS):
        return False
    sides = [_bare(tree.this)]
    if isinstance(tree, exp.Between):
        sides += [_bare(tree.args["low"]), _bare(tree.args["high"])]
    elif isinstance(tree, exp.In):
        sides += [_bare(each) for each in tree.expressions]
    else:
        sides.append(_bare(tree.expression))
    return sum(isinstance(side, exp.Column) for side in sides) == 1 and all(
        isinstance(side, exp.Column) or _is_constant(side) for side in sides
    )


def _is_constant(tree: exp.Expr) -> bool:
    inner = _bare(tree)
    if isinstance(inner, (exp.Neg, exp.Cast)):
        return _is_constant(inner.this)
    return isinstance(inner, (exp.Literal, exp.Boolean, exp.Null))


def _bare(tree: exp.Expr) -> exp.Expr:
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


class QuantileCont(exp.Expression, exp.AggFunc):
    """PERCENTILE_CONT(share) WITHIN GROUP (ORDER BY field), as one function of a field."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True}
    _sql_names: ClassVar[list[str]] = ["QUANTILE_CONT"]


REGRESSIONS: Final[Mapping[type[exp.Expr], str]] = {
    exp.RegrSlope: "regr_slope",
    exp.RegrIntercept: "regr_intercept",
    exp.RegrR2: "regr_r2",
    exp.RegrCount: "regr_count",
    exp.RegrAvgx: "regr_avgx",
    exp.RegrAvgy: "regr_avgy",
    exp.RegrSxx: "regr_sxx",
    exp.RegrSyy: "regr_syy",
    exp.RegrSxy: "regr_sxy",
}
"""Functions of the regression of a field, the first argument, on another."""
_OF_TWO: Final[tuple[type[exp.Expr], ...]] = (
    exp.Corr,
    exp.CovarSamp,
    exp.CovarPop,
    *REGRESSIONS,
)


def is_aggregate(node: exp.Expr) -> bool:
    """Whether it counts rows; a function over a window counts groups."""
    return isinstance(node, exp.AggFunc) and not (
        isinstance(node.parent, exp.Window) and node.arg_key == "this"
    )


def _aggregates_in(tree: exp.Expr) -> bool:
    return any(is_aggregate(node) for node in tree.find_all(exp.AggFunc))


def aggregates_of(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The aggregates of a query: each counts rows, and none is in another."""
    for node in tree.walk(prune=is_aggregate):
        if is_aggregate(node):
            yield node


def chosen_people(counted: exp.Expr) -> exp.Expr | None:
    """What marks those people who are counted, by not being null; None where all people are, or
    something else is.

    Example:
        >>> import sqlglot
        >>> count = sqlglot.parse_one("COUNT(DISTINCT person) FILTER (WHERE a > 1)")
        >>> (counted,) = _filtered(count, has_people=True).this.expressions
        >>> counted.sql()
        'CASE WHEN NOT CASE WHEN a > 1 THEN 1 END IS NULL THEN person END'
        >>> chosen_people(counted).sql()
        'CASE WHEN a > 1 THEN 1 END'
    """
    if not isinstance(counted, exp.Case) or counted.this or counted.args.get("default"):
        return None
    first, *others = counted.args["ifs"]
    is_person = isinstance(first.args["true"], exp.Column) and first.args["true"].name == PERSON
    known = first.this.this if isinstance(first.this, exp.Not) else None
    if others or not is_person or not isinstance(known, exp.Is):
        return None
    marks: exp.Expr = known.this
    return marks if isinstance(known.expression, exp.Null) else None


def _spell_out(tree: exp.Select, *, has_people: bool) -> None:
    """FILTER, WIDTH_BUCKET and percentiles, rewritten as the functions that the gate reads.
    `has_people` is whether `person` means people themselves, and no field."""
    spellings = dict(_SPELLINGS)
    spellings[exp.Filter] = partial(_filtered, has_people=has_people)
    for kind, other in spellings.items():
        for node in [*tree.find_all(kind)]:
            node.replace(other(node))


def _filtered(node: exp.Expr, *, has_people: bool) -> exp.Expr:
    """AGG(x) FILTER (WHERE c) is AGG(CASE WHEN c THEN x END): aggregates pass over null. Of people,
    those are counted of whom a row meets the condition."""
    number: exp.Expr = node.this
    condition: exp.Expr = node.expression.this
    if not is_aggregate(number):
        raise NotAdmitted("FILTER stands behind an aggregate.", code="not-listed")
    inner = number.this
    one = isinstance(inner, exp.Star)
    if isinstance(inner, exp.Distinct):
        counted = inner.expressions
        if has_people and any(column.name == PERSON for column in inner.find_all(exp.Column)):
            marked = _where(exp.Literal.number(1), condition)
            condition = exp.Not(this=exp.Is(this=marked, expression=exp.Null()))
        number.set("this", exp.Distinct(expressions=[_where(each, condition) for each in counted]))
    else:
        number.set("this", _where(exp.Literal.number(1) if one else inner, condition))
    return number


def _where(value: exp.Expr, condition: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _bucket(node: exp.Expr) -> exp.Expr:
    """The bucket that a value is in: 0 below all of them, one more than their number above."""
    value, low, high, count = (
        node.this, node.args["min_value"], node.args["max_value"], node.args["num_buckets"],
    )  # fmt: skip
    if not all(map(_is_constant, (low, high, count))):
        raise NotAdmitted("WIDTH_BUCKET has constants for its bounds.", code="not-listed")
    ends = [float(each.sql()) for each in (low, high, count)]
    if not (ends[0] < ends[1] and ends[2] >= 1):
        raise NotAdmitted("WIDTH_BUCKET counts from a lower to a higher bound.", code="not-listed")
    place = exp.Floor(
        this=exp.Div(
            this=exp.Mul(
                this=exp.Paren(this=exp.Sub(this=value.copy(), expression=low.copy())),
                expression=count.copy(),
            ),
            expression=exp.Paren(this=exp.Sub(this=high.copy(), expression=low.copy())),
        )
    )
    return exp.Cast(
        this=exp.Case(
            ifs=[
                exp.If(
                    this=exp.LT(this=value.copy(), expression=low.copy()),
                    true=exp.Literal.number(0),
                ),
                exp.If(
                    this=exp.GTE(this=value.copy(), expression=high.copy()),
                    true=exp.Add(this=count.copy(), expression=exp.Literal.number(1)),
                ),
            ],
            default=exp.Add(this=place, expression=exp.Literal.number(1)),
        ),
        to=exp.DataType.build("int"),
    )


def _percentile(node: exp.Expr) -> exp.Expr:
    kind, order = node.this, node.expression
    keys = order.expressions if isinstance(order, exp.Order) else []
    if not isinstance(kind, exp.PercentileCont) or len(keys) != 1 or keys[0].args.get("desc"):
        raise NotAdmitted(
            "Percentiles are asked by PERCENTILE_CONT.",
            code="not-listed",
            attempt="PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY field).",
        )
    return QuantileCont(this=keys[0].this.copy(), expression=kind.this.copy())


def _median(node: exp.Expr) -> exp.Expr:
    return QuantileCont(this=node.this.copy(), expression=exp.Literal.number("0.5"))


_SPELLINGS: Final[Mapping[type[exp.Expr], Callable[[exp.Expr], exp.Expr]]] = {
    exp.WithinGroup: _percentile,
    exp.Median: _median,
    exp.Filter: partial(_filtered, has_people=True),
    exp.WidthBucket: _bucket,
}
