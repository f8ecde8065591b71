"""Names of fields, tables and files that were asked for. None is a cell value: they may be
disclosed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import SourceError, TargetError


def no_field(title: str, asked: str, names: Sequence[str]) -> SourceError:
    """The message about a field that the source does not have."""
    return SourceError(
        f"{title} has no field called {asked!r}.", attempt=f"one of {', '.join(names)}."
    )


def one_table(file: str, tables: Sequence[str], asked: str) -> str:
    """The table called `asked`, or the only one there is."""
    if asked in tables:
        return asked
    if not asked and len(tables) == 1:
        return tables[0]
    raise SourceError(
        f"{f'Table {asked!r}' if asked else 'One table'} of {file} was asked for.",
        found=f"It has {len(tables)}: {', '.join(sorted(tables)[:10])}."
        if tables
        else "It has none.",
        attempt="naming one with --table." if tables else "another file.",
    )


def check_target(target: Path, suffixes: Sequence[str]) -> None:
    if target.suffix not in suffixes:
        raise TargetError(
            f"Files that end in {target.suffix or 'nothing'} are not written by this engine.",
            attempt=f"one of {', '.join(suffixes)}.",
        )
