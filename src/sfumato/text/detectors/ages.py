"""Ages. Over 89 they identify (Safe Harbor, 45 CFR 164.514); others disclose little and score
low."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .cued import has_unit
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import form
from .spoken_numbers import WORD, number_of

LAST_ORDINARY = 89
OVER_89, OTHERS = 0.92, 0.35

_NUMBER = r"(?P<age>\d(?<![\w.,/:$€£+-]\d)\d{0,2})"
_PART = r"(?: and \d{1,2}/12| \d{1,2}/12|[.,]\d|\+? ?[½¼¾]?| and a half)"
TO_THE_MONTH = 0.8
"""An age in years and months discloses more than one in years, and its form is no other's."""
_FORMS = (
    form(
        rf"{_NUMBER}{_PART}(?:[- "
        r"]?(?P<unit>(?i:years?|yrs?|months?|mos?|mths?|weeks?|wks?|days?))\.?[- ]?(?i:old"
        rf"|of[- ]age)"
        r"|[- ]?[yY]\.?[/ ]?[oO]\.?(?!\w)|[- ]?yr?s?[- ]?old)(?:s(?!\w))?",
        OTHERS,
        "a number of years old",
        needs="old|OLD|yo|YO|y/o|Y/O|y.o|Y.O|of age|OF AGE|y o|of-age",
    ),
    form(
        rf"{_NUMBER}(?:[- ]?(?:years?|yrs?|y)\.?[- "
        r"](?:male|female|man|woman|boy|girl|M|F|gentleman|lady)(?!\w))",
        OTHERS,
        "a number of years before a word for a person",
        needs="year|yr|y ",
    ),
    form(
        rf"{_NUMBER}(?:[- ](?:jährig\w{{0,2}}|jarige|årig\w?)|[- ](?:Jahre alt|jaar oud|år "
        r"gammal|år gammel"
        rf"|años de edad|"
        r"anos de idade|anni d'età|ans(?!\w)|años(?!\w)|anni(?!\w)|anos(?!\w)|lat(?!\w)|yaşında))",
        OTHERS,
        "a number of years in another language",
        needs="jährig|jarige|årig|Jahre|jaar|år |ans|años|anos|anni|lat|yaş",
    ),
    form(
        r"(?P<age>[1-9](?<![\w.,/:$€£+-]\d)\d)M(?![\w-])",
        OTHERS,
        "a number and the letter for male",
    ),
    form(
        r"(?P<age>[1-9](?<![\w.,/:$€£+-]\d)\d)F(?![\w-])(?! "
        r"?(?:Foley|catheter|sheath|[Ff]rench|stent|probe))(?<!9\dF)",
        OTHERS,
        "a number and the letter for female",
    ),
    form(
        r"[Aa](?<!\w\w)[Gg][Ee](?:[SsDd]|d at)?(?i: of| is| was| "
        rf"at)?\s{{0,2}}[:=]?\s{{0,3}}(?P<found>"
        rf"(?P<age>\d{{1,3}}|{WORD})"
        r"(?:\.\d|,? and \d{1,2}(?!\d))?(?: years| yrs)?(?: old)?)(?!\w|[.,/]\d|-\d\d\d)",
        OTHERS,
        "follows age or aged",
    ),
    form(
        r"[HhSs](?<!\w\w)(?:[Ee]|[Hh][Ee]) (?i:is|was) (?:just "
        r")?(?P<found>(?P<age>\d{1,3}|ninety(?:-[a-z]{3,5})?))"
        r"(?=[.,;)!\n]|\Z)(?!\.\d"
        r"|,\d)",
        OTHERS,
        "a number that somebody is",
    ),
    form(
        r",(?<=\w,) (?P<found>(?P<age>[1-9]\d))(?=, "
        r"(?:a|an|of|from|is|was|who|has|lives|male|female)(?!\w))",
        OTHERS,
        "a number between commas behind a name",
    ),
    form(
        r"(?P<age>\d(?<![\w.,/-]\d)\d{1,2})(?:st|nd|rd|th)[- ][Bb]irthday",
        OTHERS,
        "a birthday with its number",
        needs="irthday",
    ),
    form(
        r"[Tt](?<!\w\w)(?i:urn(?:ed|s|ing)) "
        r"(?P<found>(?P<age>\d{1,3}|ninety(?:-[a-z]{3,5})?))(?!\w|[.,/%]\d|%)",
        OTHERS,
        "a number somebody turned",
        needs="urn|URN",
    ),
    form(
        r"[Ii](?<!\w\w)n (?:his|her|their|my) (?P<found>(?:early |mid |late |mid-|early-|late-)?"
        r"(?P<age>[1-9]0(?=['’]?s)|(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?=ies))(?:['’]?s|ies))(?!\w)",
        OTHERS,
        "a decade of life",
    ),
)
_NAMED = re.compile(r"[NCSncs](?<!\w\w)(?:onagenarian|entenarian|upercentenarian)s?(?!\w)")
_BEHIND = re.compile(
    r"[ymw](?<=[- ][ymw])(?:(?<=y)ears?|(?<=m)onths?|(?<=w)eeks?)(?:[- ]old|[- ]of[- ]age)(?!\w)"
)
_WORDS_BEFORE = re.compile(
    rf"(?<!\w)(?:(?:a|one)[- ]hundred(?: and)?[- ]?)?{WORD}?[- ]\Z", re.IGNORECASE
)


class Ages:
    """Ages in digits and words."""

    name = "ages"

    def bid(self, document: Document) -> Iterable[Bid]:
        for each in _FORMS:
            for match in each.matches(document):
                yield from self._checked(document, match, each.reason)
        yield from self._in_words(document.text)
        for match in _NAMED.finditer(document.text):
            yield Bid(
                *match.span(), ReferenceKind.AGE, OVER_89, self.name, "a word for somebody over 89"
            )

    def _checked(self, document: Document, match: re.Match[str], reason: str) -> Iterator[Bid]:
        groups = match.groupdict()
        decade = match.string.startswith("ies", match.end("age"))
        age = number_of(match["age"].lower() + "y" * decade)
        if age is None or age > 125:
            return
        start, end = match.span("found") if groups.get("found") else match.span()
        if groups.get("found") and "year" not in match["found"] and has_unit(document.text, end):
            return
        in_years = (groups.get("unit") or "y").lower().startswith("y")
        score = TO_THE_MONTH if "/12" in match.group() else _score(age if in_years else 0)
        yield Bid(start, end, ReferenceKind.AGE, score, self.name, reason)

    def _in_words(self, text: str) -> Iterator[Bid]:
        for behind in _BEHIND.finditer(text):
            words = _WORDS_BEFORE.search(text, max(0, behind.start() - 36), behind.start())
            age = number_of(words.group()) if words else None
            if words and age is not None and words.group().strip("- "):
                score = _score(age if behind.group().startswith("y") else 0)
                yield Bid(
                    words.start(),
                    behind.end(),
                    ReferenceKind.AGE,
                    score,
                    self.name,
                    "a number of years old in words",
                )


def _score(age: int) -> float:
    return OVER_89 if age > LAST_ORDINARY else OTHERS


DECLARATION = DetectorDeclaration(
    key="ages",
    doc="ages; those under 90 score low",
    kinds=(ReferenceKind.AGE,),
    basis=Basis.FORM,
    make=Ages,
    order=110,
    gives_way_below=ALWAYS,
)
