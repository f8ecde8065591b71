"""Partners near in rank: each row is paired with one within a window of ranks, as in Moore
(1996)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .keyed_random import KeyedRandom, Wholes

_TRIES = 8
_DRAWS = 1 << 16


def rank_partners(groups: Wholes, window: float, chance: KeyedRandom) -> Wholes:
    """For rows sorted by group and rank, the place of the row that each exchanges with; its own
    where there is none.

    From the lowest rank on, each row that is still free is paired with a free row at most `window`
    of its group's rows (and at least one) above it. The farthest of these is always free, so that
    at most one row of a group, the last, is left over.

    Example:
        >>> rank_partners(np.zeros(4, int), 0.25, KeyedRandom(b"secret")).tolist()
        [1, 0, 3, 2]
    """
    count = len(groups)
    starts = np.flatnonzero(np.diff(groups, prepend=-1) if count else groups)
    sizes = np.diff(np.append(starts, count))
    reach = np.repeat(
        np.maximum(1, np.floor(window * sizes + 1e-9).astype(np.int64)), sizes
    ).tolist()
    last = np.repeat(starts + sizes - 1, sizes).tolist()
    partner = list(range(count))
    draws = _draws(chance)
    for low in range(count):
        high = min(low + reach[low], last[low])
        if partner[low] == low < high:
            found = _free(partner, low, high, draws)
            partner[low], partner[found] = found, low
    return np.array(partner, np.int64)


def _free(partner: list[int], low: int, high: int, draws: Iterator[float]) -> int:
    """A place above `low` up to `high` that is free, each with the same chance; `low` where none
    is."""
    for _ in range(_TRIES):
        place = low + 1 + int(next(draws) * (high - low))
        if partner[place] == place:
            return place
    free = [place for place in range(low + 1, high + 1) if partner[place] == place]
    return free[int(next(draws) * len(free))] if free else low


def _draws(chance: KeyedRandom) -> Iterator[float]:
    while True:
        yield from chance.uniform(_DRAWS).tolist()
