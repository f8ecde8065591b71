"""The protocol of a target: a schema of a database that released tables are written to, all of them
or none."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from .database import Database
from .engine import Engine, WritePlan


class Target(Protocol):
    """One transaction in which tables are made. Closing it without `publish` removes everything."""

    title: str

    def write(self, engine: Engine, plan: WritePlan, name: str) -> int:
        """Write the release that `plan` describes to a new table; the number of rows."""
        ...

    def note(self, name: str, text: str) -> None:
        """A new table with one row, which holds a text in JSON under the name of `manifest`."""
        ...

    def opened(self, name: str) -> Engine:
        """A table that was written, before anybody else sees it."""
        ...

    def database(self, names: Sequence[str]) -> Database:
        """Several of them."""
        ...

    def publish(self) -> None:
        """Let everybody see the tables."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
