"""The weight of a minimal sample unique, and how SUDA scores become DIS scores; as sdcMicro's
`suda2` has them.

Weights after Elliot, Manning, Mayes, Gurd and Bane (2005, "SUDA: A program for detecting special
uniques"), which is sdcMicro's `original_scores = TRUE`, or after the program of the IHSN, its
`original_scores = FALSE`. DIS scores spread the file's risk over the records (Elliot and Manning
2003, "Using DIS to modify the classification of special uniques")."""

from __future__ import annotations

from math import factorial, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Scoring = Literal["elliot", "ihsn"]


def weight(size: int, *, fields: int, largest: int, scoring: Scoring = "elliot") -> float:
    """The score of one minimal unique of `size` fields among `fields`, up to `largest` at once.

    Elliot: the number of ways up from it to a set of `largest` fields, (fields - size) down to
    (fields - largest), multiplied; the last factor is never 0. IHSN: 2^(fields - size) - 1 larger
    sets, times the share that one set has among all of its size.

    Example:
        >>> [weight(size, fields=4, largest=4) for size in (1, 2, 3, 4)]
        [6.0, 2.0, 1.0, 1.0]
        >>> [weight(size, fields=4, largest=4, scoring="ihsn") for size in (1, 2, 3, 4)]
        [1.75, 0.5, 0.25, 0.0]
    """
    if scoring == "elliot":
        return float(prod(fields - step for step in range(size, min(largest, fields - 1) + 1)))
    share = factorial(size) * factorial(fields - size) / factorial(fields)
    return float(2 ** (fields - size) - 1) * share


def dis_scores(scores: Reals, *, fields: int, pairs: int, fraction: float) -> Reals:
    """For each record, how likely a match with it is a correct one, when the file is a sample of
    `fraction`.

    The file's DIS is u f / (u f + p (1 - f)), with u records unique in all fields and p records in
    pairs. Its odds are spread over the records by score to the power of 1 + (8 - fields) / 20. The
    harmonic mean over the records is then the file's. `pairs` is p, and u cancels out. A record
    without a score gets 0. Where no two records are a pair, DIS cannot estimate the chance that a
    match is wrong, and every record with a score gets 1.

    Example:
        >>> scores = np.array([1.75, 3.25, 1.75, 2.75, 0.0])
        >>> dis_scores(scores, fields=4, pairs=6, fraction=0.01).round(4).tolist()
        [0.0051, 0.0107, 0.0051, 0.0088, 0.0]
    """
    out = np.zeros(len(scores))
    at = scores > 0
    if not at.any():
        return out
    raised = scores[at] ** (1 + (8 - fields) / 20)
    odds_against = pairs * (1 - fraction) / fraction
    out[at] = 1 / (1 + odds_against / (raised * (1 / raised).sum()))
    return out
