"""The protocol of an SQL engine's driver: run a query, fetch it, keep it, load entries, write a
file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Protocol

from numpy.typing import NDArray
from sqlglot import exp

from ..engine import FieldInfo, Snapshot, WritePlan
from .queries import Queries

Batch = Mapping[str, NDArray[Any]]


class SqlSession(Protocol):
    """One connection, which sees one state of the source. Only a session hands queries to its
    driver.

    Errors of the driver are translated inside `reading` and `writing`: their messages hold cell
    values."""

    suffixes: ClassVar[tuple[str, ...]]
    """The kinds of files it writes, the usual one first."""

    def queries(self, source: exp.Expr | None = None) -> Queries:
        """The questions in this session's dialect, over something under the alias `source`."""
        ...

    def describe(self, source: exp.Expr) -> tuple[FieldInfo, ...]:
        """The fields of an expression for a FROM, under the alias `source`."""
        ...

    def rows(self, query: exp.Expr) -> list[tuple[Any, ...]]: ...

    def columns(self, query: exp.Expr) -> dict[str, NDArray[Any]]:
        """The columns of the answer; masked arrays where there are nulls, texts as objects."""
        ...

    def stream(self, query: exp.Expr, size: int) -> Iterator[Sequence[tuple[Any, ...]]]:
        """The answer in order, piece by piece; other questions may be asked in between."""
        ...

    def keep(self, query: exp.Expr, *, large: bool = False) -> str:
        """Run a query into a table of the session's own and return its name; `large` ones belong on
        disk."""
        ...

    def forget(self, name: str) -> None:
        """Drop a table that was kept; nothing is raised where that cannot be done any more."""
        ...

    row_id: ClassVar[str]
    """The name of the place of a row in a table that was kept; empty where rows cannot be taken out
    of one."""

    def remove(self, name: str, places: exp.Expr) -> None:
        """Take rows out of a table that was kept: those whose place is in the answer to a query."""
        ...

    def load(self, kinds: Mapping[str, str], batches: Iterator[Batch]) -> str:
        """A table of the session's own, filled batch by batch. `kinds` maps its columns to `text`
        or `whole`.

        A batch may itself be asked of the same session."""
        ...

    def copy(self, query: exp.Expr, target: Path, plan: WritePlan) -> int:
        """Write what a query gives to a file (or folder) that is not there yet; the number of
        rows."""
        ...

    def snapshot(self) -> Snapshot: ...

    def reading(self, title: str) -> AbstractContextManager[None]: ...

    def writing(self, title: str, target: str) -> AbstractContextManager[None]: ...

    def close(self) -> None: ...
