"""The distribution that a recipient knows before the release: that of a sensitive field in the
whole source."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label

from .histograms import inside


def reference_of(bins: Bins, name: str, *, spread: bool = False) -> dict[Label, float]:
    """The share of people with each value of the sensitive field, over all bins; of rows, where
    nobody has two.

    Where people have several rows the shares may add up to more than 1, unless people are `spread`
    over their values.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu")]
        >>> reference_of(bins_of_rows(("zip",), rows, sensitive=("problem",)), "problem")
        {'cold': 0.25, 'flu': 0.75}
    """
    whole = bins.project(())
    histogram = inside(whole, name, spread=spread)
    counts = np.bincount(histogram.value_of, histogram.counts, minlength=len(histogram.values))
    total = max(float(whole.rows), 1.0)
    return {
        value: float(count) / total for value, count in zip(histogram.values, counts, strict=True)
    }


class LabelAlignment:
    """Looks up numbers of labels in the order of a histogram's values, and caches the last values.

    A search asks thousands of times about the same tuple of values.
    """

    def __init__(self, numbers: Mapping[Label, float], *, otherwise: float = 0.0) -> None:
        self._numbers = numbers
        self._otherwise = otherwise
        self._last: tuple[tuple[Label, ...], NDArray[np.float64]] = ((), np.zeros(0))

    def __call__(self, values: tuple[Label, ...]) -> NDArray[np.float64]:
        seen, found = self._last
        if seen is not values:
            found = np.array([self._numbers.get(value, self._otherwise) for value in values], float)
            self._last = (values, found)
        return found
