"""Years and what is named by one: 1993, 1996/97, the 1990s, summer of 1974, Christmas 1995;
weekdays, holidays.

A year alone is not an identifier under Safe Harbor, and is one of many in a court's decision. These
score low, unless a season, holiday or birth makes them more specific."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Code, Document, Word
from ..kinds import ReferenceKind
from .cued import has_unit
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import bids_of, form
from .months import DAYS_OF_NOTE, FULL_WEEKDAYS, HOLIDAYS, SEASONS, VAGUE_BEFORE, VAGUE_LENGTH

_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_SPAN = re.compile(r"((?:1[6-9]|20)\d\d)[-/–‑]((?:1[6-9]|20)?\d\d|\d)")
_BIRTH = frozenset("born birth geboren né née nacido nacida nato nata".split())
_CUES = frozenset(
    "in since until till by of from during before after between and to around about circa "
    "early late mid year years "
    "fy through spring summer autumn fall winter im seit bis jahr en depuis desde año "
    "l'année anno dal em ano "
    "dall'anno nel i od do w roku vuonna år back".split()
)
_AGAINST = frozenset(
    "no nos number law act article articles section rule regulation resolution directive "
    "decree iso room suite page "
    "pages p pp windows model code mg ml units".split()
)
_FORMS = (
    form(
        r"[elmEL12](?<![\w.,/].)(?:(?<=[12])|(?:arly|ate|id|arly to mid"
        r"|id to late)[- ](?:the )?[12])[089]\d0['’]?s(?!\w)",
        0.4,
        "a decade",
        needs="0s|0's|0’s",
    ),
    form(
        r"[12](?<![\w.,/-]\d)[089]\d\d\s{0,2}(?:to|until|and|through|bis|et|y|al?|e|–|-|—)\s{0,2}(?:19"
        r"|20)\d\d(?![\w]|[.,/-]\d)",
        0.5,
        "from one year to another",
        check=lambda match: match.group()[:2] in ("18", "19", "20"),
    ),
    form(
        r"[QqTHh](?<!\w\w)[1-4][ /-]{0,2}(?:of )?(?:['’]\d\d|(?:19|20)\d\d)(?!\w)",
        0.6,
        "a quarter and a year",
    ),
)
_YEAR_AFTER = re.compile(
    r"(?: (?:Day|Eve|Sunday|Monday|break|season|holidays?|term|semester))?,?\s{1,2}(?:of\s|in\s|de\s|del\s"
    r"|the year\s)?(?P<year>(?:1[6-9]|20)\d\d|['’]\d\d)(?!\w|[.,/-]\d)"
)
_WHICH_BEFORE = re.compile(
    r"(?<!\w)(?:early|late|mid|last|next|this|the)[- ](?:the )?\Z", re.IGNORECASE
)
_WHICH_DAY = re.compile(r"(?<!\w)(?:last|next|this|every|each|past)\s\Z", re.IGNORECASE)
_ON_BEFORE = re.compile(
    r"(?<!\w)(?:on|by|last|next|this|since|every|until|before|after|am|le|el)\s\Z", re.IGNORECASE
)
_NOTED_DAY = re.compile(r"[DE](?<= [DE])(?:ay|ve)(?!\w)(?:,? (?:of |in )?(?P<year>(?:19|20)\d\d))?")


class Years:
    """Years, seasons, holidays and weekdays."""

    name = "years"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from bids_of(_FORMS, document, ReferenceKind.DATE, self.name)
        for code in document.codes:
            yield from self._year(document, code)
        for place in document.places(_NAMED):
            yield from self._named(document, document.word(place))
        yield from self._noted(document.text)

    def _year(self, document: Document, code: Code) -> Iterator[Bid]:
        before = code.before[:3]
        if _YEAR.fullmatch(code.text):
            if has_unit(document.text, code.end) or not _AGAINST.isdisjoint(before[:2]):
                return
            born = not _BIRTH.isdisjoint(before)
            score = 0.6 if born else 0.4 if before and before[0] in _CUES else 0.3
            vague = VAGUE_BEFORE.search(
                document.text, max(0, code.start - VAGUE_LENGTH), code.start
            )
            start = vague.start() if vague else code.start
            yield Bid(
                start,
                code.end,
                ReferenceKind.DATE,
                score,
                self.name,
                "a year of birth" if born else "a year",
            )
            return
        span = _SPAN.fullmatch(code.text)
        if (
            span
            and _is_later(span[1], span[2])
            and (len(span[2]) == 4 or _AGAINST.isdisjoint(before[:2]))
        ):
            score = 0.5 if len(span[2]) == 4 else 0.4
            yield Bid(
                code.start,
                code.end,
                ReferenceKind.DATE,
                score,
                self.name,
                "from one year to another",
            )

    def _named(self, document: Document, word: Word) -> Iterator[Bid]:
        """A season, holiday or weekday, with its year where there is one."""
        lower, text = word.text.lower(), document.text
        after = _YEAR_AFTER.match(text, word.end)
        if after:
            before = _WHICH_BEFORE.search(text, max(0, word.start - 12), word.start)
            start = before.start() if before and before.group().lower() != "the " else word.start
            yield Bid(
                start,
                after.end(),
                ReferenceKind.DATE,
                0.8,
                self.name,
                "a season or holiday and a year",
            )
        elif lower in FULL_WEEKDAYS and (
            word.text[0].isupper() or _ON_BEFORE.search(text, max(0, word.start - 7), word.start)
        ):
            which = _WHICH_DAY.search(text, max(0, word.start - 9), word.start)
            yield Bid(
                which.start() if which else word.start,
                word.end,
                ReferenceKind.DATE,
                0.4,
                self.name,
                "a weekday",
            )
        elif word.text[0].isupper() and lower in HOLIDAYS:
            yield Bid(word.start, word.end, ReferenceKind.DATE, 0.4, self.name, "a holiday")

    def _noted(self, text: str) -> Iterator[Bid]:
        """Days that are called so: New Year's Eve, Labor Day 2019."""
        for match in _NOTED_DAY.finditer(text):
            before = text[max(0, match.start() - 15) : match.start() - 1]
            for name in DAYS_OF_NOTE:
                if before.lower().endswith(name):
                    start = match.start() - 1 - len(name)
                    score = 0.8 if match["year"] else 0.4
                    yield Bid(
                        start,
                        match.end(),
                        ReferenceKind.DATE,
                        score,
                        self.name,
                        "a day with a name",
                    )
                    break


def _is_later(first: str, last: str) -> bool:
    """Whether the second year follows the first, also where only its last digits are written."""
    return int(first) < int(first[: 4 - len(last)] + last) or (
        len(last) == 2 and first[2:] == "99" and last == "00"
    )


_NAMED = SEASONS | HOLIDAYS | FULL_WEEKDAYS


DECLARATION = DetectorDeclaration(
    key="years",
    doc="years, seasons, weekdays and holidays",
    kinds=(ReferenceKind.DATE,),
    basis=Basis.FORM,
    make=Years,
    order=80,
    gives_way_below=ALWAYS,
)
