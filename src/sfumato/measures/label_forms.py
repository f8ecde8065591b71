"""Labels as a recipient reads them without a hierarchy: ranges of numbers and dates, sets of
values, prefixes.

A label of the policy's hierarchies is read from them. This is for other labels: those that a local
solver or another tool made, or those of a release whose policy is not at hand."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from math import inf

from sfumato.hierarchies import iso

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_PLAIN = re.compile(_NUMBER)
_DASHED = re.compile(r"([0-9]+(?:\.[0-9]+)?)-([0-9]+(?:\.[0-9]+)?)")
_DOTTED = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_HALF_OPEN = re.compile(rf"[\[(]({_NUMBER}), ?({_NUMBER})[\])]")
_BELOW = re.compile(rf"(?:<|<=|≤) ?({_NUMBER})")
_FROM = re.compile(rf"(?:>|>=|≥) ?({_NUMBER})")
_QUARTER = re.compile(r"([0-9]{4})-Q([1-4])")
_YEARS = re.compile(r"([0-9]{4})-([0-9]{4})")
_MEMBER = re.compile(r'"((?:[^"]|"")*)"|([^,{}"]+)')

_EPOCH, _DAY = datetime(1970, 1, 1), timedelta(days=1)

Bounds = tuple[float, float]


def as_number(text: str) -> float | None:
    """The number in a text, written plainly; None where there is none.

    Example:
        >>> as_number("39"), as_number("1e2"), as_number("nan"), as_number("1_000")
        (39.0, 100.0, None, None)
    """
    return float(text) if _PLAIN.fullmatch(text.strip()) else None


def as_days(text: str) -> float | None:
    """A date or a moment as days since 1970-01-01; None where it is neither.

    Example:
        >>> as_days("1970-01-03"), as_days("1970-01-01 12:00:00"), as_days("1970")
        (2.0, 0.5, None)
    """
    if len(text) < 10:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if found.tzinfo is not None:
        found = found.replace(tzinfo=None)
    return (found - _EPOCH) / _DAY


def number_bounds(label: str) -> Bounds | None:
    """The lowest and the highest number of a label that is a range; None where it is none.

    Example:
        >>> number_bounds("20-24"), number_bounds("[20, 25)"), number_bounds("17..23"), number_bounds("≥90")
        ((20.0, 24.0), (20.0, 25.0), (17.0, 23.0), (90.0, inf))
    """
    for form in (_DASHED, _DOTTED, _HALF_OPEN):
        found = form.fullmatch(label)
        if found and float(found[1]) <= float(found[2]):
            return float(found[1]), float(found[2])
    found = _BELOW.fullmatch(label)
    if found:
        return -inf, float(found[1])
    found = _FROM.fullmatch(label)
    return (float(found[1]), inf) if found else None


def excludes_its_end(label: str) -> bool:
    """Whether the highest number that a range names is no longer in it."""
    return label.endswith(")") or (label.startswith("<") and not label.startswith("<="))


def date_bounds(label: str) -> Bounds | None:
    """The first and the last day of a label that is a month, a quarter, a year, years, or from one
    to another.

    Example:
        >>> date_bounds("1970"), date_bounds("1970-02"), date_bounds("1970-Q1"), date_bounds("1970-01-01..1970-01-31")
        ((0.0, 364.0), (31.0, 58.0), (0.0, 89.0), (0.0, 30.0))
    """
    quarter, years = _QUARTER.fullmatch(label), _YEARS.fullmatch(label)
    if quarter:
        first = int(quarter[1]) * 12 + 3 * (int(quarter[2]) - 1)
        return _months(first, first + 2)
    if years:
        return _months(int(years[1]) * 12, int(years[2]) * 12 + 11)
    low, dots, high = label.partition("..")
    start, end = _moment(low), _moment(high) if dots else _moment(low)
    if start is None or end is None or (not dots and as_days(label) is not None):
        return None
    return start[0], end[1]


def _moment(text: str) -> Bounds | None:
    days = as_days(text)
    if days is not None:
        return days, days
    found = iso(text)
    return _months(found.first_month, found.last_month) if found else None


def _months(first: int, last: int) -> Bounds | None:
    try:
        start, after = _first_day(first), _first_day(last + 1)
    except ValueError:
        return None
    return float(start), float(after - 1)


def _first_day(month: int) -> int:
    return (date(month // 12, month % 12 + 1, 1) - date(1970, 1, 1)).days


def members_of(label: str) -> tuple[str, ...]:
    """The values of a set such as {a, "b, c"}; none where the label is no set.

    Example:
        >>> members_of('{a, "b, c", null}'), members_of("a")
        (('a', 'b, c', 'null'), ())
    """
    if len(label) < 3 or not (label.startswith("{") and label.endswith("}")):
        return ()
    found = (
        (quoted.replace('""', '"'), plain.strip()) for quoted, plain in _MEMBER.findall(label[1:-1])
    )
    return tuple(quoted or plain for quoted, plain in found if quoted or plain)


def prefix_of(label: str) -> str:
    """The characters before the stars of a label such as 021**; nothing where there are none, or
    nothing else.

    Example:
        >>> prefix_of("021**"), prefix_of("*"), prefix_of("021")
        ('021', '', '')
    """
    return label.rstrip("*") if label.endswith("*") else ""
