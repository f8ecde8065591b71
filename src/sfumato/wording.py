"""Counts with their nouns and lists of names, as every message, page and manifest prints them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun, singular or plural; a verb may go with the noun.

    Example:
        >>> counted(1, "row"), counted(2000, "row"), counted(0, "copy", "copies"), counted(1, "row is", "rows are")
        ('1 row', '2,000 rows', '0 copies', '1 row is')
    """
    return f"{count:,} {agreeing(count, one, many or one + 's')}"


def agreeing(count: int, one: str, many: str) -> str:
    """The words that agree with a count.

    Example:
        >>> agreeing(1, "breaks it", "break it"), agreeing(3, "breaks it", "break it")
        ('breaks it', 'break it')
    """
    return one if count == 1 else many


def some_of(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    Example:
        >>> some_of(["age", "zip"], 2), some_of(["age", "zip", "sex", "race"], 2)
        ('age, zip', 'age, zip and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
