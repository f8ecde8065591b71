"""Releasing: the source joined with lookups, cut to quotas and put in order, as one sqlglot
tree."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from sqlglot import exp

from sfumato.hierarchies import SUPPRESSED
from sfumato.policy import Order

from ...engine import FieldInfo, FieldKind, Lookup, WritePlan
from .grouping_sets import GroupingQueries
from .trees import ROWS, SOURCE, column, count_all, is_there, named, number, places, table


class Queries(GroupingQueries):
    """Every question over one source, for one dialect."""

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
        """The released rows: the source joined with each lookup, without the dropped tuples, in the
        plan's order."""
        aliases = _aliases([*lookup_tables, *moved_tables])
        given = {
            name: t
            for lookup, t in zip(plan.lookups, aliases, strict=False)
            for name in lookup.fields
        }
        moves = iter(aliases[len(plan.lookups) :])
        moving: dict[str, exp.Expr] = {}
        for moved in plan.moved:
            days = (
                column(moved.by, SOURCE)
                if moved.lookup is None
                else column("new:days", next(moves))
            )
            moving |= dict.fromkeys(moved.fields, days)
        cells = _Cells(self, plan, infos, given=given, moving=moving)
        shown = [named(cells.released(name), name) for name in plan.fields]
        query = (
            exp.select(*shown)
            .distinct(distinct=plan.distinct)
            .from_(self._numbered(plan, infos, drop_table, cut_table))
        )
        for lookup, t, alias in zip(
            joined(plan), [*lookup_tables, *moved_tables], aliases, strict=True
        ):
            found = self._found(lookup, alias, infos)
            if lookup.portions:
                found = exp.and_(found, _in_portion(column(_ordinal(lookup, infos), SOURCE), alias))
            entries = (
                table(t)
                if t == alias
                else exp.alias_(table(t), exp.to_identifier(alias, quoted=True), table=True)
            )
            # Without copies: a wide table has hundreds of lookups, and each would copy all before.
            query = query.join(entries, on=found, join_type="inner", copy=False)
        if plan.quota is None and plan.drop is not None and drop_table is not None:
            query = self.without_dropped(query, plan.drop, drop_table, infos)
        return self.in_order(query, plan, infos) if ordered else query

    def shuffled(self, query: exp.Select, numbered: Mapping[str, int]) -> exp.Select:
        """The rows of a stage in random order, with fields that number them in that order."""
        query = query.order_by(exp.Rand())
        if not numbered:
            return query
        place = exp.Window(this=exp.RowNumber())
        numbers = (
            named(exp.Add(this=place.copy(), expression=number(at)), name)
            for name, at in numbered.items()
        )
        return exp.select(exp.Star(), *numbers).from_(query.subquery("made"))

    def in_order(
        self, query: exp.Select, plan: WritePlan, infos: Mapping[str, FieldInfo]
    ) -> exp.Select:
        """The rows at random, as in the source, or by their content."""
        if plan.order is Order.SCRAMBLE:
            return query.order_by(exp.Rand())
        if plan.order is Order.KEEP:
            return query.order_by(exp.Ordered(this=column(_unused("position", infos), SOURCE)))
        return query.order_by(
            *(exp.Ordered(this=place, nulls_first=False) for place in places(len(plan.fields)))
        )

    def cut(
        self,
        plan: WritePlan,
        infos: Mapping[str, FieldInfo],
        quota_table: str,
        drop_table: str | None,
    ) -> exp.Select:
        """The people of whom some rows are dropped: p, and how many rows stay as `keep`."""
        assert plan.quota is not None
        fields = [infos[name] for name in plan.quota.fields]
        shown = [named(self.as_text(info, SOURCE), f"q{i}") for i, info in enumerate(fields)]
        who = infos[plan.quota.person]
        each = exp.select(*shown, named(self.who(who), "p"), named(count_all(), ROWS))
        each = each.from_(self._kept(plan, infos, drop_table)).where(
            is_there(column(who.name, SOURCE))
        )
        each = each.group_by(*places(len(shown) + 1))
        same = [
            self.same(column(f"q{i}", "each"), column(f"key:{name}", quota_table))
            for i, name in enumerate(plan.quota.fields)
        ]
        many = exp.EQ(this=column(ROWS, "each"), expression=column(ROWS, quota_table))
        query = exp.select(column("p", "each"), column("keep", quota_table)).from_(
            each.subquery("each")
        )
        return query.join(table(quota_table), on=exp.and_(many, *same), join_type="inner")

    def without_dropped(
        self, query: exp.Select, drop: Lookup, drop_table: str, infos: Mapping[str, FieldInfo]
    ) -> exp.Select:
        """A query over the source without the dropped tuples.

        DuckDB answers NOT EXISTS once for all rows whose cells are equal, and treats 0.0 and -0.0
        as one cell, though their texts differ. An anti join compares the texts."""
        return query.join(
            table(drop_table), on=self._found(drop, drop_table, infos), join_type="anti"
        )

    def not_dropped(
        self, drop: Lookup, drop_table: str, infos: Mapping[str, FieldInfo]
    ) -> exp.Expr:
        """For dialects without an anti join: no entry of the dropped tuples is this row's."""
        entry = exp.select("1").from_(table(drop_table)).where(self._found(drop, drop_table, infos))
        return exp.Not(this=exp.Exists(this=entry))

    def _kept(
        self, plan: WritePlan, infos: Mapping[str, FieldInfo], drop_table: str | None
    ) -> exp.Expr:
        """The source without the dropped tuples, under its own name."""
        if plan.drop is None or drop_table is None:
            return self.source()
        query = exp.select(exp.Star()).from_(self.source())
        return self.without_dropped(query, plan.drop, drop_table, infos).subquery(SOURCE)

    def _found(self, lookup: Lookup, lookup_table: str, infos: Mapping[str, FieldInfo]) -> exp.Expr:
        names = ["key:0"] if lookup.stored else [f"key:{key}" for key in lookup.keys]
        return exp.and_(
            *(
                self._is_key(infos[key], column(name, lookup_table), plain=lookup.plain)
                for key, name in zip(lookup.keys, names, strict=True)
            )
        )

    def _is_key(self, info: FieldInfo, key: exp.Expr, *, plain: bool) -> exp.Expr:
        """Whether a row has this key: as numbers where both are, else as text."""
        if plain and self.is_whole(info):
            return self.same_number(column(info.name, SOURCE), key)
        text = exp.cast(key, exp.DataType.Type.TEXT) if plain else key
        return self.same(self.as_text(info, SOURCE), text)

    def cut_of(self, each: str, quota_table: str) -> exp.Select:
        """The same from a table of the rows that each person has."""
        many = exp.EQ(this=column(ROWS, each), expression=column(ROWS, quota_table))
        query = exp.select(column("p", each), column("keep", quota_table)).from_(table(each))
        return query.join(table(quota_table), on=many, join_type="inner")

    def without(self, query: exp.Select, key: str, gone: str) -> exp.Select:
        """A query over the source without rows whose key is in a table."""
        there = exp.EQ(this=column("at", gone), expression=column(key, SOURCE))
        return query.where(
            exp.Not(this=exp.Exists(this=exp.select("1").from_(table(gone)).where(there)))
        )

    def beyond_quota(
        self, plan: WritePlan, infos: Mapping[str, FieldInfo], cut_table: str, row_id: str = ""
    ) -> exp.Select:
        """The rows beyond a quota, by the engine's name for a row's place in a stage, else by their
        key."""
        assert plan.quota is not None
        who = infos[plan.quota.person]
        same = exp.EQ(this=self.who(who), expression=column("p", cut_table))
        place = exp.column(row_id, table=exp.to_identifier(SOURCE, quoted=True))
        place = place if row_id else column(plan.quota.key, SOURCE)
        drawn = exp.select(
            named(place, "at"),
            named(self.who(who), "p"),
            named(column("keep", cut_table), "keep"),
            named(exp.Rand(), "draw"),
        )
        drawn = drawn.from_(self.source()).join(table(cut_table), on=same, join_type="inner")
        order = exp.Order(expressions=[exp.Ordered(this=column("draw"))])
        window = exp.Window(this=exp.RowNumber(), partition_by=[column("p")], order=order)
        placed = exp.select(column("at"), column("keep"), named(window, "place")).from_(
            drawn.subquery("drawn")
        )
        out = exp.select(column("at")).from_(placed.subquery("placed"))
        return out.where(exp.GT(this=column("place"), expression=column("keep")))

    def dropped(
        self, drop: Lookup, drop_table: str, infos: Mapping[str, FieldInfo], row_id: str
    ) -> exp.Select:
        """The rows of a stage that have one of the keys of `drop`."""
        place = exp.column(row_id, table=exp.to_identifier(SOURCE, quoted=True))
        found = self._found(drop, drop_table, infos)
        query = exp.select(named(place, "at")).from_(self.source())
        return query.join(table(drop_table), on=found, join_type="inner")

    def _numbered(
        self,
        plan: WritePlan,
        infos: Mapping[str, FieldInfo],
        drop_table: str | None,
        cut_table: str | None,
    ) -> exp.Expr:
        """The source with its rows numbered: at random among equal keys to cut portions, in their
        order to keep it.

        The random draw is a column of its own, because a window may not be ordered by what changes
        as it is looked at."""
        rows = (
            self._within_quota(plan, infos, drop_table, cut_table)
            if cut_table is not None
            else self.source()
        )
        cuts = {_ordinal(lookup, infos): lookup for lookup in plan.lookups if lookup.portions}
        draws: dict[str, exp.Expr] = {_unused(f"draw:{name}", infos): exp.Rand() for name in cuts}
        numbers: dict[str, exp.Expr] = {
            name: exp.Window(
                this=exp.RowNumber(),
                partition_by=[self.as_text(infos[key]) for key in lookup.keys],
                order=exp.Order(expressions=[exp.Ordered(this=column(draw))]),
            )
            for (name, lookup), draw in zip(cuts.items(), draws, strict=True)
        }
        if plan.order is Order.KEEP:
            draws[_unused("position", infos)] = exp.Window(this=exp.RowNumber())
        return _with(numbers, _with(draws, rows))

    def _within_quota(
        self,
        plan: WritePlan,
        infos: Mapping[str, FieldInfo],
        drop_table: str | None,
        cut_table: str,
    ) -> exp.Expr:
        """All rows of the people who keep theirs, and those at random of the others: only these are
        sorted."""
        assert plan.quota is not None
        rows = self._kept(plan, infos, drop_table)
        who = infos[plan.quota.person]
        same = exp.EQ(this=self.who(who), expression=column("p", cut_table))
        others = exp.select("1").from_(table(cut_table)).where(same)
        own = [column(name, SOURCE) for name in infos]
        whole = exp.select(*own).from_(rows).where(exp.Not(this=exp.Exists(this=others)))
        keep, draw, place = (_unused(name, infos) for name in ("keep", "draw", "place"))
        drawn = exp.select(
            *(c.copy() for c in own),
            named(column("keep", cut_table), keep),
            named(exp.Rand(), draw),
        )
        drawn = drawn.from_(rows.copy()).join(table(cut_table), on=same.copy(), join_type="inner")
        order = exp.Order(expressions=[exp.Ordered(this=column(draw))])
        window = exp.Window(this=exp.RowNumber(), partition_by=[self.as_text(who)], order=order)
        placed = exp.select(exp.Star(), named(window, place)).from_(drawn.subquery(SOURCE))
        stay = exp.select(*(column(name) for name in infos)).from_(placed.subquery("placed"))
        stay = stay.where(exp.LTE(this=column(place), expression=column(keep)))
        return exp.union(whole, stay, distinct=False).subquery(SOURCE)


