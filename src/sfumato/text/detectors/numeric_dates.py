"""Dates in digits: 05/26/86, 26.5.1986, 1986-05-26, 19860526, 26MAY1986, 06/1993, "on 5/26"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Code, Document
from ..kinds import ReferenceKind
from .cued import cues, has_unit
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import bids_of, form
from .months import MONTHS

_NOT_IN = r"(?<![\w/.,:$€£+-]\d)"
_CUES = cues(
    """
    0.9: dob, birth, born, birthdate, birthday, date, dated, doa, dod, dos, admitted, discharged, admission, discharge
    0.9: geboren, geb, né, née, naissance, nacimiento, nascita, nascimento, geboortedatum, geburtsdatum, datum, fecha
    0.9: data
    0.7: period, printed, signed, dictated, on, since, until, visit, seen, surgery, expires, exp, expiry, due
    0.7: scheduled, appointment, died, deceased, effective, before, after, from, through, starting, started, last, next
    0.7: am, vom, seit, bis, le, el, del, lmp, edd, collected
    """
)
_SCORES = frozenset(
    "strength power pulses reflexes murmur vision pain score scored grade bp pressure "
    "rated scale apgar rating test "
    "va gcs motor stage sensation dtrs pulse fundal years year age aged".split()
)
_COMPACT = re.compile(r"(?P<year>1[89]\d\d|20\d\d)(?P<one>\d\d)(?P<two>\d\d)")
_COMPACT_LAST = re.compile(r"(?P<one>\d\d)(?P<two>\d\d)(?P<year>(?:1[89]|20)\d\d|\d\d)")
_TWO = re.compile(r"(?P<one>\d{1,2})[/-](?P<two>\d{1,2})")


def _is_day_and_month(match: re.Match[str]) -> bool:
    one, two = int(match["one"]), int(match["two"])
    return min(one, two) >= 1 and max(one, two) <= 31 and min(one, two) <= 12


def _is_full(match: re.Match[str]) -> bool:
    """Numbers such as 5-10-15 or 1.10.12 are no dates: a year of two digits asks for slashes or two
    digits of each."""
    if not _is_day_and_month(match) or (
        len(match["year"]) == 4 and not 1800 <= int(match["year"]) < 2100
    ):
        return False
    return len(match["year"]) == 4 or "/" in match["joint"] or len(match["one"] + match["two"]) == 4


def _is_year_first(match: re.Match[str]) -> bool:
    return (
        match["year"][:2] in ("18", "19", "20")
        and int(match["one"]) <= 12
        and _is_day_and_month(match)
    )


def _is_named(match: re.Match[str]) -> bool:
    return match["month"].lower() in MONTHS and 1 <= int(match["day"]) <= 31


def _is_month(match: re.Match[str]) -> bool:
    return 1 <= int(match["month"]) <= 12


_FORMS = (
    form(
        rf"(?P<one>\d{_NOT_IN}\d?)(?P<joint>\s?[/.-]\s?)(?P<two>\d{{1,2}})(?P=joint)(?P<year>\d{{4}}|\d\d)"
        r"(?![\w/]|[.,-]\d)",
        0.94,
        "day, month and year in digits",
        check=_is_full,
    ),
    form(
        rf"(?P<year>[12]{_NOT_IN}[089]\d\d)([-/.])(?P<one>\d{{1,2}})\2(?P<two>\d{{1,2}})(?!\d|[./-]\d)",
        0.96,
        "year, month and day in digits",
        check=_is_year_first,
    ),
    form(
        rf"(?P<day>\d{_NOT_IN}\d?)(?P<month>[A-Za-zäéû]{{3,9}})(?:(?:1[89]|20)\d\d|\d\d)(?!\w|[.,:/-]\d)",
        0.95,
        "day, month and year without blanks",
        check=_is_named,
    ),
    form(
        rf"(?P<month>\d{_NOT_IN}\d?)\s?[/.-]\s?(?:19|20)\d\d(?![\w/]|[.,-]\d)",
        0.7,
        "month and year in digits",
        check=_is_month,
    ),
    form(
        r"\d(?<!\d\d)\d{3}\s?[年년](?:\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일])?)?",
        0.9,
        "year, month and day in East Asia",
    ),
)


class NumericDates:
    """Dates in digits. What may as well be a score, a dose or a fraction counts only after a word
    such as "on"."""

    name = "numeric dates"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from bids_of(_FORMS, document, ReferenceKind.DATE, self.name)
        for code in document.codes:
            if 3 <= len(code.text) <= 8 and (code.text.isdecimal() or len(code.text) <= 5):
                yield from self._short(document, code)

    def _short(self, document: Document, code: Code) -> Iterator[Bid]:
        compact = _COMPACT.fullmatch(code.text)
        if compact and _is_year_first(compact):
            score = 0.9 if _CUES.before(document, code) else 0.55
            yield Bid(
                code.start,
                code.end,
                ReferenceKind.DATE,
                score,
                self.name,
                "year, month and day without a joint",
            )
            return
        match = _COMPACT_LAST.fullmatch(code.text) or _TWO.fullmatch(code.text)
        heard = _CUES.before(document, code) if match and _is_day_and_month(match) else None
        if match and heard is None and _is_day_and_month(match) and _is_line(document.text, code):
            yield Bid(
                code.start,
                code.end,
                ReferenceKind.DATE,
                0.6,
                self.name,
                "digits in a line of their own",
            )
        if (
            not match
            or heard is None
            or has_unit(document.text, code.end)
            or not _SCORES.isdisjoint(code.before[:3])
        ):
            return
        if match.re is _TWO:
            near = bool(code.before) and code.before[0] in _CUES.phrases
            score = heard.score - (0.0 if near and "/" in code.text else 0.3)
        else:
            score = heard.score if heard.score >= 0.8 else 0.0
        if score > 0.3:
            yield Bid(
                code.start,
                code.end,
                ReferenceKind.DATE,
                score,
                self.name,
                "digits after a word that a date follows",
            )


def _is_line(text: str, code: Code) -> bool:
    """Whether a code with a slash has a line for itself, as the date of a letter has."""
    alone = text[code.start - 1 : code.start] in ("", "\n") and text[code.end : code.end + 1] in (
        "\r",
        "\n",
    )
    return alone and "/" in code.text


DECLARATION = DetectorDeclaration(
    key="numeric dates",
    doc="dates in digits",
    kinds=(ReferenceKind.DATE,),
    basis=Basis.FORM,
    make=NumericDates,
    order=70,
    gives_way_below=ALWAYS,
)
