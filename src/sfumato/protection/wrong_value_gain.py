"""The inference from values that are known to be wrong, where nobody was assigned their own.

All assignments in which nobody gets their own value are equally likely. Expected counts of (true,
assigned) pairs then have no interaction beside the empty diagonal: quasi-independence (Bishop,
Fienberg and Holland 1975, "Discrete multivariate analysis", chapter 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Numbers = NDArray[np.int64]

_HALVINGS = 200


def wrong_value_gain(counts: Numbers, prior: Reals) -> float:
    """The largest gain in confidence about somebody's value, for a recipient who knows one value
    that it is not: from 0 to 1, which is certainty.

    `counts` has the rows that were assigned each value, `prior` the share of people with each in
    the source. The gain is (belief - prior) / (1 - prior), as in `ConfidenceGain`.

    Example:
        >>> wrong_value_gain(np.array([4, 4, 4]), np.full(3, 1 / 3))
        0.25
        >>> wrong_value_gain(np.array([2, 1, 1]), np.array([0.5, 0.25, 0.25]))
        1.0
    """
    there = counts > 0
    counts, prior = counts[there], prior[there]
    weights = belief_weights(counts)
    if weights is None:
        return 1.0
    order = np.argsort(weights)
    largest = np.full(len(weights), weights[order[-1]])
    largest[order[-1]] = weights[order[-2]]
    belief = weights / np.maximum(weights.sum() - largest, 1e-300)
    gains = (np.minimum(belief, 1.0) - prior) / np.maximum(1.0 - prior, 1e-300)
    return round(float(np.clip(gains.max(), 0.0, 1.0)), 9)


def belief_weights(counts: Numbers) -> Reals | None:
    """Weights a with a[v] * (sum(a) - a[v]) = counts[v]: the expected pairs of v and w are
    a[v] * a[w]. None where a value has half of all rows or more: everybody else's is that one.

    Each weight is one of two roots for the sum S. All are the smaller one, but for the commonest
    value where their sum would be below S."""
    total, most = int(counts.sum()), int(counts.max(initial=0))
    if len(counts) < 2 or (2 * most >= total and len(counts) > 2) or 2 * most > total:
        return None
    sizes, places, times = np.unique(counts, return_inverse=True, return_counts=True)
    least_sum = 2.0 * np.sqrt(float(most))
    roots = _smaller_roots(sizes, least_sum)
    upper = float(roots @ times) < least_sum

    def over(summed: float) -> float:
        """Positive where the sum is too small."""
        found = _smaller_roots(sizes, summed)
        together = float(found @ times)
        # With the larger root of the commonest: S minus its smaller root, beside the others.
        return 2.0 * float(found[-1]) - together if upper else together - summed

    low, high = least_sum, 2.0 * least_sum
    while over(high) > 0:
        low, high = high, 2.0 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if over(middle) > 0 else (low, middle)
    weights = _smaller_roots(sizes, high)[places]
    if upper:
        at = int(np.argmax(counts))
        weights[at] = high - weights[at]
    return weights


def _smaller_roots(counts: Numbers, summed: float) -> Reals:
    found: Reals = 2.0 * counts / (summed + np.sqrt(np.maximum(summed * summed - 4.0 * counts, 0)))
    return found
