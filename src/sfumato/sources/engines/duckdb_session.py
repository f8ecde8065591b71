"""One DuckDB connection that answers Ctrl-C: every query runs beside the main thread, which waits and can be called."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

import duckdb
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import SourceError

Result = TypeVar("Result")


class Session:
    """A connection to a database in memory. Only this class hands queries to DuckDB."""

    def __init__(self, spill: str, memory: str) -> None:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": spill,
            "memory_limit": memory,
            "autoinstall_known_extensions": "false",
            "preserve_insertion_order": "false",
            "python_enable_replacements": "false",  # A name in a query is never a variable of the caller's.
        }
        try:
            self._connection = duckdb.connect(":memory:", config=config)
        except duckdb.Error:
            raise SourceError(f"Memory {memory!r} is not an amount.", attempt="for example 3GB.") from None
        self.run("SET TimeZone = 'UTC'")

    def run(self, query: exp.Expr | str) -> None:
        self._asked(query, lambda found: None)

    def rows(self, query: exp.Expr | str) -> list[tuple[Any, ...]]:
        return self._asked(query, lambda found: found.fetchall())

    def columns(self, query: exp.Expr | str) -> dict[str, NDArray[Any]]:
        """The columns of the answer; masked arrays where there are nulls."""
        return self._asked(query, lambda found: found.fetchnumpy())

    def _asked(self, query: exp.Expr | str, fetch: Callable[[duckdb.DuckDBPyConnection], Result]) -> Result:
        sql = query if isinstance(query, str) else query.sql(dialect="duckdb")
        return _interruptible(lambda: fetch(self._connection.execute(sql)), self._connection.interrupt)

    def register(self, name: str, frame: object) -> None:
        self._connection.register(name, frame)

    def unregister(self, name: str) -> None:
        self._connection.unregister(name)

    @contextmanager
    def batch(self, columns: Mapping[str, NDArray[Any]]) -> Iterator[None]:
        """The columns as a table called `batch`, as long as this lasts."""
        self.register("batch", dict(columns))
        try:
            yield
        finally:
            self.unregister("batch")

    def close(self) -> None:
        self._connection.close()


def _interruptible(work: Callable[[], Result], interrupt: Callable[[], None]) -> Result:
    """Do `work`, and stop it when Ctrl-C is pressed: DuckDB itself looks for signals only now and then."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome: Future[Result] = Future()

    def do() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    worker = threading.Thread(target=do, name="duckdb", daemon=True)
    try:
        worker.start()
        return outcome.result()
    except KeyboardInterrupt:
        while worker.is_alive():
            interrupt()
            worker.join(timeout=0.05)
        raise
