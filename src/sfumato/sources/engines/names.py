"""Names of fields, tables and files: which can be used, which was asked for. None is a cell value: they may be told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import SourceError, TargetError


def check_names(title: str, names: Sequence[str]) -> None:
    """Every field has a name, and no two names are one: most engines do not tell upper from lower case."""
    blank = [str(n) for n, name in enumerate(names, start=1) if not name.strip()]
    if blank:
        raise SourceError(
            f"{title} needs a name for each field.",
            found=f"Column(s) {', '.join(blank)} have no name.",
            attempt="naming them in the header.",
        )
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        earlier = seen.setdefault(name.casefold(), position)
        if earlier != position:
            raise SourceError(
                f"{title} has two fields with one name.",
                found=f"Columns {earlier} and {position} have names that differ at most in upper and lower case.",
                attempt="renaming one of them.",
            )


def no_field(title: str, asked: str, names: Sequence[str]) -> SourceError:
    """What to say about a field that the source does not have."""
    return SourceError(f"{title} has no field called {asked!r}.", attempt=f"one of {', '.join(names)}.")


def one_table(file: str, tables: Sequence[str], asked: str) -> str:
    """The table called `asked`, or the only one there is."""
    if asked in tables:
        return asked
    if not asked and len(tables) == 1:
        return tables[0]
    raise SourceError(
        f"{f'Table {asked!r}' if asked else 'One table'} of {file} was asked for.",
        found=f"It has {len(tables)}: {', '.join(sorted(tables)[:10])}." if tables else "It has none.",
        attempt="naming one with --table." if tables else "another file.",
    )


def check_target(target: Path, suffixes: Sequence[str]) -> None:
    if target.suffix not in suffixes:
        raise TargetError(
            f"Files that end in {target.suffix or 'nothing'} are not written by this engine.",
            attempt=f"one of {', '.join(suffixes)}.",
        )
