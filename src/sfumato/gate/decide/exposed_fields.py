"""The names under which an exposure of several tables keeps their fields: by their table."""

from __future__ import annotations

from typing import Final

_OF: Final = "\x1f"
"""Between a table and its field; in no name of either."""


def qualified(table: str, name: str) -> str:
    """A field by its table, as an exposure of several tables names it.

    Example:
        >>> plain(qualified("visits", "ward"))
        ('visits', 'ward')
        >>> plain("ward")
        ('', 'ward')
    """
    return f"{table}{_OF}{name}"


def plain(name: str) -> tuple[str, str]:
    """The table of a field, nothing where an exposure is of one table, and its name there."""
    table, _, own = name.partition(_OF)
    return (table, own) if own else ("", name)
