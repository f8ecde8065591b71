"""The embedded default engine: DuckDB in the process, spilling to disk where memory ends."""

from __future__ import annotations

import errno
import os
import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import SourceError
from sfumato.policy import AS_FOUND, Order, SourceFormat
from sfumato.runs import scratch_folder

from ..compressed_file import is_compressed, suffix_of, unpack
from ..counted_cells import bin_shapes, runs_of, split_codes
from ..declarations.duckdb import ABILITIES
from ..engine import Abilities, Column, FieldInfo, FieldKind, Lookup, WritePlan
from ..sql import queries
from ..sql.codes import CodedTuples, objects
from ..sql.counts import BATCH
from ..sql.engine import SqlEngine
from ..sql.people import MOST_SETS
from ..sql.queries import Queries
from . import lookups as duckdb_lookups
from .bin_counts import binned_rows, counted_bins, has_bins, map_entries
from .errors import reading
from .memory_limit import GrowingLimit
from .packed_tuples import packed_rows, packed_tuples
from .readers import COMPRESSED, FRAME, READERS, read_frame
from .session import DuckDBSession
from .views import ReadOptions

DEFAULT_MEMORY = GrowingLimit(1430, most=2861)
"""1.5 GB, and 3 GB for a query that needs them."""


class DuckDBEngine(SqlEngine):
    """One source in DuckDB. Use it as a context manager: closing removes the spill folder."""

    name: ClassVar[str] = "duckdb"
    abilities: ClassVar[Abilities] = ABILITIES
    _session: DuckDBSession
    _to_parquet = False
    _binned: tuple[str, Mapping[str, NDArray[np.int64]]] | None = None

    def __init__(
        self,
        source: Any,
        *,
        format: SourceFormat = AS_FOUND,
        table: str = "",
        memory: str = DEFAULT_MEMORY,
    ) -> None:
        self._sweep, session, scratch = new_session(self, memory)
        options = ReadOptions(scratch=scratch, format=format, table=table or format.sheet)
        try:
            title = read_into(session, source, options)
            super().__init__(session, queries.table(queries.SOURCE), title=title, owns=True)
        except BaseException:
            session.close()
            self._sweep()
            raise

    def _eased(self, plan: WritePlan) -> WritePlan:
        """Text fields that are copied and have few values get a lookup of themselves: enumerations
        sort faster."""
        if self._shuffled:
            return plan
        given = (
            {name for lookup in plan.lookups for name in lookup.fields}
            | set(plan.constants)
            | set(plan.taken)
        )
        given |= {name for moved in plan.moved for name in moved.fields}
        texts = [
            self._infos[name]
            for name in plan.fields
            if name not in given and self._infos[name].kind is FieldKind.TEXT
        ]
        if plan.order is Order.KEEP or not texts or len(texts) > duckdb_lookups.MOST_EASED:
            return plan
        if self.count_rows() < duckdb_lookups.FEWEST_ROWS:
            return plan
        few = self._few_values(texts, self._queries)
        lookups = tuple(duckdb_lookups.itself(name, values) for name, values in few.items())
        return replace(plan, lookups=(*plan.lookups, *lookups))

    def _few_values(self, texts: Sequence[FieldInfo], ask: Queries) -> dict[str, Column]:
        """The values of those fields that have few of them, in order."""
        counts = self._session.rows(ask.about_distinct(texts))[0] if texts else ()
        few = [
            info
            for info, count in zip(texts, counts, strict=True)
            if count < duckdb_lookups.ENUM_LABELS // 2
        ]
        return {
            info.name: objects([row[0] for row in self._session.rows(ask.distinct([info]))])
            for info in few
        }

    def _batches(self, query: exp.Select) -> Iterator[Sequence[Column]]:
        return self._session.stream_columns(query, BATCH)

    def _load(self, lookup: Lookup, tidy: ExitStack, *, new: str = "text") -> str:
        with ExitStack() as soon:
            name = super()._load(lookup, soon, new=new)
            shorter = None
            if not lookup.stored and not lookup.whole and new == "text":
                shorter = duckdb_lookups.with_enumerations(self._session, name, lookup)
            if shorter is not None:
                return self._keep(shorter, tidy)
            tidy.push(soon.pop_all())
            return name

    def write(self, plan: WritePlan, target: Path) -> int:
        self._to_parquet = target.suffix == ".parquet"
        return super().write(plan, target)

    def _released(self, plan: WritePlan, tidy: ExitStack, *, ordered: bool = True) -> exp.Select:
        query = super()._released(plan, tidy, ordered=ordered)
        given = {
            name
            for lookup in plan.lookups
            if not (lookup.stored or lookup.whole)
            for name in lookup.fields
        }
        if plan.shuffled and not ordered:
            return self._with_enumerations(query, plan, given)
        if self._shuffled:
            return queries.as_texts(query, plan.fields, self._half_used(plan, given))
        leaves_out = (
            plan.drop is not None
            or plan.quota is not None
            or any(len(x.keys) > 1 for x in plan.lookups)
        )
        # Parquet would keep a place for each label of an enumeration, also for those that only rows
        # left out had. Lookups by one field find every row.
        if given and (not ordered or (self._to_parquet and leaves_out)):
            return queries.as_texts(query, plan.fields, given)
        return query

    def _with_enumerations(self, query: exp.Select, plan: WritePlan, given: set[str]) -> exp.Select:
        """Texts of a stage that have few values as numbers: it is sorted, and everything is counted
        in it, faster."""
        if self.table_alone is None:
            return queries.as_texts(query, plan.fields, given)
        source, own = self.table_alone
        texts = [
            info
            for name in plan.fields
            if name in own
            and name not in given
            and name not in plan.constants
            and name not in plan.follows
            if (info := self._infos[name]).kind is FieldKind.TEXT
            and info.declared != queries.ENUMERATION
        ]
        few = self._few_values(texts, self._session.queries(source))
        kinds = {name: duckdb_lookups.enumeration(values) for name, values in few.items()}
        shown = [
            queries.named(exp.cast(queries.column(name), kind), name)
            if (kind := kinds.get(name)) is not None
            else queries.column(name)
            for name in plan.fields
        ]
        return exp.select(*shown).from_(query.subquery("made"))

    def _half_used(self, plan: WritePlan, given: set[str]) -> set[str]:
        """Fields that are enumerations of which no row has some label: Parquet would disclose the
        label all the same."""
        own = [
            name for name in plan.fields if name not in given and self._is_enumeration(plan, name)
        ]
        if not own:
            return set()
        used, labels = self._session.rows(duckdb_lookups.labels_used(own, self.source()))[0]
        return {name for name in own if used[name] < labels[name]}

    def _is_enumeration(self, plan: WritePlan, name: str) -> bool:
        return (
            name in self._infos
            and self._infos[name].declared == queries.ENUMERATION
            and name not in plan.taken
        )

    def _tuples(
        self,
        infos: Sequence[FieldInfo],
        sensitive: FieldInfo | None = None,
        *,
        weight: FieldInfo | None = None,
        person: FieldInfo | None = None,
    ) -> CodedTuples:
        """Where nearly every row has a tuple of its own, values are numbered before they are
        counted."""
        if weight is None and person is None:
            several = [*infos, *([sensitive] if sensitive is not None else [])]
            found = packed_tuples(self._session, self._queries, several, rows=self.count_rows())
            if found is not None:
                return found
        return super()._tuples(infos, sensitive, weight=weight, person=person)

    @contextmanager
    def bin_counter(
        self, fields: Sequence[str], *, limit: int | None = None
    ) -> Iterator[Callable[[Sequence[Lookup]], int]]:
        """Values are numbered once, and bins at any labels are counted in these numbers."""
        infos = [self._info(name) for name in fields]
        rows = self.count_rows()
        with self._session.reading(self.title), ExitStack() as tidy:
            numbered = tidy.enter_context(
                packed_rows(self._session, self._queries, infos, rows=rows)
            )

            def count(lookups: Sequence[Lookup]) -> int:
                found = None
                with self._session.reading(self.title), ExitStack() as soon:
                    if numbered is not None:
                        labels = {each.fields[0]: self._load(each, soon) for each in lookups}
                        found = numbered.count_bins(self._session, labels, limit=limit)
                return self._count_bins(fields, lookups) if found is None else found

            yield count

    def counted_codes(
        self, groups: Sequence[Sequence[str]], bins: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.int64]]:
        names = list(dict.fromkeys(name for each in groups for name in each))
        if all(runs_of(bins[name]) is None for name in names):
            return super().counted_codes(groups, bins)
        shapes = bin_shapes(groups, bins)
        found = []
        with self._session.reading(self.title):
            kept, order = self._kept_bins({name: bins[name] for name in names})
            sizes = [int(bins[name].max()) + 1 if name in bins else 1 for name in order]
            places = [[order.index(name) for name in each] for each in groups]
            for start in range(0, len(groups), MOST_SETS):
                part = slice(start, start + MOST_SETS)
                query = counted_bins(kept, sizes, places[part])
                found += split_codes(self._session.columns(query), shapes[part])
        return found

    def _kept_bins(self, bins: Mapping[str, NDArray[np.int64]]) -> tuple[str, list[str]]:
        """A table of the bins of each row, and its fields. It is kept for further questions about
        the same bins, and forgotten when others are asked for."""
        if self._binned is None or not has_bins(self._binned[1], bins):
            self._forget_bins()
            with ExitStack() as tidy:
                maps = {}
                for name, own in bins.items():
                    if runs_of(own) is not None:
                        entries = iter([map_entries(own)])
                        maps[name] = self._session.load({"code": "whole", "bin": "whole"}, entries)
                        tidy.callback(self._session.forget, maps[name])
                query = binned_rows(list(bins), list(bins.values()), maps, self.source())
                large = not self._session.has_room_for(self.count_rows() * len(bins))
                self._binned = self._session.keep(query, large=large), dict(bins)
        return self._binned[0], list(self._binned[1])

    def _forget_bins(self) -> None:
        if self._binned is not None:
            self._session.forget(self._binned[0])
            self._binned = None

    def _keep_stage(self, query: exp.Select, plan: WritePlan) -> str:
        """Rows are numbered by their places, which DuckDB knows without keeping them."""
        if plan.shuffled or plan.numbered:
            query = self._queries.shuffled(query, {})
        return self._session.keep(query, large=True, numbered=plan.numbered)

    def close(self) -> None:
        self._forget_bins()
        super().close()
        if hasattr(self, "_sweep"):
            self._sweep()


