"""How far a name reaches: an ordinary word beside a name is no part of it, whichever detector took
it for one.

Learned detectors mark word by word, and a verb after a rare name often looks to them like a last
name ("Peter slept"). A word in small letters that every reader knows as a word is left alone. So is
an ordinary word that opens a line or a sentence ("Then Keller left", "Wegen der Schmerzen"), unless
a title is before it on its line."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from .bids import Bid
from .detectors.name_evidence import DEGREES, NEVER, PARTICLES, TITLES
from .documents import Document
from .kinds import ReferenceKind
from .lexicons import first_names, foreign_words, last_names, words
from .word_reading import CAPS, LOWER, NUMBER, WordReading, reading

_FEWEST_LETTERS = 3
"""So many single letters in a row are a word that is written with blanks between."""
_PLACES = frozenset(
    "village town county parish valley island islands bridge river lake club".split()
)
"""Words that end the name of a place: then it is none of a person, and the word belongs to it."""
_COMMON = "3"
"""An English word this common (the first 10,000) is no part of the name behind it where it opens a
sentence."""

_PREFIX = re.compile(
    r"(?:intra|inter|post|pre|peri|sub|supra|retro|hyper|hypo|trans|endo|extra|anti|multi|non|micro|"
    r"macro|un|re|over|under)(?=\w{6})"
)
_CODE = re.compile(r"[a-z]?\d{1,3}[a-z]?")
"""A short number beside a name is an age, a day or a bed: "Pearl Diamond 71F D5"."""
_LEARNED = frozenset({"transformer", "learned references"})
_ROLES = frozenset(
    "wife husband mother father daughter sister brother aunt uncle mum mom dad grandmother grandfather "
    "midwife midwives nephrologist anaes anaesthetist anesthetist registrar pcp gp nok np hcp phn "
    "surgeon psychologist rco dn chv bhw cns anm dmo slt ssn esn rmo sho hca pct cna lpn".split()
)
"""Words before a name that say who it is; with a capital they look like a part of it."""
_LONGEST_LABEL = 4
_AS_WRITTEN = frozenset({"clinical people"})
"""Detectors of names that are ordinary words: behind a label, "Cold, Ann" is cut nowhere."""


def with_names_cut(document: Document, bids: Iterable[Bid]) -> Iterator[Bid]:
    """The bids, those for names without the ordinary words in them.

    Example:
        >>> document = Document("Peter slept. Anna Long came.")
        >>> [(bid.start, bid.end) for bid in with_names_cut(document, [Bid(0, 22, ReferenceKind.NAME, 0.6, "x")])]
        [(0, 5), (13, 22)]
    """
    for bid in bids:
        if bid.kind is ReferenceKind.NAME and bid.detector not in _AS_WRITTEN:
            yield from _cut(reading(document), bid)
        else:
            yield bid


def is_ordinary(fold: str) -> bool:
    """Whether a word is one of English or of another language, and nobody's name."""
    known = fold in words() or fold in foreign_words() or is_compound(fold)
    return known and not _is_name(fold)


def is_compound(fold: str) -> bool:
    """Whether a word is an English one behind a prefix: "intradepartmental", "postoperatively"."""
    found = _PREFIX.match(fold)
    return found is not None and fold[found.end() :] in words()


def _cut(read: WordReading, bid: Bid) -> Iterator[Bid]:
    """The bid as it is where it has no ordinary word, else a bid for each run of the other words
    that has a name."""
    places = range(bisect_right(read.ends, bid.start), bisect_left(read.starts, bid.end))
    named = any(read.is_capital(place) and read.folds[place] not in TITLES for place in places)
    guessed = bid.detector in _LEARNED
    ordinary = [
        _is_left_alone(read, place, beside=len(places) > 1, named=named)
        or (guessed and len(places) > 1 and named and _is_code(read, place))
        for place in places
    ]
    if not any(ordinary) or read.bares[places[-1]] in _PLACES:
        yield bid
        return
    for at in range(
        1, len(places) - 1
    ):  # A letter between two parts is an initial: "benjamin a seiler".
        if len(read.folds[places[at]]) == 1 and not ordinary[at - 1] and not ordinary[at + 1]:
            ordinary[at] = False
    run: list[int] = []
    for place, left_alone in (*zip(places, ordinary, strict=True), (-1, True)):
        if not left_alone:
            run.append(place)
            continue
        if kept := _without_particles(read, run):
            start, end = max(bid.start, read.starts[kept[0]]), min(bid.end, read.bare(kept[-1])[1])
            yield replace(bid, start=start, end=end)
        run = []


