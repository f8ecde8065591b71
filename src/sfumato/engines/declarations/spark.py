"""Spark: tables and files of a cluster, or of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.errors import MissingExtra

from ..addresses import SPARK
from ..database import Database
from ..declaration import FILE_OPTIONS, EngineDeclaration
from ..engine import Abilities, Engine

ABILITIES = Abilities(
    larger_than_memory=True,
    reads=("Parquet", "Spark tables", "CSV", "TSV", "pandas", "polars", "Arrow"),
    writes=("Parquet", "CSV"),
    numbers_stages=True,
)


def _open(source: Any, **options: Any) -> Engine:
    with _spark_driver():
        from ..spark.engine import SparkEngine

    return SparkEngine(source, **options)


def _open_tables(source: Any, **options: Any) -> Database:
    with _spark_driver():
        from ..spark.database import SparkDatabase

    return SparkDatabase(source, **options)


@contextmanager
def _spark_driver() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] not in (
            "pyspark",
            "py4j",
            "pyarrow",
        ):
            raise
        raise MissingExtra("Reading with Spark", extra="spark") from None


def _is_address(source: Any) -> bool:
    return isinstance(source, str) and source.startswith(SPARK)


DECLARATION = EngineDeclaration(
    key="spark",
    doc="tables and files of a Spark cluster, or of Spark on this machine",
    can=ABILITIES,
    open=_open,
    open_tables=_open_tables,
    extra="spark",
    is_address=_is_address,
    options=("table", *FILE_OPTIONS, "memory", "master", "scratch"),
    recounts=True,
)
