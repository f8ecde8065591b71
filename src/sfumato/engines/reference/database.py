"""Several tables in the reference engine: rows joined by dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from sfumato.errors import SourceError
from sfumato.policy import AS_FOUND, NullWords, SourceFormat

from ..database import TableView
from ..engine import Abilities, Engine, Snapshot
from ..file_snapshot import FileSnapshot, blame_change
from .engine import ReferenceEngine
from .files import Row


class ReferenceDatabase:
    """A folder of CSV files, or a mapping of names to lists of rows."""

    name: ClassVar[str] = "reference"
    abilities: ClassVar[Abilities] = ReferenceEngine.abilities

    def __init__(
        self,
        source: Any,
        *,
        tables: Sequence[str] | None = None,
        format: SourceFormat = AS_FOUND,
        formats: Mapping[str, SourceFormat] | None = None,
    ) -> None:
        found: Mapping[str, Any]
        self._files = FileSnapshot()
        if isinstance(source, Mapping):
            self.title, found = "the rows", source
        else:
            folder = Path(source)
            self.title, found = (
                folder.name,
                {path.stem: path for path in sorted(folder.glob("*.csv"))},
            )
            self._files.add(found.values())
        self._engines = {
            name: ReferenceEngine(place, format=(formats or {}).get(name, format))
            for name, place in sorted(found.items())
            if tables is None or name in tables
        }

    def tables(self) -> tuple[str, ...]:
        return tuple(self._engines)

    def _engine(self, name: str, stages: Mapping[str, Engine]) -> ReferenceEngine:
        engine = stages.get(name) or self._engines.get(name)
        if not isinstance(engine, ReferenceEngine):
            raise SourceError(
                f"{self.title} has no table called {name!r}.",
                attempt=f"one of {', '.join(self._engines)}.",
            )
        return engine

    def view(self, view: TableView, *, stages: Mapping[str, Engine] | None = None) -> Engine:
        given = dict(stages or {})
        engine = self._engine(view.table, given)
        own = [
            info.name for info in engine.fields() if view.fields is None or info.name in view.fields
        ]
        rows: list[tuple[Row, Row]] = [
            (row, {name: row[name] for name in own}) for row in engine.rows()
        ]
        for join in view.joins:
            by_key = {row[join.key]: row for row in self._engine(join.table, given).rows()}
            by_key.pop(None, None)
            if join.table in given:
                rows = [(all_of, shown) for all_of, shown in rows if all_of[join.field] in by_key]
            for all_of, shown in rows:
                found = by_key.get(all_of[join.field], {})
                brought = {called: found.get(name) for name, called in join.bring.items()}
                all_of |= brought
                shown |= brought
        names = [*own, *(called for join in view.joins for called in join.bring.values())]
        out = ReferenceEngine([shown for _, shown in rows], fields=names)
        out.title = f"table {view.table} of {self.title}"
        return out

    def read_as_null(self, words: Mapping[str, NullWords]) -> None:
        for name, chosen in words.items():
            if chosen and name in self._engines:
                self._engines[name] = self._engines[name].with_nulls(chosen)

    def join_fields(self, joined: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self._engines |= {
            name: self._engines[name].with_joined(made) for name, made in joined.items() if made
        }

    def substitute(self, stages: Mapping[str, Engine]) -> None:
        self._engines |= {name: self._engine(name, stages) for name in stages}

    def loose(self, table: str, field: str, *, to: str, key: str, nulls: bool = False) -> int:
        keys = {row[key] for row in self._engine(to, {}).rows()} - {None} | (
            {None} if not nulls else set()
        )
        return sum(1 for row in self._engine(table, {}).rows() if row[field] not in keys)

    def repeated(self, table: str, key: str) -> int:
        counted = Counter(
            row[key] for row in self._engine(table, {}).rows() if row[key] is not None
        )
        return sum(1 for n in counted.values() if n > 1)

    def snapshot(self) -> Snapshot:
        return self._files.snapshot()

    def close(self) -> None:
        for engine in self._engines.values():
            engine.close()

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
