"""Random record swapping: pairs of records that agree on some fields exchange their areas.

Counts by the matching fields stay as they are in every area, and all counts in areas that contain
both partners (Dalenius and Reiss 1982). The swapped records and their partners are drawn from the
system's entropy and recorded nowhere."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


def swap_areas(areas: Whole, groups: Whole, *, rate: float) -> Whole:
    """The areas of records after swapping: about a share `rate` of them is chosen and paired with
    records of the same group in another area.

    Example:
        >>> areas, groups = np.array([0, 1, 0, 1]), np.array([5, 5, 6, 6])
        >>> swap_areas(areas, groups, rate=1.0).tolist()
        [1, 0, 1, 0]
    """
    words = np.frombuffer(os.urandom(16 * len(areas)), np.uint64).reshape(2, -1)
    chosen = np.flatnonzero(words[0].astype(float) / 2.0**64 < rate)
    order = chosen[np.lexsort((words[1][chosen], groups[chosen]))]
    out = areas.copy()
    of_group: dict[int, dict[int, list[int]]] = {}
    for record in order.tolist():
        area = int(areas[record])
        open_ones = of_group.setdefault(int(groups[record]), {})
        other = next((each for each in open_ones if each != area), None)
        if other is None:
            open_ones.setdefault(area, []).append(record)
            continue
        partner = open_ones[other].pop()
        if not open_ones[other]:
            del open_ones[other]
        out[record], out[partner] = areas[partner], areas[record]
    return out
