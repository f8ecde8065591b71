"""A database in Spark: a folder of files, a database of a catalog, or frames, one table each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from sqlglot import exp

from sfumato.errors import SourceError
from sfumato.policy import AS_FOUND, SourceFormat

from ..duckdb.database import in_folder
from ..engine import Abilities, Engine
from ..sql import queries
from ..sql.database import SqlDatabase
from ..sql.queries import SOURCE, column, count_all, is_there
from . import cluster as spark_start
from . import key_bitmaps as spark_key_sets
from .engine import SparkEngine
from .errors import reading
from .readers import SCHEME, SparkSource, is_small, list_tables, read_into
from .session import SparkEngineSession

# Rows of a table from which its key is worth a set of its own.
FEWEST = 200_000


class SparkDatabase(SqlDatabase):
    """Several tables in one session of Spark. Use it as a context manager: closing stops a Spark
    that it started."""

    name: ClassVar[str] = "spark"
    abilities: ClassVar[Abilities] = SparkEngine.abilities
    engine = SparkEngine

    def __init__(
        self,
        source: Any,
        *,
        tables: Sequence[str] | None = None,
        format: SourceFormat = AS_FOUND,
        formats: Mapping[str, SourceFormat] | None = None,
        spark: Any = None,
        master: str = "",
        memory: str = "",
        scratch: str = "",
    ) -> None:
        catalog = isinstance(source, str) and source.startswith(SCHEME)
        running, self._give_back = spark_start.borrow(
            spark, master=master, memory=memory, catalog=catalog, short=is_small(source)
        )
        session: SparkEngineSession | None = None
        try:
            title = (
                "the frames" if isinstance(source, Mapping) else str(source).removeprefix(SCHEME)
            )
            with reading(title):
                session = SparkEngineSession(running, scratch=scratch)
                found = _places(session, source)
                views = {}
                for name, (place, table) in found.items():
                    if tables is None or name in tables:
                        views[name] = f"table {name}"
                        said = (formats or {}).get(name, format)
                        read_into(
                            session, place, SparkSource(view=views[name], table=table, format=said)
                        )
                session.fit()
            shown = {name: queries.table(view) for name, view in views.items()}
            super().__init__(session, shown, title=title if catalog else Path(title).name)
            self._sets: dict[tuple[str, str], str | None] = {}
        except BaseException:
            if session is not None:
                session.close()
            self._give_back()
            raise

    def substitute(self, stages: Mapping[str, Engine]) -> None:
        super().substitute(stages)
        self._sets.clear()

    def repeated(self, table: str, key: str) -> int:
        found = self._key_set(table, key)
        if found is not None:
            with self._session.reading(self._title(table)):
                rows, different = self._session.rows(spark_key_sets.sums(found))[0]
            if rows == different:
                return 0
        return super().repeated(table, key)

    def loose(self, table: str, field: str, *, to: str, key: str, nulls: bool = False) -> int:
        whole = self._queries.is_whole(self._field(table, field)) and self._queries.is_whole(
            self._field(to, key)
        )
        found = self._key_set(to, key) if whole else None
        if found is None:
            return super().loose(table, field, to=to, key=key, nulls=nulls)
        query = spark_key_sets.outside(column(field, "t"), found, self._from(table, "t"))
        return self._number(table, query if nulls else query.where(is_there(column(field, "t"))))

    def _key_set(self, table: str, key: str) -> str | None:
        """A table's key as a set, made once; None where it is no whole number, or too few or too
        many of them."""
        if (table, key) not in self._sets:
            self._sets[table, key] = self._new_set(table, key)
        return self._sets[table, key]

    def _new_set(self, table: str, key: str) -> str | None:
        rows = self._number(table, self._session.queries(self._from(table, SOURCE)).count_rows())
        if rows < FEWEST or not self._queries.is_whole(self._field(table, key)):
            return None
        with self._session.reading(self._title(table)):
            found = self._session.keep(spark_key_sets.key_set(key, self._from(table, SOURCE)))
            self._tidy.callback(self._session.forget, found)
            words = int(
                self._session.rows(exp.select(count_all()).from_(queries.table(found)))[0][0]
            )
        return found if words <= spark_key_sets.LARGEST_SENT else None

    def close(self) -> None:
        super().close()
        self._give_back()


def _places(session: SparkEngineSession, source: Any) -> dict[str, tuple[Any, str]]:
    """Each table: where it is, or its name in the catalog."""
    if isinstance(source, Mapping):
        return {name: (frame, "") for name, frame in source.items()}
    if isinstance(source, str) and source.startswith(SCHEME):
        return {
            name: (None, full)
            for name, full in list_tables(session, source.removeprefix(SCHEME)).items()
        }
    path = Path(source)
    if not path.is_dir():
        raise SourceError(
            f"{path} is not a folder.",
            attempt="a folder with a file or folder for each table, or spark:database.",
        )
    return in_folder(path)
