"""Where a Spark session keeps what is large: folders of Parquet in a place that every worker sees."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
from pyspark.sql import SparkSession

from sfumato.errors import SourceError


class Scratch:
    """A folder of its own: in the temporary folder where Spark runs on this machine, else where `asked` says.

    It may hold private rows, so only its owner can read it; it is removed when it is closed, and one on this machine at
    the latest when Python ends.
    """

    def __init__(self, spark: SparkSession, asked: str = "") -> None:
        self._context = spark.sparkContext
        self.is_local = not asked and self._context.master.startswith("local")
        if self.is_local:
            self.root = tempfile.mkdtemp(prefix="sfumato-")
            self._sweep = weakref.finalize(self, shutil.rmtree, self.root, ignore_errors=True)
        else:
            self.root = f"{asked or self._home()}/.sfumato-{secrets.token_hex(8)}"
            java: Any = self._context._jvm
            self._files(self.root).mkdirs(java.org.apache.hadoop.fs.Path(self.root), _owner_only(java))

    def _home(self) -> str:
        """The user's own folder in the cluster's file system."""
        java: Any = self._context._jvm
        files = java.org.apache.hadoop.fs.FileSystem.get(self._context._jsc.hadoopConfiguration())
        if files.getScheme() == "file":
            raise SourceError(
                "Spark runs on a cluster and needs a folder that all its workers see.",
                found="The cluster's own file system is this machine's.",
                attempt="naming one, for example scratch='hdfs:///tmp' or a folder on a shared disk.",
            )
        return str(files.getHomeDirectory().toString())

    def _files(self, path: str) -> Any:
        java: Any = self._context._jvm
        return java.org.apache.hadoop.fs.Path(path).getFileSystem(self._context._jsc.hadoopConfiguration())

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
        with tempfile.TemporaryDirectory(prefix="sfumato-") as here:
            folder = Path(here) / name
            folder.mkdir()
            yield folder
            java: Any = self._context._jvm
            where = (java.org.apache.hadoop.fs.Path(place) for place in (f"file:{folder}", self.place(name)))
            self._files(self.root).copyFromLocalFile(*where)

    def parts(self, name: str) -> list[str]:
        """The Parquet files of a folder in order of name, which is the order in which they were sorted."""
        java: Any = self._context._jvm
        folder = self.place(name)
        found = self._files(folder).listStatus(java.org.apache.hadoop.fs.Path(folder))
        paths = [str(status.getPath().toString()) for status in found]
        return sorted(path for path in paths if path.endswith(".parquet"))

    def remove(self, name: str) -> None:
        if self.is_local:
            shutil.rmtree(Path(self.root) / name, ignore_errors=True)
            return
        java: Any = self._context._jvm
        self._files(self.root).delete(java.org.apache.hadoop.fs.Path(self.place(name)), True)

    def close(self) -> None:
        if self.is_local:
            self._sweep()
        else:
            with contextlib.suppress(Exception):  # Spark may have stopped.
                java: Any = self._context._jvm
                self._files(self.root).delete(java.org.apache.hadoop.fs.Path(self.root), True)


def _owner_only(java: Any) -> Any:
    return java.org.apache.hadoop.fs.permission.FsPermission("700")


def rows_in(folder: Path) -> int:
    """How many rows the Parquet files of a folder hold, by their own footers, as this machine sees them."""
    return sum(pyarrow.parquet.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
