"""Contingency tables: cells of several sets of fields by one GROUPING SETS query, as sqlglot
trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from sqlglot import exp

from ...engine import CountedUnits, FieldInfo, FieldKind, NumberGrid
from .people import PeopleQueries
from .trees import SOURCE, column, count_all, is_there, named, number, table

FAR = exp.Literal.number("1e300")
"""Beyond it a number is infinite or none."""
Runs = Sequence[tuple[int, int]]
"""The bin from a code on, to the next one: pairs of code and bin, the first of code 0."""


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

    def counted_codes(
        self,
        fields: Sequence[FieldInfo],
        runs: Sequence[Runs | None],
        sizes: Sequence[int],
        groups: Sequence[Sequence[int]],
    ) -> exp.Select:
        """Rows n by cell v, where the cells of all groups are numbered one after the other, those of
        a group by its fields' bins, the last one fastest. `runs` has the bins of each field's codes,
        or None where they are the codes."""
        binned = exp.select(
            *(
                named(_binned(column(info.name, SOURCE), own), f"c{i}")
                for i, (info, own) in enumerate(zip(fields, runs, strict=True))
            )
        ).from_(self.source())
        cells = numbered_cells(sizes, groups)
        names = [f"b{k}" for k in range(len(groups))]
        placed = exp.select(
            *(named(cell, name) for cell, name in zip(cells, names, strict=True))
        ).from_(binned.subquery("binned"))
        whole = exp.Coalesce(this=column("b0"), expressions=[column(name) for name in names[1:]])
        query = exp.select(named(_whole(whole), "v"), named(_whole(count_all()), "n"))
        return _by_sets(query.from_(placed.subquery("placed")), [[name] for name in names])

    def with_grids(
        self, fields: Sequence[FieldInfo], grids: Mapping[str, NumberGrid]
    ) -> exp.Subquery:
        """The source with cells of grids in the place of some fields of numbers."""
        shown = [
            named(_gridded(info, grids[info.name]), info.name)
            if info.name in grids
            else column(info.name)
            for info in fields
        ]
        return exp.select(*shown).from_(self.source()).subquery(SOURCE)

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


def numbered_cells(sizes: Sequence[int], groups: Sequence[Sequence[int]]) -> list[exp.Expr]:
    """The number of the cell that a row with bins c0, c1, … is in, for each group: those of one
    group follow those of the others."""
    first = 0
    cells: list[exp.Expr] = []
    for group in groups:
        place: exp.Expr = number(0)
        for i in group:
            wider = exp.Mul(this=exp.paren(place), expression=number(sizes[i]))
            place = exp.Add(this=wider, expression=_whole(column(f"c{i}")))
        cells.append(exp.Add(this=place, expression=number(first)))
        first += prod(sizes[i] for i in group)
    return cells


def _whole(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, exp.DataType.Type.BIGINT)


def _binned(code: exp.Expr, runs: Runs | None) -> exp.Expr:
    """The bin of a code, found by halving the runs."""
    if runs is None:
        return code
    if len(runs) == 1:
        return number(runs[0][1])
    middle = len(runs) // 2
    before = exp.LT(this=code.copy(), expression=number(runs[middle][0]))
    return exp.Case().when(before, _binned(code, runs[:middle])).else_(_binned(code, runs[middle:]))


def _gridded(info: FieldInfo, grid: NumberGrid) -> exp.Expr:
    """As `NumberGrid.places`."""

    def real(value: float) -> exp.Expr:
        return exp.cast(exp.Literal.string(repr(float(value))), exp.DataType.Type.DOUBLE)

    value = exp.cast(column(info.name), exp.DataType.Type.DOUBLE)
    far = exp.Div(
        this=exp.paren(exp.Sub(this=value, expression=real(grid.least))),
        expression=real(grid.step),
        typed=True,
    )
    whole: exp.Expr = exp.Floor(this=exp.Add(this=far, expression=real(0.5)))
    below = exp.LT(this=whole.copy(), expression=real(0))
    above = exp.GT(this=whole.copy(), expression=real(grid.steps - 1))
    step: exp.Expr = whole
    if grid.cells < grid.steps:
        wide = exp.Mul(
            this=exp.paren(exp.Add(this=step, expression=real(1))), expression=real(grid.cells)
        )
        even = exp.Div(this=wide, expression=real(grid.steps), typed=True)
        step = exp.Sub(this=exp.Ceil(this=even), expression=real(1))
    near: exp.Expr = exp.LT(this=exp.Abs(this=value.copy()), expression=FAR.copy())
    if info.kind is not FieldKind.INTEGER:
        # As text: DuckDB answers ISNAN from the lowest and highest numbers of a Parquet file, among
        # which not-a-number is not.
        text = exp.Lower(this=exp.cast(column(info.name), exp.DataType.Type.TEXT))
        near = exp.and_(near, exp.NEQ(this=text, expression=exp.Literal.string("nan")))
    return (
        exp.Case()
        .when(exp.and_(near.copy(), below), _whole(number(grid.below)))
        .when(exp.and_(near.copy(), above), _whole(number(grid.above)))
        .when(near, _whole(step))
        .else_(_whole(number(grid.missing)))
    )


def _by_sets(query: exp.Select, sets: Sequence[Sequence[str]]) -> exp.Select:
    tuples = [exp.Tuple(expressions=[column(name) for name in each]) for each in sets]
    query.set("group", exp.Group(grouping_sets=[exp.GroupingSets(expressions=tuples)]))
    return query
