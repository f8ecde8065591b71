"""An engine over SQL: every question as a sqlglot tree, run in a session, which knows what drivers do differently."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import Bug, SourceError
from sfumato.policy.records import Order

from ..database import Join
from ..engine import (
    SIZE_CAP,
    Abilities,
    Column,
    Engine,
    FieldInfo,
    FieldProfile,
    Frequencies,
    Histogram,
    Itemsets,
    Kind,
    Lookup,
    Numbers,
    Quota,
    Snapshot,
    Witnesses,
    WritePlan,
)
from ..queries import ROWS, SOURCE, Queries, column, count_all, joined, table
from .names import check_names, check_target, no_field
from .sql_cells import Numbered
from .sql_codes import Counted, Dictionaries, bins_in, counted, itemsets_of, objects
from .sql_session import SqlSession
from .stored_entries import whole_keys, with_null
from .weights import no_weights

BATCH = 100_000
FEW_ENTRIES = 10_000
"""Of a lookup that every engine holds in memory while rows go by."""


class SqlEngine:
    """One source in a session: a table, a view or a stage. `owns` says that closing it closes the session."""

    name: ClassVar[str] = "sql"
    abilities: ClassVar[Abilities]
    title: str
    _kept = ""
    table_alone: tuple[exp.Expr, frozenset[str]] | None = None
    """Of a view the table itself, without what it is joined with, and its fields: cheaper to ask about those."""
    hangs_on: tuple[Join, SqlEngine] | None = None
    """Of a view the one stage that it is joined with."""
    _shuffled = False
    _numbered_stage = False
    _distinct = False

    def __init__(self, session: SqlSession, source: exp.Expr, *, title: str, owns: bool = False) -> None:
        self.title = title
        self._session = session
        self._owns = owns
        self._queries: Queries = session.queries(source)
        self._tidy = contextlib.ExitStack()
        self._row_numbers: Numbered | None = None
        self._each: dict[str, str] = {}
        self._held: dict[tuple[str, str, tuple[str, ...]], tuple[str, tuple[str, ...]]] = {}
        with session.reading(title):
            self._fields = session.describe(source)
        check_names(title, [info.name for info in self._fields])
        self._infos = {info.name: info for info in self._fields}

    def _info(self, name: str) -> FieldInfo:
        if name not in self._infos:
            raise no_field(self.title, name, list(self._infos))
        return self._infos[name]

    def _keep(self, query: exp.Expr, tidy: contextlib.ExitStack, *, large: bool = False) -> str:
        """Run a query into a table of the session's own, which is forgotten with `tidy`, whatever happens."""
        name = self._session.keep(query, large=large)
        tidy.callback(self._session.forget, name)
        return name

    @property
    def session(self) -> SqlSession:
        """What it asks, for targets that write where the rows are."""
        return self._session

    def source(self) -> exp.Expr:
        """What is asked, for views that join it."""
        return self._queries.source()

    def fields(self) -> tuple[FieldInfo, ...]:
        return self._fields

    def count_rows(self) -> int:
        with self._session.reading(self.title):
            return int(self._session.rows(self._queries.count_rows())[0][0])

    # ------------------------------------------------------------------------------------------------ frequencies

    def frequencies(
        self,
        fields: Sequence[str],
        *,
        sensitive: Sequence[str] = (),
        weight: str | None = None,
        person: str | None = None,
    ) -> Frequencies:
        infos = [self._info(name) for name in fields]
        finer = {name: self._info(name) for name in sensitive}
        weights = None if weight is None else self._info(weight)
        people = None if person is None else self._info(person)
        if weights is not None and people is not None:
            raise Bug("weights and people were asked for at once.")
        with self._session.reading(self.title):
            if weights is not None:
                self._check_weights(weights)
            if finer and weights is None and people is None:
                found, histograms = self._counted_with(infos, finer)
            else:
                found = self._counted(self._queries.bins(infos, weight=weights, person=people), len(infos))
                histograms = {
                    name: self._histogram(infos, info, values=found.values, person=people)[0]
                    for name, info in finer.items()
                }
        return Frequencies(
            fields=tuple(fields), values=found.values, codes=found.codes, counts=found.counts, histograms=histograms
        )

    def _counted_with(
        self, infos: Sequence[FieldInfo], finer: Mapping[str, FieldInfo]
    ) -> tuple[Counted, dict[str, Histogram]]:
        """Bins and histograms from one group-by per sensitive field: the first one's bins are sums of its own."""
        histograms: dict[str, Histogram] = {}
        bins: Counted | None = None
        for name, info in finer.items():
            histograms[name], found = self._histogram(infos, info, values=None if bins is None else bins.values)
            bins = bins or found
        assert bins is not None
        first = next(iter(histograms.values()))
        counts = np.bincount(first.bin_of, first.counts, len(bins.codes)).astype(np.int64)
        return replace(bins, counts=counts), histograms

    def _check_weights(self, info: FieldInfo) -> None:
        missing = int(self._session.rows(self._queries.not_weights(info))[0][0])
        if missing:
            raise no_weights(self.title, info.name, missing)

    def _counted(self, query: exp.Select, fields: int, *, sensitive: bool = False) -> Counted:
        """Group once, then number each field's values."""
        names = [f"q{i}" for i in range(fields)] + (["s"] if sensitive else [])
        with contextlib.ExitStack() as tidy:
            kept = self._keep(query, tidy)
            numbered = self._numbered(kept, names, tidy)
            found = self._session.columns(self._queries.coded(kept, names, numbered.tables))
        if not names and not self.count_rows():
            found = {"n": np.zeros(0, np.int64)}  # An ungrouped count over no rows is one bin of nought.
        return counted(found, numbered.values)

    def _numbered(self, kept: str, names: Sequence[str], tidy: contextlib.ExitStack) -> Dictionaries:
        """A table for each field that numbers its values, and the values."""
        tables = [self._keep(self._queries.dictionary(kept, name), tidy) for name in names]
        return Dictionaries(tables=tuple(tables), values=tuple(self._values(d) for d in tables))

    def _values(self, dictionary: str) -> tuple[str, ...]:
        v, code = exp.column("v", quoted=True), exp.column("code", quoted=True)
        query = exp.select(v).from_(table(dictionary)).order_by(code)
        return tuple(self._session.columns(query)["v"].tolist())

    def _histogram(
        self,
        infos: Sequence[FieldInfo],
        sensitive: FieldInfo,
        *,
        values: tuple[tuple[str | None, ...], ...] | None,
        person: FieldInfo | None = None,
    ) -> tuple[Histogram, Counted]:
        """One sensitive field by bin, with the bins it was counted in."""
        found = self._counted(self._queries.bins(infos, sensitive, person=person), len(infos), sensitive=True)
        if values is not None and found.values[:-1] != values:
            raise SourceError(f"{self.title} changed while it was read.", attempt="reading a copy that stays still.")
        codes = found.codes
        starts = np.ones(len(codes), bool)
        starts[1:] = np.any(codes[1:, :-1] != codes[:-1, :-1], axis=1)
        histogram = Histogram(
            values=found.values[-1],
            bin_of=np.cumsum(starts) - 1,
            value_of=codes[:, -1].copy(),
            counts=found.counts,
        )
        return histogram, Counted(values=found.values[:-1], codes=codes[starts, :-1], counts=found.counts[starts])

    def bin_sizes(self, fields: Sequence[str]) -> NDArray[np.int64]:
        query = self._queries.bin_sizes([self._info(name) for name in fields], SIZE_CAP)
        with self._session.reading(self.title):
            found = self._session.rows(query)
        out = np.zeros(SIZE_CAP + 1, np.int64)
        for size, bins in found:
            out[size] = bins
        out[0] = 0  # An ungrouped count over no rows is one bin of nought.
        return out

    # ----------------------------------------------------------------------------------------------------- people

    def witnesses(self, fields: Sequence[str], *, person: str, k: int) -> Witnesses:
        infos, who = [self._info(name) for name in fields], self._info(person)
        names = [f"q{i}" for i in range(len(infos))]
        ask = self._queries
        with self._session.reading(self.title), contextlib.ExitStack() as tidy:
            pairs = self._keep(ask.pairs(infos, who), tidy, large=True)
            kept = self._keep(ask.bins_of(pairs, len(infos)), tidy)
            some = self._keep(ask.witnesses_of(pairs, len(infos), k), tidy)
            numbered = self._numbered(kept, names, tidy)
            bins = counted(self._session.columns(ask.coded(kept, names, numbered.tables)), numbered.values)
            seen = counted(self._session.columns(ask.coded(some, names, numbered.tables)), numbered.values)
        if not names and not len(seen.counts) and not self.count_rows():
            bins = replace(bins, codes=bins.codes[:0], counts=bins.counts[:0])
        return Witnesses(
            fields=tuple(fields),
            values=bins.values,
            codes=bins.codes,
            rows=bins.counts,
            bin_of=bins_in(bins.codes, seen.codes),
            person_of=seen.counts,
            k=k,
        )

    def rows_per_person(self, person: str, fields: Sequence[str] = ()) -> Frequencies:
        infos, who = [self._info(name) for name in fields], self._info(person)
        with self._session.reading(self.title):
            if infos or not (self._kept or self.hangs_on):
                query = self._queries.rows_per_person(who, infos)
            else:
                query = self._queries.people_by_rows(self._rows_of_each(who))
            found = self._counted(query, len(infos) + 1)
        return Frequencies(fields=(*fields, ROWS), values=found.values, codes=found.codes, counts=found.counts)

    def _rows_of_each(self, who: FieldInfo) -> str:
        """A table of how many rows each person has, for whoever asks and for whoever then takes some away. Rows of a
        table that hangs on people are counted before they are joined."""
        if who.name not in self._each:
            join, stage = self.hangs_on or (None, self)
            ask = self._alone(who.name)
            if ask is not None and join is not None:
                query = ask.who_are_in(ask.rows_of_each(who), stage.source(), ask.who(stage._info(join.key)))
            else:
                query = self._queries.rows_of_each(who)
            self._each[who.name] = self._keep(query, self._tidy)
        return self._each[who.name]

    def _alone(self, person: str) -> Queries | None:
        """What asks a table by itself, where its join only tells whether a person is still there."""
        if self.table_alone is None or self.hangs_on is None or self.hangs_on[0].field != person:
            return None
        key = self.hangs_on[1]._info(self.hangs_on[0].key)
        alike = self._queries.is_whole(key) == self._queries.is_whole(self._info(person))
        return self._session.queries(self.table_alone[0]) if alike else None

    def itemsets(self, person: str, item: str, *, m: int, within: Sequence[str] = ()) -> Itemsets:
        ask = self._queries
        with self._session.reading(self.title):
            coded, values = self._items(person, item, tuple(within))
            sizes = [self._session.columns(ask.combinations(coded, len(within), size)) for size in range(1, m + 1)]
        return itemsets_of(sizes, values, groups=len(within))

    def _items(self, person: str, item: str, within: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """A table of who holds what, in codes, and the values. Made once for all sizes of sets that are asked for."""
        asked = (person, item, within)
        if asked not in self._held:
            infos = [self._info(name) for name in within]
            names = [*(f"q{i}" for i in range(len(infos))), "s"]
            ask = self._queries
            with contextlib.ExitStack() as tidy:
                each_once = self._distinct and set(self._infos) == {person, item, *within}
                query = ask.held(self._info(person), self._info(item), infos, each_once=each_once)
                held = self._keep(query, tidy, large=True)
                numbered = self._numbered(held, names, tidy)
                coded = self._keep(ask.coded(held, names, numbered.tables, kept="p"), self._tidy, large=True)
            self._held[asked] = coded, numbered.values[-1]
        return self._held[asked]

    def numbers(self, name: str, *, start: int, unique: bool = False) -> Numbers:
        info = self._info(name)
        return self._numbers(self._queries.numbers(info, start, unique=unique), info)

    def numbers_in(self, number: str, *, of: str) -> Numbers:
        info = self._info(of)
        return self._numbers(self._queries.numbers_in(self._info(number), info), info)

    def _numbers(self, query: exp.Expr, info: FieldInfo) -> Numbers:
        with self._session.reading(self.title):
            kept = self._keep(query, self._tidy, large=True)
        return replace(self._stored(kept), plain=self._queries.is_whole(info))

    def kept(self, lookup: Lookup) -> Numbers:
        with self._session.reading(self.title):
            kept = self._session.load({"key:0": "text", "new:0": "text"}, with_null(lookup))
        self._tidy.callback(self._session.forget, kept)
        return self._stored(kept)

    def _stored(self, kept: str) -> Numbers:
        """Entries in a table of the session's own."""

        def batches() -> Iterator[Mapping[str, Column]]:
            for rows in self._session.stream(exp.select("*").from_(table(kept)), BATCH):
                columns = ([None if cell is None else str(cell) for cell in cells] for cells in zip(*rows, strict=True))
                yield {name: objects(texts) for name, texts in zip(("key:0", "new:0"), columns, strict=True)}

        return Numbers(batches=batches, stored=kept)

    # ----------------------------------------------------------------------------------------------------- values

    def profile(self, name: str) -> FieldProfile:
        info = self._info(name)
        with self._session.reading(self.title):
            query = self._queries.profile(info)
            row = dict(zip(query.named_selects, self._session.rows(query)[0], strict=True))
        numbers = {key: int(value or 0) for key, value in row.items() if key not in ("lowest", "highest")}
        return FieldProfile(info=info, lowest=row["lowest"], highest=row["highest"], **numbers)

    def lengths(self, name: str) -> tuple[int, int]:
        """Of whole numbers, those at an end or next to nought are the shortest and the longest."""
        info = self._info(name)
        with self._session.reading(self.title):
            if self._queries.is_whole(info):
                ends = self._session.rows(self._queries.ends(info))[0]
                lengths = [len(str(end)) for end in ends if end is not None] or [0]
                return min(lengths), max(lengths)
            shortest, longest = self._session.rows(self._queries.lengths(info))[0]
        return int(shortest or 0), int(longest or 0)

    def sample(self, name: str, size: int) -> tuple[str, ...]:
        query = self._queries.sample(self._info(name), size)
        with self._session.reading(self.title):
            return tuple(row[0] for row in self._session.rows(query))

    def distinct(self, fields: Sequence[str]) -> Iterator[Mapping[str, Column]]:
        query = self._queries.distinct([self._info(name) for name in fields])
        with self._session.reading(self.title):
            for rows in self._session.stream(query, BATCH):
                yield {name: objects(cells) for name, cells in zip(fields, zip(*rows, strict=True), strict=True)}

    # ---------------------------------------------------------------------------------------------------- writing

    def write(self, plan: WritePlan, target: Path) -> int:
        check_target(target, self._session.suffixes)
        with contextlib.ExitStack() as tidy, self._session.writing(self.title, str(target)):
            plan = self._eased(plan)
            return self._session.copy(self._released(plan, tidy), target, plan)

    def staged(self, plan: WritePlan) -> Engine:
        with contextlib.ExitStack() as tidy, self._session.reading(self.title):
            kept = self._keep_stage(self._released(plan, tidy, ordered=False), plan)
        stage = self._stage(kept)
        stage._shuffled, stage._numbered_stage, stage._distinct = plan.shuffled, bool(plan.numbered), plan.distinct
        return stage

    def _keep_stage(self, query: exp.Select, plan: WritePlan) -> str:
        if plan.shuffled or plan.numbered:
            query = self._queries.shuffled(query, plan.numbered)
        return self._session.keep(query, large=True)

    def cells(self, fields: Sequence[str]) -> Iterator[Mapping[str, NDArray[Any]]]:
        for name in fields:
            self._info(name)
        with self._session.reading(self.title):
            yield from self._numbered_rows().cells(fields, BATCH)

    def gathered(self, fields: Mapping[str, Kind | None], batches: Iterator[Mapping[str, NDArray[Any]]]) -> Engine:
        for name in fields:
            self._info(name)
        with self._session.reading(self.title):
            kept = self._numbered_rows().gathered(fields, batches)
        return self._stage(kept)

    def _numbered_rows(self) -> Numbered:
        if self._row_numbers is None:
            self._row_numbers = Numbered(self._session, self._queries.source(), self._infos)
            self._tidy.callback(self._session.forget, self._row_numbers.name)
        return self._row_numbers

    def _stage(self, kept: str) -> Self:
        stage = type(self).over(self._session, exp.alias_(table(kept), SOURCE, table=True), title=self.title)
        stage._kept = kept
        self._tidy.callback(stage.close)
        return stage

    def thin(self, *, drop: Lookup | None = None, quota: Quota | None = None) -> int:
        before = self.count_rows()
        self._held.clear()
        self._each.clear()
        plan = WritePlan(fields=tuple(self._infos), drop=drop, quota=quota)
        with self._session.reading(self.title):
            if not self._kept or self._numbered_stage:
                raise Bug("rows were to be taken out of a source that is no stage, or whose rows are numbered.")
            if self._session.row_id:
                self._take_out(plan)
            else:
                self._leave_out(plan)
        return before - self.count_rows()

    def _take_out(self, plan: WritePlan) -> None:
        """Delete the rows where they are: they are few."""
        row_id = self._session.row_id
        with contextlib.ExitStack() as tidy:
            if plan.drop is not None:
                dropped = self._queries.dropped(plan.drop, self._load(plan.drop, tidy), self._infos, row_id)
                self._session.remove(self._kept, dropped)
            if plan.quota is not None:
                cut = self._cut(replace(plan, drop=None), None, tidy)
                self._session.remove(self._kept, self._queries.beyond_quota(plan, self._infos, cut, row_id))

    def _leave_out(self, plan: WritePlan) -> None:
        """Keep the other rows in a new table."""
        with contextlib.ExitStack() as tidy:
            kept = self._session.keep(self._released(plan, tidy, ordered=False), large=True)
        self._session.forget(self._kept)
        self._kept = kept
        self._shuffled = False  # Those of whom rows were cut stand together now.
        self._queries = self._session.queries(exp.alias_(table(kept), SOURCE, table=True))

    @classmethod
    def over(cls, session: SqlSession, source: exp.Expr, *, title: str) -> Self:
        """An engine over something else in a session that is open."""
        out = cls.__new__(cls)
        SqlEngine.__init__(out, session, source, title=title)
        return out

    def _released(self, plan: WritePlan, tidy: contextlib.ExitStack, *, ordered: bool = True) -> exp.Select:
        """Load what the plan looks up, and the query that gives its rows."""
        plan = replace(
            plan,
            lookups=tuple(self._by_number(lookup) if lookup.whole else lookup for lookup in plan.lookups),
            moved=tuple(m if m.lookup is None else replace(m, lookup=self._by_number(m.lookup)) for m in plan.moved),
        )
        tables = [self._load(lookup, tidy) for lookup in plan.lookups]
        moved = [self._load(m.lookup, tidy, new="whole") for m in plan.moved if m.lookup is not None]
        ordered = ordered and not (self._shuffled and self._stays_shuffled(plan, tables))
        drop = self._load(plan.drop, tidy) if plan.drop is not None else None
        cut = self._cut(plan, drop, tidy) if plan.quota is not None else None
        gone = self._gone(plan, cut, tidy) if cut is not None and drop is None else None
        plan, cut = (plan, cut) if gone is None else (replace(plan, quota=None), None)
        query = self._queries.released(
            plan, self._infos, tables, drop_table=drop, moved_tables=moved, cut_table=cut, ordered=ordered
        )
        return query if gone is None else self._queries.without(query, gone[0], gone[1])

    def _gone(self, plan: WritePlan, cut: str, tidy: contextlib.ExitStack) -> tuple[str, str] | None:
        """The key of the source and a table of those beyond a quota, which are few: so all rows are read once. None
        where rows have no key by which they could be told."""
        key = plan.quota.key if plan.quota is not None else ""
        if not key or plan.order is Order.KEEP or any(lookup.portions for lookup in plan.lookups):
            return None
        missing = exp.select(count_all()).from_(self.table_alone[0].copy() if self.table_alone else self.source())
        missing = missing.where(exp.Is(this=column(key, SOURCE), expression=exp.null()))
        if self._session.rows(missing)[0][0]:
            return None
        assert plan.quota is not None
        ask = self._alone(plan.quota.person) or self._queries
        return key, self._keep(ask.beyond_quota(plan, self._infos, cut), tidy)

    def _cut(self, plan: WritePlan, drop: str | None, tidy: contextlib.ExitStack) -> str:
        """The people of whom some rows go, as a table."""
        assert plan.quota is not None
        kinds = {f"key:{name}": "text" for name in plan.quota.fields} | {ROWS: "whole", "keep": "whole"}
        quota = self._session.load(kinds, plan.quota.batches())
        tidy.callback(self._session.forget, quota)
        if plan.quota.fields or drop is not None:
            return self._keep(self._queries.cut(plan, self._infos, quota, drop), tidy)
        each = self._rows_of_each(self._infos[plan.quota.person])
        return self._keep(self._queries.cut_of(each, quota), tidy)

    def _eased(self, plan: WritePlan) -> WritePlan:
        """The plan as this engine writes it fastest."""
        return plan

    def _by_number(self, lookup: Lookup) -> Lookup:
        """Days by person: people come from the source itself, so that where they are numbers, all of them are."""
        return replace(lookup, plain=all(self._queries.is_whole(self._infos[key]) for key in lookup.keys))

    def _stays_shuffled(self, plan: WritePlan, tables: Sequence[str]) -> bool:
        """Whether rows come out in an order that has nothing to do with what is in them: they are joined with nothing,
        or with so few entries that nobody would sort or cut the rows for it."""
        if plan.order is not Order.SCRAMBLE or len(joined(plan)) > len(plan.lookups) or plan.drop or plan.quota:
            return False
        if any(lookup.stored or lookup.portions or len(lookup.keys) > 1 for lookup in plan.lookups):
            return False
        counts = (exp.select(count_all()).from_(table(name)) for name in tables)
        return all(self._session.rows(query)[0][0] <= FEW_ENTRIES for query in counts)

    def _load(self, lookup: Lookup, tidy: contextlib.ExitStack, *, new: str = "text") -> str:
        if lookup.stored:
            return lookup.stored
        kinds = dict.fromkeys((f"key:{key}" for key in lookup.keys), "whole" if lookup.plain else "text")
        given = "whole" if lookup.whole else "text"
        kinds |= {"new:days": "whole"} if new == "whole" else {f"new:{name}": given for name in lookup.fields}
        kinds |= dict.fromkeys(("first", "last"), "whole") if lookup.portions else {}
        batches = whole_keys(lookup) if lookup.plain else lookup.batches()
        name = self._session.load(kinds, batches)
        tidy.callback(self._session.forget, name)
        return name

    def snapshot(self) -> Snapshot:
        return self._session.snapshot()

    def close(self) -> None:
        with contextlib.suppress(AttributeError):
            self._tidy.close()
        if self._kept:
            self._session.forget(self._kept)
            self._kept = ""
        if getattr(self, "_owns", False):
            self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
