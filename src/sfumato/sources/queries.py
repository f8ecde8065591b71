"""The questions Sfumato asks of rows, as sqlglot trees. Pure functions: they describe, engines compile and run.

Every tree selects from a table called `source`, in which every field has its own name.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from sqlglot import exp

from sfumato.policy.hierarchies import SUPPRESSED
from sfumato.policy.records import Order

from .engine import FieldInfo, Kind, Lookup, WritePlan

SOURCE = "source"

# What a profile counts as a whole number, a number and a date. Only what every dialect's patterns share.
WHOLE_NUMBER = "^[+-]?[0-9]{1,18}$"
NUMBER = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
ISO_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.,Z+-]*)?$"

# Survey weights are summed as decimals, so that every engine rounds the same sum down.
WEIGHT_PLACES = 12
LARGEST_WEIGHT = 10**12


def column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def table(name: str) -> exp.Table:
    return exp.to_table(exp.to_identifier(name, quoted=True).sql(dialect="duckdb"), dialect="duckdb")


def as_text(info: FieldInfo, of_table: str | None = None) -> exp.Expr:
    """A field as canonical text."""
    plain = column(info.name, of_table)
    return plain if info.kind is Kind.TEXT else exp.cast(plain, exp.DataType.Type.TEXT)


def named(expression: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(expression, exp.to_identifier(name, quoted=True))


def count_rows() -> exp.Select:
    return exp.select(named(exp.Count(this=exp.Star()), "n")).from_(table(SOURCE))


def bins(
    fields: Sequence[FieldInfo], sensitive: FieldInfo | None = None, weight: FieldInfo | None = None
) -> exp.Select:
    """The frequency set: fields as text under the names q0, q1, …, a sensitive field as s, and the count n.

    With a weight, n is the sum of its field, rounded down; null where there is no row at all.
    """
    shown = [named(as_text(info), f"q{i}") for i, info in enumerate(fields)]
    if sensitive is not None:
        shown.append(named(as_text(sensitive), "s"))
    size: exp.Expr = exp.Count(this=exp.Star())
    if weight is not None:
        size = exp.cast(exp.Floor(this=exp.Sum(this=_weight(weight))), exp.DataType.Type.BIGINT)
    query = exp.select(*shown, named(size, "n")).from_(table(SOURCE))
    return query.group_by(*(exp.Literal.number(i + 1) for i in range(len(shown)))) if shown else query


def not_weights(info: FieldInfo) -> exp.Select:
    """How many rows hold no weight in a field."""
    missing = exp.Sub(this=exp.Count(this=exp.Star()), expression=exp.Count(this=_weight(info)))
    return exp.select(named(missing, "n")).from_(table(SOURCE))


def _weight(info: FieldInfo) -> exp.Expr:
    """A field as a survey weight; null where it holds none."""
    kind = exp.DataType.build(f"DECIMAL(38, {WEIGHT_PLACES})")
    number = exp.TryCast(this=as_text(info), to=kind)
    is_weight = exp.and_(
        exp.RegexpLike(this=as_text(info), expression=exp.Literal.string(NUMBER)),
        exp.GTE(this=number, expression=exp.Literal.number(0)),
        exp.LTE(this=number.copy(), expression=exp.Literal.number(LARGEST_WEIGHT)),
    )
    return exp.Case().when(is_weight, number.copy())


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
        exp.select(named(column(name), "v"))
        .distinct()
        .from_(table(of_table))
        .where(exp.Not(this=exp.Is(this=column(name), expression=exp.null())))
    )
    return exp.select(column("v"), named(position, "code")).from_(values.subquery("d"))


def codes(of_table: str, names: Sequence[str], dictionaries: Sequence[str]) -> exp.Select:
    """The counted tuples as codes c0, c1, …: null where the value is null."""
    shown = [named(column("code", d), f"c{i}") for i, d in enumerate(dictionaries)]
    query = exp.select(*shown, named(column("n", of_table), "n")).from_(table(of_table))
    for name, d in zip(names, dictionaries, strict=True):
        query = query.join(
            table(d), on=exp.EQ(this=column(name, of_table), expression=column("v", d)), join_type="left"
        )
    return query


def bin_sizes(fields: Sequence[FieldInfo], cap: int) -> exp.Select:
    """How many bins have each size, sizes from `cap` on gathered."""
    sizes = bins(fields).subquery("b")
    size, most = column("n"), exp.Literal.number(cap)
    capped = named(exp.Case().when(exp.GT(this=size, expression=most), most.copy()).else_(size.copy()), "size")
    return exp.select(capped, named(exp.Count(this=exp.Star()), "bins")).from_(sizes).group_by("1")


def profile(info: FieldInfo) -> exp.Select:
    """One field's facts from its own frequency set, so that each test runs once per distinct value."""
    values = bins([info]).subquery("b")
    value, n = column("q0"), column("n")

    def rows_where(condition: exp.Expr) -> exp.Expr:
        return exp.func("coalesce", exp.Sum(this=exp.Case().when(condition, n)), exp.Literal.number(0))

    def looks_like(pattern: str) -> exp.Expr:
        return exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(pattern))

    one = exp.EQ(this=n.copy(), expression=exp.Literal.number(1))
    is_null = exp.Is(this=value.copy(), expression=exp.null())
    facts = {
        "rows": exp.func("coalesce", exp.Sum(this=n.copy()), exp.Literal.number(0)),
        "nulls": rows_where(is_null),
        "distinct": exp.Count(this=value.copy()),
        "unique": rows_where(exp.and_(one, exp.Not(this=is_null.copy()))),
        "shortest": exp.Min(this=exp.Length(this=value.copy())),
        "longest": exp.Max(this=exp.Length(this=value.copy())),
        "integers": rows_where(looks_like(WHOLE_NUMBER)),
        "numbers": rows_where(looks_like(NUMBER)),
        "dates": rows_where(exp.and_(looks_like(ISO_DATE), _in_calendar(value))),
        "lowest": exp.Min(this=value.copy()),
        "highest": exp.Max(this=value.copy()),
    }
    return exp.select(*(named(fact, name) for name, fact in facts.items())).from_(values)


