"""Earth mover's distance from the values in each bin to a reference distribution, on three grounds
(Li et al. 2007).

The distance is the least share of rows times the way they must be moved to turn one distribution
into the other. The ground is the distance between two values: 1 where they differ (equal); the
places between them in their order (ordered); the level where they meet in a hierarchy
(hierarchical); each divided by the farthest there is. A bin with a value that the ground does not
know is infinitely far away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy, Label, exact

from .histograms import Counts, Reals, shares, summed
from .reference import LabelAlignment

Shares = Mapping[Label, float]


class Equal:
    """Half the sum of the differences: the share of the bin in excess of the reference.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> bins = bins_of_rows(("zip",), [("021**", "flu"), ("021**", "cold")], sensitive=("problem",))
        >>> Equal({"flu": 0.25, "cold": 0.25, "gout": 0.5})(bins, bins.histograms["problem"]).tolist()
        [0.5]
    """

    def __init__(self, reference: Shares) -> None:
        self._shares = LabelAlignment(reference)

    def __call__(self, bins: Bins, histogram: Histogram) -> Reals:
        over = shares(bins, histogram) - self._shares(histogram.values)[histogram.value_of]
        return summed(histogram, np.maximum(over, 0.0), len(bins))


class OrderedDistance:
    """The area between the two cumulative distributions, one step per value, null last.

    Between two values that a bin holds, its cumulative share is constant while that of the
    reference grows; the area of such a run follows from prefix sums, cut where the two cross. The
    work therefore depends on the values in the bins, not on the number of values there are.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("476**", "3"), ("476**", "4"), ("476**", "5")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("salary",))
        >>> to_all = OrderedDistance({str(salary): 1 / 9 for salary in range(3, 12)}, ())
        >>> round(float(to_all(bins, bins.histograms["salary"])[0]), 3)
        0.375
    """

    def __init__(self, reference: Shares, order: Sequence[Label]) -> None:
        places = _places(reference, order)
        self._steps = max(len(places) - 1, 1)
        self._place = LabelAlignment(
            {value: float(place) for place, value in enumerate(places)}, otherwise=-1.0
        )
        self._cumulative = np.cumsum([reference[value] for value in places])
        self._area = np.concatenate(([0.0], np.cumsum(self._cumulative)))

    def __call__(self, bins: Bins, histogram: Histogram) -> Reals:
        places = self._place(histogram.values).astype(np.int64)[histogram.value_of]
        by_place = _sorted(histogram, places, len(self._cumulative))
        bin_of, at, counts = histogram.bin_of, np.maximum(places, 0), histogram.counts
        if by_place is not None:
            bin_of, at, counts = bin_of[by_place], at[by_place], counts[by_place]
        first = np.concatenate(([True], bin_of[1:] != bin_of[:-1]))[: len(bin_of)]
        last = np.concatenate((first[1:], [True]))[: len(bin_of)]
        upto = np.cumsum(counts)
        before = (upto - counts)[first][np.cumsum(first) - 1]
        share = (upto - before) / bins.counts[bin_of]
        end = np.where(last, len(self._cumulative), np.concatenate((at[1:], [0]))[: len(at)])
        areas = self._between(share, at, end) + np.where(first, self._area[at], 0.0)
        out = np.bincount(bin_of, areas, minlength=len(bins)) / self._steps
        out[histogram.bin_of[places < 0]] = np.inf
        return out

    def _between(self, share: Reals, start: Counts, end: Counts) -> Reals:
        """The area between a constant share and the reference's cumulative ones, from place start
        up to end."""
        cut = np.clip(np.searchsorted(self._cumulative, share, side="right"), start, end)
        below = share * (cut - start) - (self._area[cut] - self._area[start])
        above = self._area[end] - self._area[cut] - share * (end - cut)
        found: Reals = below + above
        return found


class Hierarchical:
    """The mean, over the levels below the top, of the equal distance between the two recoded to
    that level.

    That is the paper's sum of costs, height(N)/H * min(extra that enters, extra that leaves) over
    all inner nodes N. A hierarchy is a tree whose leaves are equally deep. On a tree the least cost
    is the amount that must cross each edge times its length, here 1/2H.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> bins = bins_of_rows(("zip",), [("476**", "flu")], sensitive=("problem",))
        >>> tree = Hierarchy.from_rows([("flu", "lungs", "*"), ("cold", "lungs", "*"), ("gout", "joints", "*")])
        >>> Hierarchical({"flu": 0.5, "cold": 0.25, "gout": 0.25}, tree)(bins, bins.histograms["problem"]).tolist()
        [0.375]
    """

    def __init__(self, reference: Shares, hierarchy: Hierarchy) -> None:
        leaf = {label: code for code, label in enumerate(hierarchy.labels[0])}
        missing = sum(1 for value in reference if value not in leaf)
        if missing:
            raise Mistake(
                "The hierarchy of a sensitive field must have every value of the source.",
                found=f"{missing} of {len(reference)} values are not in it.",
                attempt="adding them to the hierarchy.",
            )
        by_branch = np.lexsort(hierarchy.up)
        place = np.empty(len(by_branch))
        place[by_branch] = np.arange(len(by_branch))
        self._place = LabelAlignment(
            {label: place[code] for label, code in leaf.items()}, otherwise=-1.0
        )
        weights = [reference.get(label, 0.0) for label in hierarchy.labels[0]]
        levels = hierarchy.up[: hierarchy.height + (not hierarchy.ends_in_one_value)]
        self._nodes = tuple(codes[by_branch] for codes in levels)
        self._shares = tuple(np.bincount(codes, weights) for codes in levels)

    def __call__(self, bins: Bins, histogram: Histogram) -> Reals:
        places = self._place(histogram.values).astype(np.int64)[histogram.value_of]
        by_place = _sorted(histogram, places, len(self._nodes[0]) if self._nodes else 1)
        bin_of, at, share = histogram.bin_of, np.maximum(places, 0), shares(bins, histogram)
        if by_place is not None:
            bin_of, at, share = bin_of[by_place], at[by_place], share[by_place]
        out = np.zeros(len(bins))
        for nodes, expected in zip(self._nodes, self._shares, strict=True):
            node = nodes[at]
            first = np.concatenate(([True], (bin_of[1:] != bin_of[:-1]) | (node[1:] != node[:-1])))[
                : len(node)
            ]
            starts = np.flatnonzero(first)
            over = (
                np.add.reduceat(share, starts) - expected[node[starts]]
                if len(starts)
                else np.zeros(0)
            )
            out += np.bincount(bin_of[starts], np.maximum(over, 0.0), minlength=len(bins))
        out /= max(len(self._nodes), 1)
        out[histogram.bin_of[places < 0]] = np.inf
        return out


def _sorted(histogram: Histogram, places: Counts, many: int) -> NDArray[np.intp] | None:
    """The order of the entries by bin and place; None where they are in it."""
    keys = histogram.bin_of * (many + 1) + places
    return None if (keys[1:] > keys[:-1]).all() else np.argsort(keys, kind="stable")


def _places(reference: Shares, order: Sequence[Label]) -> list[Label]:
    """The values of the reference in their order: the one given, or that of numbers; null last."""
    values = [value for value in reference if value is not None]
    nulls: list[Label] = [None] if None in reference else []
    if order:
        place = {value: number for number, value in enumerate(order)}
        missing = sum(1 for value in values if value not in place)
        if missing:
            raise Mistake(
                "The order of a sensitive field must name every value of the source.",
                found=f"{missing} of {len(values)} values are not in it.",
                attempt="adding them to the order.",
            )
        return [*sorted(values, key=lambda value: place[value]), *nulls]
    numbers = {value: exact(value) for value in values}
    strange = sum(1 for number in numbers.values() if number is None)
    if strange:
        raise Mistake(
            "Without an order, the ordered distance is for numbers.",
            found=f"{strange} of {len(values)} values are not plain decimal numbers.",
            attempt="order = the values from first to last, or the equal or hierarchical distance.",
        )
    return [*sorted(values, key=lambda value: numbers[value] or 0), *nulls]
