"""Groups of at least k rows that are near in several numbers: MDAV, in blocks where there are many
rows.

The algorithm is that of `solvers/microaggregation.py`. Its time grows with the square of the rows.
A table of more than a few thousand is therefore first cut at medians along the longest side, as a
k-d tree is (Bentley 1975); groups do not reach over a cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.solvers import mdav

from .cells import Reals
from .keyed_random import Wholes

_BLOCK = 2000


def near_groups(points: Reals, k: int, *, block: int = _BLOCK) -> Wholes:
    """A group for each row of `points`; each has at least k, if there are as many. Every column
    counts as it is.

    Example:
        >>> near_groups(np.array([[0.0, 1.0], [5.0, 5.0], [0.1, 1.0], [5.0, 5.1]]), 2).tolist()
        [0, 1, 0, 1]
    """
    places, of, counts = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    # The rows of a place are handed out to the groups that take some of it.
    groups = np.empty(len(points), np.int64)
    by_place = np.argsort(of, kind="stable")
    starts = np.cumsum(counts) - counts
    found = 0
    for part in _parts(places, np.arange(len(places)), max(block, 4 * k)):
        portions = mdav(places[part], counts[part], k, scaled=True)
        order = np.argsort(portions.bin_of, kind="stable")
        of_part = np.concatenate([by_place[starts[p] : starts[p] + counts[p]] for p in part])
        groups[of_part] = found + np.repeat(portions.cluster[order], portions.rows[order])
        found += int(portions.cluster.max(initial=-1)) + 1
    return groups


def _parts(places: Reals, part: Wholes, block: int) -> Iterator[Wholes]:
    """Places in parts of at most `block` and at least half as many."""
    if len(part) <= block:
        if len(part):
            yield part
        return
    side = int(np.argmax(np.ptp(places[part], axis=0)))
    order = part[np.argsort(places[part, side], kind="stable")]
    half = len(order) // 2
    yield from _parts(places, order[:half], block)
    yield from _parts(places, order[half:], block)
