"""Bids compete: of those that overlap, the ones win that are worth most together (Sweeney 2000,
section 6.1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from .bids import Bid
from .kinds import ReferenceKind

AGREEMENT = 0.5
"""The share of the remaining uncertainty that another detector's agreement removes."""
_TOGETHER = 2_000
"""Bids that are decided together, or more where they overlap; a long text is decided piece by
piece."""
_WORD = re.compile(r"\w+")
_SMALL_WORDS = frozenset(
    "a an the of and or in on at to for by from with as is was were be has had no nr s he "
    "she it his her their its not "
    "this that who which will mr mrs ms miss mx dr drs doctor prof professor sir rev herr "
    "herrn frau hr fr mme mlle "
    "monsieur madame senor senora sra srta signor signora sig dott dhr mevr mw".split()
)
"""Words that name nobody, titles among them; they alone are no rest of a bid."""


def winners(
    bids: Iterable[Bid], *, threshold: float = 0.0, in_order: bool = False
) -> tuple[Bid, ...]:
    """The bids that win, in the order of the text; none overlaps another.

    Detectors that bid for the same characters as the same kind support each other. Then those bids
    without overlap are chosen that are worth most in all (weighted interval scheduling, exact). A
    bid is worth its length times the square of its score. A long bid therefore beats its parts,
    unless those are much surer. Bids below `threshold` lose beforehand; bids of no kind take part
    and are left out of the answer. Bids that are given `in_order` of their starts are read without
    holding all of them.

    Example:
        >>> whole, part = Bid(0, 12, None, 0.9, "keep"), Bid(0, 8, None, 0.8, "other")
        >>> winners([whole, part])
        ()
    """
    out: list[Bid] = []
    for together in _apart(bids, in_order=in_order):
        out += (bid for bid in _best(_competing(together, threshold)) if bid.kind is not None)
    return tuple(out)


def winners_with_rests(
    bids: Iterable[Bid], text: str, *, threshold: float = 0.0, in_order: bool = False
) -> tuple[Bid, ...]:
    """The bids that win, and the parts of losing bids that no winner covers: a name's part that
    only a longer bid had.

    Example:
        >>> name, longer = Bid(0, 4, ReferenceKind.NAME, 0.9, "sure"), Bid(0, 9, ReferenceKind.NAME, 0.5, "less")
        >>> [(bid.start, bid.end) for bid in winners_with_rests([name, longer], "Anna Long came.")]
        [(0, 4), (5, 9)]
    """
    taken = bytearray(len(text))
    out: list[Bid] = []
    for together in _apart(bids, in_order=in_order):
        supported = _competing(together, threshold)
        best = _best(supported)
        for bid in best:
            taken[bid.start : bid.end] = b"\1" * len(bid)
        found = [bid for bid in best if bid.kind is not None]
        further = _left_over(supported, text, taken)
        out += sorted((*found, *further), key=attrgetter("start")) if further else found
    return tuple(out)


def _left_over(bids: Sequence[Bid], text: str, taken: bytearray) -> list[Bid]:
    """The best bids for uncovered words, one after the other, until every word is covered."""
    out: list[Bid] = []
    while rests := [
        Bid(start, end, bid.kind, bid.score, bid.detector, bid.reason)
        for bid in bids
        if bid.kind is not None and taken.find(0, bid.start, bid.end) >= 0
        for start, end in uncovered(bid, text, taken)
    ]:
        for bid in _best(rests):
            taken[bid.start : bid.end] = b"\1" * len(bid)
            out.append(bid)
    return out


def _apart(bids: Iterable[Bid], *, in_order: bool) -> Iterator[Sequence[Bid]]:
    """Bids in groups that do not overlap each other, in the order of the text; each group is
    decided by itself."""
    if not in_order:
        bids = tuple(bids)
        if len(bids) <= _TOGETHER:
            yield bids
            return
        bids = sorted(bids, key=attrgetter("start"))
    group: list[Bid] = []
    reach = 0
    for bid in bids:
        if len(group) >= _TOGETHER and bid.start >= reach:
            yield group
            group = []
        group.append(bid)
        reach = max(reach, bid.end)
    yield group


def _competing(bids: Iterable[Bid], threshold: float) -> list[Bid]:
    return [bid for bid in _supported(bids) if bid.score >= threshold and bid.end > bid.start]


def uncovered(bid: Bid, text: str, taken: bytearray) -> Iterator[tuple[int, int]]:
    """The stretches of whole words that nobody won, but for those of small words alone."""
    run: list[re.Match[str]] = []
    for word in (*_WORD.finditer(text, bid.start, bid.end), None):
        free = word is not None and not any(taken[word.start() : word.end()])
        if word is not None and free and not (run and any(taken[run[-1].end() : word.start()])):
            run.append(word)
            continue
        if any(one[0].lower() not in _SMALL_WORDS for one in run):
            yield run[0].start(), run[-1].end()
        run = [word] if word is not None and free else []


def _supported(bids: Iterable[Bid]) -> list[Bid]:
    """One bid for each span and kind: the surest, with more for every other detector that
    agrees."""
    out: dict[tuple[int, int, ReferenceKind | None], Bid] = {}
    for bid in sorted(bids, key=attrgetter("score"), reverse=True):
        key = (bid.start, bid.end, bid.kind)
        first = out.get(key)
        if first is None:
            out[key] = bid
        elif bid.detector not in first.detector.split("+"):
            score = first.score + (1 - first.score) * AGREEMENT * bid.score
            out[key] = Bid(*key, score, f"{first.detector}+{bid.detector}", first.reason)
    return list(out.values())


def _best(bids: Sequence[Bid]) -> list[Bid]:
    """The bids without overlap that are worth most together; of equals, the longer and surer."""
    ordered = sorted(bids, key=attrgetter("end", "start", "score"))
    ends = [bid.end for bid in ordered]
    own = [_worth(bid) for bid in ordered]
    worth = [0.0]
    taken: list[int] = []  # for each bid, how many bids before it may stand with it
    for place, bid in enumerate(ordered):
        before = bisect_right(ends, bid.start, 0, place)
        taken.append(before)
        worth.append(max(worth[-1], worth[before] + own[place]))
    out: list[Bid] = []
    place = len(ordered)
    while place:
        before = taken[place - 1]
        together = worth[before] + own[place - 1]
        if together >= worth[place - 1] and worth[place] == together:
            out.append(ordered[place - 1])
            place = before
        else:
            place -= 1
    return out[::-1]


def _worth(bid: Bid) -> float:
    return bid.score * bid.score * (bid.end - bid.start)
