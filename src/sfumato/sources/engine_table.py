"""Which engine can do what, as a table in markdown: what docs/engines.md shows and a test holds."""

from __future__ import annotations

from sfumato.parts import catalogue_table, entries_of

from .engine_declaration import ENGINES


def engine_table() -> str:
    """One row per engine, from its declaration.

    Example:
        >>> engine_table().splitlines()[0]
        '| key | what it does | larger than memory | reads | writes | extra |'
    """
    return catalogue_table(entries_of(ENGINES)) + "\n"
