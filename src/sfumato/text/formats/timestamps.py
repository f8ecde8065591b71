"""Timestamps of records: the day is a date that moves, the time of day behind it stays."""

from __future__ import annotations

import re

_STAMP = re.compile(r"(\s*(?:\d{8}|\d{4}-\d{2}-\d{2}))((?:T|\d|[ ]\d)[\dT:.+Z ,-]{1,30})?(\s*)")


def day_and_time(value: str) -> tuple[str, str]:
    """The day of a timestamp, and what follows it.

    Example:
        >>> day_and_time("20240105103000+0100"), day_and_time("2024-01-05"), day_and_time("1980")
        (('20240105', '103000+0100'), ('2024-01-05', ''), ('1980', ''))
    """
    found = _STAMP.fullmatch(value)
    return (found[1], (found[2] or "") + found[3]) if found else (value, "")
