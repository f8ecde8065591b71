"""Contingency tables: cells of several sets of fields by one GROUPING SETS query, as sqlglot
trees."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ...engine import CountedUnits, FieldInfo
from .people import PeopleQueries
from .trees import column, count_all, is_there, named, number, table


class GroupingQueries(PeopleQueries):
    """Questions about cells and what each person has in them."""

    def counted_sets(
        self,
        fields: Sequence[FieldInfo],
        sets: Sequence[Sequence[int]],
        units: CountedUnits,
        *,
        person: FieldInfo | None,
        measure: FieldInfo | None,
    ) -> exp.Select:
        """The columns are q0, q1, … the fields, g0, g1, … 1 where a field is summed over, r rows, c
        people, t the sum, low the lowest value. With contributions they have v of a person p, by
        place."""
        counted = self._counted_rows(fields, units, person=person, measure=measure)
        names = [f"q{i}" for i in range(len(fields))]
        grouped = [exp.Anonymous(this="GROUPING", expressions=[column(name)]) for name in names]
        marks = [named(each, f"g{i}") for i, each in enumerate(grouped)]
        shown: list[exp.Expr] = [*map(column, names), *marks]
        value = _whole(exp.Sum(this=column("m"))) if measure is not None else _whole(count_all())
        low = exp.Min(this=column("m")) if measure is not None else number(1)
        facts = [named(_whole(count_all()), "r"), named(value, "v"), named(_whole(low), "low")]
        if not units.largest:
            query = exp.select(*shown, *facts).from_(counted.subquery("counted"))
            return _by_sets(query, [[names[i] for i in each] for each in sets])
        query = exp.select(*shown, column("p"), *facts).from_(counted.subquery("counted"))
        each = _by_sets(query, [[*(names[i] for i in one), "p"] for one in sets])
        return self._largest(each, names, units.largest)

    def coded_sets(self, kept: str, dictionaries: Sequence[str], *, largest: bool) -> exp.Select:
        """A table of such cells with codes c0, c1, … in the place of values."""
        facts = ("r", "c", "t", "v", "p", "low") if largest else ("r", "v", "low")
        marks = [f"g{i}" for i in range(len(dictionaries))]
        shown = [named(column("code", d), f"c{i}") for i, d in enumerate(dictionaries)]
        query = exp.select(
            *shown, *(named(column(name, kept), name) for name in (*marks, *facts))
        ).from_(table(kept))
        for i, d in enumerate(dictionaries):
            same = exp.EQ(this=column(f"q{i}", kept), expression=column("v", d))
            query = query.join(table(d), on=same, join_type="left")
        return query

    def _counted_rows(
        self,
        fields: Sequence[FieldInfo],
        units: CountedUnits,
        *,
        person: FieldInfo | None,
        measure: FieldInfo | None,
    ) -> exp.Select:
        """The rows that are counted: q0, q1, …, the person p and the value m."""
        shown = [named(self.as_text(info), f"q{i}") for i, info in enumerate(fields)]
        if person is not None:
            shown.append(named(self.person_number(person), "p"))
        if measure is not None:
            scaled = exp.Mul(
                this=exp.cast(column(measure.name), exp.DataType.Type.DOUBLE),
                expression=number(10**units.decimals),
            )
            shown.append(named(_whole(exp.Round(this=scaled)), "m"))
        cut = person is not None and bool(units.rows_per_person)
        anybody = person is None and bool(units.largest)
        if cut or anybody:
            shown.append(named(exp.Rand(), "draw"))
        query = exp.select(*shown).from_(self.source())
        for info in filter(None, (person, measure)):
            query = query.where(is_there(column(info.name)))
        if not (cut or anybody):
            return query
        place = exp.Window(
            this=exp.RowNumber(),
            partition_by=[column("p")] if cut else [],
            order=exp.Order(expressions=[exp.Ordered(this=column("draw"))]),
        )
        numbered = exp.select("*", named(place, "place" if cut else "p")).from_(
            query.subquery("drawn")
        )
        if not cut:
            return numbered
        few = exp.LTE(this=column("place"), expression=number(units.rows_per_person))
        return exp.select("*").from_(numbered.subquery("placed")).where(few)

    def _largest(self, each: exp.Select, names: Sequence[str], largest: int) -> exp.Select:
        """The people with most in each cell, with the facts of the cell beside each."""
        cell = [*names, *(f"g{i}" for i in range(len(names)))]

        def over(aggregate: exp.Expr) -> exp.Window:
            return exp.Window(this=aggregate, partition_by=[column(name) for name in cell])

        order = [exp.Ordered(this=column("v"), desc=True), exp.Ordered(this=column("p"))]
        place = exp.Window(
            this=exp.RowNumber(),
            partition_by=[column(name) for name in cell],
            order=exp.Order(expressions=order),
        )
        facts = [
            named(_whole(over(exp.Sum(this=column("r")))), "r"),
            named(_whole(over(count_all())), "c"),
            named(_whole(over(exp.Sum(this=column("v")))), "t"),
            named(_whole(over(exp.Min(this=column("low")))), "low"),
            named(place, "place"),
        ]
        shown = [column(name) for name in (*cell, "p", "v")]
        placed = exp.select(*shown, *facts).from_(each.subquery("each"))
        few = exp.LTE(this=column("place"), expression=number(largest))
        return exp.select("*").from_(placed.subquery("placed_people")).where(few)


def _whole(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, exp.DataType.Type.BIGINT)


def _by_sets(query: exp.Select, sets: Sequence[Sequence[str]]) -> exp.Select:
    tuples = [exp.Tuple(expressions=[column(name) for name in each]) for each in sets]
    query.set("group", exp.Group(grouping_sets=[exp.GroupingSets(expressions=tuples)]))
    return query
