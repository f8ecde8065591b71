"""Postal codes of many countries; most are numbers that only a town, a region or a label beside
them explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import countries, folded, region_codes, regions, towns, zip_codes
from ..word_reading import WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration

_FORMS = (
    (
        re.compile(
            r"(?:GIR ?0AA|(?:[A-PR-UWYZ][0-9]{1,2}|[A-PR-UWYZ][A-HK-Y][0-9]{1,2}|[A-PR-UWYZ][0-9][A-HJKSTUW]|"
            r"[A-PR-UWYZ][A-HK-Y][0-9][ABEHMNPRVWXY]) ?[0-9][ABD-HJLNP-UW-Z]{2})(?![\w-])"
        ),
        0.9,
        "a British postcode",
    ),
    (
        re.compile(
            r"[ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z][ -]?[0-9][ABCEGHJ-NPRSTV-Z][0-9](?![\w-])"
        ),
        0.93,
        "a Canadian postal code",
    ),
    (
        re.compile(r"[1-9][0-9]{3} ?[A-RT-Z][A-Z](?![\w-])(?=,? +[A-Z'’])"),
        0.8,
        "a Dutch postcode before a town",
    ),
    (
        re.compile(
            r"(?:[AC-FHKNPRTV-Y][0-9]{2}|D6W) "
            r"?(?=[0-9]{0,3}[AC-FHKNPRTV-Y])[0-9AC-FHKNPRTV-Y]{4}(?![\w-])"
        ),
        0.75,
        "an Irish postcode",
    ),
)
_COUNTRY_LETTERS = frozenset(
    "a b ch cz d de dk e es f fi fr h i it l lt lv n nl no pl pt ro s se sk si".split()
)
_SHAPED = re.compile(
    r"(?:[0-9]{2}-[0-9]{3}|[0-9]{3} "
    r"[0-9]{2}|[0-9]{5}-[0-9]{3}|[0-9]{4}-[0-9]{3}|[0-9]{3}-[0-9]{4})(?![\w/-]|[.,][0-9])"
)
_NUMBER = re.compile(r"[0-9]{4,6}(?:-[0-9]{4})?(?![\w/-]|[.,][0-9])")
_LABEL = re.compile(
    r"(?:zip(?:[ -]?codes?)?|post(?:al)?[ -]?codes?|postcode|plz|c\.?p\.?|cap|cep|pin(?:[ "
    r"-]?code)?)"
    r"[ :.#]{0,3}(?:is |of )?\Z",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(?P<word>[^\W\d_][\w'’.-]{0,30}),?(?:[ \t]{1,3}| ?\n)\Z")
_AFTER = re.compile(
    r"(?:,?[ ]{1,2}|,? ?\n)(?P<word>[A-ZÀ-Ý][\w'’-]{2,30}(?: [A-ZÀ-Ý][\w'’-]{2,30})?)"
)


class Postcodes:
    """Looks at each word with digits: some forms count by themselves, bare numbers by the words
    beside them."""

    name = "postcodes"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.numbers:
            start = read.starts[place]
            before = read.text[start - 1 : start]
            if (
                before == "-"
                and place
                and read.folds[place - 1] in _COUNTRY_LETTERS
                and read.gap(place - 1) == "-"
            ):
                yield from self._marked(read, place)
            elif before not in ("-", ".", "/", "#", "$", "€", "£", "_"):
                yield from self._at(read.text, start)

    def _marked(self, read: WordReading, place: int) -> Iterator[Bid]:
        """D-10115: with its country's letter."""
        found = _NUMBER.match(read.text, read.starts[place])
        if found and len(found.group()) < 6 and read.is_capital(place - 1):
            reason = "a postal code with its country's letter"
            yield Bid(
                read.starts[place - 1], found.end(), ReferenceKind.POSTCODE, 0.8, self.name, reason
            )

    def _at(self, text: str, start: int) -> Iterator[Bid]:
        for form, score, reason in _FORMS:
            if found := form.match(text, start):
                yield Bid(start, found.end(), ReferenceKind.POSTCODE, score, self.name, reason)
        if (found := _SHAPED.match(text, start)) and (score := _beside(text, *found.span())) >= 0.5:
            yield Bid(
                start,
                found.end(),
                ReferenceKind.POSTCODE,
                score,
                self.name,
                "digits in a postal form beside a place",
            )
        if found := _NUMBER.match(text, start):
            yield from self._number(text, found)

    def _number(self, text: str, found: re.Match[str]) -> Iterator[Bid]:
        digits = found.group()
        known = digits[:5] in zip_codes() and len(digits) in (5, 10)
        if "-" in digits and not (known and len(digits) == 10):
            return
        score = _beside(text, *found.span())
        if known:
            score = max(score + 0.05 * (score > 0), 0.8 if len(digits) == 10 else 0.0)
        if score >= (0.4 if known else 0.75):
            yield Bid(
                *found.span(),
                ReferenceKind.POSTCODE,
                min(score, 0.97),
                self.name,
                "a number beside a place or a label",
            )


def _beside(text: str, start: int, end: int) -> float:
    """How much of a postal code the words on both sides make of a number."""
    before = text[max(0, start - 40) : start]
    if _LABEL.search(before):
        return 0.9
    score = 0.0
    if found := _BEFORE.search(before):
        word = found.group("word").rstrip(".")
        if word in region_codes() or folded(word) in regions() or folded(word) in countries():
            score = 0.92
        elif word[:1].isupper() and folded(word) in towns():
            score = 0.6 if towns()[folded(word)][-1] >= "5" else 0.5
    after = _AFTER.match(text, end)
    if score < 0.7 and after:
        word = after.group("word")
        place = folded(word) if folded(word) in towns() else folded(word.partition(" ")[0])
        if place in towns() and (before.endswith((", ", "\n")) or not before):
            score = max(score, 0.75 + 0.1 * (towns()[place][-1] >= "5"))
    return score


DECLARATION = DetectorDeclaration(
    key="postcodes",
    doc="postal codes of many countries",
    kinds=(ReferenceKind.POSTCODE,),
    basis=Basis.WORDS,
    make=Postcodes,
    order=270,
    gives_way_below=ALWAYS,
)
