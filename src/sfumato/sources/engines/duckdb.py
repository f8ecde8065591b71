"""The embedded default engine: DuckDB in the process, spilling to disk where memory ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import SourceError
from sfumato.policy.hierarchies import Label
from sfumato.policy.records import Order

from .. import queries
from ..engine import (
    SIZE_CAP,
    Abilities,
    Column,
    FieldInfo,
    FieldProfile,
    Frequencies,
    Histogram,
    Kind,
    Lookup,
    WritePlan,
)
from .duckdb_errors import reading, writing
from .duckdb_readers import READERS, ReadOptions, check_distinct, read_frame

BATCH = 100_000
ENUM_LABELS = (
    2_000  # Up to this many labels a looked-up field travels as a small integer: sorting gets 4x faster.
)
DEFAULT_MEMORY = "3GB"

_KINDS = {
    "VARCHAR": Kind.TEXT,
    "DATE": Kind.DATE,
    "BOOLEAN": Kind.BOOLEAN,
    "FLOAT": Kind.REAL,
    "DOUBLE": Kind.REAL,
    "DECIMAL": Kind.REAL,
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), Kind.INTEGER),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), Kind.INTEGER),
}


class DuckDBEngine:
    """One source in DuckDB. Use it as a context manager: closing removes the spill folder."""

    name: ClassVar[str] = "duckdb"
    abilities: ClassVar[Abilities] = Abilities(
        larger_than_memory=True,
        reads=("CSV", "TSV", "Parquet", "JSON", "Excel*", "DuckDB", "SQLite", "pandas", "polars", "Arrow"),
        writes=("CSV", "Parquet"),
    )

    def __init__(
        self,
        source: Any,
        *,
        encoding: str = "utf-8",
        separator: str = "",
        table: str = "",
        memory: str = DEFAULT_MEMORY,
    ) -> None:
        self._names = count()
        self._spill = tempfile.mkdtemp(
            prefix="sfumato-"
        )  # Private rows may be spilled: mkdtemp is owner-only.
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": self._spill,
            "memory_limit": memory,
            "autoinstall_known_extensions": "false",
            "preserve_insertion_order": "false",
        }
        try:
            self._connection = duckdb.connect(":memory:", config=config)
        except duckdb.Error:
            shutil.rmtree(self._spill, ignore_errors=True)
            raise SourceError(f"Memory {memory!r} is not an amount.", attempt="for example 3GB.") from None
        try:
            self.title = self._open(source, ReadOptions(encoding=encoding, separator=separator, table=table))
            self._fields = self._describe()
        except BaseException:
            self.close()
            raise
        self._infos = {info.name: info for info in self._fields}

    def _open(self, source: Any, options: ReadOptions) -> str:
        if not isinstance(source, str | os.PathLike):
            read_frame(self._connection, source)
            return "the frame"
        path = Path(source)
        if not path.exists():
            raise SourceError(f"{path} does not exist.", attempt="checking the path.")
        reader = READERS[".parquet"] if path.is_dir() else READERS.get(path.suffix.lower())
        if reader is None:
            raise SourceError(
                f"{path.name}: files that end in {path.suffix or 'nothing'} are not read.",
                attempt=f"one of {', '.join(READERS)}.",
            )
        with reading(path.name):
            try:
                reader(self._connection, path, options)
            except PermissionError:
                raise SourceError(f"{path} may not be read by this user.") from None
        return path.name

    def _describe(self) -> tuple[FieldInfo, ...]:
        with reading(self.title):
            rows = self._connection.execute("DESCRIBE source").fetchall()
        check_distinct(self.title, [row[0] for row in rows])
        return tuple(FieldInfo(row[0], _kind(row[1]), row[1]) for row in rows)

    def _run(self, query: exp.Expr) -> duckdb.DuckDBPyConnection:
        return self._connection.execute(query.sql(dialect="duckdb"))

    def _keep(self, query: exp.Expr) -> str:
        """Run a query into a table of this engine's own and return its name."""
        name = f"kept_{next(self._names)}"
        self._run(exp.Create(this=queries.table(name), kind="TABLE", expression=query))
        return name

    def _forget(self, *names: str) -> None:
        for name in names:
            self._run(exp.Drop(tables=[queries.table(name)], kind="TABLE"))

    def fields(self) -> tuple[FieldInfo, ...]:
        return self._fields

    def count_rows(self) -> int:
        with reading(self.title):
            return int(self._run(queries.count_rows()).fetchall()[0][0])

    def frequencies(self, fields: Sequence[str], *, sensitive: Sequence[str] = ()) -> Frequencies:
        infos = [self._infos[name] for name in fields]
        with reading(self.title):
            values, codes, counts = self._counted(infos, None)
            histograms = {
                name: self._histogram(infos, codes, self._infos[name], values) for name in sensitive
            }
        return Frequencies(
            fields=tuple(fields), values=values, codes=codes, counts=counts, histograms=histograms
        )

    def _counted(
        self, infos: Sequence[FieldInfo], sensitive: FieldInfo | None
    ) -> tuple[tuple[tuple[Label, ...], ...], NDArray[np.int32], NDArray[np.int64]]:
        """Group once, then number each field's values: (values per field, codes sorted, counts)."""
        kept = self._keep(queries.bins(infos, sensitive))
        names = [f"q{i}" for i in range(len(infos))] + (["s"] if sensitive else [])
        dictionaries = [self._keep(queries.dictionary(kept, name)) for name in names]
        values = tuple(self._values(d) for d in dictionaries)
        found = self._run(queries.codes(kept, names, dictionaries)).fetchnumpy()
        self._forget(kept, *dictionaries)
        counts = np.asarray(found["n"], np.int64)
        codes = np.zeros((len(counts), len(names)), np.int32)
        all_values: list[tuple[Label, ...]] = []
        for i, texts in enumerate(values):
            column = found[f"c{i}"]
            has_null = np.ma.is_masked(column)
            codes[:, i] = np.ma.filled(column, len(texts)) if has_null else column
            all_values.append((*texts, None) if has_null else texts)
        order = np.lexsort(codes.T[::-1]) if names else np.arange(len(counts))
        if len(counts) == 1 and counts[0] == 0:
            order = order[:0]  # An ungrouped count over no rows is one bin of nought.
        return tuple(all_values), codes[order], counts[order]

    def _values(self, dictionary: str) -> tuple[str, ...]:
        query = (
            exp.select(queries.column("v")).from_(queries.table(dictionary)).order_by(queries.column("code"))
        )
        return tuple(self._run(query).fetchnumpy()["v"].tolist())

    def _histogram(
        self,
        infos: Sequence[FieldInfo],
        bins: NDArray[np.int32],
        sensitive: FieldInfo,
        values: tuple[tuple[Label, ...], ...],
    ) -> Histogram:
        finer_values, codes, counts = self._counted(infos, sensitive)
        if finer_values[:-1] != values:
            raise SourceError(
                f"{self.title} changed while it was read.", attempt="reading a copy that stays still."
            )
        changed = np.any(codes[1:, :-1] != codes[:-1, :-1], axis=1)
        bin_of = np.concatenate([[0], np.cumsum(changed)]).astype(np.int64)[: len(codes)]
        return Histogram(values=finer_values[-1], bin_of=bin_of, value_of=codes[:, -1].copy(), counts=counts)

    def bin_sizes(self, fields: Sequence[str]) -> NDArray[np.int64]:
        with reading(self.title):
            found = self._run(queries.bin_sizes([self._infos[name] for name in fields], SIZE_CAP)).fetchall()
        out = np.zeros(SIZE_CAP + 1, np.int64)
        for size, bins in found:
            out[size] = bins
        return out

    def profile(self, name: str) -> FieldProfile:
        info = self._infos[name]
        with reading(self.title):
            found = self._run(queries.profile(info))
            names = [item[0] for item in found.description or ()]
            row = dict(zip(names, found.fetchall()[0], strict=True))
        numbers = {key: int(value or 0) for key, value in row.items() if key not in ("lowest", "highest")}
        return FieldProfile(info=info, lowest=row["lowest"], highest=row["highest"], **numbers)

    def sample(self, name: str, size: int) -> tuple[str, ...]:
        with reading(self.title):
            return tuple(row[0] for row in self._run(queries.sample(self._infos[name], size)).fetchall())

    def distinct(self, fields: Sequence[str]) -> Iterator[Mapping[str, Column]]:
        cursor = self._connection.cursor()
        try:
            with reading(self.title):
                cursor.execute(queries.distinct([self._infos[name] for name in fields]).sql(dialect="duckdb"))
            while True:
                with reading(self.title):
                    rows = cursor.fetchmany(BATCH)
                if not rows:
                    return
                columns = zip(*rows, strict=True)
                yield {name: _objects(values) for name, values in zip(fields, columns, strict=True)}
        finally:
            cursor.close()

    def write(self, plan: WritePlan, target: Path) -> int:
        with writing(self.title, str(target)):
            tables = [self._load(lookup) for lookup in plan.lookups]
            drop = self._load(plan.drop) if plan.drop is not None else None
            self._connection.execute(
                f"SET preserve_insertion_order = {str(plan.order is Order.KEEP).lower()}"
            )
            copy = _copy(queries.released(plan, self._infos, tables, drop), target)
            written = int(self._run(copy).fetchall()[0][0])
            self._forget(*tables, *([drop] if drop else []))
        return written

    def _load(self, lookup: Lookup) -> str:
        """Bring a lookup's entries into a table of this engine's own, batch by batch."""
        name = f"kept_{next(self._names)}"
        columns = [f"key:{key}" for key in lookup.keys] + [f"new:{field}" for field in lookup.fields]
        integers = ["first", "last"] if lookup.portions else []
        text, whole = exp.DataType.build("TEXT"), exp.DataType.build("BIGINT")
        kinds = [*((c, text) for c in columns), *((c, whole) for c in integers)]
        parts = [exp.ColumnDef(this=exp.to_identifier(c, quoted=True), kind=k) for c, k in kinds]
        self._run(exp.Create(this=exp.Schema(this=queries.table(name), expressions=parts), kind="TABLE"))
        chosen = [queries.column(c) for c, _ in kinds]
        insert = exp.insert(exp.select(*chosen).from_(queries.table("batch")), queries.table(name))
        for batch in lookup.batches():
            self._connection.register("batch", dict(batch))
            self._run(insert)
            self._connection.unregister("batch")
        return self._with_enums(name, lookup, [c for c, _ in kinds])

    def _with_enums(self, name: str, lookup: Lookup, columns: Sequence[str]) -> str:
        """The same table with its few-labelled new fields as enumerations."""
        shown: list[exp.Expr] = []
        changed = False
        for c in columns:
            labels: list[str] = []
            if c.startswith("new:"):
                present = exp.Not(this=exp.Is(this=queries.column(c), expression=exp.null()))
                query = exp.select(queries.column(c)).distinct().from_(queries.table(name)).where(present)
                labels = [row[0] for row in self._run(query.order_by("1").limit(ENUM_LABELS + 1)).fetchall()]
            if 0 < len(labels) <= ENUM_LABELS:
                kind = exp.DataType(
                    this=exp.DataType.Type.ENUM, expressions=[exp.Literal.string(label) for label in labels]
                )
                shown.append(exp.alias_(exp.cast(queries.column(c), kind), exp.to_identifier(c, quoted=True)))
                changed = True
            else:
                shown.append(queries.column(c))
        if not changed:
            return name
        small = self._keep(exp.select(*shown).from_(queries.table(name)))
        self._forget(name)
        return small

    def close(self) -> None:
        with contextlib.suppress(AttributeError):
            self._connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _kind(declared: str) -> Kind:
    if declared.startswith("TIMESTAMP"):
        return Kind.TIMESTAMP
    return _KINDS.get(declared.split("(")[0], Kind.OTHER)


def _objects(values: Sequence[object]) -> Column:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _copy(query: exp.Expr, target: Path) -> exp.Copy:
    """`COPY (query) TO target`, as Parquet or CSV by the suffix."""
    options = {"FORMAT": "parquet"} if target.suffix == ".parquet" else {"FORMAT": "csv", "HEADER": "true"}
    parameters = [
        exp.CopyParameter(this=exp.var(name), expression=exp.var(value)) for name, value in options.items()
    ]
    return exp.Copy(
        this=exp.Subquery(this=query), kind=False, files=[exp.Literal.string(str(target))], params=parameters
    )
