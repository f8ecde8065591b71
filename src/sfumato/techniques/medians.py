"""A median that is nobody's own number."""

from __future__ import annotations

import numpy as np

from .cells import Reals


def middle(values: Reals) -> float:
    """The median; where one row alone has that number, the mean of it and its neighbours. A number
    in many rows of a release should not identify somebody.

    Example:
        >>> middle(np.array([1.0, 2.0, 2.0, 9.0])), middle(np.array([1.0, 2.0, 6.0])), middle(np.array([4.0]))
        (2.0, 3.0, 4.0)
    """
    ordered = np.sort(values)
    half = len(ordered) // 2
    found = ordered[(len(ordered) - 1) // 2] / 2 + ordered[half] / 2
    if len(ordered) % 2 == 0 or len(ordered) < 3 or (ordered == found).sum() > 1:
        return float(found)
    return float((ordered[half - 1 : half + 2] / 3).sum())