def _in_calendar(value: exp.Expr) -> exp.Expr:
    """Whether the first ten characters are a day that exists: not the 30th of February."""
    day = exp.Substring(this=value.copy(), start=exp.Literal.number(1), length=exp.Literal.number(10))
    cast = exp.TryCast(this=day, to=exp.DataType.build(exp.DataType.Type.DATE))
    return exp.Not(this=exp.Is(this=cast, expression=exp.null()))


def sample(info: FieldInfo, size: int) -> exp.Select:
    """Some distinct values, chosen by their digest so that the same source gives the same sample."""
    values = (
        exp.select(named(as_text(info), "v"))
        .distinct()
        .from_(table(SOURCE))
        .where(exp.Not(this=exp.Is(this=column(info.name), expression=exp.null())))
        .subquery("d")
    )
    return exp.select(column("v")).from_(values).order_by(exp.MD5(this=column("v"))).limit(size)


def about_distinct(fields: Sequence[FieldInfo]) -> exp.Select:
    """Roughly how many values each field has, in one pass."""
    return exp.select(*(exp.ApproxDistinct(this=column(info.name)) for info in fields)).from_(table(SOURCE))


def distinct(fields: Sequence[FieldInfo]) -> exp.Select:
    """The distinct tuples under the names q0, q1, …, in order."""
    shown = [named(as_text(info), f"q{i}") for i, info in enumerate(fields)]
    order = [exp.Ordered(this=exp.Literal.number(i + 1), nulls_first=False) for i in range(len(shown))]
    return exp.select(*shown).distinct().from_(table(SOURCE)).order_by(*order)


def numbered_slice(of_table: str, names: Sequence[str], start: int, size: int) -> exp.Select:
    """Rows `start` to `start + size` of a table of the engine's own, in the order in which they were stored."""
    number = exp.column("rowid")
    chosen = exp.and_(
        exp.GTE(this=number, expression=exp.Literal.number(start)),
        exp.LT(this=number.copy(), expression=exp.Literal.number(start + size)),
    )
    query = exp.select(*(column(name) for name in names)).from_(table(of_table))
    return query.where(chosen).order_by(number.copy())


def _same(info: FieldInfo, lookup_table: str, key: str, of_table: str) -> exp.Expr:
    return exp.NullSafeEQ(this=as_text(info, of_table), expression=column(key, lookup_table))


