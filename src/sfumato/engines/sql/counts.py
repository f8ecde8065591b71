"""Counting over SQL: every question as a sqlglot tree, run in a session, which knows what drivers
do differently."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import Bug, SourceChanged

from ..asked_names import no_field
from ..engine import (
    SIZE_CAP,
    Abilities,
    Column,
    FieldInfo,
    FieldKind,
    FieldProfile,
    Frequencies,
    Histogram,
)
from ..field_names import check_names
from ..survey_weights import no_weights
from .cells import NumberedRows, spread_rows
from .codes import CodedTuples, Dictionaries, counted, objects
from .queries import Queries, named, table
from .session import SqlSession

BATCH = 100_000
"""Entries that are handed on at a time."""
JOINT_FIELDS = 3
"""From so many sensitive fields on, bins and histograms are counted by one group-by over all of
them,"""
JOINT_ROWS = 2_000_000
"""in tables of up to so many rows: the tuples over all fields are held in memory."""

AT_ONCE = 16
"""Fields whose values are counted exactly by one question: each needs memory of its own."""
FEW_ROWS = 20_000
"""Up to so many rows, values are compared outside the database."""


class SqlCounting:
    """One source in a session: a table, a view or a stage. With `owns`, closing it closes the
    session."""

    name: ClassVar[str] = "sql"
    abilities: ClassVar[Abilities]
    title: str
    _kept = ""

    def __init__(
        self, session: SqlSession, source: exp.Expr, *, title: str, owns: bool = False
    ) -> None:
        self.title = title
        self._session = session
        self._owns = owns
        self._queries: Queries = session.queries(source)
        self._tidy = contextlib.ExitStack()
        self._row_numbers: NumberedRows | None = None
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
        """Run a query into a table of the session's own, which is forgotten with `tidy`, whatever
        happens."""
        name = self._session.keep(query, large=large)
        tidy.callback(self._session.forget, name)
        return name

    @property
    def session(self) -> SqlSession:
        """The session, for targets that write where the rows are."""
        return self._session

    def source(self) -> exp.Expr:
        """The source, for views that join it."""
        return self._queries.source()

    def fields(self) -> tuple[FieldInfo, ...]:
        return self._fields

    def count_rows(self) -> int:
        with self._session.reading(self.title):
            return int(self._session.rows(self._queries.count_rows())[0][0])

    # ------------------------------------------------------------------------------------------------
    # frequencies

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
                found = self._tuples(infos, weight=weights, person=people)
                histograms = {
                    name: self._histogram(infos, info, values=found.values, person=people)[0]
                    for name, info in finer.items()
                }
        return Frequencies(
            fields=tuple(fields),
            values=found.values,
            codes=found.codes,
            counts=found.counts,
            histograms=histograms,
        )

    def _counted_with(
        self, infos: Sequence[FieldInfo], finer: Mapping[str, FieldInfo]
    ) -> tuple[CodedTuples, dict[str, Histogram]]:
        """Bins and histograms from one group-by per sensitive field: the first one's bins are sums
        of its own. Of several sensitive fields in a table that is not too long, one group-by over all
        fields is counted on from there."""
        if len(finer) >= JOINT_FIELDS and self.count_rows() <= JOINT_ROWS:
            return _split(self._tuples([*infos, *finer.values()]), len(infos), tuple(finer))
        histograms: dict[str, Histogram] = {}
        bins: CodedTuples | None = None
        for name, info in finer.items():
            histograms[name], found = self._histogram(
                infos, info, values=None if bins is None else bins.values
            )
            bins = bins or found
        assert bins is not None
        first = next(iter(histograms.values()))
        counts = np.bincount(first.bin_of, first.counts, len(bins.codes)).astype(np.int64)
        return replace(bins, counts=counts), histograms

    def _check_weights(self, info: FieldInfo) -> None:
        missing = int(self._session.rows(self._queries.not_weights(info))[0][0])
        if missing:
            raise no_weights(self.title, info.name, missing)

    def _tuples(
        self,
        infos: Sequence[FieldInfo],
        sensitive: FieldInfo | None = None,
        *,
        weight: FieldInfo | None = None,
        person: FieldInfo | None = None,
    ) -> CodedTuples:
        """The different tuples of some fields, the sensitive one last."""
        query = self._queries.bins(infos, sensitive, weight=weight, person=person)
        return self._counted(query, len(infos), sensitive=sensitive is not None)

    def _counted(self, query: exp.Select, fields: int, *, sensitive: bool = False) -> CodedTuples:
        """Group once, then number each field's values."""
        names = [f"q{i}" for i in range(fields)] + (["s"] if sensitive else [])
        with contextlib.ExitStack() as tidy:
            kept = self._keep(query, tidy)
            numbered = self._numbered(kept, names, tidy)
            found = self._session.columns(self._queries.coded(kept, names, numbered.tables))
        if not names and not self.count_rows():
            found = {
                "n": np.zeros(0, np.int64)
            }  # An ungrouped count over no rows is one bin of nought.
        return counted(found, numbered.values)

    def _numbered(
        self, kept: str, names: Sequence[str], tidy: contextlib.ExitStack
    ) -> Dictionaries:
        """A table for each field that numbers its values, and the values."""
        tables = [self._keep(self._queries.dictionary(kept, name), tidy) for name in names]
        return Dictionaries(tables=tuple(tables), values=tuple(self._values(d) for d in tables))

    def _values(self, dictionary: str) -> tuple[str, ...]:
        """As text: a driver may need a library of frames to hand out enumerations."""
        v, code = exp.column("v", quoted=True), exp.column("code", quoted=True)
        text = named(exp.cast(v, exp.DataType.Type.TEXT), "v")
        query = exp.select(text).from_(table(dictionary)).order_by(code)
        return tuple(self._session.columns(query)["v"].tolist())

    def _histogram(
        self,
        infos: Sequence[FieldInfo],
        sensitive: FieldInfo,
        *,
        values: tuple[tuple[str | None, ...], ...] | None,
        person: FieldInfo | None = None,
    ) -> tuple[Histogram, CodedTuples]:
        """One sensitive field by bin, with the bins it was counted in."""
        found = self._tuples(infos, sensitive, person=person)
        if values is not None and found.values[:-1] != values:
            raise SourceChanged
        codes = found.codes
        starts = np.ones(len(codes), bool)
        starts[1:] = np.any(codes[1:, :-1] != codes[:-1, :-1], axis=1)
        histogram = Histogram(
            values=found.values[-1],
            bin_of=np.cumsum(starts) - 1,
            value_of=codes[:, -1].copy(),
            counts=found.counts,
        )
        return histogram, CodedTuples(
            values=found.values[:-1], codes=codes[starts, :-1], counts=found.counts[starts]
        )

    def bin_sizes(self, fields: Sequence[str]) -> NDArray[np.int64]:
        query = self._queries.bin_sizes([self._info(name) for name in fields], SIZE_CAP)
        with self._session.reading(self.title):
            found = self._session.rows(query)
        out = np.zeros(SIZE_CAP + 1, np.int64)
        for size, bins in found:
            out[size] = bins
        out[0] = 0  # An ungrouped count over no rows is one bin of nought.
        return out

    # -----------------------------------------------------------------------------------------------------
    # values

    def profile(self, name: str) -> FieldProfile:
        info = self._info(name)
        with self._session.reading(self.title):
            query = self._queries.profile(info)
            row = dict(zip(query.named_selects, self._session.rows(query)[0], strict=True))
        numbers = {
            key: int(value or 0) for key, value in row.items() if key not in ("lowest", "highest")
        }
        return FieldProfile(info=info, lowest=row["lowest"], highest=row["highest"], **numbers)

    def fields_without_repeats(self, fields: Sequence[str], *, fewest: int = 0) -> frozenset[str]:
        """Roughly counted first: few fields are near enough to be counted to the last cell."""
        rough = self._cells_and_values(fields, exactly=False)
        near = [name for name, (cells, values) in rough.items() if 2 * values >= cells >= fewest]
        is_small = bool(near) and 0 < self.count_rows() <= FEW_ROWS
        counting = self._held_cells_and_values if is_small else self._exact_cells_and_values
        exact: dict[str, tuple[int, int]] = {}
        for start in range(0, len(near), AT_ONCE):
            exact |= counting(near[start : start + AT_ONCE])
        return frozenset(name for name, (cells, values) in exact.items() if values == cells)

    def _held_cells_and_values(self, fields: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Few rows are held and compared here: an aggregate of different values costs DuckDB ten
        milliseconds for each field, however few rows there are."""
        query = spread_rows(self._queries, {name: self._info(name) for name in fields}, step=1)
        with self._session.reading(self.title):
            columns = zip(*self._session.rows(query), strict=True)
        held = [[cell for cell in column if cell is not None] for column in columns]
        return {name: (len(cells), len({*cells})) for name, cells in zip(fields, held, strict=True)}

    def _exact_cells_and_values(self, fields: Sequence[str]) -> dict[str, tuple[int, int]]:
        return self._cells_and_values(fields, exactly=True)

    def _cells_and_values(
        self, fields: Sequence[str], *, exactly: bool
    ) -> dict[str, tuple[int, int]]:
        if not fields:
            return {}
        infos = [self._info(name) for name in fields]
        with self._session.reading(self.title):
            found = self._session.rows(self._queries.cells_and_values(infos, exactly=exactly))[0]
        return dict(zip(fields, zip(found[::2], found[1::2], strict=True), strict=True))

    def count_words(self, name: str, words: Sequence[str]) -> Mapping[str, int]:
        query = self._queries.words(self._info(name), words)
        with self._session.reading(self.title):
            return {word: int(count) for word, count in self._session.rows(query)}

    def fields_with_words(self, fields: Sequence[str], words: Sequence[str]) -> frozenset[str]:
        if not fields:
            return frozenset()
        query = self._queries.has_words([self._info(name) for name in fields], words)
        with self._session.reading(self.title):
            found = self._session.rows(query)[0]
        return frozenset(name for name, count in zip(fields, found, strict=True) if count)

    def count_formulas(self, fields: Sequence[str]) -> Mapping[str, int]:
        """Few fields have a cell that starts as a formula does: only these are looked at closely."""
        texts = [
            info
            for name in fields
            if (info := self._info(name)).kind in (FieldKind.TEXT, FieldKind.OTHER)
        ]
        starting = self._formula_starts(texts, roughly=True)
        exact = self._formula_starts([each for each in texts if starting[each.name]])
        return starting | exact

    def _formula_starts(
        self, fields: Sequence[FieldInfo], *, roughly: bool = False
    ) -> dict[str, int]:
        if not fields:
            return {}
        is_long = self.count_rows() > FEW_ROWS
        step = AT_ONCE if is_long else len(fields)
        found: list[int] = []
        with self._session.reading(self.title):
            for start in range(0, len(fields), step):
                some = fields[start : start + step]
                query = self._queries.formulas(some, roughly=roughly, is_long=is_long)
                found += map(int, self._session.rows(query)[0])
        return {info.name: count for info, count in zip(fields, found, strict=True)}

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
            for columns in self._batches(query):
                yield dict(zip(fields, columns, strict=True))

    def _batches(self, query: exp.Select) -> Iterator[Sequence[Column]]:
        """The columns of an answer, some rows at a time. An engine that gets columns from its
        driver needs no rows."""
        for rows in self._session.stream(query, BATCH):
            yield [objects(cells) for cells in zip(*rows, strict=True)]


def _split(
    found: CodedTuples, fields: int, sensitive: Sequence[str]
) -> tuple[CodedTuples, dict[str, Histogram]]:
    """Bins over the first `fields` of tuples in order, and the histograms of the others in them."""
    codes = found.codes
    starts = np.ones(len(codes), bool)
    starts[1:] = np.any(codes[1:, :fields] != codes[:-1, :fields], axis=1)
    bin_of = (np.cumsum(starts) - 1).astype(np.int64)
    histograms = {}
    for column, name in enumerate(sensitive, start=fields):
        span = max(len(found.values[column]), 1)
        keys, place = np.unique(bin_of * span + codes[:, column], return_inverse=True)
        histograms[name] = Histogram(
            values=found.values[column],
            bin_of=keys // span,
            value_of=(keys % span).astype(codes.dtype),
            counts=np.bincount(place, found.counts, len(keys)).astype(np.int64),
        )
    bins = CodedTuples(
        values=found.values[:fields],
        codes=codes[starts, :fields],
        counts=np.bincount(bin_of, found.counts, int(starts.sum())).astype(np.int64),
    )
    return bins, histograms
