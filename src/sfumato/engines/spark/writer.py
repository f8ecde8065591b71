"""Writing a release from Spark: a folder of Parquet files, or one CSV file. Nothing has its name
before it is whole."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import DataFrame
from sqlglot import exp

from sfumato.errors import TargetError
from sfumato.policy import Order
from sfumato.runs import scratch_folder

from ..duckdb import session as duckdb_session
from ..duckdb.views import call
from ..engine import WritePlan
from .scratch import rows_in

_NO_MARKS = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}


def write_parquet(frame: DataFrame, target: Path) -> int:
    """A folder `target` with Parquet files in it and nothing else; the number of rows by their own
    footers."""
    if target.exists():
        raise TargetError(
            f"{target} is there already.", attempt="another name with --to; nothing was released."
        )
    with _aside(target) as folder:
        written = _parquet(frame, folder / "table")
        (folder / "table").rename(target)
    return written


def write_csv(frame: DataFrame, target: Path) -> int:
    """One file. Spark would write many: it writes Parquet, which DuckDB turns into CSV, as its own
    engine writes it."""
    with _aside(target) as folder:
        _parquet(frame, folder / "table")
        files = sorted((folder / "table").glob("*.parquet"))
        session = duckdb_session.DuckDBSession(str(folder), "1GB")
        try:
            query: exp.Select = call("read_parquet", files)
            plan = WritePlan(fields=tuple(frame.columns), order=Order.KEEP)
            written = session.copy(query, folder / "table.csv", plan)
        finally:
            session.close()
        (folder / "table.csv").replace(target)
    return written


def _parquet(frame: DataFrame, folder: Path) -> int:
    frame.write.options(**_NO_MARKS).parquet(f"file:{folder}")
    for crumb in folder.glob(".*.crc"):
        crumb.unlink()
    if not any(folder.glob("*.parquet")):
        raise TargetError(
            "The workers wrote no file that this machine sees.",
            found="On a cluster each worker writes its part of a release.",
            attempt="a folder with --to that all workers and this machine share; nothing was "
            "released.",
        )
    return rows_in(folder)


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    """A folder beside the target that is removed, whatever happens: tasks that were stopped may
    still be writing."""
    folder = Path(scratch_folder(beside=target.absolute()))
    try:
        yield folder
    finally:
        for _ in range(50):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)
