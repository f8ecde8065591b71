"""An engine over SQL: what is counted, and what is staged and written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import Bug
from sfumato.policy import NullWords, Order

from ..asked_names import check_target
from ..engine import Engine, FieldKind, Lookup, NumberGrid, Quota, Snapshot, WritePlan
from ..file_snapshot import blame_change
from ..stored_entries import whole_keys
from .cells import NumberedRows, spread_rows
from .counts import BATCH
from .people import SqlPeople
from .queries import ROWS, SOURCE, column, count_all, joined, table
from .session import SqlSession

FEW_ENTRIES = 10_000
"""Of a lookup that every engine holds in memory while rows go by."""


class SqlEngine(SqlPeople):
    """One source in a session, as an engine."""

    _shuffled = False
    _numbered_stage = False
    spread_source: Callable[[int], exp.Expr] | None = None
    """Every so many-th row of a view of joined tables."""

    def write(self, plan: WritePlan, target: Path) -> int:
        check_target(target, self._session.suffixes)
        with contextlib.ExitStack() as tidy, self._session.writing(self.title, str(target)):
            plan = self._eased(plan)
            return self._session.copy(self._released(plan, tidy), target, plan)

    @contextlib.contextmanager
    def bin_counter(
        self, fields: Sequence[str], *, limit: int | None = None
    ) -> Iterator[Callable[[Sequence[Lookup]], int]]:
        yield partial(self._count_bins, fields)

    def _count_bins(self, fields: Sequence[str], lookups: Sequence[Lookup]) -> int:
        plan = WritePlan(fields=tuple(fields), lookups=tuple(lookups))
        with contextlib.ExitStack() as tidy, self._session.reading(self.title):
            rows = self._released(plan, tidy, ordered=False).subquery(SOURCE)
            made = type(self).over(self._session, rows, title=self.title)
            return int(made.bin_sizes(fields).sum())

    def staged(self, plan: WritePlan) -> Engine:
        with contextlib.ExitStack() as tidy, self._session.reading(self.title):
            kept = self._keep_stage(self._released(plan, tidy, ordered=False), plan)
        stage = self._stage(kept)
        stage._shuffled, stage._numbered_stage, stage._distinct = (
            plan.shuffled,
            bool(plan.numbered),
            plan.distinct,
        )
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

    def spread_rows(
        self, fields: Sequence[str], *, step: int = 1
    ) -> Iterator[Mapping[str, NDArray[Any]]]:
        infos = {name: self._info(name) for name in fields}
        query = spread_rows(self._queries, infos, step=step, source=self.spread_source)
        with self._session.reading(self.title):
            for columns in self._batches(query):
                yield {f"cell:{name}": cells for name, cells in zip(fields, columns, strict=True)}

    def gathered(
        self, fields: Mapping[str, FieldKind | None], batches: Iterator[Mapping[str, NDArray[Any]]]
    ) -> Engine:
        for name in fields:
            self._info(name)
        with self._session.reading(self.title):
            kept = self._numbered_rows().gathered(fields, batches)
        return self._stage(kept)

    def _numbered_rows(self) -> NumberedRows:
        if self._row_numbers is None:
            self._row_numbers = NumberedRows(self._session, self._queries.source(), self._infos)
            self._tidy.callback(self._session.forget, self._row_numbers.name)
        return self._row_numbers

    def _stage(self, kept: str) -> Self:
        stage = type(self).over(
            self._session, exp.alias_(table(kept), SOURCE, table=True), title=self.title
        )
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
                raise Bug(
                    "rows were to be taken out of a source that is no stage, or whose rows "
                    "are numbered."
                )
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
                dropped = self._queries.dropped(
                    plan.drop, self._load(plan.drop, tidy), self._infos, row_id
                )
                self._session.remove(self._kept, dropped)
            if plan.quota is not None:
                cut = self._cut(replace(plan, drop=None), None, tidy)
                self._session.remove(
                    self._kept, self._queries.beyond_quota(plan, self._infos, cut, row_id)
                )

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

    def with_nulls(self, words: NullWords, *, owns: bool = False) -> Engine:
        return self._over(self._queries.with_nulls(self._fields, words), owns=owns)

    def with_joined(self, joined: Mapping[str, Sequence[str]], *, owns: bool = False) -> Engine:
        return self._over(self._queries.with_joined(self._fields, joined), owns=owns)

    def with_grids(self, grids: Mapping[str, NumberGrid]) -> Engine:
        return self._over(self._queries.with_grids(self._fields, grids), owns=False)

    def _over(self, source: exp.Expr, *, owns: bool) -> Engine:
        """A view of this source. Closing either closes the other, by `owns`."""
        view = type(self).over(self._session, source, title=self.title)
        if owns:
            view._tidy.callback(self.close)
        else:
            self._tidy.callback(view.close)
        return view

    def _released(
        self, plan: WritePlan, tidy: contextlib.ExitStack, *, ordered: bool = True
    ) -> exp.Select:
        """Load what the plan looks up, and the query that gives its rows."""
        plan = replace(
            plan,
            lookups=tuple(
                self._by_number(lookup) if lookup.whole else lookup for lookup in plan.lookups
            ),
            moved=tuple(
                m if m.lookup is None else replace(m, lookup=self._by_number(m.lookup))
                for m in plan.moved
            ),
        )
        tables = [self._load(lookup, tidy) for lookup in plan.lookups]
        moved = [
            self._load(m.lookup, tidy, new="whole") for m in plan.moved if m.lookup is not None
        ]
        ordered = ordered and not (self._shuffled and self._stays_shuffled(plan, tables))
        drop = self._load(plan.drop, tidy) if plan.drop is not None else None
        cut = self._cut(plan, drop, tidy) if plan.quota is not None else None
        gone = self._gone(plan, cut, tidy) if cut is not None and drop is None else None
        plan, cut = (plan, cut) if gone is None else (replace(plan, quota=None), None)
        query = self._queries.released(
            plan,
            self._infos,
            tables,
            drop_table=drop,
            moved_tables=moved,
            cut_table=cut,
            ordered=ordered,
        )
        return query if gone is None else self._queries.without(query, gone[0], gone[1])

    def _gone(
        self, plan: WritePlan, cut: str, tidy: contextlib.ExitStack
    ) -> tuple[str, str] | None:
        """The key of the source and a table of those beyond a quota, which are few: so all rows are
        read once. None where rows have no key that identifies them."""
        key = plan.quota.key if plan.quota is not None else ""
        if not key or plan.order is Order.KEEP or any(lookup.portions for lookup in plan.lookups):
            return None
        missing = exp.select(count_all()).from_(
            self.table_alone[0].copy() if self.table_alone else self.source()
        )
        missing = missing.where(exp.Is(this=column(key, SOURCE), expression=exp.null()))
        if self._session.rows(missing)[0][0]:
            return None
        assert plan.quota is not None
        ask = self._alone(plan.quota.person) or self._queries
        return key, self._keep(ask.beyond_quota(plan, self._infos, cut), tidy)

    def _cut(self, plan: WritePlan, drop: str | None, tidy: contextlib.ExitStack) -> str:
        """The people of whom some rows are dropped, as a table."""
        assert plan.quota is not None
        kinds = {f"key:{name}": "text" for name in plan.quota.fields} | {
            ROWS: "whole",
            "keep": "whole",
        }
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
        """Days by person: people are read from the source itself, so that where they are numbers,
        all of them are."""
        return replace(
            lookup, plain=all(self._queries.is_whole(self._infos[key]) for key in lookup.keys)
        )

    def _stays_shuffled(self, plan: WritePlan, tables: Sequence[str]) -> bool:
        """Whether the order of the rows is independent of their content. They are then joined with
        nothing, or with so few entries that no engine would sort or cut the rows for it."""
        if (
            plan.order is not Order.SCRAMBLE
            or len(joined(plan)) > len(plan.lookups)
            or plan.drop
            or plan.quota
        ):
            return False
        if any(lookup.stored or lookup.portions or len(lookup.keys) > 1 for lookup in plan.lookups):
            return False
        counts = (exp.select(count_all()).from_(table(name)) for name in tables)
        return all(self._session.rows(query)[0][0] <= FEW_ENTRIES for query in counts)

    def _load(self, lookup: Lookup, tidy: contextlib.ExitStack, *, new: str = "text") -> str:
        if lookup.stored:
            return lookup.stored
        kinds = dict.fromkeys(
            (f"key:{key}" for key in lookup.keys), "whole" if lookup.plain else "text"
        )
        given = "whole" if lookup.whole else "text"
        kinds |= (
            {"new:days": "whole"}
            if new == "whole"
            else {f"new:{name}": given for name in lookup.fields}
        )
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
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            blame_change(self, error)
        finally:
            self.close()
