"""The text of a cell as a policy declares values: alike however the column of the cell is typed.

One row decides whether a column of pandas has whole numbers or real ones, and days or moments. A
code that followed that type would change for all rows because of one person."""

from __future__ import annotations

from typing import Final

from .engine import FieldKind

EXACT: Final = 2**53
"""Whole numbers up to here are exact as real ones."""
_MIDNIGHT: Final = " 00:00:00"


def declared_text(cell: str | None, kind: FieldKind) -> str | None:
    """A number without decimals that are nought, and a midnight as its day; other cells as they are.

    Example:
        >>> [declared_text(each, FieldKind.REAL) for each in ("3.0", "1.50", "1e+20", None)]
        ['3', '1.5', '1e+20', None]
        >>> declared_text("2020-02-29 00:00:00", FieldKind.TIMESTAMP)
        '2020-02-29'
        >>> declared_text("250.0", FieldKind.TEXT)
        '250.0'
    """
    if cell is None:
        return None
    if kind is FieldKind.TIMESTAMP:
        return cell.removesuffix(_MIDNIGHT)
    if kind not in (FieldKind.INTEGER, FieldKind.REAL):
        return cell
    try:
        number = float(cell)
    except ValueError:
        return cell
    if number.is_integer() and abs(number) <= EXACT:
        return str(int(number))
    return str(number)
