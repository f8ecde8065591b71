"""A database in Spark: a folder of files, a database of a catalog, or frames, one table each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from sfumato.errors import SourceError

from .. import queries
from ..engine import Abilities
from . import spark_start
from .duckdb_database import in_folder
from .spark import SparkEngine
from .spark_errors import reading
from .spark_readers import SCHEME, SparkSource, list_tables, read_into
from .spark_session import Session
from .sql_database import SqlDatabase


class SparkDatabase(SqlDatabase):
    """Several tables in one session of Spark. Use it as a context manager: closing stops a Spark that it started."""

    name: ClassVar[str] = "spark"
    abilities: ClassVar[Abilities] = SparkEngine.abilities
    engine = SparkEngine

    def __init__(
        self,
        source: Any,
        *,
        tables: Sequence[str] | None = None,
        encoding: str = "utf-8",
        separator: str = "",
        spark: Any = None,
        master: str = "",
        memory: str = "",
        scratch: str = "",
    ) -> None:
        catalog = isinstance(source, str) and source.startswith(SCHEME)
        running, self._give_back = spark_start.borrow(spark, master=master, memory=memory, catalog=catalog)
        session: Session | None = None
        try:
            title = "the frames" if isinstance(source, Mapping) else str(source).removeprefix(SCHEME)
            with reading(title):
                session = Session(running, scratch=scratch)
                found = _places(session, source)
                options = SparkSource(encoding=encoding, separator=separator)
                views = {}
                for name, (place, table) in found.items():
                    if tables is None or name in tables:
                        views[name] = f"table {name}"
                        read_into(session, place, replace(options, view=views[name], table=table))
            shown = {name: queries.table(view) for name, view in views.items()}
            super().__init__(session, shown, title=title if catalog else Path(title).name)
        except BaseException:
            if session is not None:
                session.close()
            self._give_back()
            raise

    def close(self) -> None:
        super().close()
        self._give_back()


def _places(session: Session, source: Any) -> dict[str, tuple[Any, str]]:
    """Each table: where it is, or its name in the catalog."""
    if isinstance(source, Mapping):
        return {name: (frame, "") for name, frame in source.items()}
    if isinstance(source, str) and source.startswith(SCHEME):
        return {name: (None, full) for name, full in list_tables(session, source.removeprefix(SCHEME)).items()}
    path = Path(source)
    if not path.is_dir():
        raise SourceError(
            f"{path} is not a folder.", attempt="a folder with a file or folder for each table, or spark:database."
        )
    return in_folder(path)
