"""People's names known by the names themselves: first and last names, initials, and words that no
lexicon has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import exp

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import eponyms, first_names, last_names, medical_words, words
from ..word_reading import CAPS, LETTER, LOWER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .name_evidence import (
    FIRST,
    LAST,
    NEVER,
    PARTICLES,
    NameEvidence,
    evidence,
    is_mixed_name,
    runs,
)

LEAST = 0.3
"""Bids below are not made: they would only cost time."""
_USUAL_OWNER = "2"
_INITIAL = 1.2
_TOGETHER = 1.0
"""The weight that a second part adds: two words that could be a name seldom meet by chance."""
_INITIALS = re.compile(
    r"[A-ZÀ-ÖØ-Þ](?<![\w.'’-].)(?<!\. .)\.[ -]?(?:[A-ZÀ-ÖØ-Þ]\.[ "
    r"-]?)?[A-ZÀ-ÖØ-Þ]\.(?![\w])(?! ?[A-ZÀ-ÖØ-Þ]\w)"
)
_ABBREVIATIONS = frozenset(
    "us uk usa eu un am pm eg ie md do phd dds rn np pa ba ma bs bc ad dc ny po ac ir iv "
    "im hs sc qd qid".split()
)
_LONGEST = 5
"""A longer row of names is a list of people: it is cut into pieces."""
_VERBS = frozenset(
    "is was has had said says reports reported presents presented denies denied complains "
    "states stated will would "
    "does did came went called who and lives lived works told asked wants feels felt".split()
)
_PLACE_CUES = frozenset("in at near from to of via toward towards outside within the".split())
_NO_NAME_AFTER = frozenset(
    "hospital clinic street st avenue ave road rd lane drive boulevard court square inc "
    "corp ltd llc gmbh university "
    "college school county city town park river lake bridge airport disease syndrome sign "
    "test score scale catheter "
    "act protocol government parliament church bank company foundation institute center "
    "centre v corporation co plc "
    "team club".split()
)


class PersonNames:
    """Looks at each run of capitalised words for a part that is worth a name by what lexicons know
    of its words."""

    name = "person names"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for run in runs(read):
            for part in _parts(read, run):
                yield from self._judge(read, part)
        yield from self._initials(read)
        yield from self._owners(read)
        if read.is_caseless:
            yield from self._without_capitals(read)

    def _owners(self, read: WordReading) -> Iterator[Bid]:
        """Can you look at mateo's rash: a usual first name in small letters that owns something"""
        for fold in read.where:
            if not fold.endswith("'s") or first_names().get(fold[:-2], "x0")[1] < _USUAL_OWNER:
                continue
            bare = fold[:-2]
            if bare in words() or bare in medical_words() or bare in eponyms():
                continue
            for place in read.where[fold]:
                if read.shapes[place] == LOWER:
                    span = read.starts[place], read.bare(place)[1]
                    reason = "a first name in small letters that owns something"
                    yield Bid(*span, ReferenceKind.NAME, 0.65, self.name, reason)

    def _judge(self, read: WordReading, part: list[tuple[int, NameEvidence]]) -> Iterator[Bid]:
        places = [place for place, _ in part]
        full = [(place, known) for place, known in part if read.shapes[place] != LETTER]
        if not full:
            return
        several = len(part) > 1
        weight = _several(read, part) if several else _single(read, *full[0])
        score = 1 / (1 + exp(-weight))
        if score >= LEAST:
            end = (
                read.bare(places[-1])[1]
                if read.shapes[places[-1]] != LETTER
                else read.ends[places[-1]]
            )
            reason = "words that are names together" if several else "a word that is a name"
            yield Bid(
                read.starts[places[0]],
                end,
                ReferenceKind.NAME,
                round(min(score, 0.97), 3),
                self.name,
                reason,
            )

    def _initials(self, read: WordReading) -> Iterator[Bid]:
        """W.K. or F. A.: a person by initials alone, where they stand for no country, hour or
        degree."""
        for found in _INITIALS.finditer(read.text):
            letters = found.group().replace(" ", "").replace(".", "").lower()
            if letters not in _ABBREVIATIONS:
                yield Bid(*found.span(), ReferenceKind.NAME, 0.55, self.name, "initials alone")

    def _without_capitals(self, read: WordReading) -> Iterator[Bid]:
        """In a text without capitals: a usual first name that is no ordinary word, with a last name
        or without."""
        for fold in sorted(first_names().keys() & read.where.keys()):
            if first_names()[fold][1] < "3" or fold in words() or fold in NEVER:
                continue
            for place in read.where[fold]:
                if read.shapes[place] == LOWER:
                    yield self._without_capital(read, place, first_names()[fold][1])

    def _without_capital(self, read: WordReading, place: int, common: str) -> Bid:
        last, score = place, 0.3 + 0.1 * (common >= "4")
        if place + 1 < len(read) and read.gap(place) == " ":
            after = read.bares[place + 1]
            if last_names().get(after, "0") >= "2" and words().get(after, "0") <= "2":
                last, score = place + 1, 0.8
        return Bid(
            read.starts[place],
            read.bare(last)[1],
            ReferenceKind.NAME,
            score,
            self.name,
            "a name without capitals",
        )


