"""The questions Sfumato asks of rows, as sqlglot trees. Pure functions: they describe, engines compile and run.

Every tree selects from a table called `source`, in which every field has its own name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.policy.records import Order

from .engine import FieldInfo, Kind, Lookup, WritePlan

SOURCE = "source"


def column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def table(name: str) -> exp.Table:
    return exp.to_table(exp.to_identifier(name, quoted=True).sql(dialect="duckdb"), dialect="duckdb")


def as_text(info: FieldInfo, of_table: str | None = None) -> exp.Expr:
    """A field as canonical text."""
    plain = column(info.name, of_table)
    return plain if info.kind is Kind.TEXT else exp.cast(plain, exp.DataType.Type.TEXT)


def _named(expression: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(expression, exp.to_identifier(name, quoted=True))


def count_rows() -> exp.Select:
    return exp.select(_named(exp.Count(this=exp.Star()), "n")).from_(table(SOURCE))


def bins(fields: Sequence[FieldInfo], sensitive: FieldInfo | None = None) -> exp.Select:
    """The frequency set: fields as text under the names q0, q1, …, a sensitive field as s, and the count n."""
    shown = [_named(as_text(info), f"q{i}") for i, info in enumerate(fields)]
    if sensitive is not None:
        shown.append(_named(as_text(sensitive), "s"))
    query = exp.select(*shown, _named(exp.Count(this=exp.Star()), "n")).from_(table(SOURCE))
    return query.group_by(*(exp.Literal.number(i + 1) for i in range(len(shown)))) if shown else query


def dictionary(of_table: str, name: str) -> exp.Select:
    """The distinct non-null values of a counted field with their position in sorted order."""
    position = exp.Sub(
        this=exp.Window(
            this=exp.RowNumber(),
            order=exp.Order(expressions=[exp.Ordered(this=column("v"), nulls_first=False)]),
        ),
        expression=exp.Literal.number(1),
    )
    values = (
        exp.select(_named(column(name), "v"))
        .distinct()
        .from_(table(of_table))
        .where(exp.Not(this=exp.Is(this=column(name), expression=exp.null())))
    )
    return exp.select(column("v"), _named(position, "code")).from_(values.subquery("d"))


def codes(of_table: str, names: Sequence[str], dictionaries: Sequence[str]) -> exp.Select:
    """The counted tuples as codes c0, c1, …: null where the value is null."""
    shown = [_named(column("code", d), f"c{i}") for i, d in enumerate(dictionaries)]
    query = exp.select(*shown, _named(column("n", of_table), "n")).from_(table(of_table))
    for name, d in zip(names, dictionaries, strict=True):
        query = query.join(
            table(d), on=exp.EQ(this=column(name, of_table), expression=column("v", d)), join_type="left"
        )
    return query


def bin_sizes(fields: Sequence[FieldInfo], cap: int) -> exp.Select:
    """How many bins have each size, sizes from `cap` on gathered."""
    sizes = bins(fields).subquery("b")
    capped = _named(exp.Least(this=column("n"), expressions=[exp.Literal.number(cap)]), "size")
    return exp.select(capped, _named(exp.Count(this=exp.Star()), "bins")).from_(sizes).group_by("1")


def profile(info: FieldInfo) -> exp.Select:
    """One field's facts from its own frequency set, so that each test runs once per distinct value."""
    values = bins([info]).subquery("b")
    value, n = column("q0"), column("n")

    def rows_where(condition: exp.Expr) -> exp.Expr:
        return exp.func("coalesce", exp.Sum(this=exp.Case().when(condition, n)), exp.Literal.number(0))

    def casts_to(kind: exp.DType) -> exp.Expr:
        cast = exp.TryCast(this=value.copy(), to=exp.DataType.build(kind))
        return exp.Not(this=exp.Is(this=cast, expression=exp.null()))

    kinds = exp.DataType.Type
    one = exp.EQ(this=n.copy(), expression=exp.Literal.number(1))
    is_null = exp.Is(this=value.copy(), expression=exp.null())
    facts = {
        "rows": exp.func("coalesce", exp.Sum(this=n.copy()), exp.Literal.number(0)),
        "nulls": rows_where(is_null),
        "distinct": exp.Count(this=value.copy()),
        "unique": rows_where(exp.and_(one, exp.Not(this=is_null.copy()))),
        "shortest": exp.Min(this=exp.Length(this=value.copy())),
        "longest": exp.Max(this=exp.Length(this=value.copy())),
        "integers": rows_where(casts_to(kinds.BIGINT)),
        "numbers": rows_where(casts_to(kinds.DOUBLE)),
        "dates": rows_where(casts_to(kinds.DATE)),
        "lowest": exp.Min(this=value.copy()),
        "highest": exp.Max(this=value.copy()),
    }
    return exp.select(*(_named(fact, name) for name, fact in facts.items())).from_(values)


