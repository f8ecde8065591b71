"""Bids compete: of those that overlap, the ones win that are worth most together (000, section 6.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .bids import Bid

AGREEMENT = 0.5
"""How much of what is left to certainty another detector's agreement adds."""


def winners(bids: Iterable[Bid], *, threshold: float = 0.0) -> tuple[Bid, ...]:
    """The bids that win, in the order of the text; none overlaps another.

    Detectors that bid for the same characters as the same kind support each other. Then those bids without overlap are
    chosen that are worth most in all (weighted interval scheduling, exact): a bid is worth its length times the square
    of its score, so that a long bid beats the parts of it, unless those are much surer. Bids below `threshold` lose
    beforehand; bids of no kind take part and are left out of the answer.

    Example:
        >>> whole, part = Bid(0, 12, None, 0.9, "keep"), Bid(0, 8, None, 0.8, "other")
        >>> winners([whole, part])
        ()
    """
    supported = [bid for bid in _supported(bids) if bid.score >= threshold and len(bid) > 0]
    return tuple(bid for bid in _best(supported) if bid.kind is not None)


def _supported(bids: Iterable[Bid]) -> list[Bid]:
    """One bid for each span and kind: the surest, with more for every other detector that agrees."""
    out: dict[tuple[int, int, object], Bid] = {}
    for bid in sorted(bids, key=lambda bid: -bid.score):
        key = (bid.start, bid.end, bid.kind)
        first = out.get(key)
        if first is None:
            out[key] = bid
        elif bid.detector not in first.detector.split("+"):
            score = first.score + (1 - first.score) * AGREEMENT * bid.score
            out[key] = replace(first, score=score, detector=f"{first.detector}+{bid.detector}")
    return list(out.values())


def _best(bids: Sequence[Bid]) -> list[Bid]:
    """The bids without overlap that are worth most together; of equals, the longer and surer."""
    ordered = sorted(bids, key=lambda bid: (bid.end, bid.start, bid.score))
    ends = [bid.end for bid in ordered]
    worth = [0.0]
    taken: list[int] = []  # for each bid, how many bids before it may stand with it
    for place, bid in enumerate(ordered):
        before = bisect_right(ends, bid.start, 0, place)
        taken.append(before)
        worth.append(max(worth[-1], worth[before] + _worth(bid)))
    out: list[Bid] = []
    place = len(ordered)
    while place:
        bid, before = ordered[place - 1], taken[place - 1]
        if worth[before] + _worth(bid) >= worth[place - 1] and worth[place] == worth[before] + _worth(bid):
            out.append(bid)
            place = before
        else:
            place -= 1
    return out[::-1]


def _worth(bid: Bid) -> float:
    return bid.score * bid.score * len(bid)
