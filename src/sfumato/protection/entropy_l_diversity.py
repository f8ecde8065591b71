"""Entropy l-diversity: the sensitive values in each bin are as spread as l equally frequent
ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

from .histograms import ROUNDING, Reals, distinct_values, inside, per_bin, shared_by_all, summed
from .model import verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyLDiversity:
    """The entropy of `sensitive` in each bin is at least log `l`, that of `l` values of equal
    frequency.

    Two bins that pass also pass together, because entropy is concave. A bin that passes may fail
    when one that does not is merged into it. If the source as a whole lacks the entropy, no release
    has it.

    Assumes: as distinct l-diversity, and that frequent values are what a recipient would guess.
    Does not protect: a very common value, for which no recoding can meet the rule; values that mean
    much the same. Reference: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006,
    "l-Diversity: privacy beyond k-anonymity", section 4; docs/protection/entropy-l-diversity.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu"), ("946**", "cold")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> EntropyLDiversity(l=2, fields=("zip",), sensitive="problem").failing(bins).tolist()
        [False, True]
    """

    l: float  # noqa: E741
    fields: tuple[str, ...]
    sensitive: str

    name: ClassVar[str] = "entropy l-diversity"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    def entropies(self, bins: Bins) -> Reals:
        """For each bin: the entropy of its values, in nats."""
        return per_bin(bins, self.fields, self._entropies)

    def _entropies(self, bins: Bins) -> Reals:
        histogram = inside(bins, self.sensitive, spread=True)
        counts = histogram.counts
        found: Reals = (
            np.log(bins.counts)
            - summed(histogram, counts * np.log(counts), len(bins)) / bins.counts
        )
        return found

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        low: NDArray[np.bool_] = self.entropies(bins) < math.log(self.l) - ROUNDING
        return low | per_bin(bins, self.fields, self._shared) if self.l > 1 else low

    def _shared(self, bins: Bins) -> NDArray[np.bool_]:
        return shared_by_all(bins, self.sensitive)

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts; those of bins with
        fewer than l values."""
        few = distinct_values(bins, self.sensitive) < self.l - ROUNDING
        return (
            np.where(few, bins.counts, 0.0) if bins.fields == self.fields else np.zeros(len(bins))
        )

    def judge(self, bins: Bins) -> Verdict:
        lowest = math.exp(self.entropies(bins).min(initial=math.log(bins.rows or 1)))
        return verdict_of(
            self,
            bins,
            requirement=f"entropy of {self.sensitive} at least that of l = {self.l:g} equal values",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the lowest entropy is that of {lowest:.3g} equal values",
        )