def released(
    plan: WritePlan, infos: Mapping[str, FieldInfo], lookup_tables: Sequence[str], drop_table: str | None
) -> exp.Select:
    """The released rows: the source joined with each lookup, without the dropped tuples, in the plan's order."""
    given = {name: t for lookup, t in zip(plan.lookups, lookup_tables, strict=True) for name in lookup.fields}
    shown = [named(_cell(name, plan, given), name) for name in plan.fields]
    query = exp.select(*shown).from_(_numbered(plan, infos))
    for lookup, t in zip(plan.lookups, lookup_tables, strict=True):
        found = _found(lookup, t, infos)
        if lookup.portions:
            found = exp.and_(found, _in_portion(column(_ordinal(lookup, infos), SOURCE), t))
        query = query.join(table(t), on=found, join_type="inner")
    if plan.drop is not None and drop_table is not None:
        entry = exp.select("1").from_(table(drop_table)).where(_found(plan.drop, drop_table, infos))
        query = query.where(exp.Not(this=exp.Exists(this=entry)))
    if plan.order is Order.SCRAMBLE:
        query = query.order_by(exp.Rand())
    elif plan.order is Order.KEEP:
        query = query.order_by(exp.Ordered(this=column(_unused("position", infos), SOURCE)))
    else:
        places = (exp.Literal.number(i + 1) for i in range(len(shown)))
        query = query.order_by(*(exp.Ordered(this=place, nulls_first=False) for place in places))
    return query


def as_texts(query: exp.Select, fields: Sequence[str], texts: Container[str]) -> exp.Select:
    """What a query gives, some of its fields as text."""
    shown = [
        named(exp.cast(column(name), exp.DataType.Type.TEXT), name) if name in texts else column(name)
        for name in fields
    ]
    return exp.select(*shown).from_(query.subquery("made"))


def _cell(name: str, plan: WritePlan, given: Mapping[str, str]) -> exp.Expr:
    """What a row has in a released field; a field that follows another is text."""
    if name not in plan.follows:
        return _own_cell(name, plan, given)
    leader, label = plan.follows[name]
    mine, its = (exp.cast(_own_cell(one, plan, given), exp.DataType.Type.TEXT) for one in (name, leader))
    suppressed = exp.EQ(this=its, expression=exp.Literal.string(label))
    return exp.Case().when(suppressed, exp.Literal.string(SUPPRESSED)).else_(mine)


def _own_cell(name: str, plan: WritePlan, given: Mapping[str, str]) -> exp.Expr:
    if name in given:
        return column(f"new:{name}", given[name])
    if name in plan.constants:
        present = exp.Not(this=exp.Is(this=column(name, SOURCE), expression=exp.null()))
        return exp.Case().when(present, exp.Literal.string(plan.constants[name]))
    return column(name, SOURCE)


def _found(lookup: Lookup, lookup_table: str, infos: Mapping[str, FieldInfo]) -> exp.Expr:
    return exp.and_(*(_same(infos[key], lookup_table, f"key:{key}", SOURCE) for key in lookup.keys))


def _in_portion(ordinal: exp.Expr, lookup_table: str) -> exp.Expr:
    first = exp.GTE(this=ordinal, expression=column("first", lookup_table))
    return exp.and_(first, exp.LTE(this=ordinal.copy(), expression=column("last", lookup_table)))


def _unused(name: str, infos: Mapping[str, FieldInfo]) -> str:
    """A name that no field has, also where upper and lower case are one."""
    taken = {field.casefold() for field in infos}
    while name.casefold() in taken:
        name += "'"
    return name


def _ordinal(lookup: Lookup, infos: Mapping[str, FieldInfo]) -> str:
    return _unused("ordinal:" + ":".join(str(list(infos).index(key)) for key in lookup.keys), infos)


def _numbered(plan: WritePlan, infos: Mapping[str, FieldInfo]) -> exp.Expr:
    """The source with its rows numbered: at random among equal keys to cut portions, as they come to keep the order.

    The random draw is a column of its own, because a window may not be ordered by what changes as it is looked at.
    """
    cuts = {_ordinal(lookup, infos): lookup for lookup in plan.lookups if lookup.portions}
    draws: dict[str, exp.Expr] = {_unused(f"draw:{name}", infos): exp.Rand() for name in cuts}
    numbers: dict[str, exp.Expr] = {
        name: exp.Window(
            this=exp.RowNumber(),
            partition_by=[as_text(infos[key]) for key in lookup.keys],
            order=exp.Order(expressions=[exp.Ordered(this=column(draw))]),
        )
        for (name, lookup), draw in zip(cuts.items(), draws, strict=True)
    }
    if plan.order is Order.KEEP:
        draws[_unused("position", infos)] = exp.Window(this=exp.RowNumber())
    return _with(numbers, _with(draws, table(SOURCE)))


def _with(added: Mapping[str, exp.Expr], rows: exp.Expr) -> exp.Expr:
    """The rows with more columns."""
    if not added:
        return rows
    shown = (named(expression, name) for name, expression in added.items())
    return exp.select(exp.Star(), *shown).from_(rows).subquery(SOURCE)
