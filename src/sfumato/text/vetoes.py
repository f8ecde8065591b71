"""Vetoes: bids of little certainty give way where a detector of medicine is sure.

A bid for words to keep competes with the others by length and score, and loses to a longer one. A
veto does not compete: it cuts its words out of every bid whose detector gives way. A name that a
label, a title or check digits vouch for is never vetoed. Where such a bid is sure, it cuts its
words out of the veto. Where a rule and a learned detector are both sure of a name that medicine
claims too, nobody can decide. The words are masked with little certainty, which makes them a tag.

A learned detector vetoes by silence. In a text with medicine, a rule's guess at a name or a place
is dropped if no learned detector shares it. Names that people bear are not dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from .bases import Basis
from .bids import Bid, TextDetector
from .competition import uncovered
from .detectors.months import HOLIDAYS, MONTHS, SEASONS, WEEKDAYS
from .documents import Document
from .genres import has_medicine, is_dense_in_medicine
from .kinds import ReferenceKind
from .learned_extents import with_extents_cut
from .lexicons import eponyms, folded, last_names, words
from .lone_guesses import without_lone_guesses
from .own_patterns import is_own
from .second_opinion import has_a_name

if TYPE_CHECKING:
    from .detectors.declaration import DetectorDeclaration

CONTESTED: Final = "contested"
"""The bidder for words that medicine and identity both claim."""
_HIGH: Final = 0.9
_CONTESTED_SCORE: Final = 0.5
"""Enough to be masked, and too little to be certain: a tag."""
_GUESS: Final = 0.6
_GUESSED: Final = frozenset(
    {
        ReferenceKind.NAME,
        ReferenceKind.TOWN,
        ReferenceKind.REGION,
        ReferenceKind.ORGANISATION,
        ReferenceKind.TEAM,
    }
)


_SHADOWS: Final = frozenset({ReferenceKind.QUANTITY, ReferenceKind.OTHER})
_OWN_NUMBERS: Final = frozenset(kind for kind in ReferenceKind if kind.is_direct)
_KNOWN: Final = 0.7
_IN_TIME: Final = frozenset({ReferenceKind.DATE, ReferenceKind.TIME})
_LEARNED: Final = ("transformer", "learned references")
_CODE: Final = re.compile(r"[A-Z]\d{1,2}")
"""A letter and a number is nobody's name: "D5 post Hartmann's"."""
_NUMBERED: Final = frozenset({ReferenceKind.RECORD_NUMBER, ReferenceKind.PHONE})
_FOUR: Final = re.compile(r"0\d[0-5]\d")
_LABEL: Final = re.compile(
    r"(?i)(?:[#:=]|\b(?:ext|extension|x|bleep|pager|page|no|nr|number|id|pin|code|room|bay|bed|case|log|file|"
    r"ref|mrn|unit|tel|phone|fax|ending|badge|staff|run)\.?)[ \t]*\Z"
)
_HOUR: Final = re.compile(r"(?:0\d|1[0-8]|2[1-3])[0-5]\d")
_ENTRY: Final = re.compile(r"[ \t]{1,3}[A-Z]")
_RANGE: Final = re.compile(r"(?:3[2-9]|[4-8]\d) ?[-–] ?(?:3[2-9]|[4-8]\d)")
"""No days or months: "Foley 40-60"."""
_AGE_AND_SEX: Final = re.compile(r"[1-9]\d ?[mf]")
_DATE_WORDS: Final = MONTHS.keys() | WEEKDAYS | SEASONS | HOLIDAYS
_BODIES: Final = frozenset({ReferenceKind.ORGANISATION, ReferenceKind.TEAM})


def asked_of(document: Document, detectors: Iterable[TextDetector]) -> Sequence[TextDetector]:
    """The detectors that look in the document: those that veto only where there is medicine."""
    every = tuple(detectors)
    declared = _declared()
    quiet = [each for each in every if not (each.name in declared and declared[each.name].vetoes)]
    return quiet if len(quiet) < len(every) and not has_medicine(document) else every


def learned_vetoes(document: Document, detectors: Iterable[TextDetector]) -> bool:
    """Whether the silence of learned detectors counts: one of them looks, and there is medicine."""
    declared = _declared()
    looks = any(
        each.name in declared and declared[each.name].basis is Basis.LEARNED for each in detectors
    )
    return looks and has_medicine(document)


@dataclass(frozen=True, slots=True)
class VetoedBids:
    """The remaining bids for a text, and the bids that were dropped: what was nearly replaced."""

    kept: list[Bid]
    vetoed: tuple[Bid, ...] = ()