class _Cells:
    """The cells of a row in each released field."""

    def __init__(
        self,
        queries: Queries,
        plan: WritePlan,
        infos: Mapping[str, FieldInfo],
        *,
        given: Mapping[str, str],
        moving: Mapping[str, exp.Expr],
    ) -> None:
        self._queries, self._plan, self._infos, self._given, self._moving = (
            queries,
            plan,
            infos,
            given,
            moving,
        )
        self._stored = {lookup.fields[0] for lookup in plan.lookups if lookup.stored}

    def released(self, name: str) -> exp.Expr:
        """A field that follows another is text."""
        if name not in self._plan.follows:
            return self._own(name)
        leader, label = self._plan.follows[name]
        mine, its = (exp.cast(self._own(one), exp.DataType.Type.TEXT) for one in (name, leader))
        suppressed = exp.EQ(this=its, expression=exp.Literal.string(label))
        return exp.Case().when(suppressed, exp.Literal.string(SUPPRESSED)).else_(mine)

    def _own(self, name: str) -> exp.Expr:
        if name in self._plan.taken:
            return column(self._plan.taken[name], SOURCE)
        if name in self._moving:
            return self._later(self._infos[name], self._moving[name].copy())
        if name in self._given:
            return column("new:0" if name in self._stored else f"new:{name}", self._given[name])
        if name in self._plan.constants:
            word = self._plan.constants[name]
            if word is None:
                return exp.cast(exp.Null(), exp.DataType.Type.TEXT)
            return exp.Case().when(is_there(column(name, SOURCE)), exp.Literal.string(word))
        return column(name, SOURCE)

    def _later(self, info: FieldInfo, days: exp.Expr) -> exp.Expr:
        """A date some days later. A date stays one; a timestamp keeps its time, and is text, as
        text is."""
        if info.kind is FieldKind.DATE:
            return self._queries.days_later(column(info.name, SOURCE), days)
        text = self._queries.as_text(info, SOURCE)
        first = exp.Substring(this=text, start=number(1), length=number(10))
        day = exp.Case().when(is_there(text.copy()), exp.cast(first, exp.DataType.Type.DATE))
        moved = exp.cast(self._queries.days_later(day, days), exp.DataType.Type.TEXT)
        rest = exp.Substring(this=text.copy(), start=number(11))
        return exp.DPipe(this=moved, expression=rest)


def joined(plan: WritePlan) -> list[Lookup]:
    """The lookups that a plan's rows are joined with, in order."""
    return [*plan.lookups, *(moved.lookup for moved in plan.moved if moved.lookup is not None)]


def _aliases(tables: Sequence[str]) -> list[str]:
    """A name for each table in a query that may join one of them twice."""
    return [name if name not in tables[:i] else f"{name}_{i}" for i, name in enumerate(tables)]


def as_texts(query: exp.Select, fields: Sequence[str], texts: Container[str]) -> exp.Select:
    """The result of a query, some of its fields as text."""
    shown = [
        named(exp.cast(column(name), exp.DataType.Type.TEXT), name)
        if name in texts
        else column(name)
        for name in fields
    ]
    return exp.select(*shown).from_(query.subquery("made"))


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


def _with(added: Mapping[str, exp.Expr], rows: exp.Expr) -> exp.Expr:
    """The rows with more columns."""
    if not added:
        return rows
    shown = (named(expression, name) for name, expression in added.items())
    return exp.select(exp.Star(), *shown).from_(rows).subquery(SOURCE)
