"""Recursive (c,l)-diversity: in each bin the commonest sensitive value is not too common, and the
rare not too rare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.wording import counted

from .histograms import Reals, inside, largest, per_bin, shared_by_all, starts_of, summed
from .model import verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RecursiveCLDiversity:
    """In each bin, the most frequent value occurs less than `c` times as often as all but the `l` -
    1 most frequent.

    With counts r1 >= r2 >= ... of the values in a bin: r1 < c * (r_l + r_(l+1) + ...). Then a bin
    without any one value is (c, l-1)-diverse. Two bins that pass also pass together; a passing one
    merged with one that does not may fail.

    Assumes: a recipient who links someone to a bin can rule out at most l - 2 of its values. Does
    not protect: values that mean much the same; a distribution in the bin far from that of the
    source. Reference: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006, "l-Diversity:
    privacy beyond k-anonymity", section 4; docs/protection/recursive-c-l-diversity.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> RecursiveCLDiversity(c=3, l=2, fields=("zip",), sensitive="problem").failing(bins).tolist()
        [False, True]
    """

    c: float
    l: int  # noqa: E741
    fields: tuple[str, ...]
    sensitive: str

    name: ClassVar[str] = "recursive (c,l)-diversity"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return per_bin(bins, self.fields, self._failing)

    def _failing(self, bins: Bins) -> NDArray[np.bool_]:
        histogram = inside(bins, self.sensitive)
        most = largest(histogram, histogram.counts, len(bins))
        out: NDArray[np.bool_] = most >= self.c * self._tail(bins, histogram)
        return out | shared_by_all(bins, self.sensitive) if self.l > 1 else out

    def _tail(self, bins: Bins, histogram: Histogram) -> Reals:
        """For each bin: how often its values occur, but for its l - 1 most frequent ones."""
        total = summed(histogram, histogram.counts, len(bins))
        if self.l <= 1:
            return total
        if self.l == 2:
            return total - largest(histogram, histogram.counts, len(bins))
        falling = _falling(histogram)
        starts = starts_of(histogram)
        place = np.arange(len(falling)) - np.repeat(
            starts, np.diff(np.append(starts, len(falling)))
        )
        return summed(histogram, np.where(place >= self.l - 1, falling, 0), len(bins))

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts.

        No part has a larger tail than the bin, so no value can be kept more often than the bin's
        tail allows."""
        if bins.fields != self.fields:
            return np.zeros(len(bins))
        histogram = inside(bins, self.sensitive)
        cap = np.ceil(self.c * self._tail(bins, histogram)) - 1
        kept = np.minimum(histogram.counts, np.maximum(cap, 0)[histogram.bin_of])
        found: Reals = bins.counts - summed(histogram, kept, len(bins))
        return found

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"c = {self.c:g}, l = {self.l} for {self.sensitive}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the smallest bin has {counted(bins.smallest, 'row')}",
        )


def _falling(histogram: Histogram) -> NDArray[np.int64]:
    """The counts of each bin from the largest to the smallest, without their values."""
    width = int(histogram.counts.max(initial=0)) + 1
    keys = np.sort(histogram.bin_of * width + (width - 1 - histogram.counts))
    found: NDArray[np.int64] = width - 1 - keys % width
    return found