def without_vetoed(bids: Iterable[Bid], document: Document) -> list[Bid]:
    """The bids, without the words that a detector of medicine is sure of; the other words of a bid
    stay.

    Example:
        >>> from sfumato.text.kinds import ReferenceKind
        >>> kept = Bid(0, 13, None, 0.95, "instruments")
        >>> guessed = Bid(0, 5, ReferenceKind.NAME, 0.99, "learned references")
        >>> without_vetoed([kept, guessed], Document("Allis forceps"))
        [Bid(start=0, end=13, kind=None, score=0.95, detector='instruments', reason='')]
    """
    return after_vetoes(bids, document).kept


def after_vetoes(
    bids: Iterable[Bid], document: Document, *, learned_vetoes: bool = False
) -> VetoedBids:
    """The bids after all vetoes, and those that gave way. With `learned_vetoes`, a learned detector
    looked at a text with medicine, so that its silence counts."""
    declared = _declared()
    seen = _without_shadows(list(bids), declared)
    every = _without_vouched(_with_contested(seen, declared), document, declared)
    doubted: list[Bid] = []
    if learned_vetoes:
        dense = is_dense_in_medicine(document)
        if dense:
            every, doubted = with_extents_cut(every, document)
        every, silent = _without_doubted(every, document, declared)
        doubted += silent
        if dense:
            every, lone = without_lone_guesses(every, document)
            doubted += lone
    vetoes = [
        bid
        for bid in every
        if bid.kind is None and bid.detector in declared and declared[bid.detector].vetoes
    ]
    if not vetoes:
        return VetoedBids(every, tuple(doubted))
    kept, cut = _cut(every, vetoes, document, declared)
    return VetoedBids(kept, (*doubted, *cut))


def _cut(
    bids: Iterable[Bid],
    vetoes: Iterable[Bid],
    document: Document,
    declared: Mapping[str, DetectorDeclaration],
) -> tuple[list[Bid], list[Bid]]:
    """The bids without the words of the vetoes, and those that lost words."""
    from .name_extents import with_names_cut

    taken = bytearray(len(document.text))
    for veto in vetoes:
        taken[veto.start : veto.end] = b"\1" * len(veto)
    out: list[Bid] = []
    lost: list[Bid] = []
    for bid in bids:
        if (
            bid.kind is None
            or bid.detector not in declared
            or bid.score >= declared[bid.detector].gives_way_below
            or taken.find(1, bid.start, bid.end) < 0
        ):
            out.append(bid)
        else:
            lost.append(bid)
            out += with_names_cut(
                document,
                (replace(bid, start=a, end=b) for a, b in uncovered(bid, document.text, taken)),
            )
    return out, lost


def _without_shadows(bids: list[Bid], declared: Mapping[str, DetectorDeclaration]) -> list[Bid]:
    """The bids without learned ones for a quantity or something else that a rule knows to be
    somebody's number: "card ending 4418". They would win, and such kinds mostly stay."""
    numbers = [
        bid
        for bid in bids
        if bid.kind in _OWN_NUMBERS
        and bid.score >= _KNOWN
        and _basis(bid, declared) not in (Basis.LEARNED, None)
    ]
    if not numbers:
        return bids
    return [
        bid
        for bid in bids
        if bid.kind not in _SHADOWS
        or _basis(bid, declared) is not Basis.LEARNED
        or not any(one.start <= bid.start and bid.end <= one.end for one in numbers)
    ]


def _with_contested(bids: list[Bid], declared: Mapping[str, DetectorDeclaration]) -> list[Bid]:
    """The bids, with one of little certainty in the place of those for a name that medicine, a rule
    and a learned detector all claim."""
    vetoes = [bid for bid in bids if bid.kind is None and bid.score >= _HIGH]
    if not vetoes:
        return bids
    by_basis: dict[Basis, list[Bid]] = {}
    for bid in bids:
        if bid.kind is ReferenceKind.NAME and bid.detector in declared and bid.score >= _HIGH:
            by_basis.setdefault(declared[bid.detector].basis, []).append(bid)
    learned = {(bid.start, bid.end) for bid in by_basis.get(Basis.LEARNED, ())}
    contested = {
        (bid.start, bid.end): bid
        for bid in by_basis.get(Basis.WORDS, ())
        if (bid.start, bid.end) in learned
        and bid.score < declared[bid.detector].gives_way_below
        and any(veto.overlaps(bid) for veto in vetoes)
    }
    if not contested:
        return bids
    out = [bid for bid in bids if bid.kind is None or not _inside(bid, contested)]
    return out + [
        Bid(
            start, end, bid.kind, _CONTESTED_SCORE, CONTESTED, "medicine and a name are both likely"
        )
        for (start, end), bid in contested.items()
    ]


def _inside(bid: Bid, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= bid.start and bid.end <= end for start, end in spans)


