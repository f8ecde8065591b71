"""A date as it is written: which of its pieces is the day, the month, the year, the weekday."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum, auto

from .calendars import is_weekday, month_like, month_number, ordinal, weekday_like

_PIECE = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_THREE = re.compile(r"\s*(\d{1,2})\s?([/.\-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})\.?\s*", re.ASCII)
_COMPACT = re.compile(r"(?:1[89]|20)\d{6}", re.ASCII)
_ORDINALS = frozenset("st nd rd th er".split())
_JOINING = frozenset("of the de del den le el am dem di in".split())
_EAST = {"年": "year", "월": "month", "月": "month", "日": "day", "일": "day", "년": "year"}
_PIVOT = 30  # 29 is 2029, 30 is 1930: which of the two matters for leap years only.
_COMMON_YEAR, _LEAP_YEAR = 2001, 2000


class DatePiece(Enum):
    """The kind of a piece of a date."""

    DAY = auto()
    MONTH = auto()
    MONTH_WORD = auto()
    YEAR = auto()
    WEEKDAY = auto()
    ORDINAL = auto()
    BETWEEN = auto()


Piece = tuple[DatePiece, str]


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """The pieces in their order, and their meaning. `day` and `year` are 0 where the date has
    none."""

    pieces: tuple[Piece, ...]
    year: int
    month: int
    day: int

    def moved(self, days: int) -> WrittenDate:
        """The date so many days later, in the same written form. A month without a day moves from
        its middle.

        Example:
            >>> read_date("Wednesday, February 2, 1994").moved(30).text
            'Friday, March 4, 1994'
            >>> read_date("05/26/86").moved(-26).text, read_date("June of 1993").moved(20).text
            ('04/30/86', 'July of 1993')
        """
        year = self.year or (_LEAP_YEAR if (self.month, self.day) == (2, 29) else _COMMON_YEAR)
        new = date(year, self.month, self.day or 15) + timedelta(days)
        pieces = tuple((role, self._rewritten(role, text, new)) for role, text in self.pieces)
        return WrittenDate(
            pieces, new.year if self.year else 0, new.month, new.day if self.day else 0
        )

    def to_month(self) -> str | None:
        """The date without its day; None where only a day and a number for the month would be left.

        Example:
            >>> [read_date(text).to_month() for text in ("February 2, 1994", "05/26/86", "1986-05-26", "3 May")]
            ['February, 1994', '05/86', '1986-05', 'May']
        """
        kept = [place for place, (role, _) in enumerate(self.pieces) if role in _KEPT_TO_MONTH]
        if not self.day:
            return self.text
        if not self.year:
            return next((text for role, text in self.pieces if role is DatePiece.MONTH_WORD), None)
        first, last = kept
        between = self.pieces[last - 1][1] if last - first > 1 else ""
        if self.pieces[first][0] is DatePiece.YEAR and last - first > 1:
            between = self.pieces[first + 1][1]
        east = self.pieces[last + 1][1][:1] if last + 1 < len(self.pieces) else ""
        return (
            self.pieces[first][1] + between + self.pieces[last][1] + (east if east in _EAST else "")
        )

    def to_year(self) -> str | None:
        return next((text for role, text in self.pieces if role is DatePiece.YEAR), None)

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)

    def _rewritten(self, role: DatePiece, text: str, new: date) -> str:
        if role is DatePiece.YEAR:
            return f"{new.year:04d}" if len(text) == 4 else f"{new.year % 100:02d}"
        if role in (DatePiece.DAY, DatePiece.MONTH):
            number = new.day if role is DatePiece.DAY else new.month
            return f"{number:02d}" if self._is_padded() else str(number)
        if role is DatePiece.MONTH_WORD:
            return month_like(text, new.month, short=DatePiece.BETWEEN not in dict(self.pieces))
        if role is DatePiece.WEEKDAY:
            return weekday_like(text, new.weekday()) if self.year else text
        return ordinal(new.day) if role is DatePiece.ORDINAL and text.lower() != "er" else text

    def _is_padded(self) -> bool:
        """Whether days and months have two digits: one begins with 0, or the year is first."""
        numbers = [text for role, text in self.pieces if role in (DatePiece.DAY, DatePiece.MONTH)]
        first = self.pieces[0][0] is DatePiece.YEAR and all(len(text) == 2 for text in numbers)
        return first or any(text[0] == "0" for text in numbers)


_KEPT_TO_MONTH = frozenset({DatePiece.MONTH, DatePiece.MONTH_WORD, DatePiece.YEAR})


def read_date(text: str, *, day_first: bool = False) -> WrittenDate | None:
    """The date, or None where it is not understood: then nobody knows how to replace it."""
    compact = _COMPACT.fullmatch(text)
    if compact:
        pieces = [
            (DatePiece.YEAR, text[:4]),
            (DatePiece.MONTH, text[4:6]),
            (DatePiece.DAY, text[6:]),
        ]
    else:
        found = _PIECE.findall(text)
        has_word = any(month_number(piece) for piece in found)
        pieces = _with_word(found) if has_word else _in_digits(found, day_first=day_first)
    return _checked(pieces)


def tells_order(texts: Iterable[str]) -> bool | None:
    """Whether days are before months in a document's dates, as those with a number over 12 show;
    None if none does.

    Example:
        >>> tells_order(["05/06/07", "26/05/86"]), tells_order(["05/26/86"]), tells_order(["05/06/07"])
        (True, False, None)
    """
    found = [match for match in map(_THREE.fullmatch, texts) if match]
    first, second = (
        any(int(match[1]) > 12 for match in found),
        any(int(match[3]) > 12 for match in found),
    )
    return None if first == second else first


def _with_word(found: list[str]) -> list[Piece]:
    """A month in letters: a number before or after it up to 31 is the day, one of four digits or
    the last the year."""
    pieces: list[Piece] = []
    seen: set[DatePiece] = set()
    for piece in found:
        role = _role_of_word(piece) if piece.isalpha() else DatePiece.BETWEEN
        if piece.isdecimal():
            small = (
                len(piece) <= 2
                and DatePiece.DAY not in seen
                and not (seen >= {DatePiece.MONTH_WORD} and pieces[-1][1][-1] in "'’")
            )
            role = DatePiece.DAY if small else DatePiece.YEAR
        if role is None or (role not in (DatePiece.BETWEEN, DatePiece.ORDINAL) and role in seen):
            return []
        seen.add(role)
        pieces.append((role, piece))
    return pieces


def _role_of_word(word: str) -> DatePiece | None:
    if month_number(word):
        return DatePiece.MONTH_WORD
    if is_weekday(word):
        return DatePiece.WEEKDAY
    if word.lower() in _ORDINALS:
        return DatePiece.ORDINAL
    return DatePiece.BETWEEN if word.lower() in _JOINING else None


def _in_digits(found: list[str], *, day_first: bool) -> list[Piece]:
    numbers = [piece for piece in found if piece.isdecimal()]
    if any(piece in _EAST for piece in found):
        return _eastern(found)
    if any(piece.isalpha() and not is_weekday(piece) for piece in found):
        return []
    roles = _roles_in_digits(numbers, dotted="." in "".join(found), day_first=day_first)
    if roles is None:
        return []
    rest = iter(roles)
    return [
        (
            next(rest)
            if piece.isdecimal()
            else DatePiece.WEEKDAY
            if piece.isalpha()
            else DatePiece.BETWEEN,
            piece,
        )
        for piece in found
    ]


def _roles_in_digits(
    numbers: list[str], *, dotted: bool, day_first: bool
) -> tuple[DatePiece, ...] | None:
    lengths = [len(number) for number in numbers]
    if len(numbers) == 2 and max(lengths) == 4 and min(lengths) <= 2:
        return (
            (DatePiece.YEAR, DatePiece.MONTH)
            if lengths[0] == 4
            else (DatePiece.MONTH, DatePiece.YEAR)
        )
    if len(numbers) not in (2, 3) or max(lengths[1:]) > 4 or sorted(lengths)[-2] > 2:
        return None
    if lengths[0] == 4:
        return (DatePiece.YEAR, DatePiece.MONTH, DatePiece.DAY)
    days_lead = int(numbers[0]) > 12 or (int(numbers[1]) <= 12 and (dotted or day_first))
    roles = (DatePiece.DAY, DatePiece.MONTH) if days_lead else (DatePiece.MONTH, DatePiece.DAY)
    return (*roles, DatePiece.YEAR) if len(numbers) == 3 else roles


def _eastern(found: list[str]) -> list[Piece]:
    named = {"year": DatePiece.YEAR, "month": DatePiece.MONTH, "day": DatePiece.DAY}
    following = [*found[1:], ""]
    after_blank = [*found[2:], "", ""]
    marks = [
        _EAST.get(one) or _EAST.get(other) or ""
        for one, other in zip(following, after_blank, strict=True)
    ]
    if any(piece.isalpha() and piece not in _EAST for piece in found):
        return []
    return [
        (named.get(mark, DatePiece.BETWEEN) if piece.isdecimal() else DatePiece.BETWEEN, piece)
        for piece, mark in zip(found, marks, strict=True)
    ]


def _checked(pieces: list[Piece]) -> WrittenDate | None:
    """The date that the pieces denote, if there is such a day."""
    said = {role: text for role, text in pieces if role is not DatePiece.BETWEEN}
    if sum(role is not DatePiece.BETWEEN for role, _ in pieces) != len(said):
        return None
    month = (
        int(said.get(DatePiece.MONTH, 0)) or month_number(said.get(DatePiece.MONTH_WORD, "")) or 0
    )
    year, day = said.get(DatePiece.YEAR, ""), int(said.get(DatePiece.DAY, 0))
    full = int(year or 0) if len(year) != 2 else int(year) + (2000 if int(year) < _PIVOT else 1900)
    if len(year) not in (0, 2, 4) or (not day and not full):
        return None
    try:
        date(full or _LEAP_YEAR, month, day or 15)
    except ValueError:
        return None
    return WrittenDate(tuple(pieces), full, month, day)
