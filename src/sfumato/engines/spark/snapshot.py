"""Which state of the source a Spark session reads: the files behind it, as they were when it was
opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse

import pyarrow
import pyarrow.parquet

from sfumato.errors import SourceChanged

from ..engine import Snapshot
from ..file_snapshot import FileSnapshot

SMALL, FEW_ROWS = 8 << 20, 1_000_000
"""Bytes and rows of files below which Spark's fixed costs are most of the work."""


def are_small(paths: Iterable[Path]) -> bool:
    """Whether files hold little: by their sizes, and by the footers of Parquet, whose rows may be
    packed well."""
    files = [path for path in paths if path.is_file()]
    size = sum(file.stat().st_size for file in files)
    if not 0 < size <= SMALL or any(file.suffix == ".gz" for file in files):
        return False
    try:
        rows = [
            pyarrow.parquet.read_metadata(file).num_rows
            for file in files
            if file.suffix == ".parquet"
        ]
    except (OSError, pyarrow.ArrowException):
        return False
    return bool(sum(rows) <= FEW_ROWS)


class SparkSnapshot:
    """Files of this machine by their size and change; those elsewhere by their names, which Spark
    never uses twice."""

    def __init__(self) -> None:
        self._files = FileSnapshot()
        self._paths: list[Path] = []
        self._tables: list[tuple[str, tuple[str, ...], Callable[[], Iterable[str]]]] = []

    def add_files(self, paths: Iterable[Path]) -> None:
        added = list(paths)
        self._paths += added
        self._files.add(added)

    @property
    def is_small(self) -> bool:
        """Whether everything that is read is in few files of this machine."""
        return not self._tables and are_small(self._paths)

    def add_readings(self, files: FileSnapshot) -> None:
        """How another session read files on behalf of this one."""
        self._files.add_readings(files)

    def add_table(self, name: str, list_files: Callable[[], Iterable[str]]) -> None:
        """A table of a catalog, with what lists the addresses of its files."""
        found = tuple(sorted(list_files()))
        self._files.add(_local(found))
        self._tables.append((name, found, list_files))

    @property
    def bytes(self) -> int:
        """How large the files of this machine are that are read."""
        return self._files.bytes

    def snapshot(self) -> Snapshot:
        found = self._files.snapshot()
        for name, files, list_files in self._tables:
            if tuple(sorted(list_files())) != files:
                raise SourceChanged(
                    found=f"Table {name} is not made of the files that it was made of."
                )
        if not self._tables:
            return found
        tables = ", ".join(name for name, _, _ in self._tables)
        number = sum(len(files) for _, files, _ in self._tables)
        return replace(
            found, kind="spark", facts={**found.facts, "tables": tables, "files": number}
        )


def _local(addresses: Sequence[str]) -> list[Path]:
    parsed = [urlparse(address) for address in addresses]
    return [Path(unquote(one.path)) for one in parsed if one.scheme in ("", "file")]
