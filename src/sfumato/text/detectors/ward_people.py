"""People whom notes call by the last name alone: "Okafor aware", "bleeped Petersen", "Cons: Moloi".

Only a text with words of medicine is read so. The word has a capital and is no
word of a language, of medicine or of an eponym. Beside it stands what is done to people or by them.
Words that also lead to tools, such as "by" and "with", need a name that people bear."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..bids import Bid
from ..documents import Document
from ..genres import has_medicine
from ..kinds import ReferenceKind
from ..lexicons import (
    demonyms,
    drugs,
    eponyms,
    first_names,
    foreign_words,
    last_names,
    medical_words,
    relatives,
    towns,
    words,
)
from ..word_reading import INITIAL, LOWER, MIXED, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .name_evidence import MONTHS_AND_DAYS, NEVER, TITLES

KNOWN, LIKELY = 0.7, 0.59
"""For a last name that people bear, and for a word of no list, which becomes a tag."""
_BEHIND: Final = frozenset(
    "aware informed notified updated contacted paged bleeped happy agrees agreed agreeing keen wants "
    "reviewing rv rvd reviewed attended attending asks asked says said states refused refuses declined "
    "thinks feels suggests suggested recommends advises advised prefers requests consented covering "
    "scrubbed operating assisting supervising teaching supervised".split()
)
"""Words behind a person."""
_TO: Final = frozenset(
    "review rv see call ring phone attend decide chase discuss dw scan clip consent assess admit "
    "discharge supervise sign countersign confirm write speak come follow arrange".split()
)
"""Deeds behind "to": "Okafor to review"."""
_BEFORE: Final = frozenset(
    "bleeped bleep paged awaiting await ask asked inform informed tell told ring rang phoned called "
    "notify notified update updated let d/w consultant cons wr registrar reg sho fy1 fy2 assist "
    "assistant asst surgeon surg anaes anaesthetist anesthetist mda locum".split()
)
_PAIRS: Final = frozenset(
    {
        ("handover", "to"),
        ("handed", "to"),
        ("discussed", "with"),
        ("discuss", "with"),
        ("spoke", "to"),
    }
    | {
        ("spoke", "with"),
        ("pt", "of"),
        ("patient", "of"),
        ("op", "by"),
        ("done", "by"),
        ("seen", "by"),
    }
    | {("reviewed", "by"), ("rv", "by"), ("seen", "with"), ("called", "to"), ("reported", "to")}
    | {("back", "to"), ("referred", "to"), ("refer", "to"), ("over", "to"), ("as", "per")}
    | {("list", "of"), ("care", "of"), ("under", "care"), ("discussed", "w"), ("clinic", "with")}
)
"""Two words before a person."""
_TALKED: Final = frozenset("discussed seen spoke reviewed clinic met".split())
_WEAKLY: Final = frozenset("by per under with".split())
_NAME_GAPS: Final = frozenset({" ", ": ", ":", ". "})
_LIST: Final = re.compile(r"'s (?:list|clinic|team|patient|pt|round|firm|review|opinion|advice)\b")
_COMMON: Final = "3"


class WardPeople:
    """Looks beside each word with a capital that no list of words has."""

    name = "ward people"

    def bid(self, document: Document) -> Iterable[Bid]:
        if not has_medicine(document):
            return
        read = reading(document)
        for place in read.capitals:
            if not _may_be_a_name(read, place):
                continue
            known = last_names().get(read.bares[place], "0") >= "2"
            if _is_meant(read, place, known=known):
                score = KNOWN if known else LIKELY
                reason = "called by the last name, as on a ward"
                span = read.starts[place], read.bare(place)[1]
                yield Bid(*span, ReferenceKind.NAME, score, self.name, reason)


def _may_be_a_name(read: WordReading, place: int) -> bool:
    fold = read.bares[place]
    if read.shapes[place] not in (INITIAL, MIXED) or len(fold) < 3 or fold in NEVER:
        return False
    common = words().get(fold, "0")
    return (
        (common == "0" or (common < _COMMON and last_names().get(fold, "0") >= _COMMON))
        and not any(fold in known() for known in _NO_NAMES)
        and fold not in TITLES
        and fold not in MONTHS_AND_DAYS
        and (fold not in towns() or fold in last_names())
    )


_NO_NAMES: Final = (eponyms, medical_words, drugs, foreign_words, demonyms, relatives)


def _has_a_thing_behind(read: WordReading, place: int) -> bool:
    """Whether an ordinary word that no person is followed by is right behind: "Kuhn curettes"."""
    following = place + 1
    if following >= len(read) or read.gap(place) != " ":
        return False
    fold = read.folds[following]
    return (
        read.shapes[following] == LOWER
        and len(fold) > 3
        and fold not in _BEHIND
        and fold not in _VERBS
        and (fold in words() or fold in medical_words())
    )


_VERBS: Final = frozenset(
    "will would should this that they when then from with before after until tomorrow today tonight "
    "hold start stop give keep know regarding about over again once also please".split()
)


def _is_meant(read: WordReading, place: int, *, known: bool) -> bool:
    behind, gap = place + 1, read.gap(place)
    if _LIST.match(read.text, read.bare(place)[1]):
        return True
    if _has_a_thing_behind(read, place):
        return False
    if behind < len(read) and gap == " " and read.opens(place):
        fold = read.folds[behind]
        if fold in _BEHIND:
            return True
        further = read.folds[behind + 1] if behind + 1 < len(read) else ""
        if fold == "to" and further in _TO:
            return True
    return _is_led_to(read, place, known=known)


def _is_led_to(read: WordReading, place: int, *, known: bool) -> bool:
    if not place:
        return False
    if read.folds[place - 1] == "w" and read.before(place) == "/ ":
        return known or (place > 1 and read.folds[place - 2] in _TALKED)
    if read.before(place) not in _NAME_GAPS:
        return False
    before = read.folds[place - 1]
    earlier = read.folds[place - 2] if place > 1 else ""
    written = read.text[max(0, read.starts[place] - 4) : read.starts[place]].lower()
    if before in _BEFORE or written in ("d/w ", " dw "):
        return True
    if read.before(place) not in (" ",):
        return False
    if (earlier, before) in _PAIRS:
        return True
    return known and before in _WEAKLY and read.bares[place] not in first_names()


DECLARATION = DetectorDeclaration(
    key="ward people",
    doc="people whom notes call by the last name alone",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=WardPeople,
    order=256,
    vouches_from=LIKELY,
)
