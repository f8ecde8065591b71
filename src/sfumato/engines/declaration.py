"""The declaration of an engine: the sources it opens, the options it takes, and its abilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sfumato.parts import Registry, Shape

from .engine import Abilities

FILE_OPTIONS: Final = ("encoding", "separator", "no_header", "rename_headers", "null_words")
"""Options about how files of text are read."""


def no_address(source: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineDeclaration:
    """One engine. `open` opens one table and `open_tables` several; both import the driver, and
    raise `MissingExtra` where the extra is not installed.

    `is_address` is whether a source is an address that only this engine opens. With
    `only_addresses` it opens nothing else; `source_title` is what its addresses name. `options` are
    those of the command line. With `recounts`, only it can read what it wrote, as on a cluster;
    else DuckDB reads it back. `usual_format` is its default format; empty is the format of the
    source. `shapes` are the shapes of data that it can take."""

    key: str
    doc: str
    can: Abilities
    open: Callable[..., Any]
    open_tables: Callable[..., Any]
    extra: str = ""
    is_address: Callable[[Any], bool] = no_address
    only_addresses: bool = False
    source_title: str = "a database"
    options: tuple[str, ...] = FILE_OPTIONS
    recounts: bool = False
    usual_format: str = "parquet"
    shapes: frozenset[Shape] = frozenset(Shape)

    @property
    def abilities(self) -> dict[str, str]:
        """For the table of engines."""
        return {
            "larger than memory": "yes" if self.can.larger_than_memory else "no",
            "reads": ", ".join(self.can.reads),
            "writes": ", ".join(self.can.writes),
            "extra": self.extra or "none",
        }


ENGINES: Final[Registry[EngineDeclaration]] = Registry(
    "engine", room="sfumato.engines.declarations", group="sfumato.engines"
)
"""Every engine, by its name. An engine of another package has the whole protocol of `Engine`."""
