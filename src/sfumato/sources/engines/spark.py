"""The engine for more rows than one machine takes: Spark, on this machine or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, ClassVar

import pyarrow
from sqlglot import exp

from .. import queries
from ..engine import Abilities, Witnesses
from . import spark_start
from .spark_codes import coded
from .spark_errors import reading
from .spark_readers import SCHEME, SparkSource, read_into, title_of
from .spark_session import Session
from .sql_codes import Counted, bins_in, counted
from .sql_engine import SqlEngine


class SparkEngine(SqlEngine):
    """One source in Spark. Use it as a context manager: closing removes what it kept, and a Spark that it started.

    `spark` is a session that runs already; without it the one of this process is used, or one is started with `master`
    (by default what is configured, else all cores of this machine) and `memory`. `scratch` is a folder that all workers
    of a cluster see.
    """

    name: ClassVar[str] = "spark"
    abilities: ClassVar[Abilities] = Abilities(
        larger_than_memory=True,
        reads=("Parquet", "Spark tables", "CSV", "TSV", "pandas", "polars", "Arrow"),
        writes=("Parquet", "CSV"),
    )
    _session: Session

    def __init__(
        self,
        source: Any,
        *,
        table: str = "",
        encoding: str = "utf-8",
        separator: str = "",
        spark: Any = None,
        master: str = "",
        memory: str = "",
        scratch: str = "",
    ) -> None:
        catalog = bool(table) or (isinstance(source, str) and source.startswith(SCHEME))
        running, self._give_back = spark_start.borrow(spark, master=master, memory=memory, catalog=catalog)
        session: Session | None = None
        try:
            options = SparkSource(table=table, encoding=encoding, separator=separator)
            title = title_of(source, table)
            with reading(title):
                session = Session(running, scratch=scratch)
                read_into(session, source, options)
            super().__init__(session, queries.table(queries.SOURCE), title=title, owns=True)
        except BaseException:
            if session is not None:
                session.close()
            self._give_back()
            raise

    def _counted(self, query: exp.Select, fields: int, *, sensitive: bool = False) -> Counted:
        """Bins come as text in Arrow's columns and are numbered here: one job, where Spark would need many."""
        names = [f"q{i}" for i in range(fields)] + (["s"] if sensitive else [])
        found, values = coded(self._session.table(query), names)
        if not names and not self.count_rows():
            found = {name: column[:0] for name, column in found.items()}  # An ungrouped count over no rows is one bin.
        return counted(found, values)

    def witnesses(self, fields: Sequence[str], *, person: str, k: int) -> Witnesses:
        infos, who = [self._info(name) for name in fields], self._info(person)
        names = [f"q{i}" for i in range(len(infos))]
        with self._session.reading(self.title), contextlib.ExitStack() as tidy:
            pairs = self._keep(self._queries.pairs(infos, who), tidy, large=True)
            bins = self._session.table(self._queries.bins_of(pairs, len(infos)))
            some = self._session.table(self._queries.witnesses_of(pairs, len(infos), k))
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

    def close(self) -> None:
        super().close()
        if getattr(self, "_owns", False):
            self._give_back()
