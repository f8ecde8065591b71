"""The engine for more rows than one machine takes: Spark, on this machine or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow
from sqlglot import exp

from sfumato.policy import AS_FOUND, SourceFormat

from ..declarations.spark import ABILITIES
from ..engine import Abilities, Engine, Itemsets, KeyMap, Witnesses, WritePlan
from ..sql import queries
from ..sql.codes import CodedTuples, bins_in, counted
from ..sql.engine import SqlEngine
from ..sql.queries import column, named, table
from . import cluster as spark_start
from . import itemsets as spark_sets
from . import row_numbers as spark_numbering
from .codes import coded
from .errors import reading
from .queries import SparkQueries
from .readers import SCHEME, SparkSource, is_small, read_into, title_of
from .session import SparkEngineSession


class SparkEngine(SqlEngine):
    """One source in Spark. Use it as a context manager: closing removes what it kept, and a Spark
    that it started.

    `spark` is a session that runs already; without it the one of this process is used, or one is
    started with `master` and `memory`. The default of `master` is what is configured, else all
    cores of this machine. `scratch` is a folder that all workers of a cluster see."""

    name: ClassVar[str] = "spark"
    abilities: ClassVar[Abilities] = ABILITIES
    _session: SparkEngineSession
    _queries: SparkQueries

    def __init__(
        self,
        source: Any,
        *,
        table: str = "",
        format: SourceFormat = AS_FOUND,
        spark: Any = None,
        master: str = "",
        memory: str = "",
        scratch: str = "",
    ) -> None:
        catalog = bool(table) or (isinstance(source, str) and source.startswith(SCHEME))
        running, self._give_back = spark_start.borrow(
            spark, master=master, memory=memory, catalog=catalog, short=is_small(source)
        )
        session: SparkEngineSession | None = None
        try:
            options = SparkSource(table=table, format=format)
            title = title_of(source, table)
            with reading(title):
                session = SparkEngineSession(running, scratch=scratch)
                read_into(session, source, options)
                session.fit()
            super().__init__(session, queries.table(queries.SOURCE), title=title, owns=True)
        except BaseException:
            if session is not None:
                session.close()
            self._give_back()
            raise

    def _counted(self, query: exp.Select, fields: int, *, sensitive: bool = False) -> CodedTuples:
        """Bins are read as text in Arrow's columns and are numbered here: one job, where Spark
        would need many."""
        names = [f"q{i}" for i in range(fields)] + (["s"] if sensitive else [])
        if not names:
            return self._in_all(query)
        found, values = coded(self._session.arrow(query), names)
        return counted(found, values)

    def _in_all(self, query: exp.Select) -> CodedTuples:
        """An ungrouped count over no rows is one bin."""
        total = self._session.rows(query)[0][0]
        return counted({"n": np.array([total or 0] if self.count_rows() else [], np.int64)}, [])

    def witnesses(self, fields: Sequence[str], *, person: str, k: int) -> Witnesses:
        infos, who = [self._info(name) for name in fields], self._info(person)
        names = [f"q{i}" for i in range(len(infos))]
        with self._session.reading(self.title), contextlib.ExitStack() as tidy:
            pairs = self._keep(self._queries.pairs(infos, who), tidy, large=True)
            bins = self._session.arrow(self._queries.bins_of(pairs, len(infos)))
            some = self._session.arrow(self._queries.witnesses_of(pairs, len(infos), k))
        if not names and not some.num_rows and not self.count_rows():
            bins = bins.slice(0, 0)
        found, values = coded(pyarrow.concat_tables([bins, some.cast(bins.schema)]), names)
        here = counted({name: column[: bins.num_rows] for name, column in found.items()}, values)
        seen = counted({name: column[bins.num_rows :] for name, column in found.items()}, values)
        return Witnesses(
            fields=tuple(fields),
            values=here.values,
            codes=here.codes,
            rows=here.counts,
            bin_of=bins_in(here.codes, seen.codes),
            person_of=seen.counts,
            k=k,
        )

    def itemsets(self, person: str, item: str, *, m: int, within: Sequence[str] = ()) -> Itemsets:
        who, what, infos = (
            self._info(person),
            self._info(item),
            [self._info(name) for name in within],
        )
        asked = (person, item, tuple(within))
        with self._session.reading(self.title):
            if m == 1 and asked not in self._held:
                sizes = [self._session.arrow(spark_sets.singles(self._queries, who, what, infos))]
                return spark_sets.as_itemsets(sizes, groups=len(within))
            if asked not in self._held:
                lists = spark_sets.gathered(self._queries, who, what, infos)
                self._held[asked] = self._keep(lists, self._tidy, large=True), ()
            kept = self._held[asked][0]
            each = (spark_sets.combinations(kept, len(within), size) for size in range(1, m + 1))
            sizes = [self._session.arrow(query) for query in each]
        return spark_sets.as_itemsets(sizes, groups=len(within))

    def numbers(self, name: str, *, start: int, unique: bool = False) -> KeyMap:
        info = self._info(name)

        def shown(kept: str, parts: dict[int, int]) -> exp.Expr:
            return self._queries.numbered_values(info, spark_numbering.numbers(parts, start), kept)

        with self._session.reading(self.title):
            kept = self._session.keep_numbered(self._queries.values(info, unique=unique), shown)
        self._tidy.callback(self._session.forget, kept)
        return replace(self._stored(kept), plain=self._queries.is_whole(info))

    def numbers_in(self, number: str, *, of: str) -> KeyMap:
        info = self._info(of)
        with self._session.reading(self.title):
            shown = self._session.show(self._queries.numbers_in(self._info(number), info))
        self._tidy.callback(self._session.forget, shown)
        return replace(self._stored(shown), plain=self._queries.is_whole(info))

    def staged(self, plan: WritePlan) -> Engine:
        """In random order only where rows are numbered. Other rows are removed from a stage first,
        and the rest is put in order when it is written."""
        return super().staged(plan if plan.numbered else replace(plan, shuffled=False))

    def _keep_stage(self, query: exp.Select, plan: WritePlan) -> str:
        if not plan.numbered:
            return self._session.keep(query, large=True)

        def shown(kept: str, parts: dict[int, int]) -> exp.Expr:
            numbers = (
                named(spark_numbering.numbers(parts, at), name)
                for name, at in plan.numbered.items()
            )
            return exp.select(*map(column, plan.fields), *numbers).from_(table(kept))

        return self._session.keep_numbered(query, shown)

    def close(self) -> None:
        super().close()
        if getattr(self, "_owns", False):
            self._give_back()
