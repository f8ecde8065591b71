"""One DuckDB connection that answers Ctrl-C: every query runs beside the main thread, which waits
and can be called."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import SourceError
from sfumato.policy import Order
from sfumato.runs import is_listened_to, report_step, usable_cores

from ..engine import FieldInfo, FieldKind, Snapshot, WritePlan
from ..file_snapshot import FileSnapshot
from ..sql import queries
from ..sql.queries import Queries, column, named
from ..sql.session import Batch
from ..workbook import write_sheet
from . import errors as duckdb_errors
from . import parquet as duckdb_parquet
from .memory_limit import GrowingLimit
from .query_thread import Worker

Result = TypeVar("Result")

WRITERS = {".csv": {"FORMAT": "csv", "HEADER": "true"}, ".parquet": {"FORMAT": "parquet"}}
_TEXT_COMPRESSION = "dictionary,dict_fsst,fsst,zstd"
"""Ways to compress texts of a table on disk: they take longer than reading the texts from a file,
and save half of the room of a table that is dropped at the end."""
_SHEET_BATCH = 10_000
_NO_PROGRESS = {"enable_progress_bar": "false"}
_PROGRESS = {"enable_progress_bar": "true", "enable_progress_bar_print": "false"}
KINDS = {
    "text": "TEXT",
    "whole": "BIGINT",
    "whole of 1 byte": "TINYINT",
    "whole of 2 bytes": "SMALLINT",
    "whole of 4 bytes": "INTEGER",
}
_MEBIBYTES = {"bytes": 2**-20, "KiB": 2**-10, "MiB": 1, "GiB": 2**10, "TiB": 2**20}

_KINDS = {
    "VARCHAR": FieldKind.TEXT,
    "DATE": FieldKind.DATE,
    "BOOLEAN": FieldKind.BOOLEAN,
    "FLOAT": FieldKind.REAL,
    "DOUBLE": FieldKind.REAL,
    "DECIMAL": FieldKind.REAL,
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), FieldKind.INTEGER),
    **dict.fromkeys(
        ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), FieldKind.INTEGER
    ),
}


class DuckDBSession:
    """A connection to a database in memory, with one on disk beside it for what is large.

    Only this class hands queries to DuckDB.
    """

    suffixes: ClassVar[tuple[str, ...]] = (*WRITERS, ".xlsx")
    row_id: ClassVar[str] = "rowid"

    def __init__(self, spill: str, memory: str) -> None:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": spill,
            "memory_limit": memory,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "preserve_insertion_order": "false",
            # A name in a query is never a variable of the caller's.
            "python_enable_replacements": "false",
        }
        if (cores := usable_cores()) < (os.cpu_count() or 1):
            config["threads"] = cores  # DuckDB itself counts all cores of the machine.
        try:
            self._connection = duckdb.connect(":memory:", config=config)
        except duckdb.Error:
            raise SourceError(
                f"Memory {memory!r} is not an amount.", attempt="for example 3GB."
            ) from None
        self._growing = memory if isinstance(memory, GrowingLimit) else None
        self._counts_progress = is_listened_to()
        self.run("SET TimeZone = 'UTC'")
        self.run(f"SET disabled_compression_methods = '{_TEXT_COMPRESSION}'")
        for name, setting in _PROGRESS.items() if self._counts_progress else _NO_PROGRESS.items():
            self.run(f"SET {name} = {setting}")
        self.files = FileSnapshot()
        self._names = count()
        self._spill = Path(spill)
        self._large: dict[str, str] = {}

    def _mebibytes(self) -> float:
        amount, unit = str(self.rows("SELECT current_setting('memory_limit')")[0][0]).split()
        return float(amount) * _MEBIBYTES[unit]

    def has_room_for(self, size: int) -> bool:
        """Whether the rows of so many bytes of text can stay in memory beside all other work."""
        most = self._growing.most if self._growing else self._mebibytes()
        return size <= most * (1 << 20) / 8

    def shared_options(self) -> dict[str, str]:
        """Give up half of the memory, for another session beside this one: the options to open that
        with."""
        if self._growing:
            self._growing = self._growing.halved()
        half = self._growing or f"{max(1, int(self._mebibytes() / 2))}MiB"
        # What is in use now cannot always be given up at once.
        with contextlib.suppress(duckdb.OutOfMemoryException):
            self.run(f"SET memory_limit = '{half}'")
        return {"memory": half}

    def queries(self, source: exp.Expr | None = None) -> Queries:
        return Queries(source)

    def describe(self, source: exp.Expr) -> tuple[FieldInfo, ...]:
        found = self.rows(exp.Describe(this=exp.select("*").from_(source.copy())))
        return tuple(FieldInfo(row[0], _kind(row[1]), _declared(row[1])) for row in found)

    def run(self, query: exp.Expr | str) -> None:
        self._asked(query, lambda found: None)

    def rows(self, query: exp.Expr | str) -> list[tuple[Any, ...]]:
        return self._asked(query, lambda found: found.fetchall())

    def columns(self, query: exp.Expr | str, *, in_order: bool = False) -> dict[str, NDArray[Any]]:
        """The columns of the answer; masked arrays where there are nulls. Rows of a table are
        `in_order` of their places."""
        with self._in_order() if in_order else contextlib.nullcontext():
            return self._asked(query, lambda found: found.fetchnumpy())

    def _asked(
        self, query: exp.Expr | str, fetch: Callable[[duckdb.DuckDBPyConnection], Result]
    ) -> Result:
        # Without a copy: writing a tree as text leaves it as it is, and a copy takes as long.
        sql = query if isinstance(query, str) else query.sql(dialect="duckdb", copy=False)
        try:
            return self._fetched(sql, fetch)
        except duckdb.OutOfMemoryException:
            if self._growing is None:
                raise
        most, self._growing = self._growing.most, None
        self._fetched(f"SET memory_limit = '{most}MiB'", lambda found: None)
        return self._fetched(sql, fetch)

    def _fetched(self, sql: str, fetch: Callable[[duckdb.DuckDBPyConnection], Result]) -> Result:
        return _interruptible(
            lambda: fetch(self._connection.execute(sql)),
            self._connection.interrupt,
            each_turn=self._report_share if self._counts_progress else None,
        )

    def _report_share(self) -> None:
        """Report the share of the present query that is done, where DuckDB knows it."""
        percent = self._connection.query_progress()
        if percent > 0:
            report_step(share=min(percent / 100, 1.0))

    def stream(self, query: exp.Expr, size: int) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Kept as a table and read piece by piece, so that other things can be asked in between."""
        yield from self._pieces(query, size, self.rows)

    def stream_columns(self, query: exp.Expr, size: int) -> Iterator[list[NDArray[Any]]]:
        """The same by columns, null as None: no tuple is made of any row."""

        def columns(piece: exp.Expr) -> list[NDArray[Any]]:
            found = [_with_none(column) for column in self.columns(piece).values()]
            return found if found and len(found[0]) else []

        yield from self._pieces(query, size, columns)

    def _pieces(
        self, query: exp.Expr, size: int, fetch: Callable[[exp.Expr], Result]
    ) -> Iterator[Result]:
        name = self.keep(query)
        try:
            for start in count(0, size):
                found = fetch(_slice(name, start, size))
                if not found:
                    return
                yield found
        finally:
            self.forget(name)

    def keep(
        self,
        query: exp.Expr,
        *,
        large: bool = False,
        in_order: bool = False,
        numbered: Mapping[str, int] = MappingProxyType({}),
    ) -> str:
        """With fields of a large table that give the places of its rows, each counted from a
        number."""
        name = f"kept_{next(self._names)}"
        place = self._on_disk(name) if large else queries.table(name)
        with self._in_order() if in_order else contextlib.nullcontext():
            self.run(exp.Create(this=place, kind="TABLE", expression=query))
        if large:
            self._show_large(name, place, numbered)
        return name

    def _show_large(
        self, name: str, place: exp.Table, numbered: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        """A view in memory stands for the table on disk, so that every table has a name of one
        word."""
        places = (
            queries.named(
                exp.Add(this=exp.column("rowid"), expression=queries.number(start + 1)), field
            )
            for field, start in numbered.items()
        )
        everything = exp.select("*", *places).from_(place.copy())
        self.run(exp.Create(this=queries.table(name), kind="VIEW", expression=everything))
        self._large[name] = name

    @contextmanager
    def _in_order(self) -> Iterator[None]:
        """Rows are in the order of reading, and not as they are ready."""
        self.run("SET preserve_insertion_order = true")
        try:
            yield
        finally:
            self.run("SET preserve_insertion_order = false")

    def _on_disk(self, name: str) -> exp.Table:
        if not self._large:
            file = exp.Literal.string(str(self._spill / "kept.duckdb"))
            self.run(exp.Attach(this=exp.alias_(file, "kept"), exists=True))
        return exp.table_(name, db="main", catalog="kept", quoted=True)

    def forget(self, name: str) -> None:
        with contextlib.suppress(
            duckdb.Error, RuntimeError
        ):  # No query is run any more when Python ends.
            if self._large.pop(name, None):
                self.run(exp.Drop(tables=[queries.table(name)], kind="VIEW", exists=True))
                self.run(
                    exp.Drop(
                        tables=[exp.table_(name, db="main", catalog="kept", quoted=True)],
                        kind="TABLE",
                    )
                )
            else:
                self.run(exp.Drop(tables=[queries.table(name)], kind="TABLE", exists=True))

    def remove(self, name: str, places: exp.Expr) -> None:
        """The place of a row is known in the table itself, not in its view."""
        place = self._on_disk(name) if name in self._large else queries.table(name)
        for found in places.find_all(exp.Table):
            if found.name == name:
                found.replace(exp.alias_(place.copy(), found.alias or name, table=True))
        chosen = exp.In(this=exp.column("rowid"), query=exp.Subquery(this=places))
        self.run(exp.Delete(this=place, where=exp.Where(this=chosen)))

    def load(
        self, kinds: Mapping[str, str], batches: Iterator[Batch], *, large: bool = False
    ) -> str:
        """Text as arrays of objects: NumPy's own text type is not read by DuckDB and cannot hold
        null."""
        name = f"kept_{next(self._names)}"
        place = self._on_disk(name) if large else queries.table(name)
        types = {c: exp.DataType.build(KINDS[kind]) for c, kind in kinds.items()}
        parts = [
            exp.ColumnDef(this=exp.to_identifier(c, quoted=True), kind=kind)
            for c, kind in types.items()
        ]
        self.run(exp.Create(this=exp.Schema(this=place, expressions=parts), kind="TABLE"))
        if large:
            self._show_large(name, place)
        insert = exp.insert(
            exp.select(*(queries.column(c) for c in kinds)).from_(queries.table("batch")),
            place.copy(),
        )
        try:
            for batch in batches:
                arrays = {
                    c: np.asarray(batch[c], object) if kinds[c] == "text" else batch[c]
                    for c in kinds
                }
                with self.batch(arrays):
                    self.run(insert)
        except BaseException:
            self.forget(name)
            raise
        return name

    def copy(
        self,
        query: exp.Expr,
        target: Path,
        plan: WritePlan,
        *,
        marks: Mapping[str, str] = MappingProxyType({}),
    ) -> int:
        """As of any session; a Parquet file has `marks` in its metadata."""
        keep = str(plan.order is Order.KEEP).lower()
        self.run(f"SET preserve_insertion_order = {keep}")
        try:
            if target.suffix == ".parquet":
                return self._copy_parquet(query, target, marks)
            if target.suffix == ".xlsx":
                described = [(row[0], row[1]) for row in self.rows(exp.Describe(this=query.copy()))]
                shown = with_sheet_types(query, described)
                rows = (row for batch in self.stream(shown, _SHEET_BATCH) for row in batch)
                return write_sheet(target, plan.fields, rows)
            return int(self.rows(_copy(query, target, marks))[0][0])
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    def _copy_parquet(self, query: exp.Expr, target: Path, marks: Mapping[str, str]) -> int:
        """In types that Parquet holds. Wide whole numbers are decimals, unless one of them is wider
        than that."""
        described = [(row[0], row[1]) for row in self.rows(exp.Describe(this=query.copy()))]
        if not duckdb_parquet.needs_other_types(described):
            return int(self.rows(_copy(query, target, marks))[0][0])
        decimals = duckdb_parquet.has_wide_numbers(described)
        try:
            held = duckdb_parquet.with_held_types(query, described, decimals=decimals)
            return int(self.rows(_copy(held, target, marks))[0][0])
        except duckdb.ConversionException:
            if not decimals:
                raise
            target.unlink(missing_ok=True)
            held = duckdb_parquet.with_held_types(query, described, decimals=False)
            return int(self.rows(_copy(held, target, marks))[0][0])

    def register(self, name: str, frame: object) -> None:
        self._connection.register(name, frame)

    def unregister(self, name: str) -> None:
        self._connection.unregister(name)

    @contextmanager
    def batch(self, columns: Mapping[str, NDArray[Any]]) -> Iterator[None]:
        """The columns as a table called `batch`, as long as this lasts."""
        self.register("batch", dict(columns))
        try:
            yield
        finally:
            self.unregister("batch")

    def snapshot(self) -> Snapshot:
        return self.files.snapshot()

    def reading(self, title: str) -> AbstractContextManager[None]:
        return duckdb_errors.reading(title)

    def writing(self, title: str, target: str) -> AbstractContextManager[None]:
        return duckdb_errors.writing(title, target)

    def close(self) -> None:
        self._connection.close()


def _with_none(column: NDArray[Any]) -> NDArray[Any]:
    """A column of an answer as objects, null as None."""
    out = np.ma.getdata(column).astype(object)
    out[np.ma.getmaskarray(column)] = None
    return out


def _declared(declared: str) -> str:
    """A type as it is called; not the labels of an enumeration, which are values."""
    return queries.ENUMERATION if declared.startswith("ENUM(") else declared


def _kind(declared: str) -> FieldKind:
    if declared.startswith("ENUM("):
        return FieldKind.TEXT
    if declared.startswith("TIMESTAMP"):
        return FieldKind.TIMESTAMP
    return _KINDS.get(declared.split("(")[0], FieldKind.OTHER)


def _slice(name: str, start: int, size: int) -> exp.Select:
    """Rows `start` to `start + size` of a table, in the order in which they were stored."""
    place = exp.column("rowid")
    chosen = exp.and_(
        exp.GTE(this=place, expression=queries.number(start)),
        exp.LT(this=place.copy(), expression=queries.number(start + size)),
    )
    return exp.select("*").from_(queries.table(name)).where(chosen).order_by(place.copy())


def _copy(query: exp.Expr, target: Path, marks: Mapping[str, str]) -> exp.Copy:
    """`COPY (query) TO target`, as Parquet or CSV by the suffix; with marks in its metadata, as
    Parquet."""
    options = WRITERS[target.suffix]
    parameters = [
        exp.CopyParameter(this=exp.var(name), expression=exp.var(value))
        for name, value in options.items()
    ]
    if marks and target.suffix == ".parquet":
        pairs = [
            exp.PropertyEQ(this=exp.Literal.string(name), expression=exp.Literal.string(text))
            for name, text in marks.items()
        ]
        told = exp.Struct(expressions=pairs)
        parameters.append(exp.CopyParameter(this=exp.var("KV_METADATA"), expression=told))
    file = exp.Literal.string(str(target.absolute()))
    return exp.Copy(this=exp.Subquery(this=query), kind=False, files=[file], params=parameters)


def _interruptible(
    work: Callable[[], Result],
    interrupt: Callable[[], None],
    *,
    each_turn: Callable[[], None] | None = None,
) -> Result:
    """Do `work`, and stop it when Ctrl-C is pressed: DuckDB itself looks for signals only now and
    then."""
    if sys.is_finalizing():
        # A thread that is started now never runs, and waiting for it never ends; Python 3.12 raises
        # this itself.
        raise RuntimeError("no query is run when Python ends")
    if threading.current_thread() is not threading.main_thread():
        return work()
    with Worker(work, interrupt, each_turn=each_turn) as worker:
        worker.wait()
    return worker.result()


# Which types of DuckDB a sheet of Excel holds; all others are written as their canonical text.

HELD = frozenset(
    "VARCHAR BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER "
    "UBIGINT UHUGEINT FLOAT DOUBLE "
    "DECIMAL DATE TIMESTAMP".split()
)


def with_sheet_types(query: exp.Expr, described: Sequence[tuple[str, str]]) -> exp.Expr:
    """The result of a query, with fields that a sheet has no type for as text, such as times with a
    zone and bytes."""
    if all(_is_held(declared) for _, declared in described):
        return query
    shown = [
        column(name)
        if _is_held(declared)
        else named(exp.cast(column(name), exp.DataType.Type.TEXT), name)
        for name, declared in described
    ]
    return exp.select(*shown).from_(
        exp.Subquery(this=query.copy(), alias=exp.TableAlias(this=exp.to_identifier("made")))
    )


def _is_held(declared: str) -> bool:
    return not declared.endswith("]") and declared.split("(")[0] in HELD
