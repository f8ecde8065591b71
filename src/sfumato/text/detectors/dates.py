"""Dates in the usual forms and many languages.

Dates with a month's name are found from that name outwards. It is looked up, then the day and
weekday before it and the day and year behind it are read. So all languages cost as much as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document, Word
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration
from .months import (
    DOUBTFUL,
    MONTHS,
    OTHER_WORDS,
    SHORT_MONTHS,
    VAGUE_BEFORE,
    VAGUE_LENGTH,
    WEEKDAYS,
)
from .spoken_numbers import WORD

_ORDINAL = r"(?:st|nd|rd|th|ST|ND|RD|TH|[erè]{1,3}|º|ª|\.|e)?"
_DAY = rf"(?:[12]\d|3[01]|0?[1-9])(?!\d){_ORDINAL}"
_AND = r"(?:\s?[-–—/,&+]\s?|\s(?:to|and|or|until|through|thru|und|bis|oder|et|au|ou|y|e|al?|en|tot|och|til|og|i|do)\s)"
_DAYS_BEFORE = re.compile(
    rf"(?<![\w.,/:$€£-])(?P<days>{_DAY}(?:{_AND}{_DAY}){{0,4}})"
    r"(?:\s{1,3}(?:day "
    r")?(?:of|de|d['’]|di|do|del|ב)?\s?|\s?[-/.]\s?|)(?:(?:early|late|mid)[- ])?\Z",
    re.IGNORECASE,
)
_WORD_DAY_BEFORE = re.compile(
    r"(?<!\w)(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|"
    r"thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth|"
    r"(?:twenty|thirty)-\w{4,7}) (?:day )?of \Z",
    re.IGNORECASE,
)
_WEEKDAY_BEFORE = re.compile(
    r"(?<!\w)(?P<day>[^\W\d_]{3,13}(?:-feira)?)\.?,?\s{1,2}(?:the |den |le |el |il |de |, )?\Z"
)
_YEAR = r"(?:1[6-9]|20)\d\d(?!\d)"
_SHORT_YEAR = (  # 12-Mar-02; 4 Jun 35 where no noun follows that it may count.
    r"(?<=[-/.])\d\d(?![\w:/-]|[.,]\d)|(?<=\d\s...\s)\d\d(?![.,]\d)"
    r"(?=[.,;)\n]|\Z|\s\s|\s(?:with|for|and|at|in|by|to|from|when|who|after|before|he|she|the)\s)"
)
_SPOKEN_YEAR = (
    rf"(?:eighteen|nineteen|twenty)[- ](?:hundred(?!\w)|(?:oh|o['’])[- ]?[a-z]{{3,5}}(?!\w)|{WORD})"
    rf"|two thousand(?:(?: and)? {WORD})?(?!\w)"
)
_YEAR_AFTER = (
    rf"(?:(?:,\s{{0,2}}|\s{{1,3}}|\s?[-/.]\s?)?(?:(?:of|in|de|del|do|anno|the year)\s)?"
    rf"(?P<year>{_YEAR}|['’]\d\d(?!\w)|{_SHORT_YEAR}|{_SPOKEN_YEAR})(?:\s?(?:г\.|года|r\.|AD|CE))?)?"
)
_AFTER_DAY = re.compile(rf"\.?{_YEAR_AFTER}", re.IGNORECASE)
_AFTER = re.compile(
    rf"\.?(?:(?:\s{{0,2}}[-/.]\s?|\s{{1,3}}(?:the )?)(?P<days>{_DAY}(?:{_AND}{_DAY}){{0,4}})"
    rf"(?!\w|[./:]\d|,\d{{3}}\b))?{_YEAR_AFTER}",
    re.IGNORECASE,
)
_ORDINAL_BEHIND = re.compile(r" \d{1,2}(?:st|nd|rd|th)(?!\w)")
_LISTED = re.compile(rf"{_AND}(?P<month>[^\W\d_]{{3,12}})(?!\w)")
_STOPPED = re.compile(r"\.\s*\n")
"""A sentence and a line end between a number and a month: "Apgars 8 and 9.", then "Gen:"."""
_MONTH_CUES = frozenset(
    "in since last this next early late mid until till by during through from of before "
    "after im seit en depuis desde "
    "em dal nel i fin early every past each for and to review reviewed seen visit clinic scan mri ct "
    "echo colonoscopy surgery appointment appt due rtc".split()
)
_SOLE = frozenset("january february july september october november december".split())
"""Months that are nobody's name and no other word: with a capital they mean the month anywhere."""
_ENGLISH_SHORT = frozenset("jan feb mar apr jun jul aug sep sept oct nov dec".split())
_MONTH_FIRST = MONTHS.keys() - frozenset(
    "janvier février fevrier avril mai juin juillet août aout septembre octobre décembre enero "
    "febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio "
    "febbraio aprile maggio giugno luglio settembre ottobre dicembre janeiro fevereiro março maio "
    "junho julho setembro outubro novembro dezembro januar februar märz juni juli oktober "
    "dezember".split()
)
"""Months that a day may follow: not those of languages that put the day first."""


