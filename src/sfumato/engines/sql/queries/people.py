"""People: who is in a bin, how many rows and which values each has, numbers in the place of keys;
as sqlglot trees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlglot import exp

from ...engine import FieldInfo
from .counts import CountQueries
from .trees import (
    ENUMERATION,
    ROWS,
    SOURCE,
    column,
    count_all,
    is_there,
    named,
    number,
    places,
    table,
)


class PeopleQueries(CountQueries):
    """Questions about the person key."""

    def pairs(self, fields: Sequence[FieldInfo], person: FieldInfo) -> exp.Select:
        """Each person in each bin, with the number of rows: q0, q1, …, p, n."""
        shown = [named(self.as_text(info), f"q{i}") for i, info in enumerate(fields)]
        who = named(self.person_number(person), "p")
        query = exp.select(*shown, who, named(count_all(), "n")).from_(self.source())
        return query.group_by(*places(len(shown) + 1))

    def bins_of(self, of_table: str, fields: int) -> exp.Select:
        """The bins of a table of pairs."""
        names = [column(f"q{i}") for i in range(fields)]
        total = exp.cast(exp.Sum(this=column("n")), exp.DataType.Type.BIGINT)
        query = exp.select(*names, named(total, "n")).from_(table(of_table))
        return query.group_by(*places(fields)) if fields else query

    def witnesses_of(self, of_table: str, fields: int, k: int) -> exp.Select:
        """Up to k people of each bin of a table of pairs: q0, q1, …, and the person as n."""
        names = [f"q{i}" for i in range(fields)]
        place = exp.Window(
            this=exp.RowNumber(),
            partition_by=[column(name) for name in names],
            order=exp.Order(expressions=[exp.Ordered(this=column("p"))]),
        )
        numbered = exp.select(*map(column, names), column("p"), named(place, "place")).from_(
            table(of_table)
        )
        numbered = numbered.where(is_there(column("p")))
        query = exp.select(*map(column, names), named(column("p"), "n")).from_(
            numbered.subquery("numbered")
        )
        return query.where(exp.LTE(this=column("place"), expression=number(k)))

    def rows_per_person(self, person: FieldInfo, fields: Sequence[FieldInfo]) -> exp.Select:
        """How many people have each number of rows, which is the last of q0, q1, …."""
        shown = [named(self.as_text(info), f"q{i}") for i, info in enumerate(fields)]
        who = named(self.person_number(person), "p")
        each = (
            exp.select(*shown, who, named(count_all(), ROWS))
            .from_(self.source())
            .where(is_there(column(person.name)))
        )
        each = each.group_by(*places(len(shown) + 1))
        return self._people_by_rows(each.subquery("each"), len(shown))

    def _people_by_rows(self, each: exp.Expr, fields: int) -> exp.Select:
        last = named(exp.cast(column(ROWS), exp.DataType.Type.TEXT), f"q{fields}")
        names = [column(f"q{i}") for i in range(fields)]
        query = exp.select(*names, last, named(count_all(), "n")).from_(each)
        return query.group_by(*places(fields + 1))

    def rows_of_each(self, person: FieldInfo) -> exp.Select:
        """How many rows each person has: p, as a table of quotas has them, and rows."""
        each = exp.select(named(self.who(person), "p"), named(count_all(), ROWS)).from_(
            self.source()
        )
        return each.where(is_there(column(person.name, SOURCE))).group_by(*places(1))

    def who_are_in(self, each: exp.Select, people: exp.Expr, key: exp.Expr) -> exp.Select:
        """Of those whose rows were counted, the ones that a source of people has as their key."""
        there = exp.EQ(this=column("p", "each"), expression=key)
        found = exp.select("1").from_(people).where(there)
        query = exp.select(column("p", "each"), column(ROWS, "each")).from_(each.subquery("each"))
        return query.where(exp.Exists(this=found))

    def people_by_rows(self, each: str) -> exp.Select:
        """How many people have each number of rows, from a table of the rows that each has."""
        return self._people_by_rows(table(each), 0)

    def who(self, person: FieldInfo) -> exp.Expr:
        """A person as a table of quotas has them: a whole number where they are stored as one, else
        text."""
        return (
            column(person.name, SOURCE) if self.is_whole(person) else self.as_text(person, SOURCE)
        )

    def held(
        self,
        person: FieldInfo,
        item: FieldInfo,
        within: Sequence[FieldInfo],
        *,
        each_once: bool = False,
    ) -> exp.Select:
        """Which person holds which value: q0, q1, … for the fields within which it is counted, s
        the value, p. With `each_once`, no two rows have the same of these."""
        shown = [named(self.as_text(info), f"q{i}") for i, info in enumerate(within)]
        value = column(item.name) if item.declared == ENUMERATION else self.as_text(item)
        query = exp.select(*shown, named(value, "s"), named(self.person_number(person), "p"))
        query = query.distinct(distinct=not each_once)
        return query.from_(self.source()).where(
            is_there(column(item.name)), is_there(column(person.name))
        )

    def coded(
        self, of_table: str, names: Sequence[str], dictionaries: Sequence[str], *, kept: str = "n"
    ) -> exp.Select:
        """The tuples of a table of the engine's own as codes c0, c1, …: null where the value is
        null; and `kept`."""
        shown = [named(column("code", d), f"c{i}") for i, d in enumerate(dictionaries)]
        query = exp.select(*shown, named(column(kept, of_table), kept)).from_(table(of_table))
        for name, d in zip(names, dictionaries, strict=True):
            same = exp.EQ(this=column(name, of_table), expression=column("v", d))
            query = query.join(table(d), on=same, join_type="left")
        return query

    def combinations(self, of_table: str, groups: int, size: int) -> exp.Select:
        """Combinations of `size` values one person holds, from a table of codes whose last one is
        the value's.

        Columns g0, g1, … within which, i0 < i1 < … the values, n the people.
        """
        ts = [f"t{i}" for i in range(size)]
        shown = [named(column(f"c{i}", ts[0]), f"g{i}") for i in range(groups)]
        shown += [named(column(f"c{groups}", t), f"i{i}") for i, t in enumerate(ts)]
        query = exp.select(*shown, named(count_all(), "n")).from_(
            exp.alias_(table(of_table), ts[0], table=True)
        )
        for before, t in pairwise(ts):
            same = exp.EQ(this=column("p", ts[0]), expression=column("p", t))
            later = exp.LT(this=column(f"c{groups}", before), expression=column(f"c{groups}", t))
            query = query.join(
                exp.alias_(table(of_table), t, table=True),
                on=exp.and_(same, later),
                join_type="inner",
            )
        return query.group_by(*places(len(shown)))

    def numbers(self, info: FieldInfo, start: int, *, unique: bool = False) -> exp.Select:
        """A number at random for each value of a field, counted from `start`; null has null."""
        values = (
            exp.select(named(self._key(info), "v"))
            .from_(self.source())
            .where(is_there(column(info.name)))
        )
        values = values if unique else values.distinct()
        drawn = exp.select(column("v"), named(exp.Rand(), "draw")).from_(values.subquery("d"))
        order = exp.Order(expressions=[exp.Ordered(this=column("draw"))])
        new = exp.Add(this=exp.Window(this=exp.RowNumber(), order=order), expression=number(start))
        given = exp.select(named(column("v"), "key:0"), named(new, "new:0")).from_(
            drawn.subquery("drawn")
        )
        return self._and_null(given, info)

    def numbers_in(self, number_: FieldInfo, info: FieldInfo) -> exp.Select:
        """The same where a field holds the numbers already."""
        given = exp.select(named(self._key(info), "key:0"), named(column(number_.name), "new:0"))
        return self._and_null(given.from_(self.source()).where(is_there(column(info.name))), info)

    def _key(self, info: FieldInfo) -> exp.Expr:
        return (
            exp.cast(column(info.name), exp.DataType.Type.BIGINT)
            if self.is_whole(info)
            else self.as_text(info)
        )

    def _and_null(self, given: exp.Select, info: FieldInfo) -> exp.Select:
        kind = exp.DataType.Type.BIGINT if self.is_whole(info) else exp.DataType.Type.TEXT
        nothing = exp.select(
            named(exp.cast(exp.null(), kind), "key:0"),
            named(exp.cast(exp.null(), exp.DataType.Type.BIGINT), "new:0"),
        )
        return exp.union(given, nothing, distinct=False)  # type: ignore[return-value]
