"""Where a Spark session keeps what is large: folders of Parquet in a place that every worker
sees."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
from pyspark.sql import SparkSession

from sfumato.errors import SourceError
from sfumato.runs import scratch_folder, temporary_folder


class Scratch:
    """A folder of its own: in the temporary folder where Spark runs on this machine, else at
    `asked`.

    It may hold private rows, so only its owner can read it. It is removed when it is closed; one on
    this machine is removed at the latest when Python ends."""

    def __init__(self, spark: SparkSession, asked: str = "") -> None:
        self._context = spark.sparkContext
        self.is_local = not asked and str(self._context.master).startswith("local")
        if self.is_local:
            self.root = scratch_folder()
            self._sweep = weakref.finalize(self, shutil.rmtree, self.root, ignore_errors=True)
        else:
            self.root = f"{asked.rstrip('/') or self._home()}/.sfumato-{secrets.token_hex(8)}"
            owner_only = self._hadoop().permission.FsPermission("700")
            self._files().mkdirs(self._path(self.root), owner_only)

    def _hadoop(self) -> Any:
        java: Any = self._context._jvm
        return java.org.apache.hadoop.fs

    def _home(self) -> str:
        """The user's own folder in the cluster's file system."""
        files = self._hadoop().FileSystem.get(self._context._jsc.hadoopConfiguration())
        if files.getScheme() == "file":
            raise SourceError(
                "Spark runs on a cluster and needs a folder that all its workers see.",
                found="The cluster's own file system is this machine's.",
                attempt="naming one, for example scratch='hdfs:///tmp' or a folder on a shared "
                "disk.",
            )
        return str(files.getHomeDirectory().toString())

    def _path(self, path: str) -> Any:
        return self._hadoop().Path(path)

    def _files(self) -> Any:
        return self._path(self.root).getFileSystem(self._context._jsc.hadoopConfiguration())

    def place(self, name: str) -> str:
        """The path of a folder, as Spark takes it."""
        return f"{'file:' if self.is_local else ''}{self.root}/{name}"

    @contextlib.contextmanager
    def filling(self, name: str) -> Iterator[Path]:
        """A folder of this machine: what is put into it is at the place afterwards."""
        if self.is_local:
            folder = Path(self.root) / name
            folder.mkdir()
            yield folder
            return
        with temporary_folder() as here:
            folder = here / name
            folder.mkdir()
            yield folder
            self._files().copyFromLocalFile(
                self._path(f"file:{folder}"), self._path(self.place(name))
            )

    def parts(self, name: str) -> list[str]:
        """The Parquet files of a folder in order of name, which is the order in which they were
        sorted."""
        found = self._files().listStatus(self._path(self.place(name)))
        paths = [str(status.getPath().toString()) for status in found]
        return sorted(path for path in paths if path.endswith(".parquet"))

    def rows(self, name: str) -> int | None:
        """How many rows a folder holds, where this machine sees it."""
        return rows_in(Path(self.root) / name) if self.is_local else None

    def remove(self, name: str) -> None:
        if self.is_local:
            shutil.rmtree(Path(self.root) / name, ignore_errors=True)
        else:
            self._delete(self.place(name))

    def _delete(self, place: str) -> None:
        everything = True
        self._files().delete(self._path(place), everything)

    def close(self) -> None:
        if self.is_local:
            self._sweep()
        else:
            with contextlib.suppress(Exception):  # Spark may have stopped.
                self._delete(self.root)


def rows_in(folder: Path) -> int:
    """How many rows the Parquet files of a folder hold, by their own footers, as this machine sees
    them."""
    return sum(pyarrow.parquet.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