def _is_left_alone(read: WordReading, place: int, *, beside: bool, named: bool) -> bool:
    fold = read.bares[place]
    if fold in PARTICLES or fold in TITLES or _is_spaced(read, place):
        return False
    if read.before(place) == "-" and read.is_capital(place - 1) and beside:
        return False  # Ji-won: a part behind a hyphen is no word by itself.
    if beside and fold in _ROLES and read.is_capital(place) and read.is_capital(place + 1):
        return True
    if read.shapes[place] == LOWER:
        if (
            not named
        ):  # In a text without capitals a particle joins the word before it: "cite ben hjel".
            joins = place + 1 < len(read) and read.folds[place + 1] in PARTICLES
            return beside and is_ordinary(fold) and not joins
        return beside and (fold in words() or fold in foreign_words())
    if beside and (_is_label(read, place) or _opens_in_capitals(read, place)):
        return True
    if not read.is_capital(place) or not read.opens(place):
        return False
    if beside and fold in NEVER and last_names().get(fold, "0") < _COMMON:
        return len(fold) >= _FEWEST_LETTERS
    if not is_ordinary(fold):
        return False
    return (
        fold in foreign_words()
        or is_compound(fold)
        or (beside and len(fold) >= _FEWEST_LETTERS and words()[fold] >= _COMMON)
    )


def _is_code(read: WordReading, place: int) -> bool:
    return read.shapes[place] == NUMBER and _CODE.fullmatch(read.folds[place]) is not None


def _opens_in_capitals(read: WordReading, place: int) -> bool:
    """Whether it is an abbreviation behind the end of a sentence: "Dr. Singh. EDW 71.5"."""
    return (
        read.shapes[place] == CAPS
        and 1 < len(read.folds[place]) <= _LONGEST_LABEL
        and place > 0
        and read.before(place).startswith(".")
        and read.shapes[place - 1] != CAPS
        and len(read.folds[place - 1]) > 2
        and read.folds[place - 1] not in TITLES
        and (len(read.folds[place]) < _LONGEST_LABEL or not _is_name(read.folds[place]))
    )


def _is_label(read: WordReading, place: int) -> bool:
    """Whether it is the abbreviation before a colon behind a name: "Rosen, Mark  PCP: Dr. Lee"."""
    return (
        read.shapes[place] == CAPS
        and len(read.folds[place]) <= _LONGEST_LABEL
        and read.gap(place)[:1] == ":"
        and place > 0
        and len(read.gap(place - 1)) > 1
        and not _is_name(read.folds[place])
    )


def _without_particles(read: WordReading, run: Sequence[int]) -> Sequence[int]:
    """A run without particles at its ends; nothing where no word of it could be somebody's own."""
    if not any(_is_own(read.bares[place]) for place in run):
        return ()
    first, last = 0, len(run)
    while read.folds[run[last - 1]] in PARTICLES:
        last -= 1
    return run[first:last]


def _is_own(fold: str) -> bool:
    return (
        fold not in TITLES
        and fold not in DEGREES
        and fold not in PARTICLES
        and not is_ordinary(fold)
    )


def _is_spaced(read: WordReading, place: int) -> bool:
    """Whether it is one letter of a word that is written with blanks between, as K e l l e r."""
    if len(read.folds[place]) > 1:
        return False
    near = range(max(0, place - _FEWEST_LETTERS + 1), min(len(read), place + _FEWEST_LETTERS))
    row = longest = 0
    for at in near:
        row = row + 1 if len(read.folds[at]) == 1 else 0
        longest = max(longest, row)
    return longest >= _FEWEST_LETTERS


def _is_name(fold: str) -> bool:
    return fold in first_names() or fold in last_names()
