"""Professions: a fact that narrows down who it is, above all if few have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import medical_words, professions
from ..word_reading import CAPS, INITIAL, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .name_evidence import TITLES

_CUES = frozenset(
    "as a an retired former occupation profession job employed works worked working "
    "unemployed self freelance trained "
    "becoming became is was were".split()
)
_SURE_CUES = frozenset(
    "retired former occupation profession works worked working employed as freelance".split()
)
_CLINICAL = frozenset(
    "doctor physician nurse surgeon dentist therapist pharmacist midwife paramedic "
    "psychologist registered "
    "practitioner cardiologist counselor counsellor officer manager director driver owner "
    "model major general guard "
    "guide".split()
)
"""In letters between doctors these are the writers and readers; the words around must refer to the
patient."""
_WORKS_AS = re.compile(
    r"(?<!\w)(?:(?i:works?|worked|working|employed|employment|job|trade)(?: part[- ]time| full[- ]time)?"
    r" as(?: an?| the)?|(?i:retired|former)) "
    r"(?P<found>[a-z]{2,}(?:[ -][a-z]{2,}){0,2}?)"
    r"(?=[,.;:)\n]| (?:at|for|in|with|from|of|since|until|and|who|but|near|on|by)\b|\Z)"
)
_NO_WORK = frozenset(
    "smoker smokers drinker user users partner wife husband tenant resident name address she he they to "
    "before after last early now usual tolerated prescribed directed needed above below well planned "
    "follows such ordered expected baby patient student member addict alcoholic army pack half heavy "
    "normal medication drug therapy treatment dose home house school college university surgery "
    "interpreter translator couple".split()
)
_AS_OPENS = frozenset(
    "work works worked working employed employment job trade retired former".split()
)
_OBJECTS = frozenset("lawyer lawyers solicitor attorney prosecutor judge".split())


class Professions:
    """Looks for each profession's last word, then for the longest phrase that ends there."""

    name = "professions"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._named_as_work(document)
        for place in read.places(_last_words()):
            first = _first(read, place)
            score = _score(read, first, place) if first is not None else 0.0
            if first is not None and score >= 0.3:
                yield Bid(
                    *read.span(first, place),
                    ReferenceKind.PROFESSION,
                    round(score, 3),
                    self.name,
                    "what somebody does",
                )

    def _named_as_work(self, document: Document) -> Iterator[Bid]:
        """Works as a lift engineer, retired lighthouse keeper: no list need have it."""
        for found in _WORKS_AS.finditer(document.text) if document.has(_AS_OPENS) else ():
            parts = found["found"].replace("-", " ").split()
            listed = parts[-1] in _last_words()
            if (
                not listed
                and _NO_WORK.isdisjoint(parts)
                and not any(part in medical_words() for part in parts)
            ):
                span = found.span("found")
                yield Bid(*span, ReferenceKind.PROFESSION, 0.6, self.name, "behind a word for work")


def _first(read: WordReading, place: int) -> int | None:
    """Where the longest profession that ends here begins."""
    singular = _singular(read.folds[place])
    for first in range(max(0, place - 3), place + 1):
        joined = all(read.gap(at) in (" ", "-") for at in range(first, place))
        if joined and " ".join([*read.folds[first:place], singular]) in professions():
            return first
    return None


def _score(read: WordReading, first: int, last: int) -> float:
    phrase = " ".join([*read.folds[first:last], _singular(read.folds[last])])
    telling = professions()[phrase]
    cues = {read.folds[at] for at in range(max(0, first - 3), first)}
    sure, near = not cues.isdisjoint(_SURE_CUES), not cues.isdisjoint(_CUES)
    if first == last and read.cue(first) in TITLES:
        return 0.0
    score = 0.55 if telling == "2" else 0.3
    score += 0.25 if sure else 0.12 if near and telling == "2" else 0.0
    if phrase.rpartition(" ")[2] in _CLINICAL and not sure:
        score -= 0.3
    if phrase in _OBJECTS and not sure:
        score -= 0.1
    if read.shapes[last] == CAPS and not read.shouts(last) and len(phrase) > 3:
        score -= 0.2
    if first == last and read.shapes[last] == INITIAL and not read.opens(last):
        score -= 0.25
    return min(score + 0.08 * (last > first), 0.93)


def _singular(fold: str) -> str:
    return fold[:-1] if fold.endswith("s") and fold[:-1] in _single_ends() else fold


@cache
def _single_ends() -> frozenset[str]:
    return frozenset(phrase.rpartition(" ")[2] for phrase in professions())


@cache
def _last_words() -> frozenset[str]:
    return _single_ends() | {f"{word}s" for word in _single_ends()}


DECLARATION = DetectorDeclaration(
    key="professions",
    doc="what people do for a living",
    kinds=(ReferenceKind.PROFESSION,),
    basis=Basis.WORDS,
    make=Professions,
    order=340,
    gives_way_below=ALWAYS,
)
