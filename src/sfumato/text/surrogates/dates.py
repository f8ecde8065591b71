"""Dates: shifted by the person's number of days, or cut to the month or the year, in the form they
were written in.

Other names of a day, such as a holiday, or two days at once, are cut to their year; without one it
is suppressed. A date that discloses no more than the style keeps stays: "June of 1993" where dates
are cut to the month (Sweeney 2000, Fig. 22). A year alone stays under every style but suppression,
unless the shift moves the middle of it into another."""

from __future__ import annotations

import re
from datetime import date, timedelta

from .calendars import ENGLISH
from .styles import DateStyle
from .written_dates import WrittenDate, read_date

_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)", re.ASCII)
_YEARS_ONLY = re.compile(
    r"(?:the |from |between |early |mid |late |year )*(?:1[6-9]|20)\d\d['’]?s?"
    r"(?:(?: ?[-–—/] ?| to | until | and | through | bis | et | y "
    r")(?:(?:1[6-9]|20)\d\d['’]?s?|\d\d))?",
    re.IGNORECASE | re.ASCII,
)
_SHORT_END = re.compile(r"(?<=[/–-])\d\d\Z", re.ASCII)
_MIDDLE = (6, 30)
LONGEST = 100


def date_surrogate(
    value: str, *, style: DateStyle, days: int = 0, day_first: bool = False
) -> str | None:
    """The replacement of a date, in its own form where that is known; None where it is to be
    suppressed.

    Example:
        >>> date_surrogate("Wednesday, February 2, 1994", style=DateStyle.SHIFT, days=-2)
        'Monday, January 31, 1994'
        >>> [date_surrogate(text, style=DateStyle.MONTH) for text in ("05/26/86", "June of 1993", "Christmas 1995")]
        ['05/86', 'June of 1993', '1995']
    """
    if style is DateStyle.SUPPRESS or len(value) > LONGEST:
        return None
    moved = days if style is DateStyle.SHIFT else 0
    if _YEARS_ONLY.fullmatch(value.strip()):
        return _years_moved(value, moved)
    written = read_date(value, day_first=day_first)
    if written is not None:
        return _in_style(written, style, moved)
    years = _YEAR.findall(value)
    return _years_moved(years[0], moved) if years and not _is_number(value) else None


def _in_style(written: WrittenDate, style: DateStyle, days: int) -> str | None:
    if style is DateStyle.YEAR:
        return written.to_year()
    if style is DateStyle.MONTH:
        return written.to_month() or ENGLISH[written.month - 1].capitalize()
    try:
        out = written.moved(days).text
    except (OverflowError, ValueError):
        return None
    return (
        None if out == written.text and written.day else out
    )  # A day without its year comes back after a year.


def _years_moved(text: str, days: int) -> str:
    """Every year in the text to the one in which its middle falls."""

    def moved(year: int) -> int:
        return (date(year, *_MIDDLE) + timedelta(days)).year

    first = _YEAR.search(text)
    out = _YEAR.sub(lambda found: str(moved(int(found.group()))), text)
    if first is None:
        return out
    century = int(first.group()) // 100 * 100
    return _SHORT_END.sub(lambda found: f"{moved(century + int(found.group())) % 100:02d}", out)


def _is_number(value: str) -> bool:
    """Digits alone, in which four may look like a year by chance."""
    return not any(map(str.isalpha, value))
