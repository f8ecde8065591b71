"""Spans of time as DuckDB writes them, which Parquet does not hold: text to microseconds."""

from __future__ import annotations

import re
from typing import Final

_TEXT: Final = re.compile(
    r"(?:(-?\d+) years? ?)?(?:(-?\d+) months? ?)?(?:(-?\d+) days? ?)?"
    r"(?:(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?"
)
_DAY: Final = 86_400_000_000
_MONTH: Final = 30
"""DuckDB reads the span of a frame as months of 30 days, and writes it so."""


def duration(text: str) -> int:
    """The microseconds of a span; ValueError for any other text, such as a label.

    Example:
        >>> duration("1 month 15 days") // 86_400_000_000, duration("-00:00:01.5")
        (45, -1500000)
    """
    found = _TEXT.fullmatch(text)
    if found is None or not text:
        raise ValueError
    years, months, days, sign, hours, minutes, seconds, rest = found.groups()
    whole = (12 * int(years or 0) + int(months or 0)) * _MONTH + int(days or 0)
    clock = 3600 * int(hours or 0) + 60 * int(minutes or 0) + int(seconds or 0)
    micros = clock * 1_000_000 + int((rest or "0").ljust(6, "0"))
    return whole * _DAY + (-micros if sign else micros)