def sample(info: FieldInfo, size: int) -> exp.Select:
    """Some distinct values, chosen by their digest so that the same source gives the same sample."""
    values = (
        exp.select(_named(as_text(info), "v"))
        .distinct()
        .from_(table(SOURCE))
        .where(exp.Not(this=exp.Is(this=column(info.name), expression=exp.null())))
        .subquery("d")
    )
    return exp.select(column("v")).from_(values).order_by(exp.MD5(this=column("v"))).limit(size)


def distinct(fields: Sequence[FieldInfo]) -> exp.Select:
    shown = [_named(as_text(info), f"q{i}") for i, info in enumerate(fields)]
    order = [exp.Ordered(this=exp.Literal.number(i + 1), nulls_first=False) for i in range(len(shown))]
    return exp.select(*shown).distinct().from_(table(SOURCE)).order_by(*order)


def _same(info: FieldInfo, lookup_table: str, key: str, of_table: str) -> exp.Expr:
    return exp.NullSafeEQ(this=as_text(info, of_table), expression=column(key, lookup_table))


def released(
    plan: WritePlan, infos: Mapping[str, FieldInfo], lookup_tables: Sequence[str], drop_table: str | None
) -> exp.Select:
    """The released rows: the source joined with each lookup, without the dropped tuples, in the plan's order."""
    given = {name: t for lookup, t in zip(plan.lookups, lookup_tables, strict=True) for name in lookup.fields}
    shown: list[exp.Expr] = []
    for name in plan.fields:
        if name in given:
            shown.append(_named(column(f"new:{name}", given[name]), name))
        elif name in plan.constants:
            present = exp.Not(this=exp.Is(this=column(name, SOURCE), expression=exp.null()))
            text = exp.Literal.string(plan.constants[name])
            shown.append(_named(exp.Case().when(present, text), name))
        else:
            shown.append(_named(column(name, SOURCE), name))
    query = exp.select(*shown).from_(_numbered(plan, infos))
    for lookup, t in zip(plan.lookups, lookup_tables, strict=True):
        query = query.join(table(t), on=_found(lookup, t, infos), join_type="inner")
    if plan.drop is not None and drop_table is not None:
        entry = exp.select("1").from_(table(drop_table)).where(_found(plan.drop, drop_table, infos))
        query = query.where(exp.Not(this=exp.Exists(this=entry)))
    if plan.order is Order.SCRAMBLE:
        query = query.order_by(exp.Rand())
    elif plan.order is Order.SORTED:
        query = query.order_by(*(exp.Ordered(this=exp.Literal.number(i + 1)) for i in range(len(shown))))
    return query


def _found(lookup: Lookup, lookup_table: str, infos: Mapping[str, FieldInfo]) -> exp.Expr:
    conditions = [_same(infos[key], lookup_table, f"key:{key}", SOURCE) for key in lookup.keys]
    if lookup.portions:
        ordinal = column(_ordinal(lookup), SOURCE)
        conditions.append(exp.GTE(this=ordinal, expression=column("first", lookup_table)))
        conditions.append(exp.LTE(this=ordinal.copy(), expression=column("last", lookup_table)))
    return exp.and_(*conditions)


def _ordinal(lookup: Lookup) -> str:
    return "ordinal:" + ",".join(lookup.keys)


def _numbered(plan: WritePlan, infos: Mapping[str, FieldInfo]) -> exp.Expr:
    """The source, with a random ordinal among the rows of equal keys where a lookup takes portions of them."""
    cut = [lookup for lookup in plan.lookups if lookup.portions]
    if not cut:
        return table(SOURCE)
    ordinals = [
        _named(
            exp.Window(
                this=exp.RowNumber(),
                partition_by=[as_text(infos[key]) for key in lookup.keys],
                order=exp.Order(expressions=[exp.Rand()]),
            ),
            _ordinal(lookup),
        )
        for lookup in cut
    ]
    return exp.select(exp.Star(), *ordinals).from_(table(SOURCE)).subquery(SOURCE)
