"""Membership: can somebody tell who was in the source? Members of the source against people who are
not in it, by how near synthetic rows come (in the spirit of DOMIAS, van Breugel et al. 2023).

The attacker has a person's whole row and a sample of other people. They say "member" where synthetic
rows are nearer to the person than that sample is. Rows are compared value by value, by how far numbers
and dates are apart, and by places in their own order where a field looks re-encoded. The comparison
and the threshold are chosen on one half of the people and tried on the other, so that the gap is not
fitted to chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attacks.rates import Z
from .coded_rows import CodedRows, Codes
from .reencoded_fields import realigned_rows, reencoded_fields

PEOPLE = 4_000
"""How many members, and as many others, are tried at most."""
MOST_ROWS = 60_000
"""Of more synthetic rows, so many are looked at: nearness needs no more."""
FEWEST = 50
BLOCK = 64
WHOLE = 64
"""What a field that differs wholly counts for, where others differ in part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipGap:
    """How much likelier "member" is said of members than of others, with its 95 % interval."""

    members: int
    others: int
    said_of_members: float
    said_of_others: float
    gap: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def membership_gap(rows: CodedRows, *, seed: int) -> MembershipGap | None:
    """Attack membership; None where there are too few people beside the source."""
    chance = np.random.default_rng(seed)
    half = len(rows.control) // 2
    if half < FEWEST or len(rows.source) < 2 * FEWEST:
        return None
    mixed = chance.permutation(len(rows.control))
    others, reference = mixed[:half], mixed[half:]
    count = min(PEOPLE, len(others), len(rows.source))
    members = chance.choice(len(rows.source), count, replace=False)
    made = chance.permutation(len(rows.made))[:MOST_ROWS]
    order = chance.permutation(count)
    attackers = []
    for seen, distance in _comparisons(rows):
        people = np.concatenate([seen.source[members], seen.control[others[:count]]])
        near = distance(people, seen.control[reference]) - distance(people, seen.made[made])
        attackers.append((near[:count][order], near[count:][order]))
    tried = len(attackers[0][0]) // 2
    best = max(attackers, key=lambda one: _best_gap(one[0][:tried], one[1][:tried])[0])
    return _gap(*best)


Distance = Callable[[Codes, Codes], NDArray[np.float64]]


def _comparisons(rows: CodedRows) -> Iterator[tuple[CodedRows, Distance]]:
    """In which writing rows are compared, and how."""
    yield rows, _distance
    if any(rows.ordered):
        yield rows, partial(_ordered_distance, rows=rows)
    odd = reencoded_fields(rows)
    if odd:
        realigned = realigned_rows(rows, odd)
        yield realigned, _distance
        yield realigned, partial(_ordered_distance, rows=realigned)


def _distance(people: Codes, rows: Codes) -> NDArray[np.float64]:
    """In how many fields the nearest row differs, and in part how many rows are as near."""
    out = np.zeros(len(people))
    columns = [np.ascontiguousarray(rows[:, n]) for n in range(rows.shape[1])]
    for start in range(0, len(people), BLOCK):
        block = people[start : start + BLOCK]
        differ = np.zeros((len(block), len(columns[0])), np.int16)
        for n, column in enumerate(columns):
            differ += block[:, n : n + 1] != column
        nearest = differ.min(1)
        as_near = (differ == nearest[:, None]).mean(1)
        out[start : start + BLOCK] = nearest - as_near
    return out


def _ordered_distance(people: Codes, made: Codes, *, rows: CodedRows) -> NDArray[np.float64]:
    """How far the nearest row is, where numbers and dates a quarter of their range apart differ
    wholly, and nearer ones in part."""
    out = np.zeros(len(people))
    columns = [np.ascontiguousarray(made[:, n].astype(np.int16)) for n in range(made.shape[1])]
    steps = [
        max(4 * WHOLE // max(size - 2, 1), 1) if ordered else 0
        for size, ordered in zip(rows.sizes, rows.ordered, strict=True)
    ]
    people = people.astype(np.int16)
    for start in range(0, len(people), BLOCK):
        block = people[start : start + BLOCK]
        far = np.zeros((len(block), len(made)), np.int32)
        for n, (column, step) in enumerate(zip(columns, steps, strict=True)):
            cells = block[:, n : n + 1]
            apart = cells != column
            if step:
                part = np.minimum(np.abs(cells - column), WHOLE) * np.int16(step)
                here = np.where(
                    (cells == 0) | (column == 0), WHOLE * apart, np.minimum(part, WHOLE)
                )
                far += here
            else:
                far += apart * np.int16(WHOLE)
        out[start : start + BLOCK] = far.min(1)
    return out


def _gap(members: NDArray[np.float64], others: NDArray[np.float64]) -> MembershipGap:
    half = len(members) // 2
    best = _best_gap(members[:half], others[:half])[1]
    yes, no = members[half:] >= best, others[half:] >= best
    gap = float(yes.mean() - no.mean())
    spread = Z * sqrt(
        float(yes.var()) / len(yes) + float(no.var()) / len(no) + 0.25 / len(yes) ** 2
    )
    return MembershipGap(
        members=len(yes),
        others=len(no),
        said_of_members=float(yes.mean()),
        said_of_others=float(no.mean()),
        gap=gap,
        low=max(gap - spread, -1.0),
        high=min(gap + spread, 1.0),
    )


def _best_gap(members: NDArray[np.float64], others: NDArray[np.float64]) -> tuple[float, float]:
    """The largest gap, and from where on "member" is said for it."""
    places = np.unique(np.concatenate([members, others]))
    above = [np.searchsorted(np.sort(one), places, side="left") for one in (members, others)]
    gaps = above[1] / len(others) - above[0] / len(members)
    best = int(np.argmax(gaps))
    return float(gaps[best]), float(places[best])
