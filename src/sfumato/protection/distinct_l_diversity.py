"""Distinct l-diversity: each bin holds at least l different values of a sensitive field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

from .histograms import Counts, distinct_values, per_bin, shared_by_all
from .model import verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctLDiversity:
    """Each bin holds at least `l` different values of `sensitive`. Null counts as a value.

    Assumes: a recipient who links someone to a bin can rule out at most l - 2 of its values. Does
    not protect: a value that most of the bin's rows have; see `EntropyLDiversity` and
    `AlphaKAnonymity`. Values that differ but mean much the same; see `TCloseness` with a hierarchy.
    Reference: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006, "l-Diversity: privacy
    beyond k-anonymity"; docs/protection/distinct-l-diversity.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> DistinctLDiversity(l=2, fields=("zip",), sensitive="problem").failing(bins).tolist()
        [False, True]
    """

    l: int  # noqa: E741
    fields: tuple[str, ...]
    sensitive: str

    name: ClassVar[str] = "distinct l-diversity"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = True

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    def distinct(self, bins: Bins) -> Counts:
        """For each bin: how many different values it holds."""
        return per_bin(bins, self.fields, lambda found: distinct_values(found, self.sensitive))

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return per_bin(bins, self.fields, self._failing)

    def _failing(self, bins: Bins) -> NDArray[np.bool_]:
        few = distinct_values(bins, self.sensitive) < self.l
        return few | shared_by_all(bins, self.sensitive) if self.l > 1 else few

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"l = {self.l} for {self.sensitive}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the fewest values in a bin: {self.distinct(bins).min(initial=bins.rows)}",
        )
