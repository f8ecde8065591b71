"""References in other languages, by the words that a language pack declares.

The patterns are the same for every language: a label and a name, a title and a name, a street with
its number, a hospital with its name. The pack brings the words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..language_packs import LanguagePack, packs_for
from .declaration import ALWAYS, Basis, DetectorDeclaration

_BIG = r"[^\W\d_a-zß-öø-ÿ]"
_NAME_WORD = rf"(?:{_BIG}\.?ª|{_BIG}\.|{_BIG}[^\W\d_]+(?:['’-][^\W\d_]+)*|{_BIG}(?![^\W_]))"
_GAP = r"[ \t]{1,3}"


@dataclass(frozen=True, slots=True)
class _PackPattern:
    pattern: re.Pattern[str]
    kind: ReferenceKind | None
    score: float
    reason: str


class PackedLanguages:
    """Looks in texts whose language a pack has; in English there is nothing to do."""

    name = "language packs"

    def bid(self, document: Document) -> Iterable[Bid]:
        for pack in packs_for(document):
            yield from self._in(document, pack)

    def _in(self, document: Document, pack: LanguagePack) -> Iterator[Bid]:
        for each in _patterns(pack):
            for found in each.pattern.finditer(document.text):
                start, end = found.span("found")
                end = start + len(document.text[start:end].rstrip(" \t.,;:"))
                if end > start:
                    yield Bid(start, end, each.kind, each.score, self.name, each.reason)


@cache
def _patterns(pack: LanguagePack) -> tuple[_PackPattern, ...]:
    joined = rf"(?:{_GAP}(?:(?i:{_any(pack.particles)}){_GAP}){{0,2}}{_NAME_WORD})"
    name = rf"(?P<found>{_NAME_WORD}{joined}{{0,4}})"
    place = rf"(?P<found>{_NAME_WORD}{joined}{{0,3}}(?:[.,/]? {{0,2}}\(?{_NAME_WORD}\)?)?)"
    house = (
        rf"(?:,?{_GAP}?(?:nº|n\.º|n°|núm\.?|número|#)?[ \t]?\d{{1,5}}(?:[- ]?[A-Z](?!\w))?)"
        rf"(?:,?[ \t]{{0,2}}(?:\d{{1,3}}[ºª°]?|(?i:{_any(pack.house_words)})\.?|[A-Z])(?![^\W_])){{0,5}}"
    )
    street_name = (
        rf"(?:(?i:{_any(pack.particles)}){_GAP}){{0,2}}(?:{_NAME_WORD}|\d{{1,2}})"
        rf"{joined}{{0,4}}"
    )
    labelled = r"\.?[ \t]{0,2}[:：][ \t]{0,3}"
    return (
        _made(rf"{_word(pack.name_labels)}{labelled}{name}", ReferenceKind.NAME, 0.95, "a name behind its label"),
        _made(rf"{_word(pack.titles)}\.?{_GAP}{name}", ReferenceKind.NAME, 0.93, "a name behind a title"),
        _made(rf"{_word(pack.relatives)},?{_GAP}{name}", ReferenceKind.NAME, 0.85, "the name of a relative"),
        _made(
            rf"{_word(pack.number_labels)}(?i:\.?[ \t]{{0,2}}(?:nº|n°|núm\.?|número)?[ \t]{{0,2}}[:：.]?)[ \t]{{0,3}}"
            r"(?P<found>(?=[A-Z./ -]{0,12}\d)[A-Z0-9]{1,18}(?:[ ./-]{1,2}[A-Z0-9]{1,12}){0,5})(?!\w)",
            ReferenceKind.RECORD_NUMBER,
            0.93,
            "a number behind its label",
        ),
        _made(rf"{_word(pack.place_labels)}{labelled}{place}", ReferenceKind.TOWN, 0.9, "a place behind its label"),
        _made(rf"{_word(pack.place_phrases)}{_GAP}{place}", ReferenceKind.TOWN, 0.8, "where somebody is from"),
        _made(
            rf"{_word(pack.address_labels)}{labelled}(?P<found>[^\n]{{4,100}}?)(?=\.?[ \t]*(?:\n|\Z|\.[ ]{_BIG}))",
            ReferenceKind.STREET,
            0.95,
            "an address behind its label",
        ),
        _made(
            rf"(?P<found>{_word(pack.streets)}\.?[ \t]{{0,2}}{street_name}(?:{house})?)",
            ReferenceKind.STREET,
            0.9,
            "a street",
        ),
        _made(
            rf"{_word(pack.postcode_labels)}\.?[ \t]{{0,2}}[:：]?[ \t]{{0,2}}(?P<found>\d{{4,5}})(?!\d)",
            ReferenceKind.POSTCODE,
            0.95,
            "a postcode behind its label",
        ),
        _made(
            rf"(?P<found>{_word(pack.bodies)}(?:{_GAP}(?:(?i:{_any(pack.particles)}){_GAP}){{0,2}}{_NAME_WORD}){{1,7}})",
            ReferenceKind.HOSPITAL,
            0.92,
            "a hospital or another body",
        ),
        _made(
            rf"(?P<found>{_word(pack.departments)}{_GAP}{_NAME_WORD}{joined}{{0,3}})",
            None,
            0.95,
            "a department, which many hospitals have",
        ),
    )  # fmt: skip


def _made(pattern: str, kind: ReferenceKind | None, score: float, reason: str) -> _PackPattern:
    return _PackPattern(re.compile(pattern), kind, score, reason)


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _word(words: Iterable[str]) -> str:
    return rf"(?<![^\W_])(?i:{_any(words)})(?![^\W_])"


DECLARATION = DetectorDeclaration(
    key="language packs",
    doc="references in other languages, by the words of a language pack",
    kinds=(
        ReferenceKind.HOSPITAL,
        ReferenceKind.NAME,
        ReferenceKind.POSTCODE,
        ReferenceKind.RECORD_NUMBER,
        ReferenceKind.STREET,
        ReferenceKind.TOWN,
    ),
    basis=Basis.WORDS,
    make=PackedLanguages,
    order=245,
    gives_way_below=ALWAYS,
)
