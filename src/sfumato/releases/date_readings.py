"""Every date that a text may mean: orders of day and month, names of months, short years, weeks, days
of the year, and the numbers of spreadsheets.

Texts are read as `plain_letters` writes them. A date is eight digits. A text with
dates has several readings where a date has them: the first has day before month and the time of day,
the others have month or year first, another century, or no time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import Final

from sfumato.confusables import skeleton

FIRST_SERIAL, LAST_SERIAL = 3_654, 49_673
"""Spreadsheets count days since 1899-12-30; these are the years 1910 to 2035. Smaller and larger
numbers are taken as numbers alone."""
LAST_SHORT_YEAR: Final = 2035
"""A year of two digits is of the 20th century, or of the 21st up to this one."""
MOST_READINGS: Final = 8
_DAY_ZERO: Final = date(1899, 12, 30).toordinal()
_YEAR: Final = r"(?P<year>[12][0-9]{3})"
_MARK: Final = "(?P<mark>[-/.] ?| )"
_TIME: Final = (
    r"(?:(?:[t ]+|, ?)(?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?P<zone>z|utc|gmt|[-+][0-9]{2}:?[0-9]{2}))?(?![a-z]))?"
)
_WORD: Final = r"(?P<name>[^\W\d_]{3,})"
_OF: Final = r"(?:(?:de|del|of|den) )?"
_SIGNS: Final = [f"(?:{one}|{skeleton(other)})" for one, other in ("年년", "月월", "日일")]
_YEAR_FIRST: Final = re.compile(
    rf"(?<![0-9]){_YEAR}{_MARK}(?P<month>[01]?[0-9])(?P=mark)(?P<day>[0-3]?[0-9])(?![0-9]){_TIME}"
)
_COMPACT: Final = re.compile(
    rf"(?<![0-9]){_YEAR}(?P<month>[01][0-9])(?P<day>[0-3][0-9])(?![0-9]){_TIME}"
)
_YEAR_LAST: Final = re.compile(
    rf"(?<![0-9])(?P<day>[0-9]{{1,2}}){_MARK}(?P<month>[0-9]{{1,2}})(?P=mark)"
    rf"(?P<year>[12][0-9]{{3}}|[0-9]{{2}})(?![0-9]){_TIME}"
)
_SIGNED: Final = re.compile(
    rf"(?<![0-9]){_YEAR} ?{_SIGNS[0]} ?(?P<month>[0-9]{{1,2}}) ?{_SIGNS[1]} ?"
    rf"(?P<day>[0-9]{{1,2}}) ?{_SIGNS[2]}{_TIME}"
)
_ALONE, _ENDED = r"(?<![^\W_])", r"(?![0-9]|(?!t[0-9])[^\W_])"
"""Names of months are also letters of long numbers in base 16."""
_DAY_NAME: Final = re.compile(
    rf"{_ALONE}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|er)?[-/., ]{{0,2}}{_OF}{_WORD}\.?[-/., ']{{0,2}}"
    rf"{_OF}(?P<year>[12][0-9]{{3}}|[0-9]{{2}}){_ENDED}{_TIME}"
)
_NAME_DAY: Final = re.compile(
    rf"{_ALONE}{_WORD}\.?[-/ ]{{0,2}}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?[-/., ']{{1,2}}"
    rf"(?P<year>[12][0-9]{{3}}|[0-9]{{2}}){_ENDED}{_TIME}"
)
_YEAR_NAME: Final = re.compile(
    rf"{_ALONE}{_YEAR}[-/., ]{{0,2}}{_WORD}\.?[-/., ]{{0,2}}(?P<day>[0-9]{{1,2}}){_ENDED}{_TIME}"
)
_DAY_OF_YEAR: Final = re.compile(rf"(?<![0-9]){_YEAR}-(?P<days>[0-3][0-9]{{2}})(?![0-9]){_TIME}")
_WEEK: Final = re.compile(
    rf"(?<![0-9]){_YEAR}-?w(?P<week>[0-5][0-9])-?(?P<weekday>[1-7])(?![0-9]){_TIME}"
)
_WITHOUT_NAMES: Final = (_YEAR_FIRST, _YEAR_LAST, _COMPACT, _DAY_OF_YEAR, _WEEK, _SIGNED)
_WITH_NAMES: Final = (_DAY_NAME, _NAME_DAY, _YEAR_NAME)
_POSSIBLE: Final = re.compile(
    rf"[0-9](?:[-/.] ?| )[0-9w]|[12][0-9]{{7}}|[12][0-9]{{3}}w[0-9]|{_SIGNS[0]}"
)
"""Every date without the name of a month has this; most keys do not."""
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
_DASHES: Final = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))


def plain_letters(text: str) -> str:
    """A text without case, accents and scripts, in which every dash is a hyphen.

    Example:
        >>> plain_letters("Ä\u22127")
        'a-7'
    """
    return text.lower() if text.isascii() else skeleton(text).translate(_DASHES)


def with_dates(text: str) -> tuple[str, ...]:
    """The readings of a text in small plain letters, with its dates as eight digits; the text alone
    where it has none.

    Example:
        >>> with_dates("ann 1 march 1980"), with_dates("03/01/1980"), with_dates("a-7")
        (('ann 19800301',), ('19800103', '19800301'), ('a-7',))
    """
    forms = [*(_WITH_NAMES if _LETTERS.search(text) else ())]
    forms += _WITHOUT_NAMES if _POSSIBLE.search(text) else ()
    pieces: list[tuple[str, ...]] = [(text,)]
    for form in forms:
        pieces = [part for piece in pieces for part in _parted(piece, form)]
    if len(pieces) == 1 and len(pieces[0]) == 1 and pieces[0][0] == text:
        return (text,)
    many = min(max(map(len, pieces)), MOST_READINGS)
    made = ("".join(each[min(at, len(each) - 1)] for each in pieces) for at in range(many))
    return tuple(dict.fromkeys(map(_without_weekdays, made)))


def serial_date(number: int) -> str:
    """The date that a spreadsheet shows for a number; empty for numbers that are rarely dates.

    Example:
        >>> serial_date(29281), serial_date(7)
        ('19800301', '')
    """
    if not FIRST_SERIAL <= number <= LAST_SERIAL:
        return ""
    return _written(date.fromordinal(_DAY_ZERO + number))


def dates_meant(text: str) -> frozenset[date]:
    """Every day that a whole text may mean; none where it is no date.

    Example:
        >>> sorted(map(str, dates_meant("03/01/1980")))
        ['1980-01-03', '1980-03-01']
    """
    plain = plain_letters(text.strip())
    found = {each.partition("t")[0].strip(" ,.") for each in with_dates(plain)}
    if plain.isdigit() and len(plain) == 5:
        found.add(serial_date(int(plain)))
    return frozenset(filter(None, map(_day, found)))


def _day(digits: str) -> date | None:
    try:
        return date.fromisoformat(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")
    except ValueError:
        return None


def _parted(piece: tuple[str, ...], form: re.Pattern[str]) -> Iterator[tuple[str, ...]]:
    """A piece of text in parts: the readings of its dates, and the texts between them."""
    if len(piece) > 1 or not piece[0]:  # It is a date already.
        yield piece
        return
    (text,) = piece
    end = 0
    for match in form.finditer(text):
        if readings := _readings(match):
            yield (text[end : match.start()],)
            yield readings
            end = match.end()
    yield (text[end:],) if end else piece


def _readings(match: re.Match[str]) -> tuple[str, ...]:
    days = [_written(each) for each in dict.fromkeys(_days(match))]
    if not days:
        return ()
    time = _time(match)
    out = [f"{each}t{time}" for each in days] if time else []
    out += days
    if match["zone"] and time and int(time[:2].ljust(2, "0")) >= 10:  # Midnight in another zone.
        out += [_written(each + timedelta(1)) for each in _days(match)]
    return tuple(dict.fromkeys(out))


def _days(match: re.Match[str]) -> Iterator[date]:
    """Every day that a match may mean, day before month first."""
    part = match.groupdict()
    if "week" in part or "days" in part:
        yield from _counted_day(part)
        return
    day, year = part["day"], part["year"]
    if "name" in part:
        month = str(_months().get(part["name"], 0))
        orders = [(year, month, day)] + ([(day, month, year)] if len(year) == 2 else [])
    elif match.re is _YEAR_LAST:
        month = part["month"]
        orders = [(year, month, day), (year, day, month)]
        orders += [(day, month, year), (day, year, month)] if len(year) == 2 else []
    else:
        orders = [(year, part["month"], day)]
    for first, second, third in orders:
        for whole in _years(first):
            try:
                yield date(whole, int(second), int(third))
            except ValueError:
                continue


def _counted_day(part: dict[str, str]) -> Iterator[date]:
    """A day of a week, or of a year."""
    year = int(part["year"])
    try:
        if "week" in part:
            yield date.fromisocalendar(year, int(part["week"]), int(part["weekday"]))
        elif (found := date(year, 1, 1) + timedelta(int(part["days"]) - 1)).year == year:
            yield found
    except ValueError:
        return


def _years(text: str) -> tuple[int, ...]:
    if len(text) == 4:
        return (int(text),)
    if len(text) != 2:
        return ()
    early, late = 1900 + int(text), 2000 + int(text)
    return (early, late) if late <= LAST_SHORT_YEAR else (early,)


def _time(match: re.Match[str]) -> str:
    """The digits of a time of day, without zeros at the end; empty for midnight and no time."""
    if not match["time"]:
        return ""
    hour, _, rest = match["time"].partition(":")
    number = int(hour)
    if match["half"]:
        number = number % 12 + (12 if match["half"] == "p" else 0)
    return f"{number:02}{re.sub('[^0-9]', '', rest)}".rstrip("0")


def _written(day: date) -> str:
    return f"{day.year:04}{day.month:02}{day.day:02}"


def _without_weekdays(text: str) -> str:
    return _LETTERS.sub(lambda found: "" if found[0] in _weekdays() else found[0], text)


@cache
def _months() -> dict[str, int]:
    from sfumato.text.detectors import MONTHS  # Needed for few keys.

    return {skeleton(word): number for word, number in MONTHS.items()}


@cache
def _weekdays() -> frozenset[str]:
    from sfumato.text.detectors import WEEKDAYS

    return frozenset(map(skeleton, WEEKDAYS))
