"""Counting: bins, people, profiles, as sqlglot trees. They describe; engines compile and run.

Every tree selects from what is called `source`: a view of that name, or a query or table under that
alias. A dialect with differences overrides the few methods under "what dialects say
differently"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.policy import NullWords

from ...engine import FieldInfo, FieldKind
from ...joined_fields import BETWEEN, ESCAPES
from ...null_words import possible_words
from .trees import (
    ENUMERATION,
    ISO_DATE,
    LARGEST_WEIGHT,
    NUMBER,
    RUN,
    RUN_STARTS,
    SOURCE,
    WEIGHT_PLACES,
    WHOLE_NUMBER,
    column,
    count_all,
    is_null,
    is_there,
    named,
    number,
    places,
    table,
)


class CountQueries:
    """The questions over one source, for one dialect."""

    dialect = "duckdb"

    def __init__(self, source: exp.Expr | None = None) -> None:
        self._source = source if source is not None else table(SOURCE)

    # ------------------------------------------------------------------------------ what dialects
    # say differently

    def as_text(self, info: FieldInfo, of_table: str | None = None) -> exp.Expr:
        """A field as canonical text."""
        plain = column(info.name, of_table)
        stored_so = info.kind is FieldKind.TEXT and info.declared != ENUMERATION
        return plain if stored_so else exp.cast(plain, exp.DataType.Type.TEXT)

    def groups_plainly(self, info: FieldInfo) -> bool:
        """Whether a field may be grouped as it is stored, and turned into text afterwards: equal
        values, equal text."""
        return info.kind in (
            FieldKind.TEXT,
            FieldKind.INTEGER,
            FieldKind.DATE,
            FieldKind.TIMESTAMP,
            FieldKind.BOOLEAN,
        )

    def same(self, text: exp.Expr, key: exp.Expr) -> exp.Expr:
        """Whether a text is the key of a lookup's entry; null equals null."""
        return exp.NullSafeEQ(this=text, expression=key)

    def is_whole(self, info: FieldInfo) -> bool:
        """Whether a field is stored as a whole number of at most 64 bits."""
        return info.kind is FieldKind.INTEGER and info.declared not in (
            "HUGEINT",
            "UHUGEINT",
            "UBIGINT",
        )

    def same_number(self, number_: exp.Expr, key: exp.Expr) -> exp.Expr:
        """The same for keys that are whole numbers."""
        return exp.NullSafeEQ(this=number_, expression=key)

    def try_decimal(self, text: exp.Expr) -> exp.Expr:
        """A text as a decimal number, null where it is none."""
        return exp.TryCast(this=text, to=exp.DataType.build(f"DECIMAL(38, {WEIGHT_PLACES})"))

    def person_number(self, info: FieldInfo) -> exp.Expr:
        """A whole number that distinguishes people; null where there is no person."""
        if self.is_whole(info):
            return exp.cast(column(info.name), exp.DataType.Type.BIGINT)
        hashed = exp.Anonymous(this="hash", expressions=[self.as_text(info)])
        positive = exp.BitwiseAnd(this=hashed, expression=number(2**63 - 1))
        return exp.Case().when(
            is_there(column(info.name)), exp.cast(positive, exp.DataType.Type.BIGINT)
        )

    def days_later(self, date: exp.Expr, days: exp.Expr) -> exp.Expr:
        return exp.Add(this=date, expression=exp.cast(days, exp.DataType.Type.INT))

    def about_distinct(self, fields: Sequence[FieldInfo]) -> exp.Select:
        """Roughly how many values each field has, in one pass."""
        return exp.select(*(exp.ApproxDistinct(this=column(info.name)) for info in fields)).from_(
            self.source()
        )

    def cells_and_values(self, fields: Sequence[FieldInfo], *, exactly: bool) -> exp.Select:
        """How many cells each field has, null apart, and how many values, in one pass."""
        values: Sequence[exp.Expr] = (
            [exp.Count(this=exp.Distinct(expressions=[self.as_text(info)])) for info in fields]
            if exactly
            else self.about_distinct(fields).expressions
        )
        cells = [exp.Count(this=column(info.name)) for info in fields]
        pairs = (fact for pair in zip(cells, values, strict=True) for fact in pair)
        shown = [named(fact, f"f{place}") for place, fact in enumerate(pairs)]
        return exp.select(*shown, copy=False).from_(self.source())

    # -------------------------------------------------------------------------------------------------
    # counting

    def source(self) -> exp.Expr:
        return self._source.copy()

    def count_rows(self) -> exp.Select:
        return exp.select(named(count_all(), "n")).from_(self.source())

    def bins(
        self,
        fields: Sequence[FieldInfo],
        sensitive: FieldInfo | None = None,
        *,
        weight: FieldInfo | None = None,
        person: FieldInfo | None = None,
    ) -> exp.Select:
        """The frequency set: fields as text under the names q0, q1, …, a sensitive field as s, and
        the count n.

        With a weight, n is the sum of its field, rounded down; null where there is no row at all.
        With a person, n counts the different people."""
        names = [f"q{i}" for i in range(len(fields))] + ["s"] * (sensitive is not None)
        infos = [*fields, *([sensitive] if sensitive is not None else [])]
        if person is not None:
            return self._people(dict(zip(names, infos, strict=True)), person)
        if weight is None and names and all(map(self.groups_plainly, infos)):
            return self._plainly(dict(zip(names, infos, strict=True)))
        shown = [named(self.as_text(info), name) for name, info in zip(names, infos, strict=True)]
        size = count_all()
        if weight is not None:
            size = exp.cast(
                exp.Floor(this=exp.Sum(this=self._weight(weight))), exp.DataType.Type.BIGINT
            )
        query = exp.select(*shown, named(size, "n")).from_(self.source())
        return query.group_by(*places(len(shown))) if shown else query

    def _plainly(self, infos: Mapping[str, FieldInfo]) -> exp.Select:
        """Group what is stored, then turn the groups into text: there are fewer of them."""
        if all(
            info.kind is FieldKind.TEXT and info.declared != ENUMERATION for info in infos.values()
        ):
            shown = [named(self.as_text(info), name) for name, info in infos.items()]
            return (
                exp.select(*shown, named(count_all(), "n"))
                .from_(self.source())
                .group_by(*places(len(shown)))
            )
        plain = [named(column(info.name), name) for name, info in infos.items()]
        stored = (
            exp.select(*plain, named(count_all(), "n"))
            .from_(self.source())
            .group_by(*places(len(plain)))
        )
        shown = [
            named(self.as_text(FieldInfo(name, i.kind, i.declared)), name)
            for name, i in infos.items()
        ]
        return exp.select(*shown, column("n")).from_(stored.subquery("stored"))

    def _people(self, infos: Mapping[str, FieldInfo], person: FieldInfo) -> exp.Select:
        """Distinct people first, then their number: two group-bys, which spill better than a
        distinct count."""
        shown = [named(self.as_text(info), name) for name, info in infos.items()]
        pairs = (
            exp.select(*shown, named(self.person_number(person), "p"))
            .distinct()
            .from_(self.source())
        )
        query = exp.select(*map(column, infos), named(exp.Count(this=column("p")), "n")).from_(
            pairs.subquery("pairs")
        )
        return query.group_by(*places(len(shown))) if shown else query

    def ends(self, info: FieldInfo) -> exp.Select:
        """The lowest and the highest of whole numbers, and the lowest that is not below nought, the
        highest below."""
        value = exp.cast(column(info.name), exp.DataType.Type.BIGINT)
        above = exp.Case().when(exp.GTE(this=value, expression=number(0)), value.copy())
        below = exp.Case().when(exp.LT(this=value.copy(), expression=number(0)), value.copy())
        found = (
            exp.Min(this=value.copy()),
            exp.Max(this=value.copy()),
            exp.Min(this=above),
            exp.Max(this=below),
        )
        return exp.select(*(named(each, f"e{i}") for i, each in enumerate(found))).from_(
            self.source()
        )

    def lengths(self, info: FieldInfo) -> exp.Select:
        length = exp.Length(this=self.as_text(info))
        shown = (
            named(exp.Min(this=length), "shortest"),
            named(exp.Max(this=length.copy()), "longest"),
        )
        return exp.select(*shown).from_(self.source())

    def not_weights(self, info: FieldInfo) -> exp.Select:
        """How many rows hold no weight in a field."""
        missing = exp.Sub(this=count_all(), expression=exp.Count(this=self._weight(info)))
        return exp.select(named(missing, "n")).from_(self.source())

    def _weight(self, info: FieldInfo) -> exp.Expr:
        """A field as a survey weight; null where it holds none."""
        text = self.as_text(info)
        looks = exp.RegexpLike(this=text, expression=exp.Literal.string(NUMBER))
        decimal = exp.Case().when(looks, self.try_decimal(text.copy()))
        fits = exp.and_(
            exp.GTE(this=decimal, expression=number(0)),
            exp.LTE(this=decimal.copy(), expression=number(LARGEST_WEIGHT)),
        )
        return exp.Case().when(fits, decimal.copy())

    def dictionary(self, of_table: str, name: str) -> exp.Select:
        """The distinct non-null values of a counted field with their position in sorted order."""
        order = exp.Order(expressions=[exp.Ordered(this=column("v"), nulls_first=False)])
        position = exp.Sub(this=exp.Window(this=exp.RowNumber(), order=order), expression=number(1))
        values = (
            exp.select(named(column(name), "v"))
            .distinct()
            .from_(table(of_table))
            .where(is_there(column(name)))
        )
        return exp.select(column("v"), named(position, "code")).from_(values.subquery("d"))

    def bin_sizes(self, fields: Sequence[FieldInfo], cap: int) -> exp.Select:
        """How many bins have each size, sizes from `cap` on gathered."""
        sizes = self.bins(fields).subquery("b")
        size, most = column("n"), number(cap)
        capped = named(
            exp.Case().when(exp.GT(this=size, expression=most), most.copy()).else_(size.copy()),
            "size",
        )
        return exp.select(capped, named(count_all(), "bins")).from_(sizes).group_by(number(1))

    def profile(self, info: FieldInfo) -> exp.Select:
        """One field's facts from its own frequency set, so that each test runs once per distinct
        value."""
        values = self.bins([info]).subquery("b")
        value, n = column("q0"), column("n")

        def rows_where(condition: exp.Expr) -> exp.Expr:
            return exp.func(
                "coalesce", exp.Sum(this=exp.Case().when(condition, n.copy())), number(0)
            )

        def looks_like(pattern: str) -> exp.Expr:
            return exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(pattern))

        one = exp.EQ(this=n.copy(), expression=number(1))
        facts = {
            "rows": exp.func("coalesce", exp.Sum(this=n.copy()), number(0)),
            "nulls": rows_where(is_null(value.copy())),
            "distinct": exp.Count(this=value.copy()),
            "unique": rows_where(exp.and_(one, is_there(value.copy()))),
            "shortest": exp.Min(this=exp.Length(this=value.copy())),
            "longest": exp.Max(this=exp.Length(this=value.copy())),
            "integers": rows_where(looks_like(WHOLE_NUMBER)),
            "numbers": rows_where(looks_like(NUMBER)),
            "dates": rows_where(looks_like(ISO_DATE)),
            "lowest": exp.Min(this=value.copy()),
            "highest": exp.Max(this=value.copy()),
        }
        return exp.select(*(named(fact, name) for name, fact in facts.items())).from_(values)

    def words(self, info: FieldInfo, words: Sequence[str]) -> exp.Select:
        """The spellings of some words in lower case that are cells of a field, each with its
        number."""
        trimmed = exp.Trim(this=self.as_text(info))
        found = exp.select(named(trimmed, "w"), named(count_all(), "n")).from_(self.source())
        return found.where(exp.Lower(this=trimmed.copy()).isin(*words)).group_by(number(1))

    def has_words(self, fields: Sequence[FieldInfo], words: Sequence[str]) -> exp.Select:
        """How many cells of each field are one of some words in lower case."""

        def counted(info: FieldInfo) -> exp.Expr:
            text = exp.Lower(this=exp.Trim(this=self.as_text(info)))
            return exp.Count(this=exp.Case().when(text.isin(*words), number(1)))

        return exp.select(*(named(counted(info), f"f{i}") for i, info in enumerate(fields))).from_(
            self.source()
        )

    def formulas(
        self, fields: Sequence[FieldInfo], *, roughly: bool = False, is_long: bool = False
    ) -> exp.Select:
        """How many cells of each field start as a formula of a spreadsheet does, and are no number.
        `roughly` counts numbers too, which takes a tenth of the time. In a long table they are
        compared, which takes a tenth again, and much longer to plan where fields are many."""

        def is_like(info: FieldInfo, pattern: str) -> exp.Expr:
            return exp.RegexpLike(this=self.as_text(info), expression=exp.Literal.string(pattern))

        def counted(info: FieldInfo) -> exp.Expr:
            starts = is_like(info, RUN)
            if roughly and is_long:
                starts = self.starts_with(self.as_text(info), RUN_STARTS)
            if not roughly:
                starts = exp.and_(starts, exp.Not(this=is_like(info, NUMBER)), copy=False)
            return exp.Count(this=exp.Case().when(starts, number(1), copy=False))

        shown = [named(counted(info), f"f{place}") for place, info in enumerate(fields)]
        return exp.select(*shown, copy=False).from_(self.source())

    def starts_with(self, text: exp.Expr, characters: str) -> exp.Expr:
        """Whether a text starts with one of some characters, by comparing it with the first texts
        that do and do not. No pattern is matched, and parts of a table whose lowest and highest
        texts decide it are not read."""
        between = (
            exp.and_(
                exp.GTE(this=text.copy(), expression=exp.Literal.string(character)),
                exp.LT(this=text.copy(), expression=exp.Literal.string(chr(ord(character) + 1))),
                copy=False,
            )
            for character in characters
        )
        return exp.or_(*between, copy=False)

    def with_nulls(self, fields: Sequence[FieldInfo], words: NullWords) -> exp.Subquery:
        """The source, in which cells that are one of the words of their field are null."""
        shown = [
            self._without_words(info, possible_words(info.kind, words.of(info.name)))
            for info in fields
        ]
        return exp.select(*shown).from_(self.source()).subquery(SOURCE)

    def with_joined(
        self, fields: Sequence[FieldInfo], joined: Mapping[str, Sequence[str]]
    ) -> exp.Subquery:
        """The source with further fields, each of them several of its own as one text."""
        infos = {info.name: info for info in fields}
        made = [
            named(self._as_one([infos[part] for part in parts]), name)
            for name, parts in joined.items()
        ]
        return (
            exp.select(*(column(name) for name in infos), *made)
            .from_(self.source())
            .subquery(SOURCE)
        )

    def _as_one(self, infos: Sequence[FieldInfo]) -> exp.Expr:
        """The texts of some fields as one, from which each can be read again; null where one of
        them is."""
        out: exp.Expr | None = None
        for info in infos:
            text: exp.Expr = self.as_text(info)
            for mark, instead in ESCAPES:
                text = exp.func(
                    "REPLACE", text, exp.Literal.string(mark), exp.Literal.string(instead)
                )
            if out is not None:
                text = exp.DPipe(
                    this=exp.DPipe(this=out, expression=exp.Literal.string(BETWEEN)),
                    expression=text,
                )
            out = text
        assert out is not None
        return out

    def _without_words(self, info: FieldInfo, words: Sequence[str]) -> exp.Expr:
        if not words:
            return column(info.name)
        is_word = exp.Trim(this=self.as_text(info)).isin(*words)
        return named(exp.Case().when(is_word, exp.null()).else_(column(info.name)), info.name)

    def sample(self, info: FieldInfo, size: int) -> exp.Select:
        """Some distinct values, chosen by their digest so that the same source gives the same
        sample."""
        values = exp.select(named(self.as_text(info), "v")).distinct().from_(self.source())
        values = values.where(is_there(column(info.name)))
        chosen = exp.select(column("v")).from_(values.subquery("d"))
        return chosen.order_by(exp.MD5(this=column("v"))).limit(size)

    def distinct(self, fields: Sequence[FieldInfo]) -> exp.Select:
        """The distinct tuples under the names q0, q1, …, in order."""
        shown = [named(self.as_text(info), f"q{i}") for i, info in enumerate(fields)]
        order = [exp.Ordered(this=place, nulls_first=False) for place in places(len(shown))]
        return exp.select(*shown).distinct().from_(self.source()).order_by(*order)
