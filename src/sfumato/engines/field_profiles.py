"""Profiles and samples of fields whose values are held: what an engine counts by a query, counted
here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import date

from .engine import FieldInfo, FieldProfile
from .sql.queries import ISO_DATE, NUMBER, WHOLE_NUMBER

_WHOLE, _NUMBER, _DATE = (
    re.compile(pattern.strip("^$")) for pattern in (WHOLE_NUMBER, NUMBER, ISO_DATE)
)


def profile_held(info: FieldInfo, counts: Mapping[str, int], *, nulls: int) -> FieldProfile:
    """The profile of a field, from its values with their numbers of rows.

    Example:
        >>> from sfumato.engines import FieldInfo, FieldKind
        >>> found = profile_held(FieldInfo("age", FieldKind.TEXT, "text"), {"34": 2, "?": 1}, nulls=1)
        >>> found.rows, found.nulls, found.distinct, found.unique, found.integers
        (4, 1, 2, 1, 2)
    """
    lengths = [*map(len, counts)]
    numbers = [value for value in counts if _NUMBER.fullmatch(value)]
    whole = [value for value in numbers if _WHOLE.fullmatch(value)]
    dates = filter(_is_date, counts) if len(numbers) < len(counts) else ()

    def rows(values: Iterable[str]) -> int:
        return sum(map(counts.__getitem__, values))

    return FieldProfile(
        info=info,
        rows=nulls + sum(counts.values()),
        nulls=nulls,
        distinct=len(counts),
        unique=sum(1 for count in counts.values() if count == 1),
        shortest=min(lengths, default=0),
        longest=max(lengths, default=0),
        integers=rows(whole),
        numbers=rows(numbers),
        dates=rows(dates),
        lowest=min(counts, default=None),
        highest=max(counts, default=None),
    )


def sample_held(values: Iterable[str], size: int) -> tuple[str, ...]:
    """Some different values, by their hashes, so that every engine takes the same.

    Example:
        >>> sample_held(["a", "b", "c"], 2)
        ('a', 'c')
    """
    return tuple(sorted(values, key=_hashed)[:size])


def _hashed(value: str) -> bytes:
    return hashlib.md5(value.encode()).digest()


def _is_date(value: str) -> bool:
    if _DATE.fullmatch(value) is None:
        return False
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return False
    return True
