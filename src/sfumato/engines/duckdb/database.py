"""A database in DuckDB: a folder of files, a database file, or frames, one table each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from sfumato.errors import SourceError
from sfumato.policy import AS_FOUND, SourceFormat

from ..compressed_file import is_compressed, stem_of, suffix_of
from ..engine import Abilities, Engine
from ..frame_kind import not_read
from ..sql import queries
from ..sql.database import SqlDatabase
from . import key_bitmaps as duckdb_keys
from .engine import DEFAULT_MEMORY, DuckDBEngine, new_session, read_into
from .key_bitmaps import Bits
from .readers import COMPRESSED, READERS, tables_in
from .session import DuckDBSession
from .views import ReadOptions

ONE_TABLE = (".csv", ".tsv", ".txt", ".parquet", ".json", ".jsonl", ".ndjson")
WORKBOOK = ".xlsx"


class DuckDBDatabase(SqlDatabase):
    """Several tables in one session of DuckDB. Use it as a context manager: closing removes the
    spill folder."""

    name: ClassVar[str] = "duckdb"
    abilities: ClassVar[Abilities] = DuckDBEngine.abilities
    engine = DuckDBEngine

    def __init__(
        self,
        source: Any,
        *,
        tables: Sequence[str] | None = None,
        format: SourceFormat = AS_FOUND,
        formats: Mapping[str, SourceFormat] | None = None,
        memory: str = DEFAULT_MEMORY,
    ) -> None:
        if not isinstance(source, Mapping | str | PathLike):
            raise not_read(source)
        self._bits: dict[tuple[str, str], Bits | None] = {}
        self._sweep, session, scratch = new_session(self, memory)
        options = ReadOptions(scratch=scratch, format=format)
        try:
            title = "the frames" if isinstance(source, Mapping) else Path(source).name
            found = _named(source) if isinstance(source, Mapping) else _tables(Path(source))
            chosen = {
                name: place for name, place in found.items() if tables is None or name in tables
            }
            views = {
                name: _open(
                    session, name, place, replace(options, format=(formats or {}).get(name, format))
                )
                for name, place in chosen.items()
            }
            super().__init__(
                session, {name: queries.table(view) for name, view in views.items()}, title=title
            )
        except BaseException:
            session.close()
            self._sweep()
            raise

    def substitute(self, stages: Mapping[str, Engine]) -> None:
        super().substitute(stages)
        self._bits.clear()

    def repeated(self, table: str, key: str) -> int:
        """Keys that are as many as their bits are all different; others are counted one by one."""
        bits = self._bits_of(table, key)
        if bits is not None and bits.different == bits.keys:
            return 0
        return super().repeated(table, key)

    def loose(self, table: str, field: str, *, to: str, key: str, nulls: bool = False) -> int:
        whole = duckdb_keys.are_whole(self._queries, self._field(table, field))
        bits = self._bits_of(to, key) if whole else None
        if bits is None:
            return super().loose(table, field, to=to, key=key, nulls=nulls)
        return self._number(
            table, duckdb_keys.not_among(bits, self._from(table, "t"), field, nulls=nulls)
        )

    def _bits_of(self, table: str, key: str) -> Bits | None:
        """The keys of a table as bits, made once; None where they are no whole numbers, or far
        apart."""
        if (table, key) not in self._bits:
            self._bits[table, key] = self._found_bits(table, key)
        return self._bits[table, key]

    def _found_bits(self, table: str, key: str) -> Bits | None:
        if not duckdb_keys.are_whole(self._queries, self._field(table, key)):
            return None
        session, source = self._session, self._from(table, "k")
        with session.reading(self._title(table)):
            lowest, highest, keys = session.rows(duckdb_keys.ends(source, key))[0]
            if not duckdb_keys.are_close(lowest, highest, keys):
                return None
            kept = session.keep(duckdb_keys.bits_of(source.copy(), key, lowest, highest))
            self._tidy.callback(session.forget, kept)
            different = int(session.rows(duckdb_keys.how_many(kept))[0][0])
        return Bits(kept=kept, lowest=lowest, highest=highest, keys=keys, different=different)

    def close(self) -> None:
        super().close()
        self._sweep()


def _open(session: DuckDBSession, name: str, place: tuple[Any, str], options: ReadOptions) -> str:
    """Make the view of one table; what it is called."""
    view = f"table {name}"
    read_into(session, place[0], replace(options, view=view, table=place[1], table_name=name))
    return view


def _named(frames: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    return {name: (frame, "") for name, frame in frames.items()}


def _tables(path: Path) -> dict[str, tuple[Any, str]]:
    """Each table of a folder or a database file: where it is, and its name in a file of several."""
    if not path.exists():
        raise SourceError(f"{path} does not exist.", attempt="checking the path.")
    if path.is_dir():
        return in_folder(path)
    if suffix_of(path) not in READERS:
        raise SourceError(
            f"{path.name}: files that end in {path.suffix or 'nothing'} are not read.",
            attempt=f"a folder with a file for each table, or one of {', '.join(READERS)}.",
        )
    if suffix_of(path) in ONE_TABLE:
        return {stem_of(path): (path, "")}
    return {name: (path, name) for name in tables_in(path)}


def in_folder(folder: Path) -> dict[str, tuple[Any, str]]:
    """A file for each table, or a folder of Parquet files called as the table, with or without the
    suffix. Workbooks are tables where there is no other file of one, each with a single sheet."""
    out: dict[str, tuple[Any, str]] = {}
    for path in sorted(folder.iterdir()):
        is_file = suffix_of(path) in ONE_TABLE and not (
            is_compressed(path) and suffix_of(path) not in COMPRESSED
        )
        is_table = is_file or (path.is_dir() and any(path.rglob("*.parquet")))
        if path.name.startswith(".") or path.name == "manifest.json" or not is_table:
            continue
        name = stem_of(path) if suffix_of(path) in ONE_TABLE else path.name
        if name in out:
            raise SourceError(
                f"{folder.name} has two tables called {name!r}.",
                attempt="a folder with one file for each table.",
            )
        out[name] = (path, "")
    if not out:  # Beside other files a workbook may be anything; alone it is a table.
        out = {path.stem: (path, "") for path in sorted(folder.glob(f"[!.]*{WORKBOOK}"))}
    if not out:
        raise SourceError(
            f"Folder {folder.name} holds no table.",
            attempt=f"files that end in {', '.join((*ONE_TABLE, WORKBOOK))}.",
        )
    return out
