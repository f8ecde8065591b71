"""Reading dates of several precisions, and windows of months counted from the year 0 with their
labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import HierarchyError

_YEAR = re.compile(r"[0-9]{4}")
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_STEP = re.compile(r"([1-9][0-9]{0,4}) (month|year)s?")
_NAMED = {"day": 0, "month": 1, "quarter": 3, "year": 12}
_CENTURY = 100
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, month or year: the months that it spans, counted from the year 0, and its ISO
    text."""

    first_month: int
    last_month: int
    text: str


Parser = Callable[[str], Moment | None]


def window_of_step(step: str) -> int:
    """The months of a step such as "quarter" or "5 years"; 0 for a day."""
    if step in _NAMED:
        return _NAMED[step]
    match = _STEP.fullmatch(step)
    if match is None:
        raise HierarchyError(
            f'"{step}" is not a step of a dates hierarchy.',
            found="The steps are day, month, quarter, year, N months and N years.",
            attempt='"5 years".',
        )
    return int(match[1]) * (12 if match[2] == "year" else 1)


def window_label(number: int, months: int) -> str:
    """The label of the window with that number.

    Example:
        >>> window_label(1965 * 4 + 2, 3), window_label(393, 60), window_label(1965 * 2, 6)
        ('1965-Q3', '1965-1969', '1965-01..1965-06')
    """
    first, last = number * months, (number + 1) * months - 1
    if months == 1:
        return _month(first)
    if months == 3:
        return f"{first // 12:04d}-Q{first % 12 // 3 + 1}"
    if months == 12:
        return f"{number:04d}"
    if months % 12 == 0:
        return f"{first // 12:04d}-{last // 12:04d}"
    return f"{_month(first)}..{_month(last)}"


def _month(month: int) -> str:
    return f"{month // 12:04d}-{month % 12 + 1:02d}"


def parser(form: str, *, last_year: int | None = None) -> Parser:
    """The reader for the dates of a field: as ISO, or in the format `form`."""
    return _formatted(form, last_year) if form else iso


def iso(text: str) -> Moment | None:
    """An ISO date or timestamp, a month such as 1965-09, or a year."""
    if _YEAR.fullmatch(text):
        return _moment(int(text), None, None)
    match = _MONTH.fullmatch(text)
    if match:
        return _moment(int(match[1]), int(match[2]), None)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _moment(found.year, found.month, found.day)


def months_of_days(values: Sequence[str | None]) -> NDArray[np.int64] | None:
    """The month of each ISO day, counted from the year 0, and -1 for null; None where a value is
    anything else. Millions of them are read at once.

    Example:
        >>> months_of_days(["0001-02-28", None]), months_of_days(["0001-02-30"])
        (array([13, -1]), None)
    """
    days = [value for value in values if value is not None]
    if {*map(len, days)} != {10}:
        return None
    signs = np.array(days, "U10").view(np.uint32).reshape(-1, 10)
    digits = signs[:, (0, 1, 2, 3, 5, 6, 8, 9)] - np.uint32(ord("0"))  # Below 0 is far above 9.
    if (digits > 9).any() or (signs[:, (4, 7)] != ord("-")).any():
        return None
    year = digits[:, :4].astype(np.int64) @ (1_000, 100, 10, 1)
    month, day = digits[:, 4:6] @ (10, 1), digits[:, 6:] @ (10, 1)
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    longest = np.array((0, *_LENGTHS))[np.where(month > 12, 0, month)] + (is_leap & (month == 2))
    if not ((year > 0) & (day > 0) & (day <= longest)).all():
        return None
    out = np.full(len(values), -1, np.int64)
    out[[value is not None for value in values]] = year * 12 + month - 1
    return out


def _formatted(form: str, last_year: int | None) -> Parser:
    has_day, has_month = _precision(form)

    def parse(text: str) -> Moment | None:
        try:
            found = datetime.strptime(text, form)
        except ValueError:
            return None
        year = found.year
        while last_year is not None and year > last_year:
            year -= _CENTURY
        return _moment(year, found.month if has_month else None, found.day if has_day else None)

    return parse


def _directives(form: str) -> set[str]:
    return set(re.findall(r"%[A-Za-z%]", form)) - {"%%"}


def _precision(form: str) -> tuple[bool, bool]:
    """Whether a format has the day, and the month."""
    used = _directives(form)
    has_day = bool(used & {"%d", "%j"})
    return has_day, bool(used & {"%m", "%b", "%B", "%j"})


def check_format(form: str, *, last_year: int | None) -> None:
    """Refuse a format that strptime does not know or that has no year, and a `last_year` that
    nothing needs."""
    used = _directives(form)
    if last_year is not None and "%y" not in used:
        raise HierarchyError(
            "last_year is for formats with a two-digit year, %y.", attempt="leaving it out."
        )
    if not form:
        return
    usable = bool(used & {"%Y", "%y"})
    try:
        if usable:  # Python 3.13 warns of formats without a year.
            datetime.strptime(datetime(2001, 2, 3).strftime(form), form)
    except ValueError:
        usable = False
    if not usable:
        raise HierarchyError(
            f'"{form}" is not a format of dates.',
            found="It must say the year, as %Y or %y, and use the directives of strptime.",
            attempt='"%m/%d/%Y".',
        )


def _moment(year: int, month: int | None, day: int | None) -> Moment:
    if month is None:
        return Moment(year * 12, year * 12 + 11, f"{year:04d}")
    first = year * 12 + month - 1
    return Moment(first, first, _month(first) if day is None else f"{_month(first)}-{day:02d}")