def new_session(owner: object, memory: str) -> tuple[Any, DuckDBSession, Path]:
    """A session with a folder of its own, and what removes that folder.

    Private rows may be spilled: only the owner can open the folder, and it is removed even if
    nobody closes the engine."""
    spill = scratch_folder()
    sweep = weakref.finalize(owner, shutil.rmtree, spill, ignore_errors=True)
    try:
        return sweep, DuckDBSession(spill, memory), Path(spill)
    except BaseException:
        sweep()
        raise


def read_into(session: DuckDBSession, source: Any, options: ReadOptions) -> str:
    """Make a view over a file or frame in a session; what to call it in words."""
    if not isinstance(source, str | os.PathLike):
        read_frame(session, source, options)
        return FRAME
    path = Path(source)
    if not path.exists():
        raise SourceError(f"{path} does not exist.", attempt="checking the path.")
    reader = READERS[".parquet"] if path.is_dir() else READERS.get(suffix_of(path))
    if reader is None or (is_compressed(path) and suffix_of(path) not in COMPRESSED):
        ending = "".join(path.suffixes[-2:]) if is_compressed(path) else path.suffix
        raise SourceError(
            f"{path.name}: files that end in {ending or 'nothing'} are not read.",
            attempt=f"one of {', '.join((*READERS, *(f'{suffix}.gz' for suffix in COMPRESSED)))}.",
        )
    with reading(path.name):
        try:
            session.files.add(sorted(path.rglob("*.parquet")) if path.is_dir() else [path])
            plain = unpack(path, options.scratch) if is_compressed(path) else path
            reader(session, plain, replace(options, title=path.name))
        except PermissionError:
            raise SourceError(f"{path} may not be read by this user.") from None
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise SourceError(
                f"{path.name} could not be unpacked or decoded: the temporary folder is full.",
                attempt="setting TMPDIR to a folder with more space.",
            ) from None
    return path.name