def _parts(read: WordReading, run: list[int]) -> Iterator[list[tuple[int, NameEvidence]]]:
    """The stretches of a run in which every word could be a name; initials go with the word after
    them."""
    part: list[tuple[int, NameEvidence]] = []
    for at, place in enumerate(run):
        if read.shapes[place] == LETTER and (
            read.folds[place] != "i" or read.gap(place).startswith(".")
        ):
            part.append((place, NameEvidence(_INITIAL, 0.0, 0.0)))
            continue
        known = evidence(read, place)
        if part and read.folds[place - 1] in PARTICLES and read.shapes[place - 1] == LOWER:
            known = NameEvidence(
                0.0, LAST["3"], 0.0
            )  # Vincent van Gogh: what follows the particle is a last name.
        if (
            not part
            and known.first >= FIRST["2"]
            and at + 1 < len(run)
            and _is_last_name(read, run[at + 1])
        ):
            part.append((place, NameEvidence(known.first, known.last, min(known.against, 0.8))))
        elif (
            known.net > 0
            or (part and known.last > 0 and known.net > -1.0)
            or is_mixed_name(read, place)
        ):
            part.append((place, known))
        else:
            yield from _trimmed(read, part)
            part = []
    yield from _trimmed(read, part)


def _is_last_name(read: WordReading, place: int) -> bool:
    """A usual last name, so that a word before it such as Will, May or Hope is a first name too."""
    known = evidence(read, place)
    return (known.last >= LAST["3"] and known.net > 0.5) or is_mixed_name(read, place)


def _trimmed(
    read: WordReading, part: list[tuple[int, NameEvidence]]
) -> Iterator[list[tuple[int, NameEvidence]]]:
    """Without an initial at the end, unless a usual first name is before it."""
    end = len(part)
    while end and read.shapes[part[end - 1][0]] == LETTER:
        before = part[end - 2][1].first if end > 1 else 0.0
        if before >= FIRST["3"] and read.gap(part[end - 1][0]).startswith("."):
            break
        end -= 1
    for start in range(0, end, _LONGEST):
        yield part[start : min(start + _LONGEST, end)]


def _several(read: WordReading, part: list[tuple[int, NameEvidence]]) -> float:
    """Two and more words: a first name, a last name, and half the weight of the words between."""
    known = [evidence for _, evidence in part]
    weight = max(known[0].first, 0.7 * known[0].last) + max(known[-1].last, 0.7 * known[-1].first)
    weight += 0.5 * sum(max(middle.first, middle.last) for middle in known[1:-1])
    weight -= 0.7 * sum(each.against for each in known)
    weight += _TOGETHER + sum(0.8 for place, _ in part if is_mixed_name(read, place))
    return weight - 1.6 - 2.0 * _goes_on(read, part[-1][0])


def _single(read: WordReading, place: int, known: NameEvidence) -> float:
    """One word: a usual first name, or a last name that is no ordinary word."""
    fold, end = read.bare(place)
    if not known.first and fold in words() and not is_mixed_name(read, place):
        return -9.0
    if read.shapes[place] == CAPS and len(fold) < 5 and not read.shouts(place):
        return -9.0
    weight = 1.1 * (max(known.first, known.last - 0.5) - known.against) - 1.2
    weight += 0.9 * is_mixed_name(read, place) + 0.3 * (end != read.ends[place])
    weight -= 0.5 * (read.opens(place) and fold in words())
    if place and read.folds[place - 1] in _PLACE_CUES and not read.opens(place):
        weight -= 0.5
    if place + 1 < len(read) and read.folds[place + 1] in _VERBS and read.gap(place) == " ":
        weight += 0.4
    return weight - 2.0 * _goes_on(read, place)


def _goes_on(read: WordReading, place: int) -> bool:
    """Whether the word after makes it a street, a hospital, a disease or the like."""
    return (
        place + 1 < len(read)
        and read.gap(place) in (" ", "-")
        and read.folds[place + 1] in _NO_NAME_AFTER
    )


DECLARATION = DetectorDeclaration(
    key="person names",
    doc="names known by the names themselves",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=PersonNames,
    order=210,
    gives_way_below=ALWAYS,
)
