"""Marks: columns inside a result that is not exactly what was asked, so that every client and data
frame shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

NOTE: Final = "answered_as"
"""The column that describes how a row differs from what was asked."""
WITHIN: Final = "_within"
"""The ending of the column with the error of a number, 95 times of 100."""
AS_ASKED: Final = "as asked"
_STEPS: Final = re.compile(r"(width|first) (\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """For each row a note, and for each column of numbers, by its place, how far the number of each
    row may be off."""

    notes: tuple[str, ...] = field(repr=False)
    within: Mapping[int, tuple[float | None, ...]] = field(repr=False)

    def names(self, columns: Sequence[str]) -> tuple[str, ...]:
        return mark_names(columns, self.within)

    def rows(self, rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """Rows with their marks behind them."""
        marks = zip(*self.within.values(), self.notes, strict=True)
        return [(*row, *more) for row, more in zip(rows, marks, strict=True)]


def mark_names(
    columns: Sequence[str], numbers: Mapping[int, Any] | Sequence[int]
) -> tuple[str, ...]:
    """The names of the mark columns of a result; none of them is one of its own.

    Example:
        >>> mark_names(("town", "n", "answered_as"), (1,))
        ('n_within', 'answered_as_')
    """
    out: list[str] = []
    for name in (*(f"{columns[place]}{WITHIN}" for place in numbers), NOTE):
        while name in columns or name in out:
            name += "_"
        out.append(name)
    return tuple(out)


def level_words(name: str, level_name: str) -> str:
    """A field at a level, in words.

    Example:
        >>> [level_words("age", each) for each in ("width 5", "suppressed", "decade")], level_words("zip", "first 3")
        (['age in steps of 5', 'age not shown', 'age by decade'], 'first 3 characters of zip')
    """
    found = _STEPS.fullmatch(level_name)
    if level_name == "suppressed":
        return f"{name} not shown"
    if found is None:
        return f"{name} by {level_name}"
    return (
        f"{name} in steps of {found[2]}"
        if found[1] == "width"
        else f"first {found[2]} characters of {name}"
    )
