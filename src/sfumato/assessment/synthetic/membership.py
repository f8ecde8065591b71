"""Membership: can somebody infer that a person was in the source? Members of the source against
people who are not in it, by the distance of synthetic rows (in the spirit of DOMIAS, van Breugel et
al. 2023).

The attacker has a person's whole row and a sample of other people. They claim "member" where
synthetic rows are nearer to the person than that sample is. Rows are compared value by value, by
the distance of numbers and dates, and by places in their own order where a field looks re-encoded.
The comparison and the threshold are chosen on one half of the people and tried on the other. The
gap is therefore not fitted to chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sfumato.measures import MembershipGap, best_gap, gap_between, nearest_distance

from .coded_rows import CodedRows, Codes
from .reencoded_fields import realigned_rows, reencoded_fields

PEOPLE = 4_000
"""How many members, and as many others, are tried at most."""
MOST_ROWS = 60_000
"""Of more synthetic rows, so many are looked at: nearness needs no more."""
FEWEST = 50
BLOCK = 64
WHOLE = 64
"""The weight of a field that differs wholly, where others differ in part."""


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
    best = max(attackers, key=lambda one: best_gap(one[0][:tried], one[1][:tried])[0])
    return gap_between(*best)


Distance = Callable[[Codes, Codes], NDArray[np.float64]]


def _comparisons(rows: CodedRows) -> Iterator[tuple[CodedRows, Distance]]:
    """In which writing rows are compared, and how."""
    yield rows, nearest_distance
    if any(rows.ordered):
        yield rows, partial(_ordered_distance, rows=rows)
    odd = reencoded_fields(rows)
    if odd:
        realigned = realigned_rows(rows, odd)
        yield realigned, nearest_distance
        yield realigned, partial(_ordered_distance, rows=realigned)


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
