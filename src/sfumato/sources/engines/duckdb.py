"""The embedded default engine: DuckDB in the process, spilling to disk where memory ends."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from . import duckdb_lookups
from .duckdb_errors import reading, writing
from .duckdb_readers import FRAME, READERS, read_frame
from .duckdb_session import Session
from .duckdb_views import ReadOptions
from .names import check_names, check_target, no_field
from .weights import no_weights

BATCH = 100_000
DEFAULT_MEMORY = "3GB"
WRITERS = {".csv": {"FORMAT": "csv", "HEADER": "true"}, ".parquet": {"FORMAT": "parquet"}}

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
        # Private rows may be spilled: mkdtemp is owner-only, and the folder goes even if nobody closes the engine.
        self._spill = tempfile.mkdtemp(prefix="sfumato-")
        self._sweep = weakref.finalize(self, shutil.rmtree, self._spill, ignore_errors=True)
        options = ReadOptions(scratch=Path(self._spill), encoding=encoding, separator=separator, table=table)
        try:
            self._session = Session(self._spill, memory)
            self.title = self._open(source, options)
            self._fields = self._describe()
        except BaseException:
            self.close()
            raise
        self._infos = {info.name: info for info in self._fields}

    def _open(self, source: Any, options: ReadOptions) -> str:
        if not isinstance(source, str | os.PathLike):
            read_frame(self._session, source)
            return FRAME
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
                reader(self._session, path, options)
            except PermissionError:
                raise SourceError(f"{path} may not be read by this user.") from None
        return path.name

    def _describe(self) -> tuple[FieldInfo, ...]:
        with reading(self.title):
            rows = self._session.rows("DESCRIBE source")
        check_names(self.title, [row[0] for row in rows])
        return tuple(FieldInfo(row[0], _kind(row[1]), row[1]) for row in rows)

    def _info(self, name: str) -> FieldInfo:
        if name not in self._infos:
            raise no_field(self.title, name, list(self._infos))
        return self._infos[name]

    def _new_name(self, tidy: contextlib.ExitStack) -> str:
        """A name for a table of this engine's own, which is forgotten with `tidy`, whatever happens."""
        name = f"kept_{next(self._names)}"
        drop = exp.Drop(tables=[queries.table(name)], kind="TABLE", exists=True)

        def forget() -> None:
            with contextlib.suppress(duckdb.Error, RuntimeError):  # No query is run any more when Python ends.
                self._session.run(drop)

        tidy.callback(forget)
        return name

    def _keep(self, query: exp.Expr, tidy: contextlib.ExitStack) -> str:
        """Run a query into a table of this engine's own and return its name."""
        name = self._new_name(tidy)
        self._session.run(exp.Create(this=queries.table(name), kind="TABLE", expression=query))
        return name

    def fields(self) -> tuple[FieldInfo, ...]:
        return self._fields

    def count_rows(self) -> int:
        with reading(self.title):
            return int(self._session.rows(queries.count_rows())[0][0])

    def frequencies(
        self, fields: Sequence[str], *, sensitive: Sequence[str] = (), weight: str | None = None
    ) -> Frequencies:
        infos = [self._info(name) for name in fields]
        finer = {name: self._info(name) for name in sensitive}
        weights = None if weight is None else self._info(weight)
        with reading(self.title):
            if weights is not None:
                self._check_weights(weights)
            if finer and weights is None:
                values, codes, counts, histograms = self._counted_with(infos, finer)
            else:
                values, codes, counts = self._counted(infos, None, weights)
                histograms = {name: self._histogram(infos, info, values)[0] for name, info in finer.items()}
        return Frequencies(fields=tuple(fields), values=values, codes=codes, counts=counts, histograms=histograms)

    def _counted_with(
        self, infos: Sequence[FieldInfo], finer: Mapping[str, FieldInfo]
    ) -> tuple[tuple[tuple[Label, ...], ...], NDArray[np.int32], NDArray[np.int64], dict[str, Histogram]]:
        """Bins and histograms from one group-by per sensitive field: the first one's bins are sums of its own."""
        histograms: dict[str, Histogram] = {}
        values: tuple[tuple[Label, ...], ...] = ()
        bins = np.zeros((0, len(infos)), np.int32)
        for name, info in finer.items():
            histogram, found, codes = self._histogram(infos, info, values if histograms else None)
            if not histograms:
                values, bins = found, codes
            histograms[name] = histogram
        first = next(iter(histograms.values()))
        counts = np.bincount(first.bin_of, first.counts, len(bins)).astype(np.int64)
        return values, bins, counts, histograms

    def _check_weights(self, info: FieldInfo) -> None:
        missing = int(self._session.rows(queries.not_weights(info))[0][0])
        if missing:
            raise no_weights(self.title, info.name, missing)

    def _counted(
        self, infos: Sequence[FieldInfo], sensitive: FieldInfo | None, weight: FieldInfo | None = None
    ) -> tuple[tuple[tuple[Label, ...], ...], NDArray[np.int32], NDArray[np.int64]]:
        """Group once, then number each field's values: (values per field, codes sorted, counts)."""
        names = [f"q{i}" for i in range(len(infos))] + (["s"] if sensitive else [])
        with contextlib.ExitStack() as tidy:
            kept = self._keep(queries.bins(infos, sensitive, weight), tidy)
            dictionaries = [self._keep(queries.dictionary(kept, name), tidy) for name in names]
            values = tuple(self._values(d) for d in dictionaries)
            found = self._session.columns(queries.codes(kept, names, dictionaries))
        if not names and not self.count_rows():
            found = {"n": np.zeros(0, np.int64)}  # An ungrouped count over no rows is one bin of nought.
        counts = np.asarray(found["n"], np.int64)
        codes = np.zeros((len(counts), len(names)), np.int32)
        all_values: list[tuple[Label, ...]] = []
        for i, texts in enumerate(values):
            column = found[f"c{i}"]
            has_null = np.ma.is_masked(column)
            codes[:, i] = np.ma.filled(column, len(texts)) if has_null else column
            all_values.append((*texts, None) if has_null else texts)
        order = _in_order(codes, [len(texts) for texts in all_values])
        return tuple(all_values), codes[order], counts[order]

    def _values(self, dictionary: str) -> tuple[str, ...]:
        query = exp.select(queries.column("v")).from_(queries.table(dictionary)).order_by(queries.column("code"))
        return tuple(self._session.columns(query)["v"].tolist())

    def _histogram(
        self, infos: Sequence[FieldInfo], sensitive: FieldInfo, values: tuple[tuple[Label, ...], ...] | None
    ) -> tuple[Histogram, tuple[tuple[Label, ...], ...], NDArray[np.int32]]:
        """One sensitive field by bin, with the values and codes of the bins it was counted in."""
        finer_values, codes, counts = self._counted(infos, sensitive)
        if values is not None and finer_values[:-1] != values:
            raise SourceError(f"{self.title} changed while it was read.", attempt="reading a copy that stays still.")
        starts = np.ones(len(codes), bool)
        starts[1:] = np.any(codes[1:, :-1] != codes[:-1, :-1], axis=1)
        bin_of = np.cumsum(starts) - 1
        histogram = Histogram(values=finer_values[-1], bin_of=bin_of, value_of=codes[:, -1].copy(), counts=counts)
        return histogram, finer_values[:-1], codes[starts, :-1]

    def bin_sizes(self, fields: Sequence[str]) -> NDArray[np.int64]:
        query = queries.bin_sizes([self._info(name) for name in fields], SIZE_CAP)
        with reading(self.title):
            found = self._session.rows(query)
        out = np.zeros(SIZE_CAP + 1, np.int64)
        for size, bins in found:
            out[size] = bins
        out[0] = 0  # An ungrouped count over no rows is one bin of nought.
        return out

    def profile(self, name: str) -> FieldProfile:
        info = self._info(name)
        with reading(self.title):
            query = queries.profile(info)
            row = dict(zip(query.named_selects, self._session.rows(query)[0], strict=True))
        numbers = {key: int(value or 0) for key, value in row.items() if key not in ("lowest", "highest")}
        return FieldProfile(info=info, lowest=row["lowest"], highest=row["highest"], **numbers)

    def sample(self, name: str, size: int) -> tuple[str, ...]:
        query = queries.sample(self._info(name), size)
        with reading(self.title):
            return tuple(row[0] for row in self._session.rows(query))

    def distinct(self, fields: Sequence[str]) -> Iterator[Mapping[str, Column]]:
        """Kept as a table and read piece by piece, so that the engine can be asked other things in between."""
        query = queries.distinct([self._info(name) for name in fields])
        names = [f"q{i}" for i in range(len(fields))]
        with contextlib.ExitStack() as tidy:
            with reading(self.title):
                kept = self._keep(query, tidy)
            for start in count(0, BATCH):
                with reading(self.title):
                    rows = self._session.rows(queries.numbered_slice(kept, names, start, BATCH))
                if not rows:
                    return
                columns = zip(*rows, strict=True)
                yield {name: _objects(values) for name, values in zip(fields, columns, strict=True)}

    def write(self, plan: WritePlan, target: Path) -> int:
        check_target(target, tuple(WRITERS))
        with contextlib.ExitStack() as tidy, writing(self.title, str(target)):
            plan = self._with_short_texts(plan)
            tables = [self._load(lookup, tidy) for lookup in plan.lookups]
            drop = self._load(plan.drop, tidy) if plan.drop is not None else None
            keep = str(plan.order is Order.KEEP).lower()
            self._session.run(f"SET preserve_insertion_order = {keep}")
            query = queries.released(plan, self._infos, tables, drop)
            copy = _copy(_without_enumerations(plan, query) if target.suffix == ".parquet" else query, target)
            try:
                return int(self._session.rows(copy)[0][0])
            except BaseException:
                target.unlink(missing_ok=True)
                raise

    def _with_short_texts(self, plan: WritePlan) -> WritePlan:
        """Text fields that are copied and have few values get a lookup of themselves: enumerations sort faster."""
        given = {name for lookup in plan.lookups for name in lookup.fields} | set(plan.constants)
        texts = [self._infos[name] for name in plan.fields if name not in given and self._infos[name].kind is Kind.TEXT]
        if plan.order is Order.KEEP or not texts:
            return plan
        counts = self._session.rows(queries.about_distinct(texts))[0]
        few = [info for info, count in zip(texts, counts, strict=True) if count < duckdb_lookups.ENUM_LABELS // 2]
        lookups = tuple(duckdb_lookups.itself(info.name, self._all_values(info)) for info in few)
        return replace(plan, lookups=(*plan.lookups, *lookups))

    def _all_values(self, info: FieldInfo) -> Column:
        return _objects([row[0] for row in self._session.rows(queries.distinct([info]))])

    def _load(self, lookup: Lookup, tidy: contextlib.ExitStack) -> str:
        with contextlib.ExitStack() as soon:
            name = self._new_name(soon)
            duckdb_lookups.fill(self._session, name, lookup)
            return self._keep(duckdb_lookups.with_enumerations(self._session, name, lookup), tidy)

    def close(self) -> None:
        with contextlib.suppress(AttributeError):
            self._session.close()
        self._sweep()

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


def _without_enumerations(plan: WritePlan, query: exp.Select) -> exp.Select:
    """Enumerations as text once they have been sorted by, where rows may have been left out: Parquet would keep a
    place for each label, also for those that only such rows had. Lookups by one field find every row."""
    all_rows = plan.drop is None and all(len(lookup.keys) == 1 for lookup in plan.lookups)
    given = {name for lookup in plan.lookups for name in lookup.fields}
    return query if all_rows or not given else queries.as_texts(query, plan.fields, given)


def _in_order(codes: NDArray[np.int32], sizes: Sequence[int]) -> NDArray[np.int64]:
    """The places of the rows in the order of their codes: by one packed number where it fits, else by column."""
    if math.prod(max(size, 1) for size in sizes) >= 2**62:
        return np.lexsort(codes.T[::-1])
    keys = np.zeros(len(codes), np.int64)
    for column, size in enumerate(sizes):
        keys = keys * max(size, 1) + codes[:, column]
    return np.argsort(keys)


def _objects(values: Sequence[object]) -> Column:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _copy(query: exp.Expr, target: Path) -> exp.Copy:
    """`COPY (query) TO target`, as Parquet or CSV by the suffix."""
    options = WRITERS[target.suffix]
    parameters = [exp.CopyParameter(this=exp.var(name), expression=exp.var(value)) for name, value in options.items()]
    file = exp.Literal.string(str(target.absolute()))
    return exp.Copy(this=exp.Subquery(this=query), kind=False, files=[file], params=parameters)