def _without_doubted(
    bids: list[Bid], document: Document, declared: Mapping[str, DetectorDeclaration]
) -> tuple[list[Bid], list[Bid]]:
    """The bids, without guesses of rules at names and places where the learned detectors think of
    nothing; and those guesses."""
    looked = bytearray(len(document.text))
    for bid in bids:
        if bid.kind is not None and _basis(bid, declared) is not Basis.WORDS:
            looked[bid.start : bid.end] = b"\1" * len(bid)
    kept: list[Bid] = []
    doubted: list[Bid] = []
    for bid in bids:
        is_guess = (
            bid.kind in _GUESSED
            and bid.score < _GUESS
            and _basis(bid, declared) is Basis.WORDS
            and declared[bid.detector].gives_way_below > 1
        )
        silent = (
            is_guess
            and looked.find(1, bid.start, bid.end) < 0
            and not has_a_name(document.text[bid.start : bid.end])
        )
        faint = bid.kind in _BODIES and bid.score < _GUESS and _opens_as_word(document, bid)
        (doubted if silent or faint or _is_no_time(document, bid) else kept).append(bid)
    return kept, doubted


def _is_no_time(document: Document, bid: Bid) -> bool:
    """Whether one word that people are called by was taken for a date or a time, or an age with its
    sex: "by Leopold", "71M"; or a letter with a number for a name."""
    if bid.kind is ReferenceKind.NAME and bid.detector in _LEARNED:
        return _CODE.fullmatch(document.text, bid.start, bid.end) is not None
    if bid.detector in _LEARNED and _opens_a_line(document, bid):
        return True
    if bid.kind in _NUMBERED and bid.detector in _LEARNED:
        return _is_clock(document, bid)
    if bid.kind not in _IN_TIME or bid.detector not in _LEARNED:
        return False
    fold = folded(document.text[bid.start : bid.end])
    if _AGE_AND_SEX.fullmatch(fold) or _RANGE.fullmatch(fold):
        return True
    return (fold in eponyms() or fold in last_names()) and fold not in _DATE_WORDS


def _opens_a_line(document: Document, bid: Bid) -> bool:
    """Whether it is the hour of an entry of a ward: "0845 BG 212" at the start of a line."""
    text = document.text
    return (
        _HOUR.fullmatch(text, bid.start, bid.end) is not None
        and text[max(0, bid.start - 1) : bid.start] in ("", "\n")
        and _ENTRY.match(text, bid.end) is not None
    )


def _is_clock(document: Document, bid: Bid) -> bool:
    """Whether four digits that no label names are a time of day: "wire across 0541"."""
    if _FOUR.fullmatch(document.text, bid.start, bid.end) is None:
        return False
    before = document.text[max(0, bid.start - 14) : bid.start]
    return _LABEL.search(before) is None and not before.endswith(("-", "/", "."))


def _opens_as_word(document: Document, bid: Bid) -> bool:
    """Whether a guess is one ordinary word that has its capital from the sentence it opens:
    "Triage nurse reported"."""
    text = document.text[bid.start : bid.end]
    before = document.text[max(0, bid.start - 3) : bid.start].rstrip(" \t")
    return (
        text[:1].isupper()
        and text[1:].islower()
        and (not before or before[-1] in ".!?:;\n")
        and folded(text) in words()
        and not has_a_name(text)
    )


def _basis(bid: Bid, declared: Mapping[str, DetectorDeclaration]) -> Basis | None:
    return declared[bid.detector].basis if bid.detector in declared else None


def _without_vouched(
    bids: list[Bid], document: Document, declared: Mapping[str, DetectorDeclaration]
) -> list[Bid]:
    """The bids, those of no kind without the words that a label, a title or check digits vouch
    for."""
    vouched = [bid for bid in bids if _is_vouched(bid, declared)]
    keeping = vouched and [bid for bid in bids if bid.kind is None]
    if not keeping:
        return bids
    taken = bytearray(len(document.text))
    for bid in vouched:
        taken[bid.start : bid.end] = b"\1" * len(bid)
    out = [bid for bid in bids if bid.kind is not None]
    for bid in keeping:
        if taken.find(1, bid.start, bid.end) < 0:
            out.append(bid)
        else:
            out += (replace(bid, start=a, end=b) for a, b in uncovered(bid, document.text, taken))
    return out


def _is_vouched(bid: Bid, declared: Mapping[str, DetectorDeclaration]) -> bool:
    """Whether the bid names somebody and resists any veto: by its label, title or form, or because
    the user asked for it."""
    if bid.kind is None:
        return False
    if bid.detector not in declared:
        return is_own(bid) or bid.detector == CONTESTED
    by = declared[bid.detector]
    return bid.score >= max(by.gives_way_below, by.vouches_from)


@cache
def _declared() -> dict[str, DetectorDeclaration]:
    from .detectors.declaration import DETECTORS

    return dict(DETECTORS.all())
