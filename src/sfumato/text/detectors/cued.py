"""Numbers that only the words before them explain: "MRN 998877", "application no. 18403/91",
"Kontonummer: 4711".

A detector of this kind is a table of cues. For every code of the document the words before it are
looked up there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..bids import Bid
from ..documents import Code, Document
from ..kinds import ReferenceKind

MARKERS = frozenset(
    "number numbers no nos nr num nbr nº n id ids identifier identification code ref "
    "reference # no.: nummer numéro "
    "numero número nro nummern kennnummer".split()
)
LINKS = frozenset(
    "is was are were the of a an his her their my our your its for with as under by in to "
    "on has have and or & reads "
    "ends ending lautet ist est es è de la le el del der die das patient patient's".split()
)
STRANGER_COST = 0.12
"""The loss of score by every other word between a cue and its number."""

PUBLIC = frozenset(
    "law laws act article articles art section sections rule rules protocol regulation "
    "directive resolution "
    "paragraph paragraphs § chapter nct pmid pmcid doi isbn issn icd icd10 icd9 cpt hcpcs "
    "loinc snomed ndc grade "
    "type stage phase rs chromosome version page pages pp p vol volume figure fig table "
    "step room ward floor bed "
    "annex recommendation cap series decree ordinance amendment convention".split()
)
"""Numbered things that are nobody's: laws, pages, classifications, stages."""
MEASURED = frozenset("bp hr rr pulse pressure temp temperature spo2 sat weight wt bmi".split())
"""Labels of measurements: a number that follows one directly is nobody's."""

_UNITS = re.compile(
    r"[ -]?(?:[mkµμu]?g|mc?g|m?[lL]|dL|mmol|[mµμn]?mol|mEq|IU|[uU]nits?|mm|cm|km|kg|lbs?|%|percent|mmHg|bpm|°|"
    r"years?|months?|weeks?|days?|hours?|minutes?|times|tablets?|capsules?|doses?|pages?)(?![^\W\d])"
)

_RANGE = re.compile(r"[ ]?(?:-|–|—|to)[ ]?\d{1,6}(?:[.,]\d{1,3})?(?!\d)")
_RANGE_ENDS = re.compile(r"[ ]?(?:x ?10|[\])]|/)")


@dataclass(frozen=True, slots=True)
class Heard:
    """A cue before a code: its score there, and whether "number", "no.", "#" or a colon marks what
    follows as one."""

    score: float
    is_marked: bool


@dataclass(frozen=True)
class Cues:
    """Phrases of up to three words in small letters, each with the score of a number that follows
    it directly."""

    phrases: Mapping[str, float]

    @cached_property
    def _last_words(self) -> frozenset[str]:
        return frozenset(phrase.rsplit(" ", 1)[-1] for phrase in self.phrases)

    def before(self, document: Document, code: Code) -> Heard | None:
        """The nearest cue before a code in its sentence."""
        before = code.before
        if self._last_words.isdisjoint(before):
            return None
        marked = _is_marked(document, code.first)
        cost = 0.0
        for place, word in enumerate(before):
            score = self._score_at(before, place)
            if score is not None:
                return Heard(max(score - cost, 0.0), marked)
            if word in MARKERS:
                marked = marked or cost == 0.0
            elif word not in LINKS and not (word.isdecimal() and place):
                cost += STRANGER_COST
        return None

    def _score_at(self, before: tuple[str, ...], place: int) -> float | None:
        if before[place] not in self._last_words:
            return None
        for length in (3, 2, 1):
            score = self.phrases.get(" ".join(reversed(before[place : place + length])))
            if score is not None:
                return score
        return None


def _is_marked(document: Document, first: int) -> bool:
    """Whether a number sign or a colon is right before a word."""
    gap = document.gaps[first]
    return "#" in gap or ":" in gap or "№" in gap


def has_unit(text: str, end: int) -> bool:
    """Whether a unit follows, at once or behind the other end of a range. Then it is a dose, a
    length, a count or a laboratory's reference, and nobody's number.

    Example:
        >>> [has_unit(text, 2) for text in ("70 mg", "70 - 99 mg/dL", "70 - 99]", "70 - 99 Main St")]
        [True, True, True, False]
    """
    if _UNITS.match(text, end) is not None:
        return True
    range_ = _RANGE.match(text, end)
    if range_ is None:
        return False
    behind = range_.end()
    return _UNITS.match(text, behind) is not None or _RANGE_ENDS.match(text, behind) is not None


@dataclass(frozen=True)
class CuedNumbers:
    """A detector that is a table of cues: it bids for codes that follow one and look enough like a
    number."""

    name: str
    kind: ReferenceKind
    cues: Cues
    reason: str
    digits: int = 4
    """How many digits a number has at least that is not marked as one; marked ones have two
    characters."""

    def bid(self, document: Document) -> Iterable[Bid]:
        for code in document.codes:
            heard = self.cues.before(document, code)
            if heard is not None and self.could_be(document, code, heard):
                end = end_of_groups(document, code)
                yield Bid(code.start, end, self.kind, round(heard.score, 2), self.name, self.reason)

    def could_be(self, document: Document, code: Code, heard: Heard) -> bool:
        if len(code.text) > 40 or has_unit(document.text, code.end) or is_date_or_year(code.text):
            return False
        if not PUBLIC.isdisjoint(code.before[:2]) and not heard.score > 0.95:
            return False
        if code.before[0] in MEASURED or _AGE_AND_SEX.fullmatch(code.text):
            return False
        digits = sum(map(str.isdecimal, document.text[code.start : end_of_groups(document, code)]))
        return digits >= self.digits or (heard.is_marked and len(code.text) >= 2)


def end_of_groups(document: Document, code: Code) -> int:
    """Where a number ends that is written in groups: "252 359 045"; a year or a dose behind it is
    no part of it."""
    end = code.end
    for _ in range(4):
        group = _GROUP.match(document.text, end)
        if group is None or is_date_or_year(group[1]) or has_unit(document.text, group.end()):
            break
        end = group.end()
    return end


_AGE_AND_SEX = re.compile(r"[1-9]\d[MF]")
_GROUP = re.compile(r" (\d{3,5})(?![\w/:]|[.,-]\w)")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_DATE = re.compile(
    r"(?P<one>\d{1,2})[/.-](?P<two>\d{1,2})[/.-](?:\d\d){1,2}|(?:1[89]|20)\d\d[/.-](?P<month>\d{1,2})[/.-]\d{1,2}"
)


def is_date_or_year(text: str) -> bool:
    """Whether a code may be a date or a year; then another detector looks at it.

    Example:
        >>> is_date_or_year("1993"), is_date_or_year("05/26/86"), is_date_or_year("12-34-56")
        (True, True, False)
    """
    date = _DATE.fullmatch(text)
    if date is None:
        return _YEAR.fullmatch(text) is not None
    if date["month"]:
        return 1 <= int(date["month"]) <= 12
    return (
        min(int(date["one"]), int(date["two"])) <= 12
        and max(int(date["one"]), int(date["two"])) <= 31
    )


def cues(table: str) -> Cues:
    """Cues from lines of the form "0.9: mrn, medical record".

    Example:
        >>> sorted(cues("0.9: mrn, medical record").phrases)
        ['medical record', 'mrn']
    """
    return Cues({phrase: score for score, phrases in _lines(table) for phrase in phrases})


def _lines(table: str) -> Iterator[tuple[float, list[str]]]:
    for line in table.strip().splitlines():
        score, _, phrases = line.partition(":")
        yield float(score), [phrase.strip() for phrase in phrases.split(",") if phrase.strip()]
