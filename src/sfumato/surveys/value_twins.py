"""Fields that determine one value of another: a flag that is set in the rows of a rare disease.

Where nearly every row has one value, any field determines the other with few exceptions, and counts
over all rows are no evidence. So each value of up to 5 % of the rows is judged by itself, and of two
values the rarer one: the rows that have it must be those of some values of the determining field,
but for 1 % of them. Chance is told apart by the probability of that under permutation, for all
pairs and values of a search together. The number of ways to join groups of rows to as many rows is
bounded by its generating function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from .coded_rows import MISSING, CodedField, Codes
from .pair_counts import BY_CHANCE, ENOUGH_NAMED, EXCEPTIONS, RARE, SEED

FEWEST = 2
"""The least rows of a value that is judged by itself."""
MOST_PAIRS = 4_000
"""With more pairs of fields, only values are judged that one other value has the rows of."""
_STEPS = np.exp(-np.geomspace(1e-4, 30, 60))


def value_share(one: CodedField, other: CodedField, *, tests: int = 1) -> float | None:
    """The share of exceptions in the rows of a value of `other` that `one` determines beyond
    chance; None where there is none.

    A null of `one` is one more value of it. Rows without a value of `other` do not have the value,
    or do not count."""
    first = one.codes + 1
    shares = [_share(first, other, np.ones(len(first), bool), tests)]
    both = (one.codes != MISSING) & (other.codes != MISSING)
    if shares[0] is None and not both.all():
        shares.append(_share(first, other, both, tests))
    return shares[-1]


def _share(
    first: Codes, other: CodedField, compared: NDArray[np.bool_], tests: int
) -> float | None:
    first, second = first[compared], other.codes[compared]
    rows = len(first)
    if rows < ENOUGH_NAMED or not other.distinct:
        return None
    sizes = np.bincount(first)
    have = np.bincount(second[second != MISSING], minlength=other.distinct)
    has_two = np.sort(have)[-2:].sum() == rows
    judged = (have >= FEWEST) & (have <= (rows / 2 if has_two else BY_CHANCE * rows))
    if not judged.any():
        return None
    rare = np.flatnonzero(np.append(judged, False)[second])
    pairs, counts = np.unique(first[rare] * other.distinct + second[rare], return_counts=True)
    owners, values = pairs // other.distinct, pairs % other.distinct
    chosen = 2 * counts > sizes[owners]
    inside = np.bincount(values[chosen], counts[chosen], minlength=other.distinct)
    taken = np.bincount(values[chosen], sizes[owners][chosen], minlength=other.distinct)
    wrong = (have - inside) + (taken - inside)
    likely = np.flatnonzero(judged & (wrong <= EXCEPTIONS * have))
    if not len(likely):
        return None
    groups = np.bincount(sizes[sizes > 0])
    number = log(tests * int(judged.sum()))
    by_chance: set[tuple[int, int]] = set()
    for value in likely[np.argsort(-have[likely], kind="stable")].tolist():
        total, off = int(taken[value]), int(wrong[value])
        if (total, off) in by_chance:
            continue
        chance = _ways(groups.tobytes(), total) + _orders(rows, off) - _orders(rows, total)
        if chance + number <= log(RARE):
            return off / int(have[value])
        by_chance.add((total, off))
    return None


@lru_cache(maxsize=4_096)
def _ways(groups: bytes, total: int) -> float:
    """The logarithm of a bound on the number of ways to choose groups with so many rows together,
    from the numbers of groups by size: the coefficient of a generating function."""
    count = np.frombuffer(groups, np.int64)
    sizes = np.flatnonzero(count)
    steps = _STEPS[:, None]
    bounds = (np.log1p(steps**sizes) * count[sizes]).sum(axis=1) - total * np.log(_STEPS)
    return float(bounds.min())


def _orders(rows: int, chosen: int) -> float:
    return lgamma(rows + 1) - lgamma(chosen + 1) - lgamma(rows - chosen + 1)


def same_rows(
    telling: Sequence[CodedField], told: Sequence[CodedField]
) -> Iterator[tuple[CodedField, CodedField]]:
    """The pairs of fields in which a value of one has the rows of a value of the other, by a sum of
    random numbers of these rows."""
    rows = len(telling[0].codes) if telling else 0
    marks = np.random.default_rng(SEED).integers(0, 2**62, rows, dtype=np.uint64)
    owners: dict[int, list[CodedField]] = {}
    for item in telling:
        for mark in _marks(item.codes + 1, marks):
            owners.setdefault(mark, []).append(item)
    for item in told:
        held = item.codes != MISSING
        found = {
            own.name: own
            for mark in _marks(item.codes[held], marks[held])
            for own in owners.get(mark, ())
        }
        yield from ((own, item) for own in found.values())


def _marks(codes: Codes, marks: NDArray[np.uint64]) -> list[int]:
    """The sum of the marks of each value of up to half of the rows, and of two at least."""
    sums = np.zeros(int(codes.max(initial=0)) + 1, np.uint64)
    np.add.at(sums, codes, marks)
    sizes = np.bincount(codes, minlength=len(sums))
    return [int(mark) for mark in sums[(sizes >= FEWEST) & (sizes <= len(marks) / 2)]]