class NamedMonthDates:
    """Dates with a month's name; the numeric ones, years and seasons have detectors of their
    own."""

    name = "dates"

    def bid(self, document: Document) -> Iterable[Bid]:
        for place in document.places(MONTHS):
            yield from self._around(document, place, document.word(place))

    def _around(self, document: Document, place: int, word: Word) -> Iterator[Bid]:
        text, month = document.text, word.text.lower()
        start, day_before = self._before(text, word.start)
        after = (_AFTER_DAY if day_before else _AFTER).match(text, word.end)
        if after is None:  # pragma: no cover - every part of the patterns may be absent
            return
        year = after["year"] is not None
        day = day_before or after["days"] is not None
        end = after.end() if year or (day and not day_before) else word.end
        counted = day_before and any(map(str.isalpha, text[start : word.start]))  # "13th", "of"
        behind = day and not day_before
        if not counted and not self._is_month(
            document, place, month, day=day, year=year, behind=behind
        ):
            return
        start = self._weekday(text, start) if day or year else start
        yield Bid(
            start,
            end,
            ReferenceKind.DATE,
            _score(word, day=day, year=year),
            self.name,
            _reason(day=day, year=year),
        )

    def _before(self, text: str, end: int) -> tuple[int, bool]:
        """Where the days before a month start, if there are any, and whether there are."""
        floor = max(0, end - 60)
        days = _DAYS_BEFORE.search(text, floor, end) or _WORD_DAY_BEFORE.search(text, floor, end)
        if days and not _STOPPED.search(days.group()):
            return days.start(), True
        vague = VAGUE_BEFORE.search(text, max(0, end - VAGUE_LENGTH), end)
        return (vague.start() if vague else end), False

    def _weekday(self, text: str, start: int) -> int:
        before = _WEEKDAY_BEFORE.search(text, max(0, start - 24), start)
        return before.start() if before and before["day"].lower() in WEEKDAYS else start

    def _is_month(
        self, document: Document, place: int, month: str, *, day: bool, year: bool, behind: bool
    ) -> bool:
        """Whether a word that is the name of a month means one here."""
        word = document.texts[place]
        if word.isupper() and month in SHORT_MONTHS.keys() - _ENGLISH_SHORT and not (day and year):
            return False  # "AVR 2011" is a valve, not a French April.
        if (
            month in OTHER_WORDS
            and not (day and year)
            and not (word[0].isupper() and month == "mar")
        ):
            return False
        if behind and not year and month not in _MONTH_FIRST:
            return False  # "Mayo 1" is a grade: where May is mayo, the day stands before it.
        if day or year:
            ordinal = _ORDINAL_BEHIND.match(document.text, document.ends[place]) is not None
            return word[0].isupper() or year or ordinal or month not in DOUBTFUL
        if month in SHORT_MONTHS or not (word[0].isupper() or month not in DOUBTFUL):
            return False
        if month in _SOLE and word[0].isupper():
            return True
        before = document.words_before(place)[:1]
        return (bool(before) and before[0] in _MONTH_CUES) or self._is_listed(document, place)

    def _is_listed(self, document: Document, place: int) -> bool:
        """Whether another month follows, as in "March, April and June 1989"."""
        following = _LISTED.match(document.text, document.ends[place])
        return following is not None and following["month"].lower() in MONTHS


def _score(word: Word, *, day: bool, year: bool) -> float:
    if day and year:
        return 0.98
    if day:
        return 0.88 if word.text[0].isupper() else 0.75
    return 0.8 if year else 0.45


def _reason(*, day: bool, year: bool) -> str:
    parts = ["a day"] * day + ["a month"] + ["a year"] * year
    return " and ".join(parts) if len(parts) > 1 else "a month after a word such as in or since"


DECLARATION = DetectorDeclaration(
    key="dates",
    doc="dates in words, in many languages",
    kinds=(ReferenceKind.DATE,),
    basis=Basis.FORM,
    make=NamedMonthDates,
    order=60,
    gives_way_below=0.6,
)
