"""One Spark session that answers Ctrl-C: questions are asked beside the main thread, which waits
and can be called."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyspark import StatusTracker
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast
from pyspark.sql.types import LongType, StringType, StructField, StructType
from sqlglot import exp

from sfumato.errors import Bug
from sfumato.runs import is_listened_to, report_step

from ..engine import FieldInfo, FieldKind, Snapshot, WritePlan
from ..sql.queries import SOURCE, table
from ..sql.session import Batch
from . import errors as spark_errors
from . import row_numbers as spark_numbering
from .canonical_text import DIALECT
from .lookups import write_entries
from .queries import SparkQueries, compiled
from .scratch import Scratch
from .snapshot import SparkSnapshot
from .writer import write_csv, write_parquet

Result = TypeVar("Result")

PARTS = "spark.sql.shuffle.partitions"
PART = 16 << 20
"""Bytes of compressed files for each part: some million rows."""
FEWEST_PARTS, MOST_PARTS = 8, 200
SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",  # A `${…}` in a text is meant as it is.
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    **dict.fromkeys(
        (
            "spark.sql.parquet.datetimeRebaseModeInRead",
            "spark.sql.parquet.datetimeRebaseModeInWrite",
            "spark.sql.parquet.int96RebaseModeInRead",
            "spark.sql.parquet.int96RebaseModeInWrite",
        ),
        "CORRECTED",
    ),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # A lookup of up to some two million entries is sent to the workers, which spares sorting all
    # rows for it.
    "spark.sql.autoBroadcastJoinThreshold": "64MB",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "64MB",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "256MB",
}
FEW_PARTS = 2
# Compiling a query takes longer than asking it of few rows.
SETTINGS_WHEN_SMALL = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
KINDS = {"text": StringType(), "whole": LongType()}
# Entries up to which a lookup is sent to every worker; larger ones are sorted and merged with the
# rows.
BROADCAST_ENTRIES = 500_000
# What is streamed comes in files of so many rows: one of them at a time is in memory.
ROWS_IN_A_FILE = 1_000_000

_KINDS = {
    **dict.fromkeys(("string", "char", "varchar"), FieldKind.TEXT),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), FieldKind.INTEGER),
    **dict.fromkeys(("float", "double", "decimal"), FieldKind.REAL),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), FieldKind.TIMESTAMP),
    "date": FieldKind.DATE,
    "boolean": FieldKind.BOOLEAN,
}


class SparkEngineSession:
    """A session of its own within a Spark that runs: its settings and the names of its tables are
    nobody else's.

    Only this class hands queries to Spark. Spark works lazily and would draw again for every look
    at a result: what is kept is computed at once and once."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".csv")
    row_id: ClassVar[str] = ""

    def __init__(self, spark: SparkSession, *, scratch: str = "") -> None:
        self._tag = f"sfumato-{secrets.token_hex(8)}"
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="spark")
        self._names = count()
        self._kept: set[str] = set()
        self._told: dict[str, tuple[Any, ...]] = {}
        self._over: dict[str, str] = {}
        self.state = SparkSnapshot()
        self._asked_scratch = scratch
        self._is_small = False
        try:
            self.spark = self.asked(lambda: self._derived(spark))
            self._shortest = self.asked(self._java_version) >= 19
            self.scratch = self.asked(lambda: Scratch(self.spark, scratch))
        except BaseException:
            self._worker.shutdown()
            raise

    def _derived(self, spark: SparkSession) -> SparkSession:
        out = spark.newSession()
        for name, value in SETTINGS.items():
            out.conf.set(name, value)
        return out

    def shared_options(self) -> dict[str, str]:
        """What another session beside this one is opened with: the same folder for its workers."""
        return {"scratch": self._asked_scratch} if self._asked_scratch else {}

    def fit(self) -> None:
        """As many parts in a shuffle as the files that are read need, unless somebody has set that.
        Spark's default of two hundred makes as many small files for each of a hundred small
        questions."""
        self._is_small = self.state.is_small
        if self.state.bytes:
            fewest = FEW_PARTS if self._is_small else FEWEST_PARTS
            parts = str(min(MOST_PARTS, max(fewest, self.state.bytes // PART)))
            self.asked(lambda: self._set_unless_set({PARTS: parts}))
        if self._is_small:
            self.asked(lambda: self._set_unless_set(SETTINGS_WHEN_SMALL))

    def _set_unless_set(self, settings: Mapping[str, str]) -> None:
        said = self.spark.sparkContext.getConf()
        for name, value in settings.items():
            if not said.contains(name):
                self.spark.conf.set(name, value)

    def _java_version(self) -> int:
        java: Any = self.spark.sparkContext._jvm
        return int(java.java.lang.Runtime.version().feature())

    def asked(self, work: Callable[[], Result]) -> Result:
        """Do `work`, and have Spark stop it when Ctrl-C is pressed."""
        if threading.current_thread() is not threading.main_thread():
            with spark_errors.silence():
                return work()
        outcome: Future[Result] = self._worker.submit(self._tagged, work)
        try:
            # In turns, because a signal that reaches another thread does not wake this one.
            while not outcome.done():
                wait([outcome], timeout=0.2)
                self._report_share(outcome)
            return outcome.result()
        except KeyboardInterrupt:
            while not outcome.done():
                self.spark.sparkContext.cancelJobsWithTag(self._tag)
                wait([outcome], timeout=0.2)
            raise

    def _report_share(self, outcome: Future[Any]) -> None:
        """Report the share of the tasks of Spark's present stages that are done."""
        if outcome.done() or not is_listened_to() or not hasattr(self, "spark"):
            return
        with contextlib.suppress(Exception):  # What goes wrong is the outcome's to raise.
            share = share_done(self.spark.sparkContext.statusTracker())
            if share is not None:
                report_step(share=share)

    def _tagged(self, work: Callable[[], Result]) -> Result:
        with spark_errors.silence():
            if hasattr(self, "spark"):
                self.spark.sparkContext.addJobTag(self._tag)
            return work()

    # -------------------------------------------------------------------------------------------------
    # questions

    def queries(self, source: exp.Expr | None = None) -> SparkQueries:
        return SparkQueries(source, shortest=self._shortest)

    def frame(self, query: exp.Expr) -> DataFrame:
        return self.spark.sql(compiled(query))

    def describe(self, source: exp.Expr) -> tuple[FieldInfo, ...]:
        schema = self.asked(lambda: self.frame(exp.select("*").from_(source.copy())).schema)
        return tuple(_info(field) for field in schema)

    def rows(self, query: exp.Expr) -> list[tuple[Any, ...]]:
        """Answers of one row are remembered: tables of its own never change, and sources must
        not."""
        asked = compiled(query)
        if asked in self._told:
            return [self._told[asked]]
        found = self.asked(lambda: [tuple(row) for row in self.spark.sql(asked).collect()])
        if len(found) == 1:
            self._told[asked] = found[0]
        return found

    def arrow(self, query: exp.Expr) -> pyarrow.Table:
        """The answer in Arrow's columns."""
        return self.asked(lambda: self.frame(query).toArrow())

    def columns(self, query: exp.Expr) -> dict[str, NDArray[Any]]:
        found = self.arrow(query)
        return {name: _array(found.column(i)) for i, name in enumerate(found.column_names)}

    def stream(self, query: exp.Expr, size: int) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Kept as files and read one by one, so that other things can be asked in between; at once
        where the source is small."""
        if self._is_small:
            yield from _rows(self.arrow(query), size)
            return
        name = self.keep(query, large=True)
        try:
            schema = self.asked(lambda: self.spark.table(name).schema)
            for part in self.asked(lambda: self.scratch.parts(name)):
                found = self.asked(lambda part=part: self._files(schema, part).toArrow())  # type: ignore[misc]
                yield from _rows(found, size)
        finally:
            self.forget(name)

    # -------------------------------------------------------------------------------------------------
    # keeping

    def keep(self, query: exp.Expr, *, large: bool = False) -> str:
        """As files, small or large: they outlive a worker that is lost, and Spark looks at their
        size when it joins."""
        name = self._new()
        try:
            self.asked(lambda: self._keep(name, self.frame(query)))
        except BaseException:
            self.forget(name)
            raise
        return name

    def show(self, query: exp.Expr, *, over: str = "") -> str:
        """A name for what a query gives whenever it is asked: it must not draw. `over` is a kept
        table that is forgotten with it."""
        name = self._new()
        self._over[name] = over
        self.asked(lambda: self.frame(query).createOrReplaceTempView(quoted(name)))
        return name

    def keep_numbered(
        self, rows: exp.Select, shown: Callable[[str, dict[int, int]], exp.Expr]
    ) -> str:
        """Rows kept in random order with their places; `shown` makes numbers of these, by the sizes
        of the parts."""
        kept = self.keep(spark_numbering.placed(spark_numbering.apart(rows)), large=True)
        try:
            parts = dict(self.rows(spark_numbering.sizes(kept)))
            return self.show(shown(kept, parts), over=kept)
        except BaseException:
            self.forget(kept)
            raise

    def _new(self) -> str:
        name = f"kept_{next(self._names)}"
        self._kept.add(name)
        return name

    def _keep(self, name: str, found: DataFrame) -> None:
        place = self.scratch.place(name)
        found.write.option("maxRecordsPerFile", ROWS_IN_A_FILE).parquet(place)
        self._files(found.schema, place).createOrReplaceTempView(quoted(name))
        rows = self.scratch.rows(name)
        if rows is not None:
            self._told[
                compiled(self.queries(exp.alias_(table(name), SOURCE, table=True)).count_rows())
            ] = (rows,)

    def _files(self, schema: StructType, place: str) -> DataFrame:
        return self.spark.read.schema(schema).parquet(place)

    def forget(self, name: str) -> None:
        under = self._over.pop(name, "")
        if under:
            self.forget(under)

        def forget() -> None:
            self._kept.discard(name)
            self.spark.catalog.dropTempView(name)
            self.scratch.remove(name)

        with contextlib.suppress(
            *spark_errors.TROUBLE, RuntimeError
        ):  # Spark may have stopped, or Python be ending.
            self.asked(forget)

    def remove(self, name: str, places: exp.Expr) -> None:
        raise Bug("rows were to be taken out of files that Spark wrote.")

    def load(self, kinds: Mapping[str, str], batches: Iterator[Batch]) -> str:
        name = self._new()
        schema = StructType([StructField(column, KINDS[kind]) for column, kind in kinds.items()])
        try:
            with self.scratch.filling(name) as folder:
                entries = write_entries(folder / "part-0.parquet", kinds, batches)
            self.asked(lambda: self._show_loaded(name, schema, small=entries <= BROADCAST_ENTRIES))
        except BaseException:
            self.forget(name)
            raise
        return name

    def _show_loaded(self, name: str, schema: StructType, *, small: bool) -> None:
        found = self._files(schema, self.scratch.place(name))
        (broadcast(found) if small else found).createOrReplaceTempView(quoted(name))

    # -------------------------------------------------------------------------------------------------
    # writing

    def copy(self, query: exp.Expr, target: Path, plan: WritePlan) -> int:
        write = write_csv if target.suffix == ".csv" else write_parquet
        return self.asked(lambda: write(self.frame(query), target))

    def snapshot(self) -> Snapshot:
        return self.state.snapshot()

    def reading(self, title: str) -> AbstractContextManager[None]:
        return spark_errors.reading(title)

    def writing(self, title: str, target: str) -> AbstractContextManager[None]:
        return spark_errors.writing(title, target)

    def close(self) -> None:
        for name in list(self._kept):
            self.forget(name)
        self.scratch.close()
        self._worker.shutdown()


def share_done(tracker: StatusTracker) -> float | None:
    """The share of the tasks of all stages at work that are done; None where no stage is."""
    found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    stages = [stage for stage in found if stage is not None]
    tasks = sum(stage.numTasks for stage in stages)
    return sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else None


def _rows(found: pyarrow.Table, size: int) -> Iterator[Sequence[tuple[Any, ...]]]:
    """An answer in pieces of at most so many rows."""
    for batch in found.to_batches(size):
        rows = list(zip(*(column.to_pylist() for column in batch.columns), strict=True))
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def quoted(name: str) -> str:
    """A name as Spark takes it where it may be of several parts.

    Example:
        >>> quoted("a.b`c")
        '`a.b``c`'
    """
    return exp.to_identifier(name, quoted=True).sql(dialect=DIALECT)


def _info(field: StructField) -> FieldInfo:
    declared = field.dataType.simpleString()
    kind = _KINDS.get(declared.split("(")[0].split(" ")[0], FieldKind.OTHER)
    return FieldInfo(field.name, kind, declared)


def _array(column: pyarrow.ChunkedArray) -> NDArray[Any]:
    """A column as NumPy has it: text as objects, masked where there are nulls."""
    values = (column.fill_null(0) if pyarrow.types.is_integer(column.type) else column).to_numpy()
    if not column.null_count:
        return values  # type: ignore[no-any-return]
    return np.ma.masked_array(values, column.is_null().to_numpy())
